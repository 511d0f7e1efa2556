import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '@saldo/postgres/embedded.ts';
import pg from 'pg';
import { openBackupFile, writeBackupFile } from '../src/backup/file.ts';
import { BackupFileError, quoteName } from '../src/backup/format.ts';
import { createProgress } from '../src/backup/progress.ts';
import { restore as restoreBackup } from '../src/backup/restore.ts';
import { loadDemo } from '../src/demo/load.ts';
import { SALDO } from '../src/platform/db/embedded.ts';
import { migrate, readChecksums } from '../src/platform/db/migrate.ts';
import { temporaryFolder } from './clean-up.ts';
import { PROGRAM_ENVIRONMENT, runCommand } from './command-line.ts';
import { createDatabase, createEmptyDatabase } from './databases.ts';
import { client, startTestPlatform } from './harness.ts';
import { startProduct } from './product.ts';
import { programFile } from './programs.ts';
import { until } from './until.ts';

/** Restores with the command line, into databases and folders without a running server. */

const OPERATOR = { key: 'operator-of-the-restore-tests', eic: '11XSALDO-------Z' };
const MIGRATIONS = fileURLToPath(new URL('../src/platform/db/migrations', import.meta.url));
const PROGRAM = programFile('server/src/backup/main.ts');

const platform = await startTestPlatform();
await platform.db.transaction((tx) =>
  loadDemo(tx, OPERATOR, platform.config.marketRules, platform.clock.now()),
);
const operator = client(platform.baseUrl, await platform.world.operatorKey());
// Adds an audit event, which cannot be inserted otherwise.
await operator.post('/operator/v1/brps', { name: 'Audited' });
// The demo data may have no series.
const owner = { type: 'asset', id: (await platform.world.asset()).id };
const meter = await operator.post('/operator/v1/series', { kind: 'meter', owner, name: 'Restored' });
await operator.put(`/operator/v1/series/${meter.body.id}/days/2026-10-25`, {
  energy_kwh: Array.from({ length: 100 }, (_, slot) => slot),
});
const folder = await temporaryFolder();

type Query = <R extends pg.QueryResultRow>(...statements: string[]) => Promise<R[]>;

/** Calls `act` with a function that runs statements on one connection and returns the rows of the last. */
async function onConnection<T>(url: string, act: (query: Query) => Promise<T>): Promise<T> {
  const connection = new pg.Client({ connectionString: url });
  await connection.connect();
  try {
    return await act(async <R extends pg.QueryResultRow>(...statements: string[]) => {
      let rows: R[] = [];
      for (const text of statements) ({ rows } = await connection.query<R>(text));
      return rows;
    });
  } finally {
    await connection.end();
  }
}

const query = <R extends pg.QueryResultRow>(url: string, ...statements: string[]): Promise<R[]> =>
  onConnection(url, (onIt) => onIt<R>(...statements));

const file = (name: string) => path.join(folder, name);
const saldo = (args: string[], env: Record<string, string>) => runCommand(args, { folder, env });
const backUp = async (url: string, name: string) => {
  const run = await saldo(['backup', name], { DATABASE_URL: url });
  assert.equal(run.code, 0, run.err);
  return file(name);
};
const restore = (name: string, url: string, ...more: string[]) =>
  saldo(['restore', name, ...more], { DATABASE_URL: url });

const whole = await backUp(platform.databaseUrl, 'whole.saldo');

/** Every table with its rows as text, every sequence, and the definition of every other object of the schema. */
const contentOf = (url: string): Promise<Record<string, string>> => onConnection(url, readContent);

async function readContent(query: Query): Promise<Record<string, string>> {
  const tables = await query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
  );
  const sequences = await query<{ name: string }>(
    "select sequencename as name from pg_sequences where schemaname = 'public'",
  );
  const content: Record<string, string> = {};
  for (const { name } of tables) {
    // The log of requests is not part of a backup.
    if (name === 'request_batch') continue;
    const [found] = await query<{ rows: string }>(
      'set timezone = UTC',
      `select count(*) || ' rows ' || md5(coalesce(string_agg(t::text, ' ' order by t::text collate "C"), '')) as rows from ${quoteName(name)} t`,
    );
    content[`table ${name}`] = found?.rows ?? '';
  }
  for (const { name } of sequences) {
    const [found] = await query<{ state: string }>(
      `select last_value || ' ' || is_called as state from ${quoteName(name)}`,
    );
    content[`sequence ${name}`] = found?.state ?? '';
  }
  const [schema] = await query<{ definitions: string }>(
    `select string_agg(definition, e'\\n' order by definition collate "C") as definitions from (
       select concat(conrelid::regclass, ' ', conname, ' ', convalidated, ' ', pg_get_constraintdef(oid)) as definition
       from pg_constraint where connamespace = 'public'::regnamespace
       union all
       select concat(indisvalid, ' ', pg_get_indexdef(indexrelid)) from pg_index
       where indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
       union all
       select concat(tgenabled, ' ', pg_get_triggerdef(oid)) from pg_trigger where not tgisinternal
       union all
       select concat(attrelid::regclass, ' ', attname, ' ', atttypid::regtype, ' ', attnotnull, ' ', attidentity) from pg_attribute
       where attnum > 0 and attrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r')
     ) as all_of_them`,
  );
  return { ...content, schema: schema?.definitions ?? '' };
}

