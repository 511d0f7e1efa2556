import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { runCommand } from '../test/run-command.ts';

async function scriptFor(shell: string): Promise<string> {
  const { code, out } = await runCommand('/', `completion ${shell}`, {});
  assert.equal(code, 0);
  return out;
}

/** What a shell offers for the last word of a line. */
type Offer = (script: string, words: readonly string[]) => Promise<string[]>;

const run = async (program: string, script: string): Promise<string[]> => {
  const { stdout } = await promisify(execFile)(program, ['-c', script]);
  return stdout.split('\n').filter((word) => word !== '');
};

const bash: Offer = (script, words) => {
  const line = words.map((word) => `'${word}'`).join(' ');
  const ask = `COMP_WORDS=(saldo ${line}); COMP_CWORD=${words.length}; _saldo; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return run('bash', `${script}\n${ask}`);
};

const fish: Offer = (script, words) =>
  run('fish', `cd (mktemp -d)\n${script}\ncomplete --do-complete 'saldo ${words.join(' ')}'`);

const hasFish = spawnSync('fish', ['--version']).status === 0;

async function assertCompletes(script: string, offered: Offer): Promise<void> {
  const offers = async (line: string, ...expected: string[]) =>
    assert.deepEqual((await offered(script, line.split(' '))).toSorted(), expected, line);
  await offers('cust', 'customers');
  await offers('customers p', 'placements', 'preview');
  await offers('customers preview cust_1 --st', '--status');
  await offers('customers preview --status ', 'active', 'deactivated');
  await offers('--json customers move --tso DE_T', 'DE_TENNET', 'DE_TRANSNET_BW');
  await offers('customers move --prof', '--profile');
  await offers('series create --kind ', 'forecast', 'meter');
  await offers('import values --format ', 'csv', 'mscons', 'ndjson');
}

test('bash completes commands, options and their choices', async () => {
  await assertCompletes(await scriptFor('bash'), bash);
});

test('fish completes the same', { skip: !hasFish && 'fish is not installed' }, async () => {
  await assertCompletes(await scriptFor('fish'), fish);
});

test('zsh uses the script of bash, and other shells are rejected with the choices', async () => {
  const script = await scriptFor('zsh');
  assert.equal(script, `autoload -U +X bashcompinit && bashcompinit\n${await scriptFor('bash')}`);
  const { code, err } = await runCommand('/', 'completion tcsh', {});
  assert.equal(code, 2);
  assert.match(err, /Allowed choices are bash, zsh, fish/);
});
