import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { devNull } from 'node:os';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

function failureOf(environment: Record<string, string>): string {
  const env = { ...process.env, SALDO_URL: '', SALDO_KEY: '', ...environment };
  const run = spawnSync(process.execPath, [MAIN, '--once'], { env, encoding: 'utf8' });
  assert.equal(run.status, 1);
  return run.stderr;
}

test('an outbox that is not a folder is reported in one line', () => {
  assert.match(failureOf({ OUTBOX_DIR: devNull }), /^error: E[A-Z]+: [^\n]*\n$/);
});

test('a platform that cannot be reached is reported in one line', () => {
  // Port 1 is refused before a connection is made.
  const url = 'http://127.0.0.1:1';
  assert.equal(failureOf({ SALDO_URL: url, SALDO_KEY: 'x' }), `error: ${url} cannot be reached\n`);
});
