import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The source, because the bundle of the test run has no modules to compile. */
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

test('a second process takes the modules of the server from the compile cache', async () => {
  const run = async () => {
    const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...inherited } = process.env;
    const env = { ...inherited, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [MAIN, '--help'], { env });
    return {
      stdout,
      modules: stderr.split('\n').filter((line) => line.includes('/server/src/start/run.ts')),
    };
  };
  const first = await run();
  assert.match(first.modules.join('\n'), /was accepted|writing cache/);
  const second = await run();
  assert.equal(second.stdout, first.stdout);
  assert.match(second.modules.join('\n'), /was accepted/);
});
