import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../server/test/clean-up.ts';
import { type FileResult, runFiles } from './pool.ts';

const UNTIL = JSON.stringify(path.join(import.meta.dirname, '../server/test/until.ts'));
const FILES = {
  'passes.test.mjs': "test('one', () => {}); test('two', { skip: 'no program' }, () => {});",
  'fails.test.mjs':
    "test('sum', async (t) => { console.log('a stray line'); await t.test('inner', () => assert.deepEqual([1], [2])); }); test('other', () => {});",
  'throws.test.mjs': "throw new Error('cannot be loaded');",
  'exits.test.mjs': "test('ends the process', () => process.exit(3));",
  'hangs.test.mjs':
    "test('first', () => {}); test('never ends', () => until(() => false, () => 'the moon is blue'));",
  'blocks.test.mjs': "test('spins', async () => { await new Promise(setImmediate); for (;;); });",
  'awaits.test.mjs':
    "let ended = false; after(() => { ended = true; }); test('early', () => {}); await new Promise((go) => setTimeout(go, 100)); test('late', async () => { await new Promise(setImmediate); assert.ok(!ended); });",
  'last.test.mjs': "test('still runs', () => {});",
};

test('each file has its own result: one that fails, crashes, hangs or blocks fails alone and is named', async () => {
  const folder = await temporaryFolder();
  const head = `import assert from 'node:assert/strict'; import { after, test } from 'node:test'; import { until } from ${UNTIL};\n`;
  for (const [name, text] of Object.entries(FILES)) await writeFile(path.join(folder, name), head + text);
  const results = new Map<string, FileResult>();
  const files = Object.keys(FILES).map((name) => path.join(folder, name));
  // The limit is far above what a test takes that does not hang.
  await runFiles(files, 1, (result) => results.set(path.basename(result.file), result), {
    testMs: 10_000,
    fileMs: 60_000,
  });
  const of = (name: keyof typeof FILES) => {
    const { passed, skipped, failures, output } = results.get(name) ?? assert.fail(`${name} has no result`);
    return {
      passed,
      skipped,
      failed: failures.map((failure) => failure.test),
      error: failures[0]?.error,
      output,
    };
  };
  assert.deepEqual(
    { ...of('passes.test.mjs'), output: '' },
    { passed: 1, skipped: 1, failed: [], error: undefined, output: '' },
  );
  const failed = of('fails.test.mjs');
  assert.deepEqual([failed.passed, failed.failed], [1, ['inner']]);
  assert.match(failed.error ?? '', /\+ {3}1\n- {3}2/);
  assert.match(failed.output, /a stray line/);
  assert.match(of('throws.test.mjs').error ?? '', /cannot be loaded/);
  assert.deepEqual(
    [of('exits.test.mjs').failed, of('exits.test.mjs').error],
    [['ends the process'], 'The process ended with 3.'],
  );
  assert.deepEqual([of('hangs.test.mjs').passed, of('hangs.test.mjs').failed], [1, ['never ends']]);
  assert.match(
    of('hangs.test.mjs').error ?? '',
    /nothing began or ended[\s\S]*waiting until the moon is blue/,
  );
  assert.deepEqual(of('blocks.test.mjs').failed, ['spins']);
  assert.match(of('blocks.test.mjs').error ?? '', /event loop is blocked/);
  assert.deepEqual([of('awaits.test.mjs').passed, of('awaits.test.mjs').failed], [2, []]);
  assert.deepEqual([of('last.test.mjs').passed, of('last.test.mjs').failed], [1, []]);
});

test('a process that is killed between two files fails the next one, and after the last one it is named', async () => {
  const folder = await temporaryFolder();
  const text =
    "import { writeFileSync } from 'node:fs'; import { test } from 'node:test'; test('passes', () => writeFileSync(`${import.meta.filename}.pid`, `${process.pid}`));";
  const files = ['one', 'two', 'three'].map((name) => path.join(folder, `${name}.test.mjs`));
  for (const file of files) await writeFile(file, text);
  const results: FileResult[] = [];
  await runFiles(files, 1, (result) => {
    results.push(result);
    if (result.passed > 0) killNow(Number(readFileSync(`${result.file}.pid`, 'utf8')));
  });
  assert.deepEqual(
    results.map(({ passed, failures }) => [passed, failures.map(({ error }) => error.split('\n')[0])]),
    [
      [1, []],
      [0, ['The process ended with SIGKILL.']],
      [1, []],
      [0, ['The process ended with SIGKILL.']],
    ],
  );
});

/** Returns when the process has ended. Its parent learns of it later, by an event. */
function killNow(pid: number): void {
  process.kill(pid, 'SIGKILL');
  while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')));
}
