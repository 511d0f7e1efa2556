import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Tx } from '../src/platform/db/database.ts';
import { statement } from '../src/platform/db/statement.ts';
import { lockContract } from '../src/transactions/actions.ts';
import { untilBlockedFor } from './blocked.ts';
import { type Answer, client, runningClock, startTestPlatform } from './harness.ts';
import { sourcing } from './sourcing.ts';

/**
 * The instant of a change is read after its locks, so that the instants of a contract-day are in the order of its revisions,
 * and no change becomes visible with an instant that was already answered.
 */
const DAY = '2026-10-26';
const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world, db, clock } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const day = (kwh: number) => Array.from({ length: 96 }, () => kwh / 1000);

const INSTANTS = statement(
  'test_instants_of_sheets',
  'select created_at from sheet where contract_no = $1 and delivery_day = $2 order by revision',
);
const INVALIDATED = statement(
  'test_invalidated_at',
  'select invalidated_at from invalidation where contract_no = $1',
);
const AUDITED = statement('test_newest_audit', 'select at from audit order by no desc limit 1');

const instantsOf = async ({ no }: { no: number }) =>
  (await db.query<{ created_at: number }>(INSTANTS, [no, DAY])).map(({ created_at }) => created_at);

/** Sends a request that waits for a lock of this transaction, and moves the clock while it waits. */
async function whileLocked(lock: (tx: Tx) => Promise<unknown>, send: () => Promise<Answer>): Promise<number> {
  const later = clock.now() + 60_000;
  const answer = await db.transaction(async (tx) => {
    await lock(tx);
    const sent = send();
    await Promise.race([untilBlockedFor(tx, 0), sent]);
    clock.set(new Date(later).toISOString());
    return { sent };
  });
  const { status, text } = await answer.sent;
  assert.equal(status, 200, text);
  return later;
}

let contracts = 0;

async function newContract() {
  const { producer, consumer } = await world.pair();
  const externalId = `INSTANTS-${++contracts}`;
  return { ...(await world.contract(producer, consumer, { externalId })), externalId };
}

test('a day that waits for its contract has the instant after the wait', async () => {
  const contract = await newContract();
  const path = `/operator/v1/contracts/${contract.id}/days/${DAY}`;
  const later = await whileLocked(
    (tx) => lockContract(tx, contract.uuid),
    () => operator.put(path, { volumes: day(10) }),
  );
  assert.deepEqual(await instantsOf(contract), [later]);
  const [audit] = await db.query<{ at: number }>(AUDITED);
  assert.equal(audit?.at, later);
});

test('an import that waits for its contract has the instant after the wait', async () => {
  const contract = await newContract();
  const lines = Array.from({ length: 96 }, (_, at) => `${contract.externalId},${DAY},${at + 1},0.5`);
  const csv = ['contract,delivery_date,slot,volume', ...lines].join('\n');
  const later = await whileLocked(
    (tx) => lockContract(tx, contract.uuid),
    () => operator.post('/operator/v1/volumes', csv, { headers: { 'content-type': 'text/csv' } }),
  );
  assert.deepEqual(await instantsOf(contract), [later]);
});

test('an invalidation that waits for its contract has the instant after the wait', async () => {
  const contract = await newContract();
  await world.volumes(contract, DAY, 10);
  const { body } = await operator(`/operator/v1/transactions?contract_id=${contract.id}&limit=1`);
  const path = `/operator/v1/transactions/${body.transactions[0].id}/invalidate`;
  const later = await whileLocked(
    (tx) => lockContract(tx, contract.uuid),
    () => operator.post(path, { reason: 'test' }),
  );
  assert.deepEqual(await db.query(INVALIDATED, [contract.no]), [{ invalidated_at: later }]);
});

test('values of a series that wait for a contract have the instant after the wait', async () => {
  const sources = await sourcing(platform);
  const { producer, consumer } = await world.pair();
  const asset = await world.asset();
  const forecast = await sources.series('forecast', { asset });
  const body = sources.contractBody(producer, consumer, {
    ppa_type: 'forecasted',
    asset_id: asset.id,
    source: { forecast: forecast.id, share: 1 },
  });
  const created = await operator.post('/operator/v1/contracts', body);
  assert.equal(created.status, 201, created.text);
  const uuid = decodeId(ID_PREFIX.contract, created.body.id) ?? '';
  const contract = await db.transaction((tx) => lockContract(tx, uuid));
  const later = await whileLocked(
    (tx) => lockContract(tx, uuid),
    () => operator.put(`/operator/v1/series/${forecast.id}/days/${DAY}`, { energy_mwh: day(500) }),
  );
  assert.deepEqual(await instantsOf(contract), [later]);
});

const OUT_OF_ORDER = statement(
  'test_instants_out_of_order',
  `select contract_no, delivery_day, revision from (
     select *, lag(created_at) over (partition by contract_no, delivery_day order by revision) as before from sheet) s
   where created_at < before`,
);

/** The clock of the tests above stands. */
const running = await startTestPlatform({ clock: runningClock('2026-10-20T08:00:00Z') });

test('the instants of concurrent changes of a day are in the order of its revisions', async () => {
  const own = client(running.baseUrl, await running.world.operatorKey());
  const { producer, consumer } = await running.world.pair();
  const contract = await running.world.contract(producer, consumer, { externalId: 'CONCURRENT' });
  const put = (kwh: number) =>
    own.put(`/operator/v1/contracts/${contract.id}/days/${DAY}`, { volumes: day(kwh) });
  const upload = (kwh: number) => {
    const lines = Array.from({ length: 96 }, (_, at) => `CONCURRENT,${DAY},${at + 1},${kwh / 1000}`);
    const csv = ['contract,delivery_date,slot,volume', ...lines].join('\n');
    return own.post('/operator/v1/volumes', csv, { headers: { 'content-type': 'text/csv' } });
  };
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? put : upload)(round * 8 + at + 1)),
    );
    for (const { status, text } of answers) assert.equal(status, 200, text);
  }
  assert.deepEqual(await running.db.query(OUT_OF_ORDER), []);
});
