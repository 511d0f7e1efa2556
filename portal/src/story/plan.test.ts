import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brpEndpoints, type Contract } from '@saldo/api';
import {
  addDays,
  dayEnd,
  dayOf,
  dayStart,
  formatInstant,
  localInstant,
  MINUTE_MS,
  slotCount,
} from '@saldo/core/delivery-day.ts';
import { sendingPhase } from '@saldo/core/exchange/sending.ts';
import { phaseEnds } from '@saldo/core/gates.ts';
import { BUILT_IN_RULES } from '@saldo/core/market-rules-file.ts';
import { chooseContract, chooseHour, isOpen, reduced } from './plan.ts';

const contractExample = brpEndpoints.getContract.example.response as Contract;

const gatesOf = (day: string) =>
  phaseEnds(day, BUILT_IN_RULES).map(({ phase, closesAt }) => ({
    phase,
    closes_at: formatInstant(closesAt),
    open: false,
  }));

/** Ordinary days, and those around both clock changes. */
const TODAYS = ['2026-11-18', '2026-03-28', '2026-03-29', '2026-10-24', '2026-10-25', '2026-12-31'];
const STORY_MS = 15 * MINUTE_MS;

for (const today of TODAYS)
  test(`at any time one of the next two days can be sent during the whole story: ${today}`, () => {
    for (let now = dayStart(today); now < dayEnd(today); now += MINUTE_MS) {
      const day = [1, 2]
        .map((days) => addDays(dayOf(now), days))
        .find((one) => isOpen({ gates: gatesOf(one) }, now));
      assert.ok(day, formatInstant(now));
      for (const at of [now, now + STORY_MS]) {
        const { phase } = sendingPhase(day, BUILT_IN_RULES, 'hold', at);
        assert.ok(phase === 'open' || phase === 'gathering', `${day} at ${formatInstant(at)}: ${phase}`);
      }
    }
  });

test('tomorrow is left out from shortly before its gate until the end of the wait phase', () => {
  const open = (minutes: number) =>
    isOpen({ gates: gatesOf('2026-11-19') }, localInstant('2026-11-18', minutes));
  assert.deepEqual([14 * 60, 14 * 60 + 15, 15 * 60, 16 * 60].map(open), [true, false, false, true]);
});

test('the hour with the most energy changes, next to noon, and the next story takes another one', () => {
  for (const day of ['2026-11-18', '2026-03-29', '2026-10-25']) {
    let volumes: (number | null)[] = Array.from({ length: slotCount(day) }, () => 5_000);
    const first = chooseHour(volumes);
    assert.equal(first, 49);
    const change = reduced(volumes, first);
    assert.deepEqual(
      change.flatMap((kwh, at) => (kwh === null ? [] : [[at + 1, kwh]])),
      [49, 50, 51, 52].map((slot) => [slot, 4_000]),
    );
    volumes = volumes.map((kwh, at) => change[at] ?? kwh);
    assert.equal(chooseHour(volumes), 45);
  }
});

test('an hour of the night is not changed, and a day without energy has none', () => {
  const night = Array.from({ length: 96 }, (_, at) => (at < 24 ? 9_000 : at === 90 ? 10 : null));
  assert.equal(chooseHour(night), 89);
  assert.deepEqual(
    reduced(night, 89).filter((kwh) => kwh !== null),
    [8],
  );
  assert.equal(chooseHour(night.fill(null, 24)), null);
});

test('the contract has volumes of its own and two balance groups, a flat one between control areas first', () => {
  const other = { ...contractExample.buyer, eic: contractExample.seller.eic };
  const contract = (id: string, more: object): Contract => ({ ...contractExample, id, ...more });
  const source = { forecast: null, meter: null, share: 1, max_power_mw: null };
  const contracts = [
    contract('within one group', { buyer: other, ppa_type: 'baseload' }),
    contract('sourced', { source, ppa_type: 'baseload' }),
    contract('trade', { type: 'intraday' }),
    contract('produced', {}),
    contract('in one area', { ppa_type: 'baseload', buyer: { ...contractExample.buyer, tso: 'DE_50HERTZ' } }),
    contract('best', { ppa_type: 'baseload' }),
  ];
  assert.equal(chooseContract(contracts)?.id, 'best');
  assert.equal(chooseContract(contracts.slice(0, 5))?.id, 'in one area');
  assert.equal(chooseContract(contracts.slice(0, 4))?.id, 'produced');
  assert.equal(chooseContract(contracts.slice(0, 3)), null);
});
