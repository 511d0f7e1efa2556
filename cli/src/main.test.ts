import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

test('an output that cannot be written is one line, not a stack', {
  skip: process.platform !== 'linux',
}, async () => {
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [MAIN, 'completion', 'bash'], { stdio: ['ignore', full, 'pipe'] });
  const [said, [code]] = await Promise.all([text(child.stderr ?? assert.fail()), once(child, 'exit')]);
  assert.equal(said, 'error: the output cannot be written: ENOSPC: no space left on device, write\n');
  assert.equal(code, 2);
});

test('a closed pipe of messages does not change the exit code', async () => {
  const child = spawn(process.execPath, [MAIN, 'unknown'], { stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr.destroy();
  assert.deepEqual(await once(child, 'exit'), [2, null]);
});
