import assert from 'node:assert/strict';
import { appendFile, cp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { OPERATOR_SCOPES } from '@saldo/api';
import { DatabaseUnusable } from '@saldo/postgres/unusable.ts';
import pg from 'pg';
import { temporaryFolder } from '../../../test/clean-up.ts';
import { createEmptyDatabase } from '../../../test/databases.ts';
import { migrate, readChecksums } from './migrate.ts';

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));
const folder = await temporaryFolder();
const databaseUrl = await createEmptyDatabase();

/** A copy of the migrations that a test may edit. */
async function copyMigrations(name: string): Promise<string> {
  const dir = path.join(folder, name);
  await cp(MIGRATIONS, dir, { recursive: true });
  return dir;
}

async function run<R extends pg.QueryResultRow>(text: string, url = databaseUrl): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return (await client.query<R>(text).finally(() => client.end())).rows;
}

const refusal = async (dir: string, url = databaseUrl): Promise<string> => {
  const error = await migrate(url, () => {}, dir).then(
    () => assert.fail('the database was taken'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof DatabaseUnusable, String(error));
  assert.doesNotMatch(error.message, /\n/);
  return error.message;
};

const recorded = () =>
  run<{ name: string; checksum: string }>('select name, checksum from migration order by name');

test('processes that start concurrently on an empty database migrate it once, and record the checksums', async () => {
  const messages: string[] = [];
  await Promise.all(
    Array.from({ length: 4 }, () => migrate(databaseUrl, (message) => void messages.push(message))),
  );
  assert.equal(messages.length, 1, messages.join('\n'));
  const expected = [...(await readChecksums())].map(([name, checksum]) => ({ name, checksum }));
  assert.deepEqual(await recorded(), expected);
});

test('004-permissions: no key and no user loses or gains a right', async () => {
  const url = await createEmptyDatabase();
  const dir = await copyMigrations('before-permissions');
  for (const [name] of await readChecksums(dir)) if (name >= '003') await rm(path.join(dir, `${name}.sql`));
  await migrate(url, () => {}, dir);
  await run(
    `insert into app_user (id, email, name, role, may_manage, created_at)
     values (gen_random_uuid(), 'a', 'A', 'operator', true, now()),
       (gen_random_uuid(), 'b', 'B', 'operator', false, now());
     insert into brp (id, name, created_at) values (gen_random_uuid(), 'Nord', now());
     insert into api_key (id, hash, prefix, name, owner, brp_no, scopes, created_at)
     values (gen_random_uuid(), '1', '', 'a', 'operator', null, '{}', now()),
       (gen_random_uuid(), '2', '', 'b', 'brp', 1, '{contracts:read}', now())`,
    url,
  );
  await migrate(url, () => {});
  assert.deepEqual(await run('select email, permissions::text from app_user order by email', url), [
    { email: 'a', permissions: 'admin' },
    { email: 'b', permissions: 'viewer' },
  ]);
  assert.deepEqual(await run('select name, scopes from api_key order by name', url), [
    { name: 'a', scopes: OPERATOR_SCOPES },
    { name: 'b', scopes: ['contracts:read'] },
  ]);
});

test('008-evidence: what TSOs confirmed before is known by its newest confirmation', async () => {
  const url = await createEmptyDatabase();
  const dir = await copyMigrations('before-evidence');
  for (const [name] of await readChecksums(dir)) if (name >= '008') await rm(path.join(dir, `${name}.sql`));
  await migrate(url, () => {}, dir);
  const nomination = (version: number, values: string) =>
    `(gen_random_uuid(), 1, 1, 'E', 'DE_TENNET', '2026-01-02', 'out', ${version}, '{25,0}', '2026-01-01T13:30Z',
      '2026-01-01T08:00Z', '{}', '{}', '{}', ${values})`;
  await run(
    `insert into brp (id, name, created_at) values (gen_random_uuid(), 'Nord', now());
     insert into balance_group (eic, brp_no, name, created_at) values ('E', 1, 'E', now());
     insert into position (eic, tso, brp_no, enabled) values ('E', 'DE_TENNET', 1, true);
     insert into nomination (id, position_no, brp_no, eic, tso, delivery_day, direction, version, amounts, gate_closure,
       created_at, basis_contracts, basis_revisions, basis_invalidations, status, matched, sent_at, confirmed_at)
     values ${[
       nomination(1, "'superseded', '{100,0}', '2026-01-01T09:00Z', null"),
       nomination(2, "'superseded', '{101,0}', '2026-01-01T10:00Z', '2026-01-01T11:00Z'"),
       nomination(3, "'superseded', '{100,0}', null, null"),
       nomination(4, "'pending', null, '2026-01-01T12:00Z', null"),
     ].join()}`,
    url,
  );
  await migrate(url, () => {});
  const confirmed = await run(
    `select n.version, c.number, c.status, c.matched = n.matched as has_matched, c.confirmed_at = n.confirmed_at as is_final,
       to_char(c.recorded_at at time zone 'UTC', 'HH24:MI') as recorded
     from nomination_confirmation c join nomination n on n.id = c.nomination_id order by n.version`,
    url,
  );
  assert.deepEqual(confirmed.map(Object.values), [
    [1, 1, 'match', true, null, '09:00'],
    [2, 1, 'partial_match', true, true, '11:00'],
    [3, 1, 'match', true, null, '08:00'],
  ]);
});

test('an edited migration that was already applied stops the start, and nothing is changed', async () => {
  const dir = await copyMigrations('edited');
  await appendFile(path.join(dir, '001-schema.sql'), '\n-- one more line\n');
  await writeFile(path.join(dir, '900-later.sql'), 'create table later ();');
  const before = await recorded();
  const message = await refusal(dir);
  assert.match(message, /001-schema\.sql has changed .*Restore the file .*new migration/);
  assert.deepEqual(await recorded(), before);
});

test('a database that a newer version has migrated stops the start', async () => {
  const newer = await copyMigrations('newer');
  await writeFile(path.join(newer, '900-later.sql'), 'create table later ();');
  await migrate(databaseUrl, () => {}, newer);
  const message = await refusal(MIGRATIONS);
  assert.match(message, /newer version of Saldo.*900-later.*Start that version or a later one/);
  await run("drop table later; delete from migration where name = '900-later'");
});

test('a failing migration leaves the database as it was, and its error names the place', async () => {
  const dir = await copyMigrations('failing');
  await writeFile(path.join(dir, '900-good.sql'), 'create table good ();');
  await writeFile(path.join(dir, '901-bad.sql'), 'create table bad ();\nselect missing;');
  const before = await recorded();
  const messages: string[] = [];
  await assert.rejects(
    migrate(databaseUrl, (message) => void messages.push(message), dir),
    /column "missing" does not exist/,
  );
  assert.match(messages.join('\n'), /select missing/);
  assert.deepEqual(await recorded(), before);
  assert.deepEqual(await run("select to_regclass('good') as good, to_regclass('bad') as bad"), [
    { good: null, bad: null },
  ]);
});

test('a database of a checkout from before the first release stops the start, and nothing is changed', async () => {
  const old = await createEmptyDatabase();
  // The table of the migrations had no checksums at first.
  await run(
    `create table migration (id serial primary key, name varchar(255) not null, run_on timestamp not null);
     insert into migration (name, run_on) values ('001-platform', now()), ('002-operator', now());
     create table brp (no int)`,
    old,
  );
  const content = () =>
    run(
      `select c.relname, a.attname, c.reltuples, pg_relation_size(c.oid) from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'public'::regnamespace and a.attnum > 0 order by 1, 2`,
      old,
    );
  const before = await content();
  const message = await refusal(MIGRATIONS, old);
  assert.match(
    message,
    /^The database was made by a checkout .* before its first release.*Make a backup .*restore/,
  );
  assert.deepEqual(await content(), before);
});

test('line endings do not change the checksum', async () => {
  const dir = await copyMigrations('line-ends');
  const file = path.join(dir, '001-schema.sql');
  await writeFile(file, (await readFile(file, 'utf8')).replaceAll('\n', '\r\n'));
  await migrate(databaseUrl, () => assert.fail('nothing was left to apply'), dir);
});

test('an unreachable database is reported in one line, without its password', async () => {
  const url = 'postgres://saldo:hunter2@127.0.0.1:1/saldo';
  await assert.rejects(
    migrate(url, () => {}),
    (error: Error) => {
      assert.ok(error instanceof DatabaseUnusable);
      assert.match(error.message, /cannot be reached.*ECONNREFUSED.*DATABASE_URL/);
      assert.doesNotMatch(error.message, /hunter2|\n/);
      return true;
    },
  );
});
