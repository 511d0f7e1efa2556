import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import {
  anyDay,
  anyMarkets,
  newest,
  nextSchedules,
  nominateSaldos,
  PLACES,
  scheduleHistory,
  slotsOf,
} from '../../test/schedule-worlds.ts';
import { slotCount } from '../delivery-day.ts';
import { TSOS, type Tso } from '../enums.ts';
import { slotClosings } from '../gates.ts';
import { BUILT_IN_RULES } from '../market-rules-file.ts';
import { type ContractDay, type PlacedSheet, sendableSaldo } from '../nominations/late-changes.ts';
import type { NextSchedule, NominatedPosition, Schedule } from './schedule.ts';

const seriesOf = (schedule: Schedule | undefined, type: 'A02' | 'A06') =>
  new Map(
    schedule?.series
      .filter(({ businessType }) => businessType === type)
      .map(({ identification, powersKw }) => [identification, powersKw]),
  );
const scheduleOf = (schedules: readonly Schedule[], tso: Tso) => schedules.find((one) => one.tso === tso);

/** What the nominations of an area leave to its bridges in a slot, in kW. */
const surplusOf = (positions: readonly NominatedPosition[], tso: Tso, at: number) =>
  positions
    .filter((position) => position.tso === tso)
    .reduce((kw, { outKwh, inKwh }) => kw + 4 * ((outKwh?.[at] ?? 0) - (inKwh?.[at] ?? 0)), 0);

/** The same for a schedule: the operator receives what a group delivers. */
const scheduledSurplus = (schedule: Schedule | undefined, at: number) =>
  [...seriesOf(schedule, 'A02')].reduce(
    (kw, [identification, powersKw]) => kw + (identification.endsWith('_OUT') ? 1 : -1) * powersKw[at]!,
    0,
  );

type Step = {
  positions: readonly NominatedPosition[];
  previous: readonly Schedule[];
  next: readonly NextSchedule[];
  schedules: readonly Schedule[];
  closedSlots: number;
};

function assertNetsToZero(schedule: Schedule): void {
  const { tso, series, day } = schedule;
  for (let at = 0; at < slotCount(day); at++) {
    let exported = 0;
    for (const { businessType, identification, powersKw } of series) {
      if (businessType !== 'A06') continue;
      exported += (identification.startsWith(`BRIDGE_${TAGS[tso]}`) ? 1 : -1) * powersKw[at]!;
    }
    assert.equal(exported, scheduledSurplus(schedule, at), `${tso} slot ${at + 1}`);
  }
}
const TAGS: Record<Tso, string> = {
  DE_AMPRION: 'AMP',
  DE_TENNET: 'TTG',
  DE_TRANSNET_BW: 'TBW',
  DE_50HERTZ: '50H',
};

/** Bridges of closed slots keep their values; all others move no more than the surpluses do. */
function assertSteady({ previous, schedules, closedSlots }: Step): void {
  for (const schedule of schedules) {
    const before = seriesOf(scheduleOf(previous, schedule.tso), 'A06');
    for (const [identification, powersKw] of seriesOf(schedule, 'A06')) {
      const frozen = before.get(identification) ?? slotsOf(schedule.day);
      assert.deepEqual(powersKw.slice(0, closedSlots), frozen.slice(0, closedSlots));
    }
  }
  const day = schedules[0]?.day;
  if (day === undefined) return;
  const bridgesOf = (of: readonly Schedule[]) => new Map(of.flatMap((one) => [...seriesOf(one, 'A06')]));
  const [before, after] = [bridgesOf(previous), bridgesOf(schedules)];
  for (let at = closedSlots; at < slotCount(day); at++) {
    const changes = TSOS.map(
      (tso) =>
        scheduledSurplus(scheduleOf(schedules, tso), at) - scheduledSurplus(scheduleOf(previous, tso), at),
    );
    const changed = new Set(TSOS.filter((_, area) => changes[area] !== 0).map((tso) => TAGS[tso]));
    let moved = 0;
    for (const [identification, powersKw] of after) {
      const difference = Math.abs(powersKw[at]! - (before.get(identification)?.[at] ?? 0));
      const [, from = '', to = ''] = identification.split('_');
      assert.ok(difference === 0 || (changed.has(from) && changed.has(to)), 'between changed areas');
      moved += difference;
    }
    assert.equal(
      moved,
      changes.reduce((sum, kw) => sum + Math.max(kw, 0), 0),
    );
  }
}

