import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { slotCount } from '../delivery-day.ts';
import { gatesOf } from '../gates.ts';
import { BUILT_IN_RULES } from '../market-rules-file.ts';
import { type CurrentNomination, type NextNominations, nextNominations } from './nomination.ts';

const rules = BUILT_IN_RULES;
const day = '2026-10-25';
const slots = slotCount(day);
const gates = gatesOf(day, rules);
const early = gates.dayAhead - 1;

/** Zeros except for these slots. */
function saldoOf(bySlot: Record<number, number>): number[] {
  return Array.from({ length: slots }, (_, at) => bySlot[at + 1] ?? 0);
}

function decide(
  saldo: number[],
  previous: CurrentNomination[],
  now = early,
  sendable = saldo,
): NextNominations {
  return nextNominations({ day, saldo, sendable, previous, now, rules });
}

function versionsOf(next: NextNominations) {
  assert.ok(next.kind === 'versions');
  return next.versions;
}

/** Simulates the store: new versions replace those of their direction. */
function after(previous: CurrentNomination[], next: NextNominations): CurrentNomination[] {
  if (next.kind !== 'versions') return previous;
  const renewed = new Set(next.versions.map(({ direction }) => direction));
  return [
    ...previous.filter(({ direction }) => !renewed.has(direction)),
    ...next.versions.map((version) => ({ ...version, id: `${version.direction}-${version.version}` })),
  ];
}

const anySaldo = fc
  .dictionary(fc.integer({ min: 1, max: slots }).map(String), fc.integer({ min: -3, max: 3 }), { maxKeys: 4 })
  .map(saldoOf);
const anySaldos = fc.array(anySaldo, { minLength: 1, maxLength: 6 });

test('out minus in is the saldo, and at most one of them is above zero in a slot', () => {
  fc.assert(
    fc.property(anySaldos, (saldos) => {
      let current: CurrentNomination[] = [];
      for (const saldo of saldos) {
        current = after(current, decide(saldo, current));
        const amounts = (direction: string) => current.find((one) => one.direction === direction)?.amounts;
        for (const [at, kwh] of saldo.entries()) {
          const out = amounts('out')?.[at] ?? 0;
          const into = amounts('in')?.[at] ?? 0;
          assert.ok(Object.is(out - into, kwh) && out >= 0 && into >= 0 && (out === 0 || into === 0));
        }
      }
    }),
  );
});

test('netting twice changes nothing', () => {
  fc.assert(
    fc.property(anySaldos, fc.constantFrom(early, gates.dayAhead, gates.dayAfter), (saldos, later) => {
      let current: CurrentNomination[] = [];
      for (const saldo of saldos) current = after(current, decide(saldo, current));
      assert.deepEqual(decide(saldos.at(-1)!, current, later), { kind: 'unchanged', late: [] });
    }),
  );
});

test('versions of a direction count from 1 without a gap, each naming the one before', () => {
  fc.assert(
    fc.property(anySaldos, (saldos) => {
      let current: CurrentNomination[] = [];
      for (const saldo of saldos) {
        const next = decide(saldo, current);
        for (const { direction, version, previousId } of next.kind === 'versions' ? next.versions : []) {
          const before = current.find((one) => one.direction === direction);
          assert.equal(version, (before?.version ?? 0) + 1);
          assert.equal(previousId, before?.id ?? null);
        }
        current = after(current, next);
      }
    }),
  );
});

test('a saldo that was always zero has no nomination', () => {
  assert.deepEqual(decide(saldoOf({}), []), { kind: 'unchanged', late: [] });
  assert.deepEqual(decide(saldoOf({}), [], gates.dayAfter), { kind: 'unchanged', late: [] });
});

test('a saldo of one sign has one nomination with every slot of the day', () => {
  assert.deepEqual(versionsOf(decide(saldoOf({ 1: 5, 100: 7 }), [])), [
    {
      direction: 'out',
      version: 1,
      previousId: null,
      amounts: saldoOf({ 1: 5, 100: 7 }),
      gateClosure: gates.dayAhead,
    },
  ]);
  assert.deepEqual(versionsOf(decide(saldoOf({ 9: -5 }), [])), [
    {
      direction: 'in',
      version: 1,
      previousId: null,
      amounts: saldoOf({ 9: 5 }),
      gateClosure: gates.dayAhead,
    },
  ]);
});