const countOf = async (url: string) => {
  const [found] = await query<{ count: number }>(
    url,
    "select count(*)::int as count from pg_class where relnamespace = 'public'::regnamespace",
  );
  return found?.count;
};

test('a restored database has every table, row, sequence, key, index and trigger of the one that was backed up', async () => {
  const expected = await contentOf(platform.databaseUrl);
  assert.ok(Object.keys(expected).length > 30);
  for (const table of ['audit', 'series', 'series_sheet'])
    assert.match(expected[`table ${table}`] ?? '', /^[1-9]\d* rows/);
  const target = await createEmptyDatabase();
  const run = await restore('whole.saldo', target);
  assert.equal(run.code, 0, run.err);
  assert.match(run.out, /Restored .* as of .*: [\d,]+ rows of \d+ tables, compared with the backup/);
  assert.deepEqual(await contentOf(target), expected);
  const header = await openBackupFile(whole, () => {});
  await header.close();
  assert.deepEqual(
    header.header.tables.map(({ name }) => `table ${name}`),
    Object.keys(expected)
      .filter((name) => name.startsWith('table '))
      .toSorted(),
  );
});

test('a new table is in the backup without a code change, without its generated columns', async () => {
  const source = await createEmptyDatabase();
  await migrate(source, () => {});
  await query(
    source,
    `create table "Später ""neu""" (
       no int generated always as identity, kwh int not null, doubled int generated always as (kwh * 2) stored,
       "select" text, gone int)`,
    'alter table "Später ""neu""" drop column gone',
    `insert into "Später ""neu""" (kwh, "select") values (1, e'a\\tb\\n\\\\.'), (2, null)`,
  );
  await backUp(source, 'added.saldo');
  const backup = await openBackupFile(file('added.saldo'), () => {});
  await backup.close();
  assert.deepEqual(
    backup.header.tables.filter(({ name }) => name.startsWith('Später')),
    [{ name: 'Später "neu"', columns: ['no', 'kwh', 'select'] }],
  );
  const target = await createEmptyDatabase();
  const refused = await restore('added.saldo', target);
  assert.equal(refused.code, 1);
  assert.match(
    refused.err,
    /Nothing was restored: The backup has tables that Saldo does not create: Später "neu"\. Leave them out with --without/,
  );
  assert.equal(await countOf(target), 0);
  const run = await restore('added.saldo', target, '--without', 'Später "neu"');
  assert.equal(run.code, 0, run.err);
  const {
    'table Später "neu"': _,
    'sequence Später "neu"_no_seq': __,
    ...expected
  } = await contentOf(source);
  const { schema, ...found } = await contentOf(target);
  assert.deepEqual({ ...found, schema: '' }, { ...expected, schema: '' });
  assert.equal(schema, (await contentOf(platform.databaseUrl)).schema);
});

test('a backup cannot lack a table of Saldo, nor have an unknown one', async () => {
  const target = await createEmptyDatabase();
  for (const [table, reason] of [
    ['audit', /The table audit belongs to Saldo and cannot be left out/],
    ['nothing', /The backup has no table nothing/],
  ] as const) {
    const run = await restore('whole.saldo', target, '--without', table);
    assert.equal(run.code, 1);
    assert.match(run.err, reason);
    assert.equal(await countOf(target), 0);
  }
});

test('a backup of an older schema is restored and migrated', async () => {
  const source = await createDatabase();
  await query(source, "insert into brp (id, name, created_at) values (gen_random_uuid(), 'Old', now())");
  const backup = await openBackupFile(await backUp(source, 'older.saldo'), () => {});
  const migrations = file('newer');
  await cp(MIGRATIONS, migrations, { recursive: true });
  await writeFile(
    path.join(migrations, '900-later.sql'),
    'alter table brp add column later text; update brp set later = name;',
  );
  const target = await createEmptyDatabase();
  const signal = new AbortController().signal;
  const progress = createProgress({ write: () => {} });
  await restoreBackup(target, backup, { without: [], progress, signal, migrations });
  await backup.close();
  const [before, found] = [await contentOf(source), await contentOf(target)];
  for (const name of ['table secret', 'sequence brp_no_seq']) assert.equal(found[name], before[name], name);
  assert.deepEqual(await query(target, 'select name, later from brp'), [{ name: 'Old', later: 'Old' }]);
  const names = await query<{ name: string }>(target, 'select name from migration order by id');
  assert.deepEqual(
    names.map(({ name }) => name),
    [...(await readChecksums(migrations)).keys()],
  );
});

