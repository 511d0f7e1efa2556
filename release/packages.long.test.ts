import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildCli } from '../cli/build.ts';
import { buildSdk } from '../sdk/build.ts';

const TSC = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
const run = promisify(execFile);

/** A project outside of the checkout, in which the packed packages are installed. */
const base = await mkdtemp(path.join(tmpdir(), 'saldo-packages-'));
after(() => rm(base, { recursive: true, force: true }));
const project = path.join(base, 'project');
const installed = path.join(project, 'node_modules/@saldo');
const folders = [path.join(base, 'sdk'), path.join(base, 'cli')] as const;
await Promise.all([buildSdk(folders[0]), buildCli(folders[1])]);
const packed = await run('npm', ['pack', ...folders, '--json', '--pack-destination', base], { cwd: base });
const files = JSON.parse(packed.stdout) as { filename: string }[];
const tarballs = files.map(({ filename }) => path.join(base, filename));
// Offline: a package that needs another one cannot be installed.
await run('npm', ['install', '--prefix', project, '--offline', '--no-audit', '--no-fund', ...tarballs]);

/** Writes a file of that project. */
async function write(name: string, text: string): Promise<string> {
  const file = path.join(project, name);
  await writeFile(file, text);
  return file;
}

const USE = `
  const pages = [{ contracts: [{ id: 'con_1' }], pagination: { next_cursor: 'c' } },
    { contracts: [{ id: 'con_2' }], pagination: { next_cursor: null } }];
  const fetch = async () => Response.json(pages.shift());
  const client = createBrpClient({ baseUrl: 'https://saldo.test', apiKey: 'k', fetch });
  const problem = { type: 'https://x/errors/brp_not_found', title: 'BRP Not Found', status: 404 };
  const refuse = async () => Response.json(problem, { status: 404 });
  const operator = createOperatorClient({ baseUrl: 'https://saldo.test', apiKey: 'k', fetch: refuse });
  async function use() {
    for await (const { id } of client.contracts.each()) console.log(id);
    await operator.brps.get('brp_1').catch((error) => console.log(isProblem(error, 'brp_not_found')));
  }
  use();`;
const NAMES = '{ createBrpClient, createOperatorClient, isProblem }';

test('the SDK is an ES module and a CommonJS one', async () => {
  const scripts = [
    await write('use.mjs', `import ${NAMES} from '@saldo/sdk';${USE}`),
    await write('use.cjs', `const ${NAMES} = require('@saldo/sdk');${USE}`),
  ];
  for (const script of scripts) {
    const { stdout } = await run(process.execPath, [script], { cwd: project });
    assert.equal(stdout, 'con_1\ncon_2\ntrue\n', script);
  }
});

for (const name of ['sdk', 'cli']) {
  test(`@saldo/${name} has no dependencies, and metadata to publish it with`, async () => {
    const text = await readFile(path.join(installed, name, 'package.json'), 'utf8');
    const manifest = JSON.parse(text) as object;
    for (const member of ['dependencies', 'devDependencies', 'peerDependencies', 'scripts', 'private']) {
      assert.ok(!(member in manifest), member);
    }
    for (const member of ['name', 'version', 'description', 'keywords', 'license', 'engines']) {
      assert.ok(member in manifest, member);
    }
  });
}

const TYPED_USE = `
  const operator = createOperatorClient({ baseUrl: 'https://saldo.test', apiKey: 'k' });
  export const statusOf = async (id: string): Promise<Contract['status']> => (await operator.contracts.get(id)).status;
  export const problemOf = (error: unknown): Problem | null => (isProblem(error) ? error.problem : null);
  export async function volumes(): Promise<number> {
    let sum = 0;
    for await (const { volume } of operator.transactions.each({ status: 'valid' })) sum += volume;
    return sum;
  }
  export async function assetOf(id: string): Promise<string | undefined> {
    const contract = await operator.contracts.get(id);
    return contract.type === 'ppa' ? contract.asset?.name : undefined;
  }
  void operator.nominations.list({ include_slots: true }, { timeoutMs: 1000, signal: AbortSignal.timeout(1000) });
  void operator.brps.create({ name: 'Nordwind' }, { idempotencyKey: 'onboarding-7' });
  // @ts-expect-error a flag is a boolean
  void operator.nominations.list({ include_slots: 'yes' });
  // @ts-expect-error only a PPA has an asset
  export const assetOfAny = async (id: string) => (await operator.contracts.get(id)).asset;
  // @ts-expect-error a status is no number
  export const numberOf = async (id: string): Promise<number> => (await operator.contracts.get(id)).status;
  // @ts-expect-error a filter that there is not
  void operator.contracts.list({ state: 'pending' });
  // @ts-expect-error a name is required
  void operator.brps.create({});
  // @ts-expect-error the day is missing
  void operator.contracts.putDay('con_1', { volumes: [] });`;
const IMPORT = "import { createOperatorClient, type Contract, isProblem, type Problem } from '@saldo/sdk';";

