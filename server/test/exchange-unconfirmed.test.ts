import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliverStored, unconfirmed } from '../src/exchange/process/deliver.ts';
import { listDaysToSend } from '../src/exchange/process/schedules.ts';
import { sendRequested } from '../src/exchange/process/send.ts';
import { HandoverFailed } from '../src/exchange/transport/transport.ts';
import { DatabaseUnavailable } from '../src/platform/db/connection.ts';
import type { Database } from '../src/platform/db/database.ts';
import { startTestPlatform } from './harness.ts';

const platform = await startTestPlatform();
const { db, clock, exchange, world } = platform;
const { producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);

const delivered: string[] = [];
const transport = { deliver: async ({ id }: { id: string }) => void delivered.push(id) };
/** One turn of the job that delivers stored messages. */
const deliverOn = (database: Database) =>
  deliverStored(database, clock, { ...exchange, transport }, null, { messageIds: [], faults: [] });

/** Stores a schedule without delivering it. */
async function storeSchedule(day: string): Promise<void> {
  await world.volumes(contract, day, 250);
  await world.nominate();
  delivered.length = 0;
  await sendRequested(db, clock, { ...exchange, transport: null }, { day, tso: null });
}

const lost = () => new DatabaseUnavailable('connection lost');

test('a message whose record was rolled back is recorded by the next run, and not delivered again', async () => {
  await storeSchedule('2026-10-22');
  const losing: Database = {
    ...db,
    transaction: (work) =>
      db.transaction(async (tx) => {
        await work(tx);
        throw lost();
      }),
  };
  await assert.rejects(deliverOn(losing), DatabaseUnavailable);
  assert.equal(delivered.length, 1);
  assert.deepEqual([...unconfirmed], delivered);
  await deliverOn(db);
  assert.equal(delivered.length, 1);
  assert.equal(unconfirmed.size, 0);
});

test('a message whose record was committed without a confirmation is forgotten by the next run', async () => {
  await storeSchedule('2026-10-23');
  const losing: Database = {
    ...db,
    async transaction(work) {
      await db.transaction(work);
      throw lost();
    },
  };
  await assert.rejects(deliverOn(losing), DatabaseUnavailable);
  assert.deepEqual([...unconfirmed], delivered);
  await deliverOn(db);
  assert.equal(delivered.length, 1);
  assert.equal(unconfirmed.size, 0);
});

test('a failed delivery is not recorded when another process has delivered the message meanwhile', async () => {
  const day = '2026-10-24';
  await storeSchedule(day);
  const failing = {
    deliver: async () => {
      throw new HandoverFailed({ key: 'exchange.outbox', reason: 'EIO' });
    },
  };
  const overtaken: Database = {
    ...db,
    // The failed transaction has released the lock of the day.
    transaction: (work) =>
      db.transaction(work).catch(async (error: unknown) => {
        await deliverOn(db);
        throw error;
      }),
  };
  const run = { messageIds: [], faults: [] };
  await deliverStored(overtaken, clock, { ...exchange, transport: failing }, null, run);
  assert.equal(delivered.length, 1);
  assert.deepEqual(run.faults, []);
  assert.deepEqual(await listDaysToSend(db, day, clock.now()), []);
});