test('a backup with newer or different migrations is rejected before anything is changed', async () => {
  const backup = await openBackupFile(whole, () => {});
  await backup.close();
  const { header } = backup;
  const never = new AbortController().signal;
  async function* nothing(): AsyncGenerator<Buffer> {}
  const newer = {
    ...header,
    saldo: '9.9.9',
    migrations: [...header.migrations, { name: '999-future', sha256: '00' }],
  };
  await writeBackupFile(file('newer.saldo'), newer, nothing(), never);
  const edited = { ...header, migrations: header.migrations.map(({ name }) => ({ name, sha256: '00' })) };
  await writeBackupFile(file('edited.saldo'), edited, nothing(), never);
  for (const [name, reason] of [
    [
      'newer.saldo',
      /another version of Saldo \(9\.9\.9\): it has the migration 999-future, which this version does not have/,
    ],
    ['edited.saldo', /its migration 001-schema differs from the one of this version/],
  ] as const) {
    const run = await saldo(['restore', name], { DATA_DIR: file('untouched') });
    assert.equal(run.code, 1);
    assert.match(run.err, reason);
    assert.ok(!existsSync(file('untouched')));
  }
});

test('a database with newer migrations is not backed up', async () => {
  const source = await createEmptyDatabase();
  await migrate(source, () => {});
  await query(source, "insert into migration (name, run_on) values ('999-future', now())");
  const run = await saldo(['backup', 'future.saldo'], { DATABASE_URL: source });
  assert.equal(run.code, 1);
  assert.match(
    run.err,
    /The database has the migration 999-future, which this version of Saldo does not have/,
  );
  const none = await saldo(['backup', 'future.saldo'], { DATABASE_URL: await createEmptyDatabase() });
  assert.match(none.err, /is not a Saldo database/);
  assert.ok(!existsSync(file('future.saldo')));
});

test('a truncated or changed backup, or another file, is rejected before anything is changed', async () => {
  const bytes = await readFile(whole);
  const damaged = new Map<string, Buffer>([
    ['empty', Buffer.alloc(0)],
    ['foreign', Buffer.from('PGDMP, or anything else that is no backup of Saldo')],
    ['longer', Buffer.concat([bytes, Buffer.from('x')])],
  ]);
  for (const part of [0.0001, 0.01, 0.5, 0.999])
    damaged.set(`the first ${part}`, bytes.subarray(0, Math.ceil(bytes.length * part)));
  damaged.set('all but the last byte', bytes.subarray(0, -1));
  // Damages each part of the file: signature, header, compressed rows, checksum.
  for (const position of [
    3,
    10,
    60,
    5000,
    bytes.length >> 1,
    bytes.length - 60,
    bytes.length - 35,
    bytes.length - 1,
  ]) {
    const flipped = Buffer.from(bytes);
    flipped[position]! ^= 1;
    damaged.set(`a bit at ${position}`, flipped);
  }
  for (const [what, content] of damaged) {
    await writeFile(file('damaged.saldo'), content);
    await assert.rejects(
      openBackupFile(file('damaged.saldo'), () => {}),
      BackupFileError,
      what,
    );
  }
  for (const [what, reason] of [
    ['foreign', /damaged\.saldo is not a Saldo backup\.\n$/],
    [
      'the first 0.5',
      /damaged\.saldo is incomplete or was changed: its checksum does not match its content\.\n$/,
    ],
    [
      'a bit at 5000',
      /damaged\.saldo is incomplete or was changed: its checksum does not match its content\.\n$/,
    ],
  ] as const) {
    await writeFile(file('damaged.saldo'), damaged.get(what) ?? '');
    const run = await saldo(['restore', 'damaged.saldo'], { DATA_DIR: file('untouched') });
    assert.equal(run.code, 1, what);
    assert.match(run.err, reason);
    assert.ok(!existsSync(file('untouched')), what);
  }
});

