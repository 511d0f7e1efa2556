import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { runCommand } from '../test/run-command.ts';

async function scriptFor(shell: string): Promise<string> {
  const { code, out } = await runCommand('/', `completion ${shell}`, {});
  assert.equal(code, 0);
  return out;
}

/** What bash offers for the last word of a line. */
async function offered(script: string, ...words: string[]): Promise<string[]> {
  const line = words.map((word) => `'${word}'`).join(' ');
  const ask = `COMP_WORDS=(saldo ${line}); COMP_CWORD=${words.length}; _saldo; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', `${script}\n${ask}`]);
  return stdout.split('\n').filter((word) => word !== '');
}

test('bash completes commands, options and their choices', async () => {
  const script = await scriptFor('bash');
  assert.deepEqual(await offered(script, 'cust'), ['customers']);
  assert.deepEqual(await offered(script, 'customers', 'p'), ['preview', 'placements']);
  assert.deepEqual(await offered(script, 'customers', 'preview', 'cust_1', '--st'), ['--status']);
  assert.deepEqual(await offered(script, 'customers', 'preview', '--status', ''), ['active', 'deactivated']);
  assert.deepEqual(await offered(script, '--json', 'customers', 'move', '--tso', 'DE_T'), [
    'DE_TENNET',
    'DE_TRANSNET_BW',
  ]);
  assert.deepEqual(await offered(script, 'customers', 'move', '--prof'), ['--profile']);
});

test('zsh uses the same script, and other shells are rejected with the choices', async () => {
  const script = await scriptFor('zsh');
  assert.match(script, /^autoload -U \+X bashcompinit && bashcompinit\n_saldo\(\)/);
  const { code, err } = await runCommand('/', 'completion tcsh', {});
  assert.equal(code, 2);
  assert.match(err, /Allowed choices are bash, zsh/);
});
