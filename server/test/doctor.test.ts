import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import type { Check } from '@saldo/core/check.ts';
import pg from 'pg';
import { writeBackupFile } from '../src/backup/file.ts';
import { temporaryFolder } from './clean-up.ts';
import { runCommand } from './command-line.ts';
import { createDatabase, createEmptyDatabase } from './databases.ts';
import { startTestPlatform } from './harness.ts';
import { freePort } from './ports.ts';
import { startStandIn } from './sftp-stand-in.ts';
import { dumpDatabase } from './stored-text.ts';

const folder = await temporaryFolder();

type Environment = Record<string, string>;
/** Key files beside the data, as without settings: that of all tests would be an installation's that exists. */
const installation = (name: string, more: Environment = {}): Environment => {
  const DATA_DIR = path.join(folder, name);
  const SECRETS_KEY_FILE = path.join(DATA_DIR, 'secrets.key');
  const ports = { PORT: '0', CUSTOMER_PORT: '0', ADMIN_PORT: '0' };
  return { DATA_DIR, SECRETS_KEY_FILE, ...ports, OPERATOR_EIC: '11XSALDO-------Z', ...more };
};

async function examine(env: Environment, ...args: string[]) {
  const { code, out, err } = await runCommand(['doctor', '--json', ...args], { folder, env });
  assert.equal(err, '');
  const checks = JSON.parse(out) as Check[];
  const facts = (status: Check['status']) =>
    checks.filter((check) => check.status === status).map(({ name, fact }) => `${name}: ${fact}`);
  assert.equal(code, facts('failed').length > 0 ? 1 : 0);
  return { checks, facts };
}

const startsWith = (facts: readonly string[], ...starts: string[]) =>
  assert.deepEqual(
    facts.map((fact, at) => fact.slice(0, starts[at]?.length)),
    starts,
    facts.join('\n'),
  );

/** Every file below a folder with its mode, time and content. */
async function snapshot(dir: string): Promise<string[]> {
  const files = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  return Promise.all(
    files.map(async ({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      const { mode, mtimeMs } = await stat(file);
      return `${file} ${mode} ${mtimeMs} ${await readFile(file, 'base64')}`;
    }),
  );
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

test('before the first start all is ok, and nothing is created', async () => {
  const env = installation('new');
  const { code, out, err } = await runCommand(['doctor'], { folder, env });
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, /^ok {7}settings {4}All settings are valid\.$/m);
  assert.match(out, /^ok {7}database {4}There is no database yet: the first start creates it in /m);
  assert.match(out, /^ok {7}keys {8}LEDGER_KEY_FILE: .*ledger\.key is made by the first start\.$/m);
  assert.doesNotMatch(out, /^(?!ok {7}|$)/m);
  assert.deepEqual(await readdir(folder), []);
});

test('a running platform is recognised, and no file and no row differ afterwards', async () => {
  const ports = {
    PORT: `${await freePort()}`,
    CUSTOMER_PORT: `${await freePort()}`,
    ADMIN_PORT: `${await freePort()}`,
  };
  const platform = await startTestPlatform({ environment: { ...ports, OPERATOR_EIC: '11XSALDO-------Z' } });
  const { dataDir, secretsKeyFile } = platform.config;
  await platform.world.pair();
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: platform.databaseUrl,
    SECRETS_KEY_FILE: secretsKeyFile,
    ...ports,
  };
  const before = [await snapshot(dataDir), await dumpDatabase(platform.databaseUrl)];
  const { checks, facts } = await examine({ ...env, OPERATOR_EIC: '11XSALDO-------Z' });
  assert.deepEqual([await snapshot(dataDir), await dumpDatabase(platform.databaseUrl)], before);
  assert.deepEqual(facts('failed'), []);
  startsWith(facts('warning'), 'backup: The age of the newest backup is unknown.');
  assert.deepEqual(
    facts('ok').filter((fact) => fact.startsWith('ports')),
    Object.entries(ports).map(([name, port]) => `ports: ${name}: Saldo answers on 127.0.0.1:${port}.`),
  );
  const names = checks.map(({ name }) => name);
  for (const name of ['clock', 'folders', 'keys', 'transports', 'database', 'extensions', 'migrations'])
    assert.ok(names.includes(name), name);
  assert.equal(names.filter((name) => name === 'clock').length, 2, 'platform and database');
});

