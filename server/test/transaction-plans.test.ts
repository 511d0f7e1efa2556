import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { readerConfig } from '../src/db/connection.ts';
import type { Db, Statement } from '../src/db/database.ts';
import { listTransactions, type TransactionFilter } from '../src/features/transactions/store.ts';
import { deliveryRange } from '../src/http/time-filter.ts';
import { startTestPlatform } from './harness.ts';
import { createWorld, type WorldCustomer } from './world.ts';

/**
 * A page must cost the same in a market of any size, so each kind of list has an index that yields it in order. Here
 * is a market in which a wrong plan would be the cheaper one to write, and the plans that are wanted.
 */
const platform = await startTestPlatform();
const world = createWorld(platform.db, platform.clock);
const brps = [await world.brp(), await world.brp(), await world.brp()];
const customers: WorldCustomer[] = [];
for (const brp of brps) {
  for (let count = 0; count < 3; count++)
    customers.push(await world.customer(brp, { group: await world.group(brp) }));
}
const contracts = [];
for (const seller of customers) {
  for (const buyer of customers) contracts.push(await world.contract(seller, buyer));
}

const session = new pg.Client(readerConfig(platform.databaseUrl));
await session.connect();
await session.query('set default_transaction_read_only = off');
// One sheet in fifty is corrected, one in five hundred has an invalid cell.
await session.query(`
  insert into sheet (id, created_at, contract_no, delivery_day, revision, sender_position, receiver_position, sender_brp,
    receiver_brp, status_mask, volumes)
  select gen_random_uuid(), now(), no, day, 1, seller_position, buyer_position, seller_brp, buyer_brp,
    case when (no + day_no) % 500 = 0 then 3 when (no + day_no) % 50 = 0 then 5 else 1 end, decode('02' || repeat('03e8', 96), 'hex')
  from contract, generate_series(0, 99) as day_no, lateral (select date '2026-01-01' + day_no as day) as of_day`);
await session.query('analyze');

const ALL = { status: null, senderEic: null, receiverEic: null, contractId: null, slotFrom: 1, slotTo: 100 };

/** The indexes by which a list reads sheets, in its generic plan. */
async function indexesOf(filter: Partial<TransactionFilter>): Promise<string[]> {
  let asked: { statement: Statement; values: readonly unknown[] } | null = null;
  const queries = {
    query: async () => [],
    arrays: async (statement: Statement, values: readonly unknown[] = []) => {
      asked = { statement, values };
      return [];
    },
  };
  const listening: Db = { ...queries, hot: queries };
  await listTransactions(
    listening,
    { brpNo: 1 },
    { ...ALL, delivery: deliveryRange({}), ...filter },
    null,
    101,
  );
  assert.ok(asked);
  const { statement, values } = asked as { statement: Statement; values: readonly unknown[] };
  await session.query(`prepare asked as ${statement.text}`);
  const literals = values.map((value) =>
    value === null ? 'null' : session.escapeLiteral(`${value as string | number}`),
  );
  const { rows } = await session.query(`explain execute asked (${literals.join(', ')})`);
  await session.query('deallocate asked');
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  assert.doesNotMatch(plan, /Seq Scan on sheet|Bitmap/, plan);
  return [...plan.matchAll(/Index Scan using (\w+) on sheet s/g)].map(([, index = '']) => index);
}

const [senderEic, receiverEic] = ['11XFC-PROD-----E', '11XFC-CONS-----0'];
const contractId = contracts[0]?.uuid ?? null;
const PLANS: [string, Partial<TransactionFilter>, string[]][] = [
  ['everything', {}, ['sheet_sent', 'sheet_received']],
  ['valid ones', { status: 'valid' }, ['sheet_sent', 'sheet_received']],
  ['of a sender', { senderEic }, ['sheet_sent_from', 'sheet_received_from']],
  ['to a receiver', { receiverEic }, ['sheet_sent_to', 'sheet_received_at']],
  ['between two', { senderEic, receiverEic }, ['sheet_sent_to', 'sheet_received_from']],
  ['invalid ones', { status: 'invalid' }, ['sheet_sent_invalid', 'sheet_received_invalid']],
  ['superseded ones', { status: 'superseded' }, ['sheet_sent_superseded', 'sheet_received_superseded']],
  [
    'invalid ones of a sender',
    { status: 'invalid', senderEic },
    ['sheet_sent_invalid', 'sheet_received_invalid'],
  ],
  [
    'superseded ones between two',
    { status: 'superseded', senderEic, receiverEic },
    ['sheet_sent_superseded', 'sheet_received_superseded'],
  ],
  ['a contract’s', { contractId }, ['sheet_contract_no_delivery_day_revision_key']],
];

test('each kind of transaction list is read in order from the index made for it', async (t) => {
  t.after(() => session.end());
  for (const [what, filter, indexes] of PLANS) assert.deepEqual(await indexesOf(filter), indexes, what);
});
