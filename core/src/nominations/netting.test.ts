import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { MAX_SLOT_KWH } from '../energy.ts';
import type { Sheet } from '../transactions/sheet.ts';
import { type Contribution, net } from './netting.ts';

const SLOTS = 4;
const POSITIONS = 5;

function sheetOf(volumes: (number | null)[], statuses: number[] | null = null): Sheet {
  return { id: '', revision: 1, createdAt: 0, volumes, statuses, versions: null, previous: null };
}

const anySheet = fc
  .tuple(
    fc.array(fc.option(fc.integer({ min: 0, max: MAX_SLOT_KWH }), { nil: null }), {
      minLength: SLOTS,
      maxLength: SLOTS,
    }),
    fc.option(fc.array(fc.integer({ min: 0, max: 2 }), { minLength: SLOTS, maxLength: SLOTS }), {
      nil: null,
    }),
  )
  .map(([volumes, statuses]) => sheetOf(volumes, statuses));
const anyPosition = fc.integer({ min: 0, max: POSITIONS - 1 });
const anyMarket = fc.array(fc.record({ sender: anyPosition, receiver: anyPosition, sheet: anySheet }), {
  maxLength: 30,
});

function contributionsOf(
  market: { sender: number; receiver: number; sheet: Sheet }[],
  position: number,
): Contribution[] {
  return market
    .filter(({ sender, receiver }) => sender === position || receiver === position)
    .map(({ sender, receiver, sheet }) => ({
      sends: sender === position,
      receives: receiver === position,
      sheets: [sheet],
    }));
}

test('over all positions the saldo of every slot is zero', () => {
  fc.assert(
    fc.property(anyMarket, (market) => {
      const total = Array.from<number>({ length: SLOTS }).fill(0);
      for (let position = 0; position < POSITIONS; position++) {
        const saldo = net(SLOTS, contributionsOf(market, position));
        for (const [at, kwh] of saldo.entries()) total[at]! += kwh;
      }
      assert.ok(total.every((kwh) => kwh === 0));
    }),
    { numRuns: runs(500) },
  );
});

test('a saldo is exact and does not depend on the order of the contracts', () => {
  fc.assert(
    fc.property(anyMarket, anyPosition, (market, position) => {
      const contributions = contributionsOf(market, position);
      const expected = Array.from<bigint>({ length: SLOTS }).fill(0n);
      for (const { sends, receives, sheets } of contributions) {
        for (const [at, volume] of sheets[0]!.volumes.entries()) {
          const isValid = volume !== null && (sheets[0]!.statuses?.[at] ?? 0) === 0;
          if (isValid) expected[at]! += BigInt(volume) * BigInt(Number(sends) - Number(receives));
        }
      }
      assert.deepEqual(net(SLOTS, contributions).map(BigInt), expected);
      assert.deepEqual(net(SLOTS, contributions.toReversed()).map(BigInt), expected);
    }),
  );
});

test('a sheet of another length or with a broken volume is a programming error', () => {
  assert.throws(() => net(SLOTS, [{ sends: true, receives: false, sheets: [sheetOf([1, 2, 3])] }]));
  assert.throws(() => net(1, [{ sends: true, receives: false, sheets: [sheetOf([0.5])] }]));
});
