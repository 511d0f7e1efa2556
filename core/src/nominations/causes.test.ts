import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { DIRECTIONS } from '../enums.ts';
import { attribute, type Change, changesOfDay, type KnownPart, knownPart } from './causes.ts';
import { type PlacedSheet, sendableCells, shareOf } from './late-changes.ts';
import { amountOf } from './nomination.ts';

const SLOTS = 4;
const POSITION = 1;
const OPEN = Array.from({ length: SLOTS }, () => Number.POSITIVE_INFINITY);

const volume = fc.option(fc.nat(9), { nil: null });
const parties = fc.constantFrom([1, 2], [2, 1], [2, 3], [3, 1]);
const anySheet = fc.record({ volumes: fc.tuple(volume, volume, volume, volume), parties, at: fc.nat(50) });
const anyInvalidation = fc.record({
  revision: fc.nat(5),
  slots: fc.uniqueArray(fc.integer({ min: 1, max: SLOTS }), { minLength: 1 }),
  at: fc.nat(50),
});

const anyDay = fc
  .record({
    sheets: fc.array(anySheet, { minLength: 1, maxLength: 5 }),
    invalidations: fc.array(anyInvalidation, { maxLength: 3 }),
    knownSheets: fc.nat(5),
    knownInvalidations: fc.nat(3),
  })
  .map(({ sheets, invalidations, knownSheets, knownInvalidations }) => ({
    day: {
      sheets: sheets.map(
        ({ volumes, parties: [senderPosition = 0, receiverPosition = 0], at }, index): PlacedSheet => ({
          revision: index + 1,
          createdAt: at,
          volumes,
          senderPosition,
          receiverPosition,
          senderTso: 'DE_AMPRION',
          receiverTso: 'DE_TENNET',
        }),
      ),
      invalidated: invalidations.flatMap(({ revision, slots, at }, index) =>
        slots.map((slot) => ({ revision, slot, invalidatedAt: at, number: index + 1 })),
      ),
    },
    since: {
      revision: Math.min(knownSheets, sheets.length),
      invalidations: Math.min(knownInvalidations, invalidations.length),
    },
  }));
type Day = {
  sheets: PlacedSheet[];
  invalidated: { revision: number; slot: number; invalidatedAt: number; number: number }[];
};

const sharesWith =
  (closings: readonly number[]) =>
  (part: Day): number[] =>
    sendableCells(part, closings).map((cell) => shareOf(cell, POSITION));

/** Per slot the newest volume, unless it is invalid: written again, so that both must agree. */
function plainShares({ sheets, invalidated }: Day): number[] {
  return Array.from({ length: SLOTS }, (_, at) => {
    const newest = sheets.toReversed().find(({ volumes }) => volumes[at] !== null);
    if (newest === undefined) return 0;
    if (invalidated.some(({ revision, slot }) => revision === newest.revision && slot === at + 1)) return 0;
    const sign = Number(newest.senderPosition === POSITION) - Number(newest.receiverPosition === POSITION);
    return sign * newest.volumes[at]!;
  });
}

const sumOf = (rows: readonly (readonly number[])[]) =>
  Array.from({ length: SLOTS }, (_, at) => rows.reduce((sum, row) => sum + row[at]!, 0));

const changesOf = (day: Day, since: KnownPart, followsSeries = false): Change[] =>
  changesOfDay({
    day,
    since,
    sharesBefore: sharesWith(OPEN)(knownPart(day, since)),
    sharesOf: sharesWith(OPEN),
    followsSeries: () => followsSeries,
  });