test('in random worlds with closed slots every file nets to zero, and bridges are steady, minimal and frozen', () => {
  const anyClosings = fc
    .array(fc.nat(100), { minLength: 5, maxLength: 5 })
    .map((closings) => closings.toSorted((one, other) => one - other));
  fc.assert(
    fc.property(anyDay, anyMarkets, anyClosings, (day, markets, closings) => {
      const closed = closings.map((slots) => Math.min(slots, slotCount(day)));
      for (const step of scheduleHistory(day, markets, closed)) {
        assert.ok(step.next.every(({ kind }) => kind === 'schedule' || kind === 'unchanged'));
        for (const schedule of step.schedules) assertNetsToZero(schedule);
        assertSteady(step);
        assertNominated(step);
      }
    }),
    { numRuns: runs(150) },
  );
});

/** A file has what is nominated, and in closed slots where that needs other bridges what it had. */
function assertNominated({ positions, previous, next, schedules, closedSlots }: Step): void {
  for (const { tso, withheldSlots } of next) {
    const [before, after] = [scheduleOf(previous, tso), scheduleOf(schedules, tso)];
    assert.ok(after);
    const known = seriesOf(before, 'A02');
    const withheld = slotsOf(after.day).flatMap((_, at) =>
      at < closedSlots && surplusOf(positions, tso, at) !== scheduledSurplus(before, at) ? [at + 1] : [],
    );
    assert.deepEqual(withheldSlots, withheld);
    for (const { eic, outKwh, inKwh } of positions.filter((position) => position.tso === tso)) {
      for (const [identification, amounts] of [
        [`${eic}_OUT`, outKwh],
        [`${eic}_IN`, inKwh],
      ] as const) {
        const expected = amounts?.map((kwh, at) =>
          withheld.includes(at + 1) ? (known.get(identification)?.[at] ?? 0) : kwh * 4,
        );
        assert.deepEqual(seriesOf(after, 'A02').get(identification), expected);
      }
    }
  }
}

const CONTRACTS = 6;
const anyCorrection = fc.record({
  contract: fc.nat(CONTRACTS - 1),
  firstSlot: fc.integer({ min: 1, max: 100 }),
  slots: fc.integer({ min: 1, max: 40 }),
  kwh: fc.nat(50),
  /** Number of slots that close until the next correction, and whether it comes at that instant or just before. */
  passes: fc.nat(30),
  isJustBefore: fc.boolean(),
});
const anyContracts = fc.array(
  fc.record({ sender: fc.nat(PLACES.length - 1), receiver: fc.nat(PLACES.length - 1) }),
  { minLength: CONTRACTS, maxLength: CONTRACTS },
);