test('restored rows are compared with the backup before the commit', async () => {
  const backup = await openBackupFile(whole, () => {});
  const text = Buffer.concat(await Array.fromAsync(backup.body(() => {}))).toString('latin1');
  await backup.close();
  const target = await createEmptyDatabase();
  for (const [from, to] of [
    ['\tNordwind', '\tSuedwind'],
    ['"name":"brp","rows":', '"name":"brp","rows":1'],
  ] as const) {
    const changed = text.replace(from, to);
    assert.notEqual(changed, text, from);
    async function* body() {
      yield Buffer.from(changed, 'latin1');
    }
    // With a valid checksum, as if the backup had been made like this.
    await writeBackupFile(file('changed.saldo'), backup.header, body(), new AbortController().signal);
    const run = await restore('changed.saldo', target);
    assert.equal(run.code, 1, from);
    assert.match(
      run.err,
      /Nothing was restored: The rows of (balance_group|brp) are not those of the backup/,
    );
    assert.equal(await countOf(target), 0);
  }
});

test('a restore does not change a database that is not empty', async () => {
  const target = await createEmptyDatabase();
  await query(target, 'create table mine (a int)', 'insert into mine values (1)');
  const run = await restore('whole.saldo', target);
  assert.equal(run.code, 1);
  assert.match(run.err, /Nothing was restored: The database is not empty/);
  assert.deepEqual(await query(target, 'select * from mine'), [{ a: 1 }]);
  assert.equal(await countOf(target), 1);
  const before = await contentOf(platform.databaseUrl);
  assert.equal((await restore('whole.saldo', platform.databaseUrl)).code, 1);
  assert.deepEqual(await contentOf(platform.databaseUrl), before);
});

/** The program itself, so that a signal reaches it and not the command line in front of it. */
function startRestore(env: Record<string, string>): { child: ChildProcess; error: () => string } {
  const child = spawn(process.execPath, [PROGRAM, 'restore', whole], {
    env: { ...PROGRAM_ENVIRONMENT, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let error = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    error += text;
  });
  return { child, error: () => error };
}

/** Blocks a restore after everything is loaded and compared, before the commit. */
async function heldUp(
  target: string,
  work: (child: ChildProcess, error: () => string) => Promise<void>,
): Promise<void> {
  const holder = new pg.Client({ connectionString: target });
  await holder.connect();
  // The last step writes statistics.
  await holder.query('begin');
  await holder.query('lock table pg_statistic in exclusive mode');
  const { child, error } = startRestore({ DATABASE_URL: target });
  const waiting = `select from pg_stat_activity
    where datname = current_database() and application_name = 'saldo backup' and wait_event_type = 'Lock'`;
  await until(async () => {
    assert.equal(child.exitCode, null, error());
    return (await query(target, waiting)).length === 1;
  });
  await work(child, error);
  await holder.end();
  const left =
    "select from pg_stat_activity where datname = current_database() and application_name = 'saldo backup'";
  await until(async () => (await query(target, left)).length === 0);
}

for (const [signal, code] of [
  ['SIGKILL', null],
  ['SIGTERM', 130],
] as const) {
  test(`a restore that ends by ${signal} at its last step leaves the database empty, and can be repeated`, async () => {
    const target = await createEmptyDatabase();
    await heldUp(target, async (child, error) => {
      const second = await restore('whole.saldo', target);
      assert.equal(second.code, 1);
      assert.match(second.err, /Another restore or a starting server is using the database/);
      child.kill(signal);
      assert.equal((await once(child, 'exit'))[0], code);
      if (signal === 'SIGTERM') assert.match(error(), /Nothing was restored: Interrupted\.\n$/);
    });
    assert.equal(await countOf(target), 0);
    const run = await restore('whole.saldo', target);
    assert.equal(run.code, 0, run.err);
    assert.deepEqual(await contentOf(target), await contentOf(platform.databaseUrl));
  });
}

/** Blocks changes of the schema once sheets have rows: after everything is loaded. */
const HOLD_UP = [
  'create schema hold',
  `create function hold.up() returns event_trigger language plpgsql as $$
   begin
     if exists (select from public.sheet) then perform pg_sleep(3600); end if;
   exception when undefined_table then null;
   end $$`,
  "create event trigger hold_up on ddl_command_start when tag in ('CREATE INDEX', 'ALTER TABLE') execute function hold.up()",
];

test('a killed restore into a folder leaves an empty database, on which a server starts', async () => {
  const dataDir = file('killed');
  const prepared = await startEmbeddedPostgres({ application: SALDO, dataDir, say: () => {} });
  await query(prepared.url, ...HOLD_UP);
  await prepared.stop();
  const { child, error } = startRestore({ DATA_DIR: dataDir });
  await until(() => {
    assert.equal(child.exitCode, null, error());
    return error().includes('Building indexes');
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
  const product = await startProduct({ DATA_DIR: dataDir, DEMO: 'off' });
  try {
    const [, key = ''] = /Operator key: (\S+)/.exec(product.output()) ?? [];
    const { body } = await client(product.baseUrl, key)('/operator/v1/brps');
    assert.deepEqual(body.brps, []);
  } finally {
    assert.equal(await product.end('SIGTERM'), 0);
  }
});
