import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
// Within the checkout, whose settings the linter finds from there.
const folder = await mkdtemp(path.join(root, 'lint', '.trial-'));
after(() => rm(folder, { recursive: true, force: true }));

/** What the real linter says about a piece of code. */
async function lint(code: string): Promise<string> {
  const file = path.join(folder, 'code.ts');
  await writeFile(file, `export const use = (db: never, f: Function) => ${code};\n`);
  return new Promise((resolve) => {
    execFile(
      path.join(root, 'node_modules/.bin/oxlint'),
      ['--config', path.join(root, '.oxlintrc.json'), file],
      { cwd: root },
      (_error, stdout) => resolve(stdout),
    );
  });
}

const REFUSED = [
  'f(async (tx: never) => f(db))',
  'f(async (call: never, tx: never) => { f(); return f(db, call, tx); })',
  'f((tx: never) => () => f(tx, { db }))',
];
const ACCEPTED = ['f(async (tx: never) => f(tx))', 'f((tx: never) => f(tx, (db: never) => f(db)))', 'f(db)'];

test('a function with a tx that uses db is refused, and no other', async () => {
  for (const code of REFUSED) assert.match(await lint(code), /no-database-in-transaction/, code);
  for (const code of ACCEPTED) assert.doesNotMatch(await lint(code), /no-database-in-transaction/, code);
});
