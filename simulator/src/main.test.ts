import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { devNull } from 'node:os';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('an outbox that is not a folder is reported in one line', () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const env = { ...process.env, OUTBOX_DIR: devNull, SALDO_URL: '', SALDO_KEY: '' };
  const run = spawnSync(process.execPath, [main, '--once'], { env, encoding: 'utf8' });
  assert.match(run.stderr, /^error: E[A-Z]+: [^\n]*\n$/);
  assert.equal(run.status, 1);
});
