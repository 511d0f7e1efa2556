import assert from 'node:assert/strict';
import { appendFile, cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DatabaseUnusable } from '@saldo/postgres/unusable.ts';
import pg from 'pg';
import { createEmptyDatabase } from '../../../test/databases.ts';
import { migrate, readChecksums } from './migrate.ts';

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));
const folder = await mkdtemp(path.join(tmpdir(), 'saldo-migrations-'));
const database = await createEmptyDatabase();
after(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** A copy of the migrations that a test may edit. */
async function copyMigrations(name: string): Promise<string> {
  const dir = path.join(folder, name);
  await cp(MIGRATIONS, dir, { recursive: true });
  return dir;
}

async function run<R extends pg.QueryResultRow>(text: string, { url } = database): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return (await client.query<R>(text).finally(() => client.end())).rows;
}

const refusal = async (dir: string): Promise<string> => {
  const error = await migrate(database.url, () => {}, dir).then(
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
  const said: string[] = [];
  await Promise.all(
    Array.from({ length: 4 }, () => migrate(database.url, (message) => void said.push(message))),
  );
  assert.equal(said.length, 1, said.join('\n'));
  const expected = [...(await readChecksums())].map(([name, checksum]) => ({ name, checksum }));
  assert.deepEqual(await recorded(), expected);
});

test('a database from before checksums gets them at its next start', async () => {
  const before = await recorded();
  await run('alter table migration drop column checksum');
  await migrate(database.url, () => assert.fail('nothing was left to apply'));
  assert.deepEqual(await recorded(), before);
});

test('an edited migration that was already applied stops the start, and nothing is changed', async () => {
  const dir = await copyMigrations('edited');
  await appendFile(path.join(dir, '003-market.sql'), '\n-- one more line\n');
  await writeFile(path.join(dir, '900-later.sql'), 'create table later ();');
  const before = await recorded();
  const message = await refusal(dir);
  assert.match(message, /003-market\.sql has changed .*Restore the file .*new migration/);
  assert.deepEqual(await recorded(), before);
});

test('a database that a newer version has migrated stops the start', async () => {
  const newer = await copyMigrations('newer');
  await writeFile(path.join(newer, '900-later.sql'), 'create table later ();');
  await migrate(database.url, () => {}, newer);
  const message = await refusal(MIGRATIONS);
  assert.match(message, /newer version of Saldo.*900-later.*Start that version or a later one/);
  await run("drop table later; delete from migration where name = '900-later'");
});

test('a renamed migration is an unknown one', async () => {
  const dir = await copyMigrations('renamed');
  await rename(path.join(dir, '005-users.sql'), path.join(dir, '005-people.sql'));
  assert.match(await refusal(dir), /does not know its migration 005-users/);
});

test('line endings do not change the checksum', async () => {
  const dir = await copyMigrations('line-ends');
  const file = path.join(dir, '003-market.sql');
  await writeFile(file, (await readFile(file, 'utf8')).replaceAll('\n', '\r\n'));
  await migrate(database.url, () => assert.fail('nothing was left to apply'), dir);
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

test('stored emails are normalised, unless two users would get the same one', async () => {
  const old = await createEmptyDatabase();
  after(() => old.drop());
  const dir = await copyMigrations('before-006');
  for (const name of (await readChecksums()).keys()) {
    if (name >= '006') await rm(path.join(dir, `${name}.sql`));
  }
  await migrate(old.url, () => {}, dir);
  const emails = ['ﬁona@x.example', '℡@x.example', 'an\u200bna@x.example', 'ﬂo@x.example', 'flo@x.example'];
  await run(
    `insert into app_user (id, email, name, role, may_manage, created_at)
     select gen_random_uuid(), email, 'Somebody', 'operator', true, now()
     from unnest(array['${emails.join("','")}']) email`,
    old,
  );
  await migrate(old.url, () => {});
  const rows = await run<{ email: string }>('select email from app_user', old);
  assert.deepEqual(
    rows.map(({ email }) => email).toSorted(),
    ['fiona@x.example', 'tel@x.example', 'an\u200bna@x.example', 'ﬂo@x.example', 'flo@x.example'].toSorted(),
  );
});

/** Released migrations never change, because databases have applied them. Add a line here for each new file. */
const RELEASED = {
  '001-platform': '258550de28243cbfcd3a612713b0fee33cff13d97d317357e87d46972a4b7d6e',
  '002-operator': '943fbd9665a9bdb944a2ce27300317bec1e386b4995cd7a83699cf9c4fcbb393',
  '003-market': 'ceb2b88b434365f4b72e116f7f588ab8737fba688145bcbf2f94d7ce337503c2',
  '004-exchange': '2c503a92c5d0f87cc96de28b5c158044f5f66ac5d3f0b77d8f9d6e53726d0f70',
  '005-users': 'ab0d5f71794416deb43bb64fae00473d38d39e82098d0b8b83fbb9e384c53e0d',
  '006-normal-emails': '0884372ba0cd7d18cbe325e8043076fc523513b8d73ff9bbc5d58bf9494eabe1',
  '007-list-indexes': '2adf3d9e042fe87fa59729de80498fa0da614461b7e83bc145d6061b74c658c5',
  '008-message-kinds': '4868c809f4e0ec7979279017a853a0320314e9da2eedd8414540fc7662531400',
  '009-alarms': '6f18a352b3ff2321cd5a9e72ee0841514f2e4670ecfb0cdd509eb77133578ed8',
  '010-late': 'b476ad70f588e30a48d3fbaea025c6efe94594b57a018238a7f67ef95cf71519',
  '012-events': '6a316fd84d16c6c83718137ac45ba45dce17ea8f48b2d8ebb8b96324aa1dd382',
  '013-webhooks': '4544040b5b05af1a17d329c78b3edfb23ed6c83d9147fc1219367b1373f0e7bf',
};

test('the migration files are those that were released', async () => {
  assert.deepEqual(Object.fromEntries(await readChecksums()), RELEASED);
});
