import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tso } from '@saldo/api';
import { addDays } from '@saldo/core/delivery-day.ts';
import type { SendRequest } from '../src/exchange/process/exchange.ts';
import { sendRequested } from '../src/exchange/process/send.ts';
import { nominateDue } from '../src/nominations/actions.ts';
import type { Database } from '../src/platform/db/database.ts';
import { agree, newPlace, operating } from './exchanging.ts';
import { client, startTestPlatform } from './harness.ts';

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { db, clock, exchange, world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const { send } = operating(platform, operator);

const contractIn = async (tso: Tso) =>
  agree(world, await newPlace(platform, tso), await newPlace(platform, tso));
const contract = await contractIn('DE_AMPRION');
const sameTso = await contractIn('DE_AMPRION');
const otherTso = await contractIn('DE_TENNET');

/** Nets a day like the job of another process, which commits when the test says so. */
async function netElsewhere(day: string) {
  const [netted, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const elsewhere: Database = {
    ...db,
    transaction: (work) =>
      db.transaction(async (tx) => {
        const result = await work(tx);
        netted.resolve();
        await commit.promise;
        return result;
      }),
  };
  const run = nominateDue(elsewhere, clock, exchange.rules, { day });
  await netted.promise;
  return async () => {
    commit.resolve();
    await run;
  };
}

/** Sends, and calls `between` after this number of reads and transactions. Returns how many there were. */
async function sendWith(request: SendRequest, after: number, between: () => Promise<unknown>) {
  let steps = 0;
  const counted = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    if (++steps === after) await between();
    return result;
  };
  const watched: Database = {
    ...db,
    query: (...call: Parameters<Database['query']>) => counted(db.query(...call)) as never,
    transaction: (work) => counted(db.transaction(work)),
  };
  const run = await sendRequested(watched, clock, exchange, request);
  return { ...run, steps };
}

/** The TSOs with nominations of the day that were not sent. */
async function unsentTsos(day: string): Promise<Tso[]> {
  const { body } = await operator(`/operator/v1/exchange/unsent?delivery_date=${day}`);
  return [...new Set<Tso>(body.unsent.map(({ tso }: { tso: Tso }) => tso))];
}

let lastDay = '2026-11-01';

for (const { about, others } of [
  { about: 'alone', others: [] },
  { about: 'beside another contract of its TSO', others: [sameTso] },
  { about: 'beside a contract of another TSO', others: [otherTso] },
])
  for (const { name, hasDay, tso } of [
    { name: 'for a day', hasDay: true, tso: null },
    { name: 'for a day and a TSO', hasDay: true, tso: 'DE_AMPRION' as const },
    { name: 'for all days', hasDay: false, tso: null },
  ])
    test(`a request ${name} sends a contract that another process nets meanwhile, or asks to try again: ${about}`, async () => {
      for (let after = 1, steps = after; after <= steps + 1; after++) {
        const day = addDays(lastDay, 1);
        lastDay = day;
        await world.volumes(contract, day, 1000);
        const endNetting = await netElsewhere(day);
        for (const other of others) await world.volumes(other, day, 250);
        const run = await sendWith({ day: hasDay ? day : null, tso }, after, endNetting);
        steps = run.steps;
        await endNetting();
        const expected = (await unsentTsos(day)).filter((one) => (tso ?? one) === one);
        assert.deepEqual(
          run.faults.map((fault) => [fault.day, fault.tso]),
          expected.map((one) => [day, one]),
          `the netting ended after step ${after} of ${steps}`,
        );
        assert.deepEqual((await send()).faults, []);
        assert.deepEqual(await unsentTsos(day), []);
      }
    });
