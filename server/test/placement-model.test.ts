import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transaction } from '@saldo/api';
import { kwhFromMwh } from '@saldo/core/energy.ts';
import fc from 'fast-check';
import { runs } from '../../test/runs.ts';
import { client, startTestPlatform, walk } from './harness.ts';
import {
  assertNetsToZero,
  changes,
  DEALS,
  fill,
  listVersions,
  type Market,
  Model,
  makeMarket,
  nominatedSaldos,
  nonZero,
  take,
} from './market-model.ts';

/** Around the end of summer time: the day-ahead gate is at 12:30 UTC before it, and at 13:30 UTC from the 25th on. */
const DAYS = ['2026-10-24', '2026-10-25', '2026-10-26', '2026-10-27', '2026-10-28'] as const;
const TIMES = ['09:00:00Z', '12:29:59Z', '12:30:00Z', '13:29:59Z', '13:30:00Z', '20:00:00Z'];
const CLOCK = DAYS.slice(0, 4).flatMap((day) => TIMES.map((time) => `${day}T${time}`));

const platform = await startTestPlatform({ now: CLOCK[0] ?? '' });
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());

const step = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), steps: fc.integer({ min: 1, max: 4 }) }),
  },
  ...changes(DAYS.length),
);

const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);

/** The first day whose gate is open, written down and not computed by the calendar that is tested. */
function firstOpenDay(now: string): string {
  const isOpen = (day: string) => {
    const eve = dayBefore(day);
    return now < `${eve}T${eve >= '2026-10-25' ? '13:30:00Z' : '12:30:00Z'}`;
  };
  const day = [...DAYS, '2026-10-29', '2026-10-30'].find(isOpen);
  assert.ok(day);
  return day;
}

/** Transactions and nominations of the days before this one, as every BRP reads them. */
async function textsBefore({ brps }: Market, day: string): Promise<string[]> {
  const texts = [];
  for (const { request } of brps) {
    for (const past of DAYS.filter((one) => one < day)) {
      texts.push((await request(`/v1/transactions?delivery_date=${past}&limit=100`)).text);
      texts.push((await request(`/v1/nominations?delivery_date=${past}&limit=100&include_slots=true`)).text);
    }
  }
  return texts;
}

async function compare(market: Market, model: Model): Promise<void> {
  const { brps, contracts } = market;
  const numbers = new Map(contracts.map(({ id }, at) => [id, at]));
  for (const [at, { request }] of brps.entries()) {
    const found: Transaction[] = await walk(request, '/v1/transactions', 'transactions', 100);
    const own = [...model.versions()].filter((version) => version.brps.includes(at));
    const shown = found.map(({ delivery_start, contract_id, slot_number, version, status, ...rest }) => {
      const day = new Date(Date.parse(delivery_start) + 7_200_000).toISOString().slice(0, 10);
      const parties = `${rest.sender.eic} ${rest.sender.tso} ${rest.receiver.eic} ${rest.receiver.tso}`;
      const head = `${day} ${numbers.get(contract_id)} ${slot_number} v${version} ${status}`;
      return `${head} ${parties} ${kwhFromMwh(rest.volume)}`;
    });
    assert.deepEqual(shown.toSorted(), own.map((version) => version.shown).toSorted());
    assertChains(found);
    const seen: { id: string }[] = await walk(request, '/v1/contracts', 'contracts', 100);
    const wanted = DEALS.keys().filter(
      (deal) =>
        own.some((version) => version.deal === deal) ||
        [DEALS[deal]!.seller, DEALS[deal]!.buyer].some((customer) =>
          model.customers[customer]!.placements.some(({ position }) => position.brp === at),
        ),
    );
    assert.deepEqual(seen.map(({ id }) => numbers.get(id)).toSorted(), [...wanted], 'visible contracts');
  }
  const nominated = nominatedSaldos(await listVersions(market, DAYS));
  assert.deepEqual(nonZero(nominated), model.saldos(), 'nominations are the net of the valid transactions');
  assertNetsToZero(nominated, DAYS);
}

/** Every version but the first names the one before it; versions that the BRP cannot see are missing. */
function assertChains(transactions: readonly Transaction[]): void {
  const byCell = Map.groupBy(transactions, (one) => `${one.contract_id} ${one.delivery_start}`);
  for (const chain of byCell.values()) {
    for (const [at, one] of chain.entries()) {
      const before = chain[at - 1];
      assert.equal(one.previous_transaction_id === null, one.version === 1);
      if (before?.version === one.version - 1) assert.equal(one.previous_transaction_id, before.id);
    }
  }
}

test('imports, moves and changes of status around the gate equal an independent model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20 }), async (steps) => {
      let at = 0;
      platform.clock.set(CLOCK[at]!);
      const market = await makeMarket(platform, operator);
      const model = new Model(market, DAYS);
      await fill(market, model, DAYS.slice(1));
      await world.nominate();
      for (const one of steps) {
        if (one.kind === 'wait') {
          at = Math.min(at + one.steps, CLOCK.length - 1);
          platform.clock.set(CLOCK[at]!);
          continue;
        }
        const isChange = one.kind === 'move' || one.kind === 'status';
        const effective = firstOpenDay(CLOCK[at]!);
        const before = isChange ? await textsBefore(market, effective) : [];
        // Only coming days: changes of slots that have closed are the subject of `outage-model.test.ts`.
        const firstDay = DAYS.find((day) => day > CLOCK[at]!.slice(0, 10)) ?? DAYS[4];
        await take(market, model, one, { firstDay, effective });
        await world.nominate();
        if (isChange) assert.deepEqual(await textsBefore(market, effective), before, 'earlier days stay');
      }
      await compare(market, model);
    }),
    { numRuns: runs(15) },
  );
});
