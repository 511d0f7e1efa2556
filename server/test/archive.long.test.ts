import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { connect, dump, rowCounts, startArchivedWorld } from './archived-world.ts';
import { PROGRAM_ENVIRONMENT, runCommand } from './command-line.ts';
import { createEmptyDatabase } from './databases.ts';
import { programFile } from './programs.ts';
import { until } from './until.ts';

const { platform, world, operator, db, folder, env, saldo, asked, contract, moved } =
  await startArchivedWorld();
const [SEPTEMBER, OCTOBER, NOVEMBER] = ['2025-09', '2025-10', '2025-11'] as const;
const before = {
  [SEPTEMBER]: await dump(db, SEPTEMBER),
  [OCTOBER]: await dump(db, OCTOBER),
  [NOVEMBER]: await dump(db, NOVEMBER),
};
const filesOf = async (month: string) =>
  (await readdir(env.ARCHIVE_DIR)).filter((name) => name.startsWith(month)).toSorted();
const isStored = async (month: keyof typeof before) => assert.deepEqual(await dump(db, month), before[month]);
const refusal = async (...args: string[]) => {
  const { code, err } = await saldo(...args);
  assert.equal(code, 1, err);
  return err;
};

test('the month has rows of every table, on a day with 100 slots too', () => {
  for (const count of rowCounts(before[OCTOBER])) assert.ok(count > 0, JSON.stringify(before[OCTOBER]));
});

test('a month that may still change, and one that is none, are refused', async () => {
  assert.match(
    await refusal('archive', '--before', '9999-01'),
    /3 months after its end: --before is \d{4}-\d{2} at most/,
  );
  for (const month of ['2025-13', '2025', 'x'])
    assert.match((await saldo('archive', '--before', month)).err, /no month such as 2019-12/);
  assert.match((await saldo('archive')).err, /needs --before/);
});

test('volumes that are not nominated yet keep their month out of the archive', async () => {
  await world.volumes(contract, '2025-10-01', 1001);
  assert.match(
    await refusal('archive', '--before', '2025-12'),
    /^2025-10 was not archived: 2025-10 has volumes that are not nominated/m,
  );
  await world.nominate();
  before[OCTOBER] = await dump(db, OCTOBER);
  assert.equal((await dump(db, SEPTEMBER))['sheet']?.split(' ')[0], '0', 'older months are archived first');
  await asked('archive', 'restore', SEPTEMBER);
  await isStored(SEPTEMBER);
});

test('a message that is not delivered yet keeps its month out of the archive', async () => {
  const setState = `update message set state = $2 where id = $1`;
  const { rows } = await db.query(
    `select id, state from message where direction = 'out' and delivery_day between '2025-10-01' and '2025-10-31' limit 1`,
  );
  await db.query(setState, [rows[0].id, 'stored']);
  assert.match(
    await refusal('archive', '--before', NOVEMBER),
    /2025-10 has messages to TSOs that are not delivered yet/,
  );
  await db.query(setState, [rows[0].id, rows[0].state]);
  await asked('archive', 'restore', SEPTEMBER);
});

test('archived months come back to the byte, and archiving them again writes the same files', async () => {
  await db.query(
    `insert into unsent_schedule (tso, delivery_day, noted_at)
     select 'DE_50HERTZ', unnest('{2025-10-31,2025-11-01}'::date[]), now()`,
  );
  const out = await asked('archive', '--before', NOVEMBER);
  const { rows: unsent } = await db.query('delete from unsent_schedule returning delivery_day::text');
  assert.deepEqual(unsent, [{ delivery_day: '2025-11-01' }]);
  assert.match(out, /Archived 2025-09 in .*\nArchived 2025-10 in .*: \d+ rows, /);
  for (const month of [SEPTEMBER, OCTOBER])
    assert.deepEqual(rowCounts(await dump(db, month)), [0, 0, 0, 0, 0], month);
  await isStored(NOVEMBER);
  const files = await filesOf(OCTOBER);
  assert.deepEqual(
    files.map((name) => name.replace(/-[0-9a-f]{12}\./, '.')),
    [
      '2025-10-invalidations.parquet',
      '2025-10-manifest.json',
      '2025-10-nominations.parquet',
      '2025-10-sheets.parquet',
    ],
  );
  const list = await asked('archive', 'list');
  assert.match(list, /^2025-09: archived at .*Z, \d+ rows/);
  const manifest = JSON.parse(await readFile(path.join(env.ARCHIVE_DIR, files[1]!), 'utf8'));
  for (const { name, sha256 } of manifest.files)
    assert.ok(list.includes(`${name}  `) && list.includes(sha256));

  assert.match(await asked('archive', '--before', NOVEMBER), /Nothing to archive before 2025-11/);
  assert.match(await asked('archive', 'restore', OCTOBER), /^Restored 2025-10 from /);
  await isStored(OCTOBER);
  await asked('archive', '--before', NOVEMBER);
  assert.deepEqual(await filesOf(OCTOBER), files);
  for (const month of [SEPTEMBER, OCTOBER]) await asked('archive', 'restore', month);
  for (const month of [SEPTEMBER, OCTOBER, NOVEMBER] as const) await isStored(month);
  assert.match(await asked('archive', 'list'), /No month is archived/);
  const { rows } = await db.query(
    `select action, subject, actor, after->>'folder' as folder from audit where actor = $1 order by no desc limit 1`,
    ['archive'],
  );
  assert.deepEqual(rows, [
    { action: 'archive.restored', subject: OCTOBER, actor: 'archive', folder: env.ARCHIVE_DIR },
  ]);
  assert.deepEqual((await db.query('select count(*)::int from archived_id')).rows, [{ count: 0 }]);
});

