import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createSealer } from '../src/platform/auth/sealed-secrets.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { readCursorSecret } from '../src/platform/http/cursor.ts';
import { newSecretsKey, readSecretsKeys, writeSecretsKeys } from '../src/start/secrets-key-file.ts';
import { untilBlocked } from './blocked.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { createDatabase, createEmptyDatabase } from './databases.ts';
import { runProduct, startProduct } from './product.ts';
import {
  countForms,
  ENDPOINTS,
  insertPlain,
  keyIdsOf,
  lockLastEndpoint,
  onDatabase,
  readSealed,
} from './sealing.ts';
import { dumpDatabase, revealedIn } from './stored-text.ts';

/** What a start does with the secrets in the database, and with the file of their keys. */

const MIGRATIONS = fileURLToPath(new URL('../src/platform/db/migrations', import.meta.url));
const folder = await temporaryFolder();
const fileOf = (name: string) => path.join(folder, `${name}.key`);

const settings = (name: string, url: string, more: Record<string, string> = {}) => ({
  DATA_DIR: path.join(folder, name),
  DATABASE_URL: url,
  SECRETS_KEY_FILE: fileOf(name),
  DEMO: 'off',
  ...more,
});

/** The one line of a start that fails. */
async function refusal(environment: Record<string, string>): Promise<string> {
  const run = runProduct(environment);
  const [code] = await once(run.child, 'close');
  assert.equal(code, 1, run.output() + run.log());
  assert.match(run.log(), /^Saldo cannot start: [^\n]+\n$/);
  return run.log();
}

async function startAndStop(environment: Record<string, string> & { DATA_DIR: string }): Promise<string> {
  const product = await startProduct(environment);
  assert.equal(await product.end('SIGTERM'), 0);
  return product.output();
}

/** The database of a platform from before secrets were sealed. */
async function oldDatabase() {
  const url = await createEmptyDatabase();
  const migrations = path.join(folder, 'older');
  await cp(MIGRATIONS, migrations, {
    recursive: true,
    filter: (file) => path.basename(file) < '007' || file === MIGRATIONS,
  });
  await migrate(url, () => {}, migrations);
  const secrets = await insertPlain(url);
  const [row] = await onDatabase(
    url,
    async (client) => (await client.query('select value from secret')).rows,
  );
  const all = { cursor: row.value as Buffer, ...Object.fromEntries(secrets) };
  return { url, secrets, cursor: row.value as Buffer, all };
}

const readCursor = async (url: string, file: string) => {
  const db = openDatabase(url);
  return readCursorSecret(db, createSealer(readSecretsKeys(file))).finally(() => db.close());
};

test('two servers that start at once seal the secrets of an earlier version, and keep them', async () => {
  const { url, secrets, cursor, all } = await oldDatabase();
  assert.equal(revealedIn(await dumpDatabase(url), all).length, ENDPOINTS + 1, 'before');
  const shared = { SECRETS_KEY_FILE: fileOf('first'), LEDGER_KEY_FILE: fileOf('ledger') };
  const [one, two] = [settings('first', url, shared), settings('second', url, shared)];
  const outputs = await Promise.all([startAndStop(one), startAndStop(two)]);
  assert.equal(outputs.filter((text) => text.includes(`Sealed ${2 * ENDPOINTS + 1} secrets`)).length, 1);
  for (const made of ['Made the key of the secrets', 'Made the key that signs the ledger']) {
    assert.equal(outputs.filter((text) => text.includes(made)).length, 1, made);
  }
  assert.deepEqual(revealedIn(await dumpDatabase(url), all), []);
  assert.deepEqual(await readSealed(url, fileOf('first')), secrets);
  assert.deepEqual(await readCursor(url, fileOf('first')), cursor);
  assert.equal((await stat(fileOf('first'))).mode & 0o777, 0o600);
  assert.equal(keyIdsOf(fileOf('first')).length, 1);
  assert.doesNotMatch(await startAndStop(one), /Sealed|Made the key/);
});