test('all invalid, contradicting and misspelled settings are found in one run, without their secrets', async () => {
  const { checks, facts } = await examine({
    ...installation('wrong'),
    NODE_ENV: 'production',
    OPERATOR_EIC: '11XSALDO-------A',
    LOG_LEVEL: 'loud',
    TLS_KEY: '/nowhere.pem',
    DATABASE_URL: 'mysql://saldo:secret@db/saldo',
    SANDBOX: 'on',
    REQEST_LOG_DAYS: '3',
  });
  const said = [...facts('failed'), ...facts('warning')].join('\n');
  for (const name of [
    'OPERATOR_EIC must',
    'LOG_LEVEL must',
    'TLS_KEY must be set together',
    'DATABASE_URL must',
  ])
    assert.match(said, new RegExp(`settings: ${name}`));
  assert.match(said, /REQEST_LOG_DAYS is not a setting of Saldo/);
  assert.match(said, /Folders, keys and database could not be checked/);
  assert.doesNotMatch(said, /secret@/);
  const remedy = checks.find(({ fact }) => fact.startsWith('LOG_LEVEL must'))?.remedy;
  assert.equal(remedy, 'Correct it: saldo start --help prints every setting with its meaning and default.');
  const risky = await examine({
    ...installation('risky'),
    SANDBOX: 'on',
    NODE_ENV: 'production',
    HOST: '0.0.0.0',
  });
  startsWith(
    risky.facts('warning'),
    'settings: SANDBOX is on in production',
    'settings: HOST=0.0.0.0 can be',
  );
  const port = `${await freePort()}`;
  const same = await examine({
    ...installation('same'),
    ...{ PORT: port, CUSTOMER_PORT: port, DEMO_SIGN_IN: 'on' },
  });
  assert.ok(same.facts('warning').some((fact) => fact.startsWith('settings: DEMO_SIGN_IN=on: every')));
  startsWith(same.facts('failed'), `settings: Two of PORT (${port}), CUSTOMER_PORT (${port})`);
});

test('a port of another program, and key files that others can read, are failures with their remedy', async (t) => {
  const holder = createServer((socket) => socket.end('SSH-2.0-other\r\n')).listen(0, '127.0.0.1');
  t.after(() => holder.close());
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  const env = installation('open', { PORT: String(port) });
  await mkdir(path.join(folder, 'open'));
  const key = `${Buffer.alloc(32).toString('base64')}\n`;
  await writeFile(env['SECRETS_KEY_FILE'] ?? '', key, { mode: 0o644 });
  const { checks, facts } = await examine(env);
  startsWith(
    facts('failed'),
    `ports: PORT: 127.0.0.1:${port} is in use by another`,
    'keys: SECRETS_KEY_FILE must be',
  );
  const [, keys] = checks.filter(({ status }) => status === 'failed');
  assert.equal(keys?.remedy, `Run: chmod 600 '${env['SECRETS_KEY_FILE']}'`);
});

test('databases that are empty, of a newer version or away are told apart', async () => {
  const of = async (DATABASE_URL: string) => (await examine(installation('db', { DATABASE_URL }))).facts;
  const empty = await of(await createEmptyDatabase());
  assert.ok(empty('ok').includes('migrations: The database is empty: the first start fills it.'));
  assert.deepEqual(empty('warning'), []);
  const newer = await createDatabase();
  await query(newer, "insert into migration (name, run_on) values ('999-later', now())");
  startsWith((await of(newer))('failed'), 'migrations: The database was made by a newer version of Saldo');
  const older = await createDatabase();
  await query(older, 'delete from migration where id = (select max(id) from migration)');
  startsWith((await of(older))('warning').slice(0, 1), 'migrations: 1 migration is not applied');
  startsWith(
    (await of(`postgres://saldo@127.0.0.1:${await freePort()}/saldo`))('failed'),
    'database: The database cannot',
  );
});

