import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { makeCertificate } from './certificate.ts';
import { temporaryFolder } from './clean-up.ts';
import { createDatabase } from './databases.ts';
import { client } from './harness.ts';
import { runProduct, startProduct } from './product.ts';
import { until } from './until.ts';

const folder = await temporaryFolder();
const BUILT_IN_RULES = new URL('../../core/src/market-rules.json', import.meta.url);
const databaseUrl = await createDatabase();

/** The one line that a failed start prints. */
async function refusal(environment: Record<string, string>): Promise<string> {
  const run = runProduct({
    DATA_DIR: path.join(folder, 'data'),
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'error',
    ...environment,
  });
  const [code] = await once(run.child, 'close');
  assert.equal(code, 1, run.output() + run.log());
  assert.match(run.log(), /^Saldo cannot start: [^\n]+\.\n$/);
  return run.log();
}

test('a TLS file that cannot be used stops the start with one line that names the variable', async () => {
  const { environment } = await makeCertificate(folder);
  const noise = path.join(folder, 'noise.pem');
  await writeFile(noise, 'no PEM at all\n');
  const line = await refusal({ ...environment, TLS_CERT: noise });
  assert.match(line, /TLS_CERT must be a file with a certificate in PEM, but ".*noise\.pem" is not/);
});

test('wrong market rules stop the start with one line that names variable, file, place and what it must be', async () => {
  const rules = JSON.parse(await readFile(BUILT_IN_RULES, 'utf8'));
  const file = path.join(folder, 'rules.json');
  const refusalOf = async (text: string) => {
    await writeFile(file, text);
    return refusal({ MARKET_RULES: file });
  };
  const lineOf = (fault: string) =>
    `Saldo cannot start: MARKET_RULES must be a file with market rules, but in "${file}" ${fault}.\n`;
  assert.match(await refusalOf('{\n "gates": [\n'), /but in ".+" the file must be JSON \(.+\)\.\n$/);
  rules.gates[1].day_ahead = '2 pm';
  assert.equal(
    await refusalOf(JSON.stringify(rules)),
    lineOf('gates[1].day_ahead must be a local time such as "14:30", but it was "2 pm"'),
  );
  rules.gates[1].day_ahead = '14:00';
  rules.gates[1].valid_from = null;
  assert.equal(
    await refusalOf(JSON.stringify(rules)),
    lineOf('gates[1].valid_from must be a date, but it was null'),
  );
});

/** A folder that even root cannot write to. */
async function closedFolder(): Promise<string> {
  if (process.geteuid?.() === 0 && process.platform === 'linux') return '/proc';
  const dir = path.join(folder, 'closed');
  await mkdir(dir, { mode: 0o500 });
  return dir;
}

test('a folder that cannot be written to stops the start with one line that names the variable', async () => {
  const closed = await closedFolder();
  for (const name of ['DATA_DIR', 'OUTBOX_DIR', 'INBOX_DIR']) {
    const line = await refusal({ [name]: closed });
    assert.match(
      line,
      new RegExp(`${name} must be a folder that can be written to \\(E[A-Z]+\\), but it was`),
    );
  }
});

test('a host that is no address of this machine stops the start with one line that names the variable', async () => {
  // An address reserved for documentation, and a domain that never exists.
  for (const host of ['203.0.113.7', 'no-such-host.invalid']) {
    for (const [name, workers] of [
      ['HOST', '1'],
      ['HOST', '2'],
      ['ADMIN_HOST', '1'],
    ] as const) {
      const line = await refusal({ [name]: host, WORKERS: workers });
      assert.match(line, new RegExp(`: ${name} must be an address of this machine, .* but it was "${host}"`));
    }
  }
});

test('a setting whose name is misspelled is reported in one line without its value', async () => {
  const product = await startProduct({
    DATA_DIR: path.join(folder, 'misspelled'),
    DATABASE_URL: databaseUrl,
    RATE_LIMT: '7',
    CUSTOMERPORT: '7',
  });
  assert.equal(await product.end('SIGTERM'), 0);
  const lines = product
    .output()
    .split('\n')
    .filter((line) => line.includes('is not a setting'));
  assert.deepEqual(lines.toSorted(), [
    'CUSTOMERPORT is not a setting of Saldo and has no effect. CUSTOMER_PORT is one.',
    'RATE_LIMT is not a setting of Saldo and has no effect. RATE_LIMIT is one.',
  ]);
});

test('origins are trimmed, and an invalid origin stops the start with one line that names it', async () => {
  assert.match(await refusal({ CORS_ORIGINS: '*' }), /CORS_ORIGINS must be a list of origins .*"\*"/);
  const product = await startProduct({
    DATA_DIR: path.join(folder, 'origins'),
    DATABASE_URL: databaseUrl,
    CORS_ORIGINS: ' https://first.example , HTTPS://Second.example:443,',
  });
  for (const [origin, allowed] of [
    ['https://first.example', 'https://first.example'],
    ['https://second.example', 'https://second.example'],
    ['https://third.example', null],
  ] as const) {
    const { headers } = await client(product.baseUrl)('/openapi.json', { headers: { origin } });
    assert.equal(headers.get('access-control-allow-origin'), allowed, origin);
  }
  assert.equal(await product.end('SIGTERM'), 0);
});

