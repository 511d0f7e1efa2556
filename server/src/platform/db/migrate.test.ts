import assert from 'node:assert/strict';
import { appendFile, cp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
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

const refusal = async (dir: string): Promise<string> => {
  const error = await migrate(databaseUrl, () => {}, dir).then(
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

test('a database from before checksums gets them at its next start', async () => {
  const before = await recorded();
  await run('alter table migration drop column checksum');
  await migrate(databaseUrl, () => assert.fail('nothing was left to apply'));
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
  await migrate(databaseUrl, () => {}, newer);
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

/** A database as it was before a migration. */
async function databaseBefore(number: string) {
  const old = await createEmptyDatabase();
  const dir = await copyMigrations(`before-${number}`);
  for (const name of (await readChecksums()).keys()) {
    if (name >= number) await rm(path.join(dir, `${name}.sql`));
  }
  await migrate(old, () => {}, dir);
  return old;
}

test('stored emails are normalised, unless two users would get the same one', async () => {
  const old = await databaseBefore('006');
  const emails = ['ﬁona@x.example', '℡@x.example', 'an\u200bna@x.example', 'ﬂo@x.example', 'flo@x.example'];
  await run(
    `insert into app_user (id, email, name, role, may_manage, created_at)
     select gen_random_uuid(), email, 'User', 'operator', true, now()
     from unnest(array['${emails.join("','")}']) email`,
    old,
  );
  await migrate(old, () => {});
  const rows = await run<{ email: string }>('select email from app_user', old);
  assert.deepEqual(
    rows.map(({ email }) => email).toSorted(),
    ['fiona@x.example', 'tel@x.example', 'an\u200bna@x.example', 'ﬂo@x.example', 'flo@x.example'].toSorted(),
  );
});

test('customers and contracts of an existing database get placements, and unfinished ones go on', async () => {
  const old = await databaseBefore('011');
  // Every customer sells a contract to the buyer: name, status, position now, position of the contract, end.
  const sellers = [
    ['stays', 'active', 1, 1, '2090-01-01'],
    ['moved', 'active', 2, 1, '2090-01-01'],
    ['pending', 'pending', 1, 1, '2090-01-01'],
    ['ended', 'pending', 1, 1, '2020-01-01'],
    ['deactivated', 'deactivated', 1, 1, '2090-01-01'],
    ['unplaced', 'active', null, 2, '2020-01-01'],
  ] as const;
  const values = sellers.map(
    ([name, status, now, then, end]) =>
      `('${name}', '${status}', ${now}::int, ${then}, timestamptz '${end}')`,
  );
  await run(
    `insert into brp (id, name, created_at) select gen_random_uuid(), n, now() from unnest(array['A', 'B', 'C']) n;
     insert into balance_group (eic, brp_no, name, created_at)
       select 'EIC' || no, no, name, now() from brp order by no;
     insert into position (eic, tso, brp_no, enabled)
       select eic, 'DE_AMPRION', brp_no, true from balance_group order by brp_no;
     create table seller as select gen_random_uuid() as id, * from (values ${values.join(', ')})
       as v (name, status, now_in, was_in, ends);
     insert into customer (id, brp_no, name, status, position_no, metadata, search_terms, assigned_at, activated_at,
         created_at)
       select id, coalesce(now_in, 1), name, status::customer_status, now_in, '{}'::jsonb, '{}'::text[], now(),
         case status when 'pending' then null else now() end, now() from seller
       union all select gen_random_uuid(), 3, 'buyer', 'active', 3, '{}', '{}', now(), now(), now();
     insert into contract (id, external_id, type, delivery_start, delivery_end, seller_customer, seller_name,
         seller_eic, seller_tso, seller_position, seller_brp, buyer_customer, buyer_name, buyer_eic, buyer_tso,
         buyer_position, buyer_brp, created_at)
       select gen_random_uuid(), s.name, 'ppa', '2019-01-01', s.ends, s.id, s.name, 'EIC' || s.was_in, 'DE_AMPRION',
         s.was_in, s.was_in, b.id, 'buyer', 'EIC3', 'DE_AMPRION', 3, 3, now()
       from seller s, customer b where b.name = 'buyer';
     insert into sheet (id, created_at, contract_no, delivery_day, revision, sender_position, receiver_position,
         sender_brp, receiver_brp, status_mask, volumes)
       select gen_random_uuid(), now(), no, '2085-06-30', 1, seller_position, 3, seller_brp, 3, 1,
         decode('02' || repeat('03e8', 96), 'hex') from contract where external_id = 'moved';
     insert into invalidation (contract_no, delivery_day, number, revision, slot, reason, invalidated_at)
       select no, '2085-06-30', 1, 1, 7, 'meter', now() from contract where external_id = 'moved'`,
    old,
  );
  await migrate(old, () => {});
  const placements = await run<{ name: string; position_no: number }>(
    `select c.name, p.position_no from placement p join customer c on c.id = p.customer_id
     where p.first_day = '-infinity' and p.last_day = 'infinity' order by c.name`,
    old,
  );
  assert.deepEqual(Object.fromEntries(placements.map(({ name, position_no }) => [name, position_no])), {
    buyer: 3,
    deactivated: 1,
    ended: 1,
    moved: 2,
    pending: 1,
    stays: 1,
    unplaced: 2,
  });
  const contracts = await run(
    `select external_id, seller_position, seller_brp, seller_eic, seller_from::text, is_activated,
       rests_from - (now() at time zone 'Europe/Berlin')::date as rests_in from contract order by no`,
    old,
  );
  const eic = (no: number) => ({ seller_position: no, seller_brp: no, seller_eic: `EIC${no}` });
  const whole = { seller_from: '-infinity', is_activated: true, rests_in: null };
  assert.deepEqual(contracts, [
    { external_id: 'stays', ...eic(1), ...whole },
    { external_id: 'moved', ...eic(2), ...whole, seller_from: '2085-07-01' },
    { external_id: 'pending', ...eic(1), ...whole },
    { external_id: 'ended', ...eic(1), ...whole },
    { external_id: 'deactivated', ...eic(1), ...whole, rests_in: 2 },
    { external_id: 'unplaced', ...eic(2), ...whole },
  ]);
  assert.deepEqual(
    await run(
      'select is_seller, first_day::text, last_day::text, position_no, brp_no from former_party',
      old,
    ),
    [{ is_seller: true, first_day: '-infinity', last_day: '2085-06-30', position_no: 1, brp_no: 1 }],
  );
  assert.deepEqual(await run('select slots, customer_id from invalidation', old), [
    { slots: [7], customer_id: null },
  ]);
  assert.deepEqual(
    await run("select name, status from customer where name in ('pending', 'ended') order by name", old),
    [
      { name: 'ended', status: 'pending' },
      { name: 'pending', status: 'active' },
    ],
  );
  const audit = await run(
    `select a.actor, a.action, c.name, a.before, a.after ->> 'status' as status, a.after ->> 'reason' as reason
     from audit a join customer c on a.subject = typeid('cust', c.id)`,
    old,
  );
  assert.deepEqual(audit, [
    {
      ...{ actor: 'migration', action: 'customer.updated', name: 'pending', status: 'active' },
      before: { status: 'pending', activated_at: null },
      reason:
        'The customer has contracts that have not ended, and was nominated without having been activated.',
    },
  ]);
});

test('statuses of existing sheets move to their own rows, and transactions keep them', async () => {
  const old = await databaseBefore('017');
  await run(
    `set session_replication_role = replica;
     insert into brp (id, name, created_at) select gen_random_uuid(), n, now() from unnest(array['A', 'B']) n;
     insert into position (eic, tso, brp_no, enabled) select 'EIC' || no, 'DE_AMPRION', no, true from brp order by no;
     insert into contract (id, external_id, type, seller_customer, seller_name, seller_eic, seller_tso,
         seller_position, seller_brp, buyer_customer, buyer_name, buyer_eic, buyer_tso, buyer_position, buyer_brp,
         created_at)
       values (gen_random_uuid(), 'x', 'ppa', gen_random_uuid(), 'A', 'EIC1', 'DE_AMPRION', 1, 1, gen_random_uuid(),
         'B', 'EIC2', 'DE_AMPRION', 2, 2, now());
     insert into sheet (id, created_at, contract_no, delivery_day, revision, sender_position, receiver_position,
         sender_brp, receiver_brp, status_mask, volumes, statuses, versions, previous)
       select encode(set_byte(uuid_send(gen_random_uuid()), 15, 0), 'hex')::uuid, now(), c.no, '2026-01-01', revision,
         1, 2, 1, 2, mask, decode('02' || repeat('03e8', 96), 'hex'), statuses, versions, previous
       from contract c, (values (1, 4, array[2], null::int[], null::int[]), (2, 5, array[2] || array_fill(0, array[95]),
         array[2], array[1]), (3, 1, null, array[3] || array_fill(0, array[95]), array[2] || array_fill(0, array[95])))
         as v (revision, mask, statuses, versions, previous)`,
    old,
  );
  const STATUSES = 'select id, status, version, previous_transaction_id from transaction order by id';
  const before = await run(STATUSES, old);
  await migrate(old, () => {});
  assert.deepEqual(await run(STATUSES, old), before);
  assert.deepEqual(
    await run(
      `select revision, sender_brp, receiver_brp, mask, cardinality(statuses) as elements, statuses[1] as first
       from sheet_status order by revision`,
      old,
    ),
    [
      { revision: 1, sender_brp: 1, receiver_brp: 2, mask: 4, elements: 1, first: 2 },
      { revision: 2, sender_brp: 1, receiver_brp: 2, mask: 5, elements: 96, first: 2 },
    ],
  );
});

test('events of an existing log keep their sequences, and new ones follow', async () => {
  const old = await databaseBefore('015');
  const append = (...data: string[]) =>
    run(
      `select append_events(array_fill('operator'::text, array[${data.length}]),
         array_fill('exchange.alarm'::text, array[${data.length}]), now(), array['${data.join("','")}'])`,
      old,
    );
  await append('{"id": "a"}', '{"id":"b"}');
  const before = await run('select sequence, data::text from event order by sequence', old);
  await migrate(old, () => {});
  await append('[{"id":"c"},{"id":"d"}]');
  const after = await run(
    `select e.sequence - json_array_length(e.data) + number as sequence, one.data::text
     from event e, json_array_elements(e.data) with ordinality as one (data, number) order by 1`,
    old,
  );
  const last = Number(before.at(-1)?.['sequence']);
  assert.deepEqual(after.slice(0, 2), before);
  assert.deepEqual(
    after.slice(2).map(({ data }) => data),
    ['{"id":"c"}', '{"id":"d"}'],
  );
  assert.ok(Number(after[2]?.['sequence']) > last);
});

/** A position-day with two versions of its nomination, and the schedule with the newer one. */
const NOMINATED = `
  insert into brp (id, name, created_at) values (gen_random_uuid(), 'A', now());
  insert into balance_group (eic, brp_no, name, created_at) select 'EIC1', no, 'A', now() from brp;
  insert into position (eic, tso, brp_no, enabled) select 'EIC1', 'DE_AMPRION', no, true from brp;
  insert into nomination (id, position_no, brp_no, eic, tso, delivery_day, direction, version, status, previous_id,
      amounts, basis_contracts, basis_revisions, basis_invalidations, gate_closure, created_at)
    select uuidv7(), p.no, p.brp_no, p.eic, p.tso, '2026-01-01', 'out', 1, 'superseded', null,
      array_fill(1, array[96]), '{}', '{}', '{}', now(), now() from position p;
  insert into nomination (id, position_no, brp_no, eic, tso, delivery_day, direction, version, status, previous_id,
      amounts, basis_contracts, basis_revisions, basis_invalidations, gate_closure, created_at)
    select uuidv7(), position_no, brp_no, eic, tso, delivery_day, direction, 2, 'pending', id,
      array_fill(2, array[96]), '{}', '{}', '{}', now(), now() from nomination;
  insert into schedule_series (schedule, message_version, identification, version, business_type, out_party, out_area,
      in_party, in_area, powers, nomination_id)
    select 'S', 1, 'I', 1, 'A02', 'A', 'B', 'C', 'D', array_fill(8, array[96]), id from nomination where version = 2`;

test('a database with archived months is refused, and one without them gets its foreign keys back', async () => {
  const old = await databaseBefore('024');
  await run(NOMINATED, old);
  await run(
    `insert into archive (month, format, files, archived_at)
     values ('2019-12-01', 1, '[]', now()), ('2019-11-01', 1, '[]', now())`,
    old,
  );
  const messages: string[] = [];
  await assert.rejects(
    migrate(old, (message) => void messages.push(message)),
    (error: Error) => {
      assert.ok(error instanceof DatabaseUnusable, String(error));
      assert.match(error.message, /^Months are archived \(2019-11, 2019-12\).*saldo archive restore/);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    },
  );
  assert.deepEqual(messages, []);
  assert.equal((await run('select from archive', old)).length, 2);

  await run('delete from archive', old);
  await migrate(old, () => {});
  assert.deepEqual(await run("select to_regclass('archive') as a, to_regclass('archived_id') as i", old), [
    { a: null, i: null },
  ]);
  await assert.rejects(run('delete from nomination where version = 1', old), /nomination_previous_id_fkey/);
  await assert.rejects(
    run('delete from nomination where version = 2', old),
    /schedule_series_nomination_id_fkey/,
  );
});

test('events of an existing log are counted, and those that were deleted stay deleted', async () => {
  const old = await databaseBefore('023');
  const tenants = "array['operator', 'brp/7', 'operator']";
  const data = `array['[{"id":"a"},{"id":"b"}]', '[{"id":"c"}]', '[{"id":"d"}]']`;
  await run(
    `select append_events(${tenants}, array_fill('exchange.alarm'::text, array[3]), now(), ${data});
     delete from event where sequence = (select min(sequence) from event);
     update event_log set deleted_to = (select min(sequence) - 16 from event)`,
    old,
  );
  await migrate(old, () => {});
  const counted = await run(
    `select tenant, sequence - (select deleted_to from event_log) as place, count_events_up_to(tenant, sequence)
     from event order by sequence`,
    old,
  );
  assert.deepEqual(counted, [
    { tenant: 'brp/7', place: '16', count_events_up_to: '1' },
    { tenant: 'operator', place: '32', count_events_up_to: '1' },
  ]);
  const deleted = await run(
    `select tenant, count, is_deleted, sequence = (select deleted_to from event_log) as at_end
     from event_checkpoint order by tenant`,
    old,
  );
  assert.deepEqual(
    deleted,
    ['accounts', 'operator'].map((tenant) => ({ tenant, count: '0', is_deleted: true, at_end: true })),
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
  '011-placements': 'ed642b73bc3a835c9cccc7fedfdbae81a4eec5c4101faf6de73a74cea4505678',
  '012-events': 'bb4d5f8cc40eec75c4cc5395255cbdb8beb21161bb706818b21e42802590abb5',
  '013-webhooks': '4544040b5b05af1a17d329c78b3edfb23ed6c83d9147fc1219367b1373f0e7bf',
  '014-shorter-sheets': 'e1f8f406efa34db9ea105d1b2a71574ad59b0ab1cc995b5e8514b3f6ece84a6e',
  '015-event-rows': '3eef932e9c84c4767cdda3084c4539de45b408adc1e1c054f5856b1ef4a48b06',
  '016-search': '1cc5835f5276e5d95db975a73f89f63c82dcee585ac8aee878f126348862c963',
  '017-sheet-statuses': '32cffebf3db2f1d1e330f3a25b319656f2641572cbb3539c9d77b6670e054314',
  '018-audit-times': '4b3c64f196e3178e6cec90d4f7d7664cf08472c7f42d145038b56c133b03a74f',
  '019-event-timeline': '7d41bc7d28b43eac7f2531953a776ddb473616ca9fe2fef0aa64e2682a507052',
  '020-sort-indexes': '4251d0d7ab1a85f0cb5de8fd56084bfec2faf2cbe10f61296eb605a313cdab07',
  '021-archive': '945124167d69e06c35fb89e95f511c6b308c6126c44b12213a69d260427d4644',
  '022-confirmation-alarms': 'e3499ce705b652c4b7ab69f44c90b3d805709a00dfc9d3f3d247b0595c1a33d4',
  '023-event-numbers': '6167b36cff0c6fda48c2b6b0bb6c0658615ec127e4f571028e767a97890eb59f',
  '024-without-archive': 'bf71de689ba14d7945522be4a1f6d467c1ccadf258737f9cf7c676db7d389639',
};

test('the migration files are those that were released', async () => {
  assert.deepEqual(Object.fromEntries(await readChecksums()), RELEASED);
});