test('replicas that cannot serve reads are warnings', async () => {
  const DATABASE_URL = await createDatabase();
  const away = `postgres://saldo@127.0.0.1:${await freePort()}/saldo`;
  const env = installation('replicas', { DATABASE_URL, DATABASE_READ_URL: `${DATABASE_URL},${away}` });
  const replicas = (await examine(env)).checks.filter(({ name }) => name === 'replicas');
  assert.deepEqual(
    replicas.map(({ status }) => status),
    ['warning', 'warning'],
  );
  assert.match(replicas[0]?.fact ?? '', /the server is not a standby/);
  assert.match(replicas[1]?.fact ?? '', /cannot be reached \(.*ECONNREFUSED/);
});

test('the age of the newest backup is that of its header', async () => {
  const backups = path.join(folder, 'backups');
  await mkdir(backups);
  const env = installation('backups', { DATABASE_URL: await createDatabase() });
  const backup = async () =>
    (await examine(env, '--backups', 'backups')).checks.find(({ name }) => name === 'backup');
  assert.match((await backup())?.fact ?? '', /There is no backup in/);
  const write = (name: string, hours: number) => {
    const createdAt = new Date(Date.now() - hours * 3_600_000).toISOString();
    const header = { createdAt, saldo: '0.1.0', postgres: '18', migrations: [], tables: [] };
    const body = (async function* () {})();
    return writeBackupFile(path.join(backups, name), header, body, new AbortController().signal);
  };
  await write('old.saldo', 50);
  await writeFile(path.join(backups, 'notes.txt'), 'no backup');
  const old = await backup();
  assert.equal(old?.status, 'warning');
  assert.match(old?.fact ?? '', /old\.saldo, is 50 h old/);
  await write('new.saldo', 3);
  // A copy of an older backup that was made later has a newer file.
  await write('copy.saldo', 49);
  const bytes = await readFile(path.join(backups, 'new.saldo'));
  await writeFile(path.join(backups, 'cut.saldo'), bytes.subarray(0, bytes.indexOf('createdAt')));
  const newest = await backup();
  assert.equal(newest?.status, 'ok');
  assert.match(newest?.fact ?? '', /new\.saldo, is 3 h old/);
});

test('an SFTP server of a TSO is tried only with --connect, and gets nothing', async () => {
  const server = await startStandIn('saldo', 'correct horse');
  const file = async (name: string, content: string) => {
    await writeFile(path.join(folder, name), content, { mode: 0o600 });
    return path.join(folder, name);
  };
  const amprion = async (password: string, ...args: string[]) => {
    const passwordFile = await file('password', password);
    const address = `sftp://saldo@127.0.0.1:${server.port}/out?inbox=/in&password_file=${passwordFile}`;
    const SFTP_KNOWN_HOSTS = await file('known-hosts', `[127.0.0.1]:${server.port} ${server.hostKey}\n`);
    const env = installation('sftp', { EXCHANGE_TRANSPORTS: `DE_AMPRION=${address}`, SFTP_KNOWN_HOSTS });
    const { checks } = await examine(env, ...args);
    const { status, fact } = checks.find((check) => check.fact.startsWith('DE_AMPRION')) ?? assert.fail();
    return `${status} ${fact}`;
  };
  assert.match(
    await amprion('correct horse', '--connect'),
    /^ok .* accepts the credentials and lists both folders/,
  );
  assert.match(await amprion('wrong'), /^ok .*the settings of sftp:.* are complete/);
  assert.match(await amprion('wrong', '--connect'), /^failed .* rejected the password/);
  assert.equal(server.files.size, 0);
});

test('--remote checks what the health of a platform tells', async () => {
  const { baseUrl, world } = await startTestPlatform();
  const env = { SALDO_URL: baseUrl, SALDO_KEY: await world.operatorKey() };
  const { code, out } = await runCommand(['doctor', '--remote'], { folder, env });
  assert.match(out, /^ok {7}database {2}PostgreSQL .* its last migration is /m);
  assert.match(out, /^ok {7}alarms {4}No alarm of the exchange is open\.$/m);
  // The clock of the test platform stands in the past of the machine.
  assert.match(out, /^failed {3}clock /m);
  assert.equal(code, 1);
});