test('another implementation reads the files, with volumes in kWh and public ids', async () => {
  const [sheets] = (await filesOf(OCTOBER)).filter((name) => name.includes('sheets'));
  const duckdb = await (await DuckDBInstance.create(':memory:')).connect();
  const read = await duckdb.runAndReadAll(
    `select contract_id, sender_tso, delivery_day::text, list_sum(volumes::int[]), epoch_us(created_at)
     from '${path.join(env.ARCHIVE_DIR, sheets!)}' where delivery_day = '2025-10-01' and revision = 1 order by contract_no`,
  );
  const { rows } = await db.query(
    `select (extract(epoch from created_at) * 1000000)::bigint::text as micros from sheet
     where delivery_day = '2025-10-01' and revision = 1 order by contract_no`,
  );
  duckdb.closeSync();
  assert.deepEqual(read.getRowsJson(), [
    [contract.id, 'DE_50HERTZ', '2025-10-01', String(96 * 1000), rows[0].micros],
    [moved.id, 'DE_AMPRION', '2025-10-01', String(96 * 70_000), rows[1].micros],
  ]);
});

const WAITING = `select pid from pg_stat_activity
  where datname = current_database() and application_name = 'saldo archive' and wait_event_type = 'Lock'`;

/** Starts the program, and kills it when the database makes it wait for a lock. */
async function killWaiting(): Promise<void> {
  const child = spawn(process.execPath, [programFile('server/src/archive/main.ts'), 'archive', NOVEMBER], {
    env: { ...PROGRAM_ENVIRONMENT, ...env },
    stdio: 'ignore',
  });
  const { pid } = await until(async () => (await db.query(WAITING)).rows[0]);
  child.kill('SIGKILL');
  await once(child, 'close');
  await db.query('select pg_terminate_backend($1)', [pid]);
  await until(
    async () => (await db.query('select from pg_stat_activity where pid = $1', [pid])).rowCount === 0,
  );
}

/** What another session locks, so that the program waits at a step. */
const STEPS = {
  'before it reads': `select pg_advisory_xact_lock_shared(hashtext('saldo archive'), 2025 * 12 + 8)`,
  'before it publishes': 'lock table archive in share mode',
  'while it deletes': `select from sheet where delivery_day = '2025-09-30' for update`,
  'before it commits': 'lock table audit in share mode',
};

test('a run that is killed at any step leaves the month as it was, and the next one finishes it', async () => {
  for (const step of Object.values(STEPS)) {
    const lock = await connect(platform.databaseUrl);
    await lock.query('begin');
    await lock.query(step);
    await killWaiting();
    await lock.query('rollback');
    await lock.end();
    for (const month of [SEPTEMBER, OCTOBER] as const) await isStored(month);
    assert.match(await asked('archive', 'list'), /No month is archived/);
  }
  // Databases may share the folder: a file that a running process writes stays.
  const [ended, running] = [spawnSync('true').pid, process.pid].map((pid) => `2025-09-sheets.${pid}.partial`);
  for (const name of [ended!, running!]) await writeFile(path.join(env.ARCHIVE_DIR, name), '');
  await asked('archive', '--before', NOVEMBER);
  assert.deepEqual(
    (await readdir(env.ARCHIVE_DIR)).filter((name) => name.includes('partial')),
    [running],
  );
  await rm(path.join(env.ARCHIVE_DIR, running!));
  for (const month of [SEPTEMBER, OCTOBER]) await asked('archive', 'restore', month);
  for (const month of [SEPTEMBER, OCTOBER] as const) await isStored(month);
});

test('a connection that breaks during the commit leaves the result unknown', async () => {
  await db.query(`create function wait_at_commit() returns trigger language plpgsql
    as $$ begin perform pg_advisory_xact_lock(1); return null; end $$`);
  await db.query(`create constraint trigger wait_at_commit after insert or delete on archive
    deferrable initially deferred for each row execute function wait_at_commit()`);
  await db.query('select pg_advisory_lock(1)');
  const archiving = saldo('archive', '--before', OCTOBER);
  const { pid } = await until(async () => (await db.query(WAITING)).rows[0]);
  await db.query('select pg_terminate_backend($1)', [pid]);
  const { code, err } = await archiving;
  assert.equal(code, 1);
  assert.match(err, /^It is unknown whether 2025-09 was archived: see saldo archive list\. The cause: \w/m);
  await db.query('select pg_advisory_unlock(1)');
  await db.query('drop function wait_at_commit cascade');
  await isStored(SEPTEMBER);
});