test('random corrections at random times: what is nominated can always be sent, and the rest is the late difference', () => {
  fc.assert(
    fc.property(
      anyDay,
      anyContracts,
      fc.array(anyCorrection, { maxLength: 10 }),
      (day, parties, corrections) => {
        const closings = slotClosings(day, BUILT_IN_RULES);
        const contracts = parties.map(() => ({ sheets: [] as PlacedSheet[], invalidated: [] }));
        let [positions, schedules, passed]: [NominatedPosition[], Schedule[], number] = [[], [], 0];
        for (const { contract, firstSlot, slots, kwh, passes, isJustBefore } of corrections) {
          passed = Math.min(passed + passes, closings.length);
          const now = (closings[passed] ?? closings.at(-1)! + 1) - Number(isJustBefore);
          const { sender, receiver } = parties[contract]!;
          const { sheets } = contracts[contract]!;
          sheets.push({
            revision: sheets.length + 1,
            createdAt: now,
            volumes: slotsOf(day).map((_, at) =>
              at + 1 >= firstSlot && at + 1 < firstSlot + slots ? kwh : null,
            ),
            senderPosition: sender,
            receiverPosition: receiver,
            senderTso: PLACES[sender]!.tso,
            receiverTso: PLACES[receiver]!.tso,
          });
          positions = nominateSaldos(sendableSaldos(contracts, closings), positions);
          const closedSlots = closings.filter((closing) => now >= closing).length;
          const previous = schedules;
          const next = nextSchedules({ day, positions, previous, closedSlots });
          schedules = newest(previous, next);
          for (const { kind, withheldSlots } of next) {
            assert.ok(kind === 'schedule' || kind === 'unchanged');
            assert.deepEqual(withheldSlots, []);
          }
          for (const schedule of schedules) assertNetsToZero(schedule);
          assertSteady({ positions, previous, next, schedules, closedSlots });
          const touched = new Set([PLACES[sender]!.tso, PLACES[receiver]!.tso]);
          for (const one of next)
            assert.ok(one.kind === 'unchanged' || touched.has(one.tso), 'a third file changed');
        }
      },
    ),
    { numRuns: runs(60) },
  );
});

function sendableSaldos(contracts: readonly ContractDay[], closings: readonly number[]): number[][] {
  const volumes = contracts.map(({ sheets }) =>
    closings.map((_, at) => sheets.findLast((sheet) => sheet.volumes[at] !== null)?.volumes[at] ?? 0),
  );
  return PLACES.map((_, position) => {
    const saldo = closings.map((__, at) =>
      contracts.reduce((kwh, { sheets: [sheet] }, contract) => {
        const sign =
          Number(sheet?.senderPosition === position) - Number(sheet?.receiverPosition === position);
        return kwh + sign * volumes[contract]![at]!;
      }, 0),
    );
    return sendableSaldo(saldo, position, contracts, closings);
  });
}

const day = '2026-10-25';
const position = (tso: Tso, signedKwh: Record<number, number>): NominatedPosition => ({
  eic: PLACES.find((place) => place.tso === tso)!.eic,
  tso,
  outKwh: slotsOf(day, signedKwh).map((kwh) => Math.max(kwh, 0)),
  inKwh: slotsOf(day, signedKwh).map((kwh) => Math.max(0 - kwh, 0)),
});
const build = (positions: NominatedPosition[], previous: Schedule[] = [], closedSlots = 0) =>
  nextSchedules({ day, positions, previous, closedSlots });
const bridges = (next: readonly NextSchedule[], slot: number) =>
  new Map(
    next.flatMap((one) =>
      one.kind === 'schedule'
        ? [...seriesOf(one.schedule, 'A06')].map(([id, powersKw]) => [id, powersKw[slot - 1]] as const)
        : [],
    ),
  );

test('a correction between two areas changes exactly two files, where the fixed order would change all four', () => {
  const first = build([
    position('DE_AMPRION', { 1: 10 }),
    position('DE_TENNET', { 1: 10 }),
    position('DE_TRANSNET_BW', { 1: -10 }),
    position('DE_50HERTZ', { 1: -10 }),
  ]);
  const corrected = [
    position('DE_AMPRION', { 1: 5 }),
    position('DE_TENNET', { 1: 10 }),
    position('DE_TRANSNET_BW', { 1: -10 }),
    position('DE_50HERTZ', { 1: -5 }),
  ];
  const next = build(corrected, newest([], first));
  assert.deepEqual(
    next.map(({ tso, kind }) => [tso, kind]),
    [
      ['DE_AMPRION', 'schedule'],
      ['DE_TENNET', 'unchanged'],
      ['DE_TRANSNET_BW', 'unchanged'],
      ['DE_50HERTZ', 'schedule'],
    ],
  );
  const unchanged = { BRIDGE_AMP_TBW: 40, BRIDGE_TTG_50H: 40 };
  assert.deepEqual(Object.fromEntries(bridges(first, 1)), unchanged);
  assert.deepEqual(Object.fromEntries(bridges(next, 1)), { ...unchanged, BRIDGE_50H_AMP: 20 });
  const inFixedOrder = { BRIDGE_AMP_TBW: 20, BRIDGE_TTG_TBW: 20, BRIDGE_TTG_50H: 20 };
  assert.deepEqual(Object.fromEntries(bridges(build(corrected), 1)), inFixedOrder);
});