test('a start that is killed while it seals loses nothing, and the next one completes it', async () => {
  const { url, secrets, all } = await oldDatabase();
  const environment = settings('killed', url);
  await migrate(url, () => {});
  const release = await lockLastEndpoint(url);
  const db = openDatabase(url);
  atEnd(() => db.close());
  const { child } = runProduct(environment);
  await untilBlocked(db);
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  const [id = ''] = keyIdsOf(fileOf('killed'));
  const forms = await countForms(url);
  assert.ok(forms['plain']! > 0 && forms[id]! > 0, JSON.stringify(forms));
  await release();
  await startAndStop(environment);
  assert.deepEqual(await countForms(url), { [id]: ENDPOINTS });
  assert.deepEqual(await readSealed(url, fileOf('killed')), secrets);
  assert.deepEqual(revealedIn(await dumpDatabase(url), all), []);
});

test('without the key of the database a start changes nothing, makes no file, and names the key and the setting', async () => {
  const url = await createDatabase();
  await startAndStop(settings('owner', url));
  const [id] = keyIdsOf(fileOf('owner'));
  const before = await dumpDatabase(url);
  const missing = settings('missing', url);
  assert.equal(
    await refusal(missing),
    `Saldo cannot start: SECRETS_KEY_FILE must have the key ${id}: the secrets in the database are sealed with it, but ` +
      `"${fileOf('missing')}" does not exist. Copy the file that the platform had before, or the one of another machine of ` +
      'the platform. If it is lost: saldo secrets reset.\n',
  );
  assert.ok(!existsSync(fileOf('missing')) && !existsSync(missing.DATA_DIR));
  await writeSecretsKeys(fileOf('missing'), [newSecretsKey()]);
  assert.match(
    await refusal(missing),
    new RegExp(`must have the key ${id}: .+ but ".+" does not have it\\.`),
  );
  assert.ok((await dumpDatabase(url)).equals(before), 'the database is the same');
  await cp(fileOf('owner'), fileOf('missing'));
  await startAndStop(missing);
});

test('of two machines that start at once on a new database, each with a file of its own, one is refused', async () => {
  const url = await createDatabase();
  const runs = ['left', 'right'].map(async (name) => {
    const run = runProduct(settings(name, url));
    const exited = once(run.child, 'close');
    const isReady = await new Promise<boolean>((resolve) => {
      run.child.stdout?.on('data', () => /Health\s/.test(run.output()) && resolve(true));
      void exited.then(() => resolve(false));
    });
    if (isReady) run.child.kill('SIGTERM');
    await exited;
    return { isReady, log: run.log() };
  });
  const [refused, ...others] = (await Promise.all(runs)).filter(({ isReady }) => !isReady);
  assert.equal(others.length, 0);
  assert.match(refused?.log ?? '', /SECRETS_KEY_FILE must have the key/);
});

test('a key file that others can read, or without keys, or in a place that cannot be written to stops the start', async () => {
  const url = await createDatabase();
  const environment = settings('modes', url);
  const file = environment.SECRETS_KEY_FILE;
  await writeSecretsKeys(file, [newSecretsKey()]);
  for (const mode of [0o640, 0o604]) {
    await chmod(file, mode);
    const line = `SECRETS_KEY_FILE must be a file that only its owner can read, but the mode of "${file}" is 0${mode.toString(8)}.`;
    assert.equal(await refusal(environment), `Saldo cannot start: ${line} Run: chmod 600 '${file}'\n`);
  }
  await chmod(file, 0o400);
  await startAndStop(environment);
  await chmod(file, 0o600);
  const text = await readFile(file, 'utf8');
  for (const wrong of ['', 'no key at all\n', text.slice(4), `${text}short\n`]) {
    await writeFile(file, wrong);
    assert.match(
      await refusal(environment),
      /must be a file with a key of 32 bytes in base64 on each line/,
      wrong,
    );
  }
  const empty = settings('nowhere', await createDatabase(), {
    SECRETS_KEY_FILE: '/proc/nowhere/secrets.key',
  });
  assert.match(await refusal(empty), /SECRETS_KEY_FILE must be in a folder that can be written to/);
});

test('by default the file is in DATA_DIR, for its owner alone, and a later start needs it', async () => {
  const DATA_DIR = path.join(folder, 'default');
  const environment = { DATA_DIR, SECRETS_KEY_FILE: '', DEMO: 'off', WORKERS: '2' };
  const file = path.join(DATA_DIR, 'secrets.key');
  assert.ok(
    (await startAndStop(environment)).includes(`Made the key of the secrets in the database: ${file}.`),
  );
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  await startAndStop(environment);
  await rm(file);
  assert.match(await refusal(environment), /SECRETS_KEY_FILE must have the key/);
  assert.ok(!existsSync(file));
});
