import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { appendEvents, type NewEvent } from '../src/events/store.ts';
import { statement } from '../src/platform/db/statement.ts';
import { followed } from './following.ts';
import { type Answer, client, startTestPlatform } from './harness.ts';
import { flat } from './nominated.ts';
import { until } from './until.ts';

/**
 * An open transaction that has appended events holds back all later ones, those of other tenants too. A transaction
 * therefore appends its events when everything else is done, whatever it waits for before.
 */

const platform = await startTestPlatform({ now: '2026-10-20T09:00:00Z' });
const { db, clock, world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const DAY = '2026-10-22';

const other = await world.brp();
const otherCustomer = await world.customer(other);
const asOther = client(platform.baseUrl, other.key);

/** The last thing that a change of volumes does is to mark its positions. */
const LOCK_MARKS = 'lock table changed_position in exclusive mode';
const IS_WAITING = statement(
  'test_waiting_for_marks',
  `select exists (select from pg_locks where relation = 'changed_position'::regclass and not granted) as is`,
);
const isWaiting = async () => (await db.query<{ is: boolean }>(IS_WAITING))[0]?.is;

async function makeDeal() {
  const { seller, sellerGroup, producer, consumer } = await world.pair();
  const contract = await world.contract(producer, consumer);
  return { seller, sellerGroup, producer, contract };
}

/** Changes that write many rows, each with its events of the seller. */
const CHANGES: Record<
  string,
  () => Promise<{ key: string; types: string[]; change: () => Promise<Answer> }>
> = {
  async 'an import'() {
    const { seller, contract } = await makeDeal();
    const lines = flat(DAY, 1).map((mwh, at) => `${contract.id},${DAY},${at + 1},${mwh}\n`);
    const body = Buffer.from(`contract,delivery_date,slot,volume\n${lines.join('')}`);
    const headers = { 'content-type': 'text/csv' };
    return {
      key: seller.key,
      types: ['transactions.created'],
      change: () => operator.post('/operator/v1/volumes', body, { headers }),
    };
  },
  async 'a written day'() {
    const { seller, contract } = await makeDeal();
    const path = `/operator/v1/contracts/${contract.id}/days/${DAY}`;
    const body = { volumes: flat(DAY, 1) };
    return {
      key: seller.key,
      types: ['transactions.created'],
      change: () => operator.put(path, body),
    };
  },
  async 'a change of a customer'() {
    const { seller, producer, contract } = await makeDeal();
    await world.volumes(contract, DAY, 1_000);
    const group = await world.group(seller);
    const body = { balance_group: { eic: group.eic, tso: 'DE_AMPRION' } };
    return {
      key: seller.key,
      types: ['customer.updated', 'contract.updated', 'transactions.corrected'],
      change: () => client(platform.baseUrl, seller.key).patch(`/v1/customers/${producer.id}`, body),
    };
  },
};

for (const [name, prepare] of Object.entries(CHANGES)) {
  test(`${name} that waits for a lock holds no events of others back, and has its own when it is committed`, async (t) => {
    const { key, types, change } = await prepare();
    const [own, others] = [await followed(client(platform.baseUrl, key)), await followed(asOther)];
    const locking = new pg.Client({ connectionString: platform.databaseUrl });
    await locking.connect();
    t.after(() => locking.end());
    await locking.query('begin');
    await locking.query(LOCK_MARKS);
    const changing = change();
    await until(isWaiting);
    const body = { metadata: { seen: name } };
    const updated = await asOther.patch(`/v1/customers/${otherCustomer.id}`, body);
    assert.equal(updated.status, 200, updated.text);
    const seen = (await others()).map(({ type }) => type);
    assert.deepEqual(await own(), [], 'not before the commit');
    await locking.query('commit');
    const answer = await changing;
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(seen, ['customer.updated']);
    assert.deepEqual(
      (await own()).map(({ type }) => type),
      types,
    );
  });
}

const HOLDS_BACK = statement(
  'test_announced',
  `select exists (select from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and pid = pg_backend_pid()
     and classid::bigint >> 16 = 21316) as is`,
);

test('a transaction appends its events with its last statements, in their order', async () => {
  const read = await followed(asOther);
  const named = (id: string): NewEvent => {
    const tenants = [`brp/${other.no}`] as const;
    return id.endsWith('1')
      ? { type: 'contract.created', tenants, data: { object: 'contract', id } }
      : { type: 'contract.updated', tenants, data: { object: 'contract', id, changed: [] } };
  };
  const ids = Array.from({ length: 60 }, (_, at) => `con_${at}`);
  await db.transaction(async (tx) => {
    for (const id of ids) await appendEvents(tx, [named(id)], clock.now());
    const [row] = await tx.query<{ is: boolean }>(HOLDS_BACK);
    assert.equal(row?.is, false);
  });
  const subjects = (await read()).map(({ data }) => ('id' in data ? data.id : null));
  assert.deepEqual(subjects, ids);
});

test('events of a transaction that fails, or is rolled back, are not appended', async () => {
  const read = await followed(asOther);
  const event: NewEvent = {
    type: 'contract.created',
    tenants: [`brp/${other.no}`],
    data: { object: 'contract', id: 'con_x' },
  };
  await db.rolledBack((tx) => appendEvents(tx, [event], clock.now()));
  const failing = db.transaction(async (tx) => {
    await appendEvents(tx, [event], clock.now());
    throw new Error('failed');
  });
  await assert.rejects(failing, /failed/);
  assert.deepEqual(await read(), []);
});