test('the SDK has types for both module systems, and they reject wrong arguments', async () => {
  const files = [await write('use.mts', IMPORT + TYPED_USE), await write('use.cts', IMPORT + TYPED_USE)];
  // Node16: CommonJS files cannot import declarations of ES modules. Declarations are checked too (no skipLibCheck).
  await compile(...files);
});

test('a project with a bundler, and one without the newest library, gets the same types', async () => {
  const options = ['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom'];
  const strict = ['--exactOptionalPropertyTypes', '--isolatedModules', '--target', 'es2022'];
  const file = await write('bundled.ts', IMPORT + TYPED_USE);
  await compileWith([...strict, ...options, ...WITHOUT_TYPES], [file]);
});

/** Runs the compiler on files of the project. Returns its output. */
async function compileWith(options: readonly string[], files: readonly string[]): Promise<string> {
  const common = ['--checkers', '1', '--noEmit', '--strict'];
  const { stdout } = await run(process.execPath, [TSC, ...common, ...options, ...files], {
    cwd: project,
  }).catch(({ stdout: faults }: { stdout: string }) => assert.fail(faults));
  return stdout;
}

/** The strictest settings that a project is likely to have. */
const STRICT = [
  ...['--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'],
  ...['--target', 'es2022', '--module', 'node16', '--lib', 'es2023,dom,dom.iterable'],
];
const WITHOUT_TYPES = ['--types', ''];

/** Returns the compiler's statistics. */
const compile = (...files: string[]) =>
  compileWith([...STRICT, '--extendedDiagnostics', ...WITHOUT_TYPES], files);

test('importing the SDK costs the type checker at most half of an empty project more', async () => {
  const costOf = async (file: string) => {
    const statistics = await compile(file);
    return ['Types', 'Instantiations'].map((name) =>
      Number(new RegExp(`${name}: +(\\d+)`).exec(statistics)?.[1]),
    );
  };
  const empty = await costOf(await write('empty.mts', 'export const nothing = 0;'));
  const used = await costOf(await write('used.mts', IMPORT + TYPED_USE));
  for (const [index, cost] of used.entries()) {
    const before = empty[index] ?? 0;
    assert.ok(before > 1000 && cost > before && cost <= 1.5 * before, `${before} and ${cost}`);
  }
});

test('the types of the SDK are plain, and every method and member has a comment', async () => {
  const folder = path.join(installed, 'sdk/types');
  for (const name of await readdir(folder)) {
    const text = await readFile(path.join(folder, name), 'utf8');
    assert.doesNotMatch(text, /typebox|TObject|TSchema|Static<|@saldo|\bany\b(?!['’ ])/i, name);
    const imports = [...text.matchAll(/(?:from |import\()['"]([^'"]+)['"]/g)].map(([, target]) => target);
    for (const target of imports) assert.match(String(target), /^\.\/[a-z]+\.js$/, name);
  }
  const lines = (await readFile(path.join(folder, 'api.d.ts'), 'utf8')).split('\n');
  const bare = lines.filter(
    (line, index) => /^ +\w+\??[:(]|^export /.test(line) && !lines[index - 1]?.endsWith('*/'),
  );
  assert.deepEqual(bare, []);
  assert.ok(lines.length > 3000);
});

test('the examples of the README compile with the published types', async () => {
  const readme = await readFile(path.join(installed, 'sdk/README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, block]) => String(block));
  assert.ok(blocks.length >= 7);
  const files = await Promise.all(blocks.map((block, index) => write(`example-${index}.mts`, block)));
  const roots = fileURLToPath(new URL('../node_modules/@types', import.meta.url));
  await compileWith([...STRICT, '--skipLibCheck', '--types', 'node', '--typeRoots', roots], files);
});

test('the clients of the sources have the published types', async () => {
  const published = path.join(installed, 'sdk/types/index.d.ts');
  const source = fileURLToPath(new URL('../sdk/src/index.ts', import.meta.url));
  const clients = ['Brp', 'Operator', 'Market', 'Portal'].map(
    (name) => `export const to${name} = (client: source.${name}Client): published.${name}Client => client;`,
  );
  const file = await write(
    'conform.ts',
    `import type * as source from '${source}';\nimport type * as published from '${published}';\n${clients.join('\n')}`,
  );
  const ours = ['--target', 'esnext', '--module', 'nodenext', '--lib', 'esnext,dom,dom.iterable'];
  await compileWith([...ours, '--allowImportingTsExtensions', '--skipLibCheck', ...WITHOUT_TYPES], [file]);
});

test('the command line runs', async () => {
  const saldo = path.join(project, 'node_modules/.bin/saldo');
  const env = { PATH: process.env['PATH'], HOME: project };
  const { stdout } = await run(saldo, ['--version'], { env });
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  const help = await run(saldo, ['contracts', 'create', '--help'], { env });
  assert.match(help.stdout, /--first-day/);
});