test('a database that cannot be reached stops the start with one line that names the variable', async () => {
  const unreachable = [
    'postgres://saldo:hunter2@127.0.0.1:1/saldo',
    'postgres://saldo@no-such-host.invalid/saldo',
  ];
  for (const url of unreachable) {
    const line = await refusal({ DATABASE_URL: url });
    assert.match(line, /The database cannot be reached \(.+\)\. Check DATABASE_URL/);
    assert.doesNotMatch(line, /hunter2/);
  }
  const DATA_DIR = path.join(folder, 'without database');
  await refusal({ DATABASE_URL: unreachable[0]!, DATA_DIR });
  await assert.rejects(stat(DATA_DIR), { code: 'ENOENT' });
});

test('a connection that is lost during the start stops it with one line', async () => {
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query("select pg_advisory_lock(hashtext('saldo secrets'))");
  const url = new URL(databaseUrl);
  const postgres = path.join(url.searchParams.get('host') ?? '', `.s.PGSQL.${url.port}`);
  const sockets: Socket[] = [];
  const relay = createServer((socket) => {
    const onward = connect(postgres);
    sockets.push(
      socket.on('error', () => {}),
      onward.on('error', () => {}),
    );
    socket.pipe(onward).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  url.searchParams.delete('host');
  url.host = `127.0.0.1:${(relay.address() as AddressInfo).port}`;
  const run = runProduct({ DATA_DIR: path.join(folder, 'lost'), DATABASE_URL: url.href });
  const closed = once(run.child, 'close');
  const waiting =
    "from pg_stat_activity where datname = current_database() and wait_event = 'advisory' and query like '%saldo secrets%'";
  await until(async () => (await holder.query(`select ${waiting}`)).rowCount === 1);
  for (const socket of sockets) socket.destroy();
  const [code] = await closed;
  relay.close();
  await holder.end();
  assert.equal(code, 1);
  assert.match(run.log(), /^Saldo cannot start: The connection to the database was lost\. [^\n]+\.\n$/);
});

test('a second server on a data folder is rejected in one line, and the first continues', async () => {
  const DATA_DIR = path.join(folder, 'shared');
  const first = await startProduct({ DATA_DIR, DEMO: 'off' });
  const line = await refusal({ DATA_DIR, DATABASE_URL: '' });
  assert.match(
    line,
    /Another Saldo server is using DATA_DIR .+\. Stop it, or set DATA_DIR to another folder\./,
  );
  await first.untilReady();
  assert.equal(await first.end('SIGTERM'), 0);
});

test('a database of a newer version stops the start with one line and the remedy', async () => {
  const newer = await createDatabase();
  const connection = new pg.Client({ connectionString: newer });
  await connection.connect();
  await connection.query("insert into migration (name, run_on) values ('999-later', now())");
  await connection.end();
  const line = await refusal({ DATABASE_URL: newer });
  assert.match(line, /newer version of Saldo.*999-later.*Start that version or a later one/);
});

test('a database from before the first release stops the start with one line and the remedy', async () => {
  const old = await createDatabase();
  const connection = new pg.Client({ connectionString: old });
  await connection.connect();
  await connection.query("update migration set name = '001-platform'");
  await connection.end();
  const line = await refusal({ DATABASE_URL: old });
  assert.match(
    line,
    /before its first release.*Make a backup with that checkout .*, and restore it with this version/,
  );
});

test('an external database gets the demo world only on request', async () => {
  const own = await createDatabase();
  const environment = { DATA_DIR: path.join(folder, 'own'), DATABASE_URL: own };
  const empty = await startProduct(environment);
  assert.match(empty.output(), /Operator key: saldo_operator_/);
  await assert.rejects(empty.demo());
  assert.equal(await empty.end('SIGTERM'), 0);
  const full = await startProduct({ ...environment, DEMO: 'on' });
  const [brp] = (await full.demo()).brps;
  assert.equal((await client(full.baseUrl, brp?.api_key)('/v1/contracts')).status, 200);
  assert.equal(await full.end('SIGTERM'), 0);
});

const modeOf = async (dir: string) => (await stat(dir)).mode & 0o777;

test('the folders of schedules and answers are private, and world-accessible ones are reported', async (t) => {
  if (process.platform === 'win32') return t.skip('Windows has no such modes');
  const dataDir = path.join(folder, 'modes');
  const environment = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl };
  const [outbox, inbox] = [path.join(dataDir, 'outbox'), path.join(dataDir, 'inbox')];
  const done = path.join(inbox, 'done');
  const first = await startProduct(environment);
  await until(() => modeOf(done).catch(() => null));
  assert.deepEqual(await Promise.all([outbox, inbox, done].map(modeOf)), [0o700, 0o700, 0o700]);
  assert.doesNotMatch(first.output(), /chmod/);
  assert.equal(await first.end('SIGTERM'), 0);
  await chmod(outbox, 0o755);
  await chmod(inbox, 0o770);
  const second = await startProduct(environment);
  assert.match(
    second.output(),
    /Every user of this machine can open OUTBOX_DIR\. Close it with: chmod o-rwx '.*outbox'/,
  );
  assert.doesNotMatch(second.output(), /INBOX_DIR/, 'group access is allowed for a gateway');
  assert.equal(await second.end('SIGTERM'), 0);
  assert.deepEqual(
    [await modeOf(outbox), await modeOf(inbox)],
    [0o755, 0o770],
    'their modes are not changed',
  );
});