test('the commands name what failed, and refuse options that they do not have', async () => {
  const { code, err } = await runCommand(['archive', 'list'], {
    folder,
    env: { ...env, DATABASE_URL: 'postgres://127.0.0.1:1/none' },
  });
  assert.equal(code, 1);
  assert.match(err, /^The archived months cannot be listed: /m);
  for (const args of [
    ['list', '--folder', folder],
    ['--folder', folder, 'list'],
  ])
    assert.match((await saldo('archive', ...args)).err, /archive list has no option --folder/);
  assert.match((await saldo('archive', 'restore', OCTOBER, '--before', OCTOBER)).err, /no option --before/);
});

test('a file that is missing, changed, cut off or of a newer version is not restored', async () => {
  await asked('archive', '--before', OCTOBER);
  const [name] = (await filesOf(SEPTEMBER)).filter((file) => file.includes('sheets'));
  const [file, copy] = [path.join(env.ARCHIVE_DIR, name!), path.join(folder, name!)];
  await copyFile(file, copy);
  assert.match(
    await refusal('archive', 'restore', OCTOBER),
    /^Nothing was restored: 2025-10 is not archived/m,
  );
  await rm(file);
  assert.match(await refusal('archive', 'restore', SEPTEMBER), /sheets-\w+\.parquet is missing/);
  const bytes = await readFile(copy);
  await writeFile(file, bytes.fill(bytes[100]! ^ 1, 100, 101));
  assert.match(await refusal('archive', 'restore', SEPTEMBER), /its checksum differs/);
  await copyFile(copy, file);
  await truncate(file, bytes.length - 1);
  assert.match(await refusal('archive', 'restore', SEPTEMBER), /its checksum differs/);
  await copyFile(copy, file);
  await db.query('update archive set format = format + 1');
  assert.match(await refusal('archive', 'restore', SEPTEMBER), /archived by a newer version of Saldo/);
  await db.query('update archive set format = format - 1');
  await asked('archive', 'restore', SEPTEMBER, '--folder', env.ARCHIVE_DIR);
  await isStored(SEPTEMBER);
});

test('while a month is archived, its pages are whole, young days are imported, and its own days are refused', async () => {
  const lock = await connect(platform.databaseUrl);
  await lock.query('begin');
  await lock.query(STEPS['while it deletes']);
  const page = '/operator/v1/transactions?delivery_date=2025-09-30&limit=100';
  const whole = await operator(page);
  const archiving = saldo('archive', '--before', OCTOBER);
  await until(async () => (await db.query(WAITING)).rowCount === 1);
  assert.equal((await operator(page)).text, whole.text);
  const put = (day: string) =>
    operator(`/operator/v1/contracts/${contract.id}/days/${day}`, {
      method: 'PUT',
      body: { volumes: Array.from({ length: 96 }, () => 3) },
    });
  assert.equal((await put('2025-11-03')).status, 200);
  assert.equal((await put('2025-09-29')).status, 409);
  await lock.query('rollback');
  const { code, err } = await archiving;
  assert.equal(code, 0);
  assert.match(err, /^Waiting for changes of 2025-09…\nArchiving 2025-09: writing the files…/m);
  assert.equal((await operator(page)).status, 410);
  await asked('archive', 'restore', SEPTEMBER);
  assert.equal((await operator(page)).text, whole.text);
  await isStored(SEPTEMBER);
});

test('a backup has the archived months, and its restored platform can bring them back', async () => {
  await asked('archive', '--before', OCTOBER);
  const file = path.join(folder, 'backup.saldo');
  await asked('backup', file);
  await asked('archive', 'restore', SEPTEMBER);
  // The files of the corrected month replace those that the backup names, and not those of other databases.
  const former = await filesOf(SEPTEMBER);
  await writeFile(path.join(env.ARCHIVE_DIR, '2025-09-sheets-0123456789ab.parquet'), '');
  await world.volumes(contract, '2025-09-30', 1001);
  await world.nominate();
  await asked('archive', '--before', OCTOBER);
  const files = await filesOf(SEPTEMBER);
  for (const name of former.filter((one) => /sheets|manifest/.test(one)))
    assert.ok(files.includes(`${name}.replaced`) && !files.includes(name), files.join());
  assert.ok(files.includes('2025-09-sheets-0123456789ab.parquet'));
  const target = await createEmptyDatabase();
  const there = { ...env, DATABASE_URL: target };
  const run = async (...args: string[]) => {
    const { code, out, err } = await runCommand(args, { folder, env: there });
    assert.equal(code, 0, err);
    return out;
  };
  await run('restore', file);
  assert.match(await run('archive', 'list'), /^2025-09: /);
  await run('archive', 'restore', SEPTEMBER);
  assert.deepEqual(await dump(await connect(target), SEPTEMBER), before[SEPTEMBER]);
});