test('in a closed slot a change between areas is withheld, a change within an area is sent', () => {
  const first = newest(
    [],
    build([position('DE_AMPRION', { 1: 10, 2: 10 }), position('DE_TENNET', { 1: -10, 2: -10 })]),
  );
  const changed = [position('DE_AMPRION', { 1: 12, 2: 12 }), position('DE_TENNET', { 1: -12, 2: -12 })];
  const next = build(changed, first, 1);
  assert.deepEqual(
    next.map(({ kind, withheldSlots }) => [kind, withheldSlots]),
    [
      ['schedule', [1]],
      ['schedule', [1]],
    ],
  );
  assert.deepEqual(
    [bridges(next, 1).get('BRIDGE_AMP_TTG'), bridges(next, 2).get('BRIDGE_AMP_TTG')],
    [40, 48],
  );
  const { eic: other } = PLACES.at(-1)!;
  const within = [
    position('DE_AMPRION', { 1: 7, 2: 10 }),
    { ...position('DE_AMPRION', { 1: 3 }), eic: other },
    position('DE_TENNET', { 1: -10, 2: -10 }),
  ];
  assert.deepEqual(
    build(within, first, 100).map(({ kind, withheldSlots }) => [kind, withheldSlots]),
    [
      ['schedule', []],
      ['unchanged', []],
    ],
  );
});

test('a first version after closings has no bridges in closed slots', () => {
  const next = build(
    [position('DE_AMPRION', { 1: 10, 2: 10 }), position('DE_TENNET', { 1: -10, 2: -10 })],
    [],
    1,
  );
  assert.deepEqual(
    next.map(({ kind, withheldSlots }) => [kind, withheldSlots]),
    [
      ['schedule', [1]],
      ['schedule', [1]],
    ],
  );
  assert.deepEqual([bridges(next, 1).get('BRIDGE_AMP_TTG'), bridges(next, 2).get('BRIDGE_AMP_TTG')], [0, 40]);
});

test('files that were sent at different times agree again in open slots and keep their own values in closed ones', () => {
  const first = newest(
    [],
    build([position('DE_AMPRION', { 1: 10, 2: 10 }), position('DE_TENNET', { 1: -10, 2: -10 })]),
  );
  const changed = [position('DE_AMPRION', { 1: 12, 2: 12 }), position('DE_TENNET', { 1: -12, 2: -12 })];
  const onlyAmprion = build(changed, first).slice(0, 1);
  const next = build(changed, newest(first, onlyAmprion), 1);
  assert.deepEqual(
    next.map(({ tso, kind, withheldSlots }) => [tso, kind, withheldSlots]),
    [
      ['DE_AMPRION', 'unchanged', []],
      ['DE_TENNET', 'schedule', [1]],
    ],
  );
  assert.deepEqual(
    [bridges(next, 1).get('BRIDGE_AMP_TTG'), bridges(next, 2).get('BRIDGE_AMP_TTG')],
    [40, 48],
  );
});

test('a slot that does not net to zero blocks only the areas whose surplus changed', () => {
  const before = [
    position('DE_AMPRION', { 7: 10 }),
    position('DE_TENNET', { 7: -10 }),
    position('DE_50HERTZ', { 8: 1 }),
    position('DE_TRANSNET_BW', { 8: -1 }),
  ];
  const first = newest([], build(before));
  const next = build([position('DE_AMPRION', { 7: 11 }), ...before.slice(1)], first);
  assert.deepEqual(
    next.map((one) => (one.kind === 'imbalance' ? one.slots : one.kind)),
    [[{ slot: 7, powerKw: 4 }], 'unchanged', 'unchanged', 'unchanged'],
  );
});
