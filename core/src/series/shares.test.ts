import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { addDays, dayStart } from '../delivery-day.ts';
import { checkShares, type SharingContract } from './shares.ts';
import { WHOLE_SHARE } from './source.ts';

const FIRST = '2026-10-20';
const DAYS = 12;
const midnight = (day: number) => dayStart(addDays(FIRST, day));

const anyContracts = fc
  .array(
    fc.record({
      share: fc.constantFrom(1, 250_000, 333_334, 500_000, 999_999, WHOLE_SHARE),
      from: fc.option(fc.nat({ max: DAYS - 1 }), { nil: null }),
      to: fc.option(fc.nat({ max: DAYS - 1 }), { nil: null }),
    }),
    { maxLength: 6 },
  )
  .map((contracts) =>
    contracts.map(
      ({ share, from, to }, index): SharingContract => ({
        id: `con_${index}`,
        shareMillionths: share,
        deliveryStart: from === null ? null : midnight(from),
        deliveryEnd: to === null ? null : midnight(to),
      }),
    ),
  );

test('the shares of a series exceed 1 exactly when they do on a day that is counted by itself', () => {
  fc.assert(
    fc.property(anyContracts, (contracts) => {
      const exceeding = Array.from({ length: DAYS + 2 }, (_, at) => {
        const start = midnight(at - 1);
        const delivering = contracts.filter(
          ({ deliveryStart, deliveryEnd }) =>
            (deliveryStart === null || deliveryStart <= start) &&
            (deliveryEnd === null || start < deliveryEnd),
        );
        const sum = delivering.reduce((all, { shareMillionths }) => all + shareMillionths, 0);
        return { day: at === 0 ? null : addDays(FIRST, at - 1), sum, delivering };
      }).find(({ sum }) => sum > WHOLE_SHARE);
      assert.deepEqual(
        checkShares(contracts),
        exceeding === undefined
          ? { kind: 'fits' }
          : {
              kind: 'shares_exceeded',
              day: exceeding.day,
              shareMillionths: exceeding.sum,
              contracts: exceeding.delivering.map(({ id }) => id),
            },
      );
    }),
    { numRuns: runs(2000) },
  );
});

test('a later end of a contract can exceed the shares that fitted before, with the contracts in the decision', () => {
  const early = {
    id: 'con_a',
    shareMillionths: 600_000,
    deliveryStart: midnight(0),
    deliveryEnd: midnight(5),
  };
  const late = { id: 'con_b', shareMillionths: 400_001, deliveryStart: midnight(5), deliveryEnd: null };
  assert.deepEqual(checkShares([early, late]), { kind: 'fits' });
  assert.deepEqual(checkShares([{ ...early, deliveryEnd: midnight(6) }, late]), {
    kind: 'shares_exceeded',
    day: '2026-10-25',
    shareMillionths: 1_000_001,
    contracts: ['con_a', 'con_b'],
  });
});