test('a saldo that changes its sign during the day has both', () => {
  const versions = versionsOf(decide(saldoOf({ 1: 5, 50: -6 }), []));
  assert.deepEqual(
    versions.map(({ direction, amounts }) => [direction, amounts]),
    [
      ['out', saldoOf({ 1: 5 })],
      ['in', saldoOf({ 50: 6 })],
    ],
  );
});

test('only the direction that changed gets a version', () => {
  const current = after([], decide(saldoOf({ 1: 5, 50: -6 }), []));
  const versions = versionsOf(decide(saldoOf({ 1: 5, 50: -7 }), current));
  assert.deepEqual(
    versions.map(({ direction, version, previousId }) => [direction, version, previousId]),
    [['in', 2, 'in-1']],
  );
});

test('a direction that has fallen to zero is corrected to zeros, once', () => {
  const current = after([], decide(saldoOf({ 1: 5 }), []));
  const next = decide(saldoOf({ 1: -5 }), current);
  assert.deepEqual(
    versionsOf(next).map(({ direction, version, amounts }) => [direction, version, amounts]),
    [
      ['out', 2, saldoOf({})],
      ['in', 1, saldoOf({ 1: 5 })],
    ],
  );
  assert.deepEqual(decide(saldoOf({ 1: -5 }), after(current, next)), { kind: 'unchanged', late: [] });
});

test('after the day-ahead gate the deadline is that of the slots which this direction changes', () => {
  const current = after([], decide(saldoOf({ 10: 5, 50: -6 }), []));
  const [out, into] = versionsOf(decide(saldoOf({ 10: 5, 40: 1, 60: -6 }), current, gates.dayAhead));
  assert.equal(out!.gateClosure, gates.intraday(40), 'slot 10 is the same as before');
  assert.equal(into!.gateClosure, gates.intraday(50), 'slot 50 falls to zero');
  const [first] = versionsOf(decide(saldoOf({ 70: 1, 90: 1 }), [], gates.waitEnd));
  assert.equal(first!.gateClosure, gates.intraday(70), 'a first version changes its slots above zero');
});

test('after the last gate nothing is nominated', () => {
  const current = after([], decide(saldoOf({ 10: 5 }), []));
  const [last] = versionsOf(decide(saldoOf({ 10: 6 }), current, gates.dayAfter - 1));
  assert.equal(last!.gateClosure, gates.dayAfter);
  assert.deepEqual(decide(saldoOf({ 10: 6, 11: -1 }), current, gates.dayAfter), {
    kind: 'too_late',
    late: [
      { slot: 10, nominatedKwh: 5, transactionsKwh: 6 },
      { slot: 11, nominatedKwh: 0, transactionsKwh: -1 },
    ],
  });
});

test('only the sendable saldo is nominated, and the difference is late', () => {
  const current = after([], decide(saldoOf({ 10: 5, 90: -2 }), []));
  const [saldo, sendable] = [saldoOf({ 10: 8, 80: 3, 90: -2 }), saldoOf({ 10: 5, 80: 3, 90: -2 })];
  const next = decide(saldo, current, gates.intraday(20), sendable);
  assert.deepEqual(
    versionsOf(next).map(({ direction, amounts, gateClosure }) => [direction, amounts, gateClosure]),
    [['out', saldoOf({ 10: 5, 80: 3 }), gates.intraday(80)]],
  );
  const late = [{ slot: 10, nominatedKwh: 5, transactionsKwh: 8 }];
  assert.deepEqual(next.late, late);
  const nominated = after(current, next);
  assert.deepEqual(decide(saldo, nominated, gates.dayAfter - 1, sendable), { kind: 'unchanged', late });
  assert.deepEqual(decide(saldo, nominated, gates.dayAfter, sendable), { kind: 'too_late', late });
});

test('a saldo without all slots of its day, or two current versions of a direction, is a programming error', () => {
  const [current] = after([], decide(saldoOf({ 10: 5 }), []));
  assert.throws(() => decide([1, 2, 3], []));
  assert.throws(() => decide(saldoOf({}), [current!, current!]));
  assert.throws(() => decide(saldoOf({}), [{ ...current!, amounts: [5] }]));
});
