import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { openBrowser } from './browser.ts';
import { temporaryFolder } from './clean-up.ts';
import { runCommand } from './command-line.ts';
import { createDatabase } from './databases.ts';
import { client } from './harness.ts';
import { type Product, runProduct, startProduct } from './product.ts';

const folder = await temporaryFolder();
const saldo = (args: readonly string[], env: Record<string, string>) => runCommand(args, { folder, env });

const keyOf = ({ output }: Pick<Product, 'output'>) => /Operator key: (\S+)\n/.exec(output())?.[1] ?? null;
const tokenOf = ({ output }: Pick<Product, 'output'>) => /\/invitation#(\S+)\n/.exec(output())?.[1] ?? null;

const brps = (product: Product, key: string | null) => client(product.baseUrl, key)('/operator/v1/brps');
const accept = (product: Product, token: string | null) =>
  openBrowser(product).request.post(`/portal/v1/invitations/${token}`, { password: 'the first password' });

/** Each start of the test prints new secrets, or none. */
async function startAndStop(environment: { DATA_DIR: string } & Record<string, string>) {
  const product = await startProduct(environment);
  assert.equal(await product.end('SIGTERM'), 0);
  return { key: keyOf(product), token: tokenOf(product) };
}

test('a first start that fails leaves nothing, and the next one prints the key and the link', async (t) => {
  const DATA_DIR = path.join(folder, 'busy');
  const holder = createServer().listen(0, '127.0.0.1');
  t.after(() => holder.close());
  await once(holder, 'listening');
  const { port } = holder.address() as { port: number };
  const failed = runProduct({ DATA_DIR, DEMO: 'off', PORT: String(port) });
  assert.deepEqual(await once(failed.child, 'close'), [1, null]);
  assert.match(failed.log(), /in use/);
  const next = await startProduct({ DATA_DIR, DEMO: 'off' });
  assert.equal((await brps(next, keyOf(next))).status, 200);
  assert.equal((await accept(next, tokenOf(next))).status, 200);
  assert.equal(await next.end('SIGTERM'), 0);
});

test('each start prints a new key and link until the link has been used', async () => {
  const environment = {
    DATA_DIR: path.join(folder, 'link'),
    DATABASE_URL: await createDatabase(),
    DEMO: 'off',
  };
  const first = await startAndStop(environment);
  const second = await startProduct(environment);
  assert.notEqual(keyOf(second), first.key);
  assert.equal((await brps(second, first.key)).status, 401, 'the key of the start before');
  assert.equal((await accept(second, first.token)).status, 404, 'the link of the start before');
  assert.equal((await accept(second, tokenOf(second))).status, 200);
  assert.equal(await second.end('SIGTERM'), 0);
  assert.deepEqual(await startAndStop(environment), { key: null, token: null });
});

test('each start prints a new key and link until the key has been used', async () => {
  const environment = {
    DATA_DIR: path.join(folder, 'key'),
    DATABASE_URL: await createDatabase(),
    DEMO: 'off',
  };
  await startAndStop(environment);
  const second = await startProduct(environment);
  const key = keyOf(second);
  const { body } = await client(second.baseUrl, key)('/operator/v1/api-keys');
  assert.equal(body.api_keys.length, 1, 'the key of the start before is gone');
  assert.equal(await second.end('SIGTERM'), 0);
  assert.deepEqual(await startAndStop(environment), { key: null, token: null });
  const last = await startProduct(environment);
  assert.equal((await brps(last, key)).status, 200);
  assert.equal(await last.end('SIGTERM'), 0);
});

test('a key of the environment that was not used yet stays when another process starts without it', async () => {
  const DATABASE_URL = await createDatabase();
  const SALDO_OPERATOR_KEY = 'an-operator-key-of-my-own';
  await startAndStop({ DATA_DIR: path.join(folder, 'app1'), DATABASE_URL, SALDO_OPERATOR_KEY });
  const other = await startProduct({ DATA_DIR: path.join(folder, 'app2'), DATABASE_URL });
  assert.equal((await brps(other, SALDO_OPERATOR_KEY)).status, 200);
  assert.equal(await other.end('SIGTERM'), 0);
});

test('saldo makes a new key and a new link on the machine, while the server runs and while it does not', async () => {
  const DATA_DIR = path.join(folder, 'machine');
  const [BASE_URL, KEY] = ['https://saldo.example', 'the-key-of-the-environment'];
  const product = await startProduct({ DATA_DIR, DEMO: 'off', SALDO_OPERATOR_KEY: KEY });
  const key = await saldo(['operator-key'], { DATA_DIR });
  assert.deepEqual([key.code, key.err], [0, '']);
  assert.match(key.out, /^saldo_operator_\w{38}\n$/);
  assert.equal((await brps(product, key.out.trim())).status, 200);
  const link = await saldo(['operator-link'], { DATA_DIR, BASE_URL });
  assert.match(link.out, /^https:\/\/saldo\.example\/invitation#[\w-]{43}\n$/);
  assert.equal((await accept(product, link.out.trim().split('#')[1]!)).status, 200);
  const { body } = await client(product.baseUrl, KEY)('/operator/v1/audit?limit=100');
  const made = body.entries.filter(({ actor }: { actor: string }) => actor === 'command line');
  assert.deepEqual(made.map(({ action }: { action: string }) => action).toSorted(), [
    'api_key.created',
    'user.invited',
  ]);
  assert.equal(await product.end('SIGTERM'), 0);

  const later = await saldo(['operator-link', 'New@example.org'], { DATA_DIR, PORT: '8123' });
  assert.match(later.out, /^http:\/\/127\.0\.0\.1:8123\/invitation#/, later.err);
  const again = await startProduct({ DATA_DIR, DEMO: 'off' });
  const accepted = await accept(again, later.out.trim().split('#')[1]!);
  assert.deepEqual([accepted.status, accepted.body.user.email], [200, 'new@example.org']);
  assert.equal(await again.end('SIGTERM'), 0);
});

test('a key or link that cannot be made is refused in one line', async () => {
  const DATA_DIR = path.join(folder, 'none');
  const missing = await saldo(['operator-key'], { DATA_DIR });
  assert.equal(missing.code, 1);
  assert.match(missing.err, /^Nothing was made: There is no database in .*\n$/);
  const wrong = await saldo(['operator-link', 'nobody'], { DATA_DIR });
  assert.deepEqual([wrong.code, wrong.err], [2, 'error: nobody is no email address\n']);
});
