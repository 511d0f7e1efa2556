import assert from 'node:assert/strict';
import { chmod, chown, copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../src/platform/db/database.ts';
import { newSecretsKey, writeSecretsKeys } from '../src/start/secrets-key-file.ts';
import { sealStoredSecrets } from '../src/start/start-secrets.ts';
import { untilBlocked } from './blocked.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { runCommand } from './command-line.ts';
import { createDatabase, createEmptyDatabase } from './databases.ts';
import { client } from './harness.ts';
import { type Product, runProduct, startProduct } from './product.ts';
import {
  countForms,
  ENDPOINTS,
  insertPlain,
  keyIdsOf,
  lockLastEndpoint,
  readSealed,
  startSecretsCommand,
} from './sealing.ts';
import { until } from './until.ts';

/** Rotations that are killed, that run as root, with the embedded database, and what backups need. */

const folder = await temporaryFolder();
const fileOf = (name: string) => path.join(folder, name);
const saldo = (args: readonly string[], env: Record<string, string>) => runCommand(args, { folder, env });

/** A database with many sealed secrets, and the settings of its server. */
async function sealedDatabase(name: string) {
  const url = await createDatabase();
  const secrets = await insertPlain(url);
  const file = fileOf(`${name}.key`);
  await sealStoredSecrets(url, file, () => {});
  const db = openDatabase(url);
  atEnd(() => db.close());
  return { url, file, secrets, db, env: { DATABASE_URL: url, SECRETS_KEY_FILE: file } };
}

test('a rotation that is killed before it has begun changes nothing', async () => {
  const { url, file, secrets, db, env } = await sealedDatabase('unbegun');
  const before = await readFile(file);
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query("select pg_advisory_lock(hashtext('saldo secrets'))");
  const command = startSecretsCommand(['rotate'], env);
  await untilBlocked(db);
  await command.kill();
  await holder.end();
  assert.deepEqual(await readFile(file), before);
  assert.deepEqual(await readSealed(url, file), secrets);
});

test('a rotation that is killed between its batches leaves every secret readable, and the next run completes it', async () => {
  const { url, file, secrets, db, env } = await sealedDatabase('killed');
  const [old = ''] = keyIdsOf(file);
  const release = await lockLastEndpoint(url);
  const command = startSecretsCommand(['rotate'], env);
  await untilBlocked(db);
  await command.kill();
  const [added = '', ...others] = keyIdsOf(file);
  assert.deepEqual(others, [old]);
  const forms = await countForms(url);
  assert.ok(forms[old]! > 0 && forms[added]! > 0, JSON.stringify(forms));
  assert.deepEqual(await readSealed(url, file), secrets);
  await release();
  const run = await saldo(['secrets', 'rotate'], env);
  assert.equal(run.code, 0, run.err);
  assert.deepEqual(keyIdsOf(file), [added, old], 'the run that completes it adds no key');
  assert.deepEqual(await countForms(url), { [added]: ENDPOINTS });
  assert.deepEqual(await readSealed(url, file), secrets);
});

test('a file that a killed run has left half written is replaced', async () => {
  const { url, file, secrets, env } = await sealedDatabase('draft');
  await writeFile(`${file}.new`, 'half a ke', { mode: 0o644 });
  const run = await saldo(['secrets', 'rotate'], env);
  assert.equal(run.code, 0, run.err);
  assert.equal(keyIdsOf(file).length, 2);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.deepEqual(await readSealed(url, file), secrets);
});

test('a rotation that cannot replace the file changes nothing', async () => {
  const { url, file, secrets, env } = await sealedDatabase('fixed');
  const before = await readFile(file);
  // No file of that name can be written.
  await mkdir(`${file}.new`);
  const run = await saldo(['secrets', 'rotate'], env);
  assert.equal(run.code, 1);
  assert.match(run.err, /^Not completed: EISDIR: .+\n$/);
  assert.deepEqual(await readFile(file), before);
  assert.deepEqual(await readSealed(url, file), secrets);
});

const isRoot = process.getuid?.() === 0;
test('a rotation by root keeps the owner, the group and the mode of the file', {
  skip: !isRoot && 'needs root',
}, async () => {
  const { file, env } = await sealedDatabase('owned');
  for (const [owner, group, rights] of [
    [12_345, 12_346, 0o600],
    [0, 12_346, 0o640],
  ] as const) {
    await chown(file, owner, group);
    await chmod(file, rights);
    const run = await saldo(['secrets', 'rotate'], env);
    assert.equal(run.code, 0, run.err);
    const { uid, gid, mode } = await stat(file);
    assert.deepEqual([uid, gid, mode & 0o777], [owner, group, rights]);
  }
});

const KEY = 'operator-key-of-the-rotation-test';

/** Creates a webhook endpoint, which the platform can do only with a key that it can read. */
const createEndpoint = async ({ baseUrl }: Product) =>
  (await client(baseUrl, KEY).post('/operator/v1/webhook-endpoints', { url: 'https://x.example/' })).status;

test('with the embedded database, keys are rotated while the server runs and while it does not', async () => {
  const DATA_DIR = fileOf('embedded');
  const env = { DATA_DIR, SECRETS_KEY_FILE: '' };
  const start = () => startProduct({ ...env, DEMO: 'off', SALDO_OPERATOR_KEY: KEY, WORKERS: '2' });
  const product = await start();
  assert.equal(await createEndpoint(product), 201);
  const running = await saldo(['secrets', 'rotate'], env);
  assert.equal(running.code, 0, running.err);
  for (let request = 0; request < 4; request++)
    assert.equal(await createEndpoint(product), 201, 'each worker');
  const forgotten = await saldo(['secrets', 'rotate', '--forget'], env);
  assert.equal(forgotten.code, 0, forgotten.err);
  for (let request = 0; request < 4; request++)
    assert.equal(await createEndpoint(product), 201, 'each worker');
  assert.equal(await product.end('SIGTERM'), 0);
  const stopped = await saldo(['secrets', 'rotate'], env);
  assert.equal(stopped.code, 0, stopped.err);
  assert.match(stopped.out, /Sealed 10 secrets with the key/);
  assert.equal(keyIdsOf(path.join(DATA_DIR, 'secrets.key')).length, 2);
  const again = await start();
  assert.equal(await createEndpoint(again), 201);
  assert.equal(await again.end('SIGTERM'), 0);
});

test('a backup names the keys that it needs, and a platform that was restored without them says what to do', async () => {
  const { url, file, secrets, env } = await sealedDatabase('source');
  const [id] = keyIdsOf(file);
  const backup = await saldo(['backup', 'sealed.saldo'], env);
  assert.equal(backup.code, 0, backup.err);
  assert.match(
    backup.out,
    new RegExp(
      `\\nIts secrets need the key ${id} of SECRETS_KEY_FILE: keep a copy of that file, apart from backups\\.\\n$`,
    ),
  );
  await saldo(['secrets', 'rotate'], env);

  // The file of the platform has the earlier key still.
  const known = await saldo(['restore', 'sealed.saldo'], {
    ...env,
    DATABASE_URL: await createEmptyDatabase(),
  });
  assert.match(known.out, /The server can be started\.\n$/, known.err);

  const restored = {
    DATA_DIR: fileOf('restored'),
    DATABASE_URL: await createEmptyDatabase(),
    SECRETS_KEY_FILE: fileOf('restored.key'),
  };
  const unknown = await saldo(['restore', 'sealed.saldo'], restored);
  assert.equal(unknown.code, 0, unknown.err);
  assert.ok(
    unknown.out.endsWith(
      `Before the server can be started: its secrets need the key ${id}. Copy the file with it to ` +
        `${restored.SECRETS_KEY_FILE} (SECRETS_KEY_FILE), or, if the file is lost, run saldo secrets reset.\n`,
    ),
    unknown.out,
  );
  const refused = runProduct({ ...restored, DEMO: 'off' });
  await until(() => refused.child.exitCode !== null);
  assert.match(refused.log(), new RegExp(`SECRETS_KEY_FILE must have the key ${id}:`));

  await copyFile(file, restored.SECRETS_KEY_FILE);
  const product = await startProduct({ ...restored, DEMO: 'off' });
  assert.deepEqual(await readSealed(restored.DATABASE_URL, restored.SECRETS_KEY_FILE), secrets);
  assert.equal(await product.end('SIGTERM'), 0);
  assert.deepEqual(await readSealed(url, file), secrets);
});

test('a platform whose key is lost starts after a reset, with all other data', async () => {
  const { url, file } = await sealedDatabase('lost');
  const env = { DATABASE_URL: url, SECRETS_KEY_FILE: fileOf('found.key') };
  const run = await saldo(['secrets', 'reset'], env);
  assert.equal(run.code, 0, run.err);
  assert.equal(run.out.match(/^ {2}webhook_endpoint whe_/gm)?.length, 2 * ENDPOINTS);
  const [id = ''] = keyIdsOf(env.SECRETS_KEY_FILE);
  assert.deepEqual(await countForms(url), { [id]: ENDPOINTS });
  const product = await startProduct({
    ...env,
    DATA_DIR: fileOf('found'),
    DEMO: 'off',
    SALDO_OPERATOR_KEY: KEY,
  });
  const operator = client(product.baseUrl, KEY);
  const [endpoint] = (await operator('/operator/v1/webhook-endpoints?limit=1')).body.webhook_endpoints;
  const rotated = await operator.post(`/operator/v1/webhook-endpoints/${endpoint.id}/rotate-secret`);
  assert.match(rotated.body.secret, /^whsec_/);
  assert.equal(await product.end('SIGTERM'), 0);
  assert.notEqual(keyIdsOf(file)[0], id);
});

test('an empty database, or one whose file has another content, is refused in one line', async () => {
  const file = fileOf('empty.key');
  await writeSecretsKeys(file, [newSecretsKey()]);
  const before = await readFile(file);
  const env = { DATABASE_URL: await createEmptyDatabase(), SECRETS_KEY_FILE: file };
  for (const command of ['rotate', 'reset']) {
    const run = await saldo(['secrets', command], env);
    assert.deepEqual(
      [run.code, run.err],
      [1, 'Not completed: The database is empty or of an earlier version. Start the server once.\n'],
    );
  }
  assert.deepEqual(await readFile(file), before);
});
