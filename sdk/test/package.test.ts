import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildPackage } from '../build.ts';

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const run = promisify(execFile);

/** Somebody else's project, in which the package is installed. */
const project = await mkdtemp(path.join(tmpdir(), 'saldo-sdk-'));
after(() => rm(project, { recursive: true, force: true }));
const installed = path.join(project, 'node_modules', '@saldo', 'sdk');
await buildPackage(installed);
for (const name of ['typebox', 'commander']) {
  await symlink(path.join(MODULES, name), path.join(project, 'node_modules', name), 'dir');
}
await mkdir(path.join(project, 'src'));

test('the built package works where it is installed, as plain JavaScript', async () => {
  const script = path.join(project, 'src', 'use.mjs');
  await writeFile(
    script,
    `import { createBrpClient, createOperatorClient, isProblem } from '@saldo/sdk';
    const pages = [{ contracts: [{ id: 'con_1' }], pagination: { next_cursor: 'c' } },
      { contracts: [{ id: 'con_2' }], pagination: { next_cursor: null } }];
    const fetch = async () => Response.json(pages.shift());
    const client = createBrpClient({ baseUrl: 'https://saldo.test', apiKey: 'k', fetch });
    for await (const { id } of client.contracts.each()) console.log(id);
    const problem = { type: 'https://x/errors/brp_not_found', title: 'BRP Not Found', status: 404 };
    const refuse = async () => Response.json(problem, { status: 404 });
    const operator = createOperatorClient({ baseUrl: 'https://saldo.test', apiKey: 'k', fetch: refuse });
    await operator.brps.get('brp_1').catch((error) => console.log(isProblem(error, 'brp_not_found')));`,
  );
  const { stdout } = await run(process.execPath, [script], { cwd: project });
  assert.equal(stdout, 'con_1\ncon_2\ntrue\n');
});

test('the built package brings its types, and they refuse what the API would', async () => {
  const script = path.join(project, 'src', 'use.ts');
  await writeFile(
    script,
    `import { createOperatorClient, type Contract, isProblem, type Problem } from '@saldo/sdk';
    const operator = createOperatorClient({ baseUrl: 'https://saldo.test', apiKey: 'k' });
    export const statusOf = async (id: string): Promise<Contract['status']> => (await operator.contracts.get(id)).status;
    export const problemOf = (error: unknown): Problem | null => (isProblem(error) ? error.problem : null);
    export async function volumes(): Promise<number> {
      let sum = 0;
      for await (const { volume } of operator.transactions.each({ status: 'valid' })) sum += volume;
      return sum;
    }
    // @ts-expect-error a filter that there is not
    void operator.contracts.list({ state: 'pending' });
    // @ts-expect-error a name is required
    void operator.brps.create({});
    // @ts-expect-error the day is missing
    void operator.contracts.putDay('con_1', { volumes: [] });
    `,
  );
  const tsc = path.join(MODULES, 'typescript', 'bin', 'tsc');
  const options = '--noEmit --strict --target es2022 --module nodenext --lib es2023,dom,dom.iterable --types';
  await run(process.execPath, [tsc, ...options.split(' '), '', script], { cwd: project }).catch(
    ({ stdout }: { stdout: string }) => assert.fail(stdout),
  );
});

test('the built command line runs', async () => {
  const main = path.join(installed, 'cli', 'main.js');
  const env = { PATH: process.env['PATH'], HOME: project };
  const { stdout } = await run(process.execPath, [main, '--version'], { env });
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
});