test('the differences of all causes sum to the difference of two versions in every slot', () => {
  fc.assert(
    fc.property(fc.array(anyDay, { maxLength: 4 }), fc.constantFrom(...DIRECTIONS), (days, direction) => {
      const saldo = { before: sumOf(days.map(({ day, since }) => plainShares(knownPart(day, since)))) };
      const after = sumOf(days.map(({ day }) => plainShares(day)));
      const amounts = {
        before: saldo.before.map((kwh) => amountOf(kwh, direction)),
        after: after.map((kwh) => amountOf(kwh, direction)),
      };
      const changes = days.flatMap(({ day, since }) => changesOf(day, since));
      const { ofChanges, rest } = attribute(saldo.before, changes, direction, amounts);
      assert.deepEqual(
        sumOf(ofChanges),
        amounts.after.map((kwh, at) => kwh - amounts.before[at]!),
      );
      assert.deepEqual(rest, [0, 0, 0, 0]);
    }),
    { numRuns: runs(2000) },
  );
});

test('what a version counted otherwise is left as the rest, and nothing is lost', () => {
  fc.assert(
    fc.property(
      fc.array(anyDay, { maxLength: 4 }),
      fc.array(fc.nat(30), { minLength: SLOTS, maxLength: SLOTS }),
      fc.array(fc.nat(50), { minLength: SLOTS, maxLength: SLOTS }),
      (days, stored, closings) => {
        const shares = sharesWith(closings);
        const before = sumOf(days.map(({ day, since }) => shares(knownPart(day, since))));
        const changes = days.flatMap(({ day, since }) =>
          changesOfDay({
            day,
            since,
            sharesBefore: shares(knownPart(day, since)),
            sharesOf: shares,
            followsSeries: () => false,
          }),
        );
        const amounts = { before: before.map((kwh) => amountOf(kwh, 'out')), after: stored };
        const { ofChanges, rest } = attribute(before, changes, 'out', amounts);
        assert.deepEqual(
          sumOf([...ofChanges, rest]),
          stored.map((kwh, at) => kwh - amounts.before[at]!),
        );
      },
    ),
    { numRuns: runs(1000) },
  );
});

const sheet = (revision: number, kwh: number, [sender, receiver] = [1, 2]): PlacedSheet => ({
  revision,
  createdAt: revision * 10,
  volumes: [kwh, null, null, null],
  senderPosition: sender,
  receiverPosition: receiver,
  senderTso: 'DE_AMPRION',
  receiverTso: 'DE_TENNET',
});
const NOTHING: KnownPart = { revision: 0, invalidations: 0 };
const kindsOf = (day: Day, followsSeries = false) =>
  changesOf(day, NOTHING, followsSeries).map(({ kind, at, addedKwh }) => [kind, at, addedKwh[0]]);

test('every change has its kind, its time and what it adds', () => {
  const invalidated = [{ revision: 2, slot: 1, invalidatedAt: 25, number: 1 }];
  assert.deepEqual(kindsOf({ sheets: [sheet(1, 5), sheet(2, 8), sheet(3, 8)], invalidated }), [
    ['created', 10, 5],
    ['corrected', 20, 3],
    ['invalidated', 25, -8],
    ['corrected', 30, 8],
  ]);
  assert.deepEqual(kindsOf({ sheets: [sheet(1, 5), sheet(2, 5, [3, 2])], invalidated: [] }), [
    ['created', 10, 5],
    ['moved', 20, -5],
  ]);
  assert.deepEqual(kindsOf({ sheets: [sheet(1, 5), sheet(2, 6)], invalidated: [] }, true), [
    ['source', 10, 5],
    ['source', 20, 1],
  ]);
});

test('a change between other positions is no cause', () => {
  assert.deepEqual(kindsOf({ sheets: [sheet(1, 5, [2, 3]), sheet(2, 7, [2, 3])], invalidated: [] }), []);
});

test('an invalidation follows its sheet, also when the clock was set back', () => {
  const invalidated = [{ revision: 2, slot: 1, invalidatedAt: 5, number: 1 }];
  assert.deepEqual(kindsOf({ sheets: [sheet(1, 5), sheet(2, 8)], invalidated }), [
    ['created', 10, 5],
    ['corrected', 20, 3],
    ['invalidated', 5, -8],
  ]);
});
