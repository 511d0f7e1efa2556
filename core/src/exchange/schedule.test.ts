import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import {
  anyDay,
  anyMarkets,
  areaOf,
  OPERATOR,
  scheduleHistory,
  slotsOf,
} from '../../test/schedule-worlds.ts';
import { slotCount } from '../delivery-day.ts';
import type { Tso } from '../enums.ts';
import { tsoCodes } from '../market-rules.ts';
import { BUILT_IN_RULES } from '../market-rules-file.ts';
import { formatMessage } from '../messages/message.ts';
import {
  buildSchedules,
  MAX_IDENTIFICATION_LENGTH,
  MAX_MESSAGE_VERSION,
  type NextSchedule,
  type NominatedPosition,
  nominationOf,
  type Schedule,
  type Series,
} from './schedule.ts';

const day = '2026-10-25';
const rules = BUILT_IN_RULES;
const producer = '11XNORDWIND----J';
const consumer = '11XELBINDUSTRIE5';

const deliver = (tso: Tso, bySlot: Record<number, number>, eic = producer): NominatedPosition => ({
  eic,
  tso,
  outKwh: slotsOf(day, bySlot),
  inKwh: null,
});
const receive = (tso: Tso, bySlot: Record<number, number>, eic = consumer): NominatedPosition => ({
  eic,
  tso,
  outKwh: null,
  inKwh: slotsOf(day, bySlot),
});

function build(positions: NominatedPosition[], previous: Schedule[] = []): NextSchedule[] {
  return buildSchedules({ operatorEic: OPERATOR, day, rules, positions, previous, closedSlots: 0 });
}

function schedulesOf(next: NextSchedule[]): Schedule[] {
  return next.map((one) => {
    assert.ok(one.kind === 'schedule', JSON.stringify(one));
    return one.schedule;
  });
}

function seriesOf(schedule: Schedule, identification: string): Series {
  const found = schedule.series.find((series) => series.identification === identification);
  assert.ok(found, `${identification} in ${schedule.messageId}`);
  return found;
}

function forHistories(
  check: (step: ReturnType<typeof scheduleHistory> extends Generator<infer S> ? S : never) => void,
) {
  fc.assert(
    fc.property(anyDay, anyMarkets, (someDay, markets) => {
      for (const step of scheduleHistory(someDay, markets)) check(step);
    }),
    { numRuns: runs(150) },
  );
}

test('in random worlds every file nets to zero in every slot', () => {
  forHistories(({ schedules }) => {
    for (const { tso, day, series } of schedules) {
      const net = slotsFor(day);
      for (const { outParty, outArea, inParty, inArea, powersKw } of series) {
        assert.equal(powersKw.length, slotCount(day));
        const sign =
          Number(inParty === OPERATOR && inArea === areaOf(tso)) -
          Number(outParty === OPERATOR && outArea === areaOf(tso));
        assert.notEqual(sign, 0, 'every series of a file touches the operator in its area');
        for (const [at, powerKw] of powersKw.entries()) net[at]! += BigInt(sign) * BigInt(powerKw);
      }
      assert.ok(
        net.every((powerKw) => powerKw === 0n),
        `${tso} ${day}`,
      );
    }
  });
});

function slotsFor(someDay: string): bigint[] {
  return Array.from({ length: slotCount(someDay) }, () => 0n);
}

test('in random worlds the series of a TSO are its nominations, mirrored, in kW', () => {
  forHistories(({ positions, schedules }) => {
    const nominated = positions.flatMap(({ eic, tso, outKwh, inKwh }) => [
      ...(outKwh === null ? [] : [[`${tso} ${eic} out`, outKwh] as const]),
      ...(inKwh === null ? [] : [[`${tso} ${eic} in`, inKwh] as const]),
    ]);
    const scheduled = schedules.flatMap(({ tso, series }) =>
      series.flatMap((one) => {
        const nomination = nominationOf(one, OPERATOR);
        if (nomination === null) return [];
        const group = nomination.direction === 'out' ? one.outParty : one.inParty;
        assert.equal(group, nomination.eic);
        assert.deepEqual([one.outArea, one.inArea], [areaOf(tso), areaOf(tso)]);
        return [
          [`${tso} ${nomination.eic} ${nomination.direction}`, one.powersKw.map((kw) => kw / 4)] as const,
        ];
      }),
    );
    assert.deepEqual(new Map(scheduled), new Map(nominated));
    assert.equal(scheduled.length, nominated.length);
  });
});

test('in random worlds a bridge is the same series in the files of both its areas and of no other', () => {
  forHistories(({ schedules }) => {
    const bridges = new Map<string, { tsos: Set<string>; text: string }>();
    for (const { tso, series } of schedules) {
      for (const { version: _, ...bridge } of series.filter(({ businessType }) => businessType === 'A06')) {
        assert.deepEqual([bridge.outParty, bridge.inParty], [OPERATOR, OPERATOR]);
        const known = bridges.get(bridge.identification);
        const text = JSON.stringify(bridge);
        assert.equal(known?.text ?? text, text);
        bridges.set(bridge.identification, { tsos: new Set([...(known?.tsos ?? []), tso]), text });
      }
    }
    for (const { tsos, text } of bridges.values()) {
      const { outArea, inArea } = JSON.parse(text);
      assert.deepEqual(new Set([...tsos].map((tso) => areaOf(tso as Tso))), new Set([outArea, inArea]));
    }
  });
});

test('in random worlds versions grow by one where something changed and nowhere else, and no series disappears', () => {
  forHistories(({ previous, next, schedules }) => {
    for (const one of next) {
      const before = previous.find(({ tso }) => tso === one.tso);
      const after = schedules.find(({ tso }) => tso === one.tso)!;
      if (one.kind === 'unchanged') {
        assert.equal(after, before);
        continue;
      }
      assert.equal(one.kind, 'schedule');
      assert.equal(after.version, (before?.version ?? 0) + 1);
      const known = new Map(before?.series.map((series) => [series.identification, series]));
      for (const series of after.series) {
        const was = known.get(series.identification);
        const isSame = was !== undefined && was.powersKw.every((kw, at) => kw === series.powersKw[at]);
        assert.equal(series.version, isSame ? was.version : after.version);
        known.delete(series.identification);
      }
      assert.equal(known.size, 0, 'series that disappeared');
      assert.ok(
        after.series.some(({ version }) => version === after.version),
        'something changed',
      );
      assert.ok(after.series.every(({ version }) => version <= after.version));
    }
  });
});

test('in random worlds an identification means one flow, today, tomorrow and in every file', () => {
  fc.assert(
    fc.property(anyMarkets, (markets) => {
      const flows = new Map<string, string>();
      for (const someDay of ['2026-03-29', '2026-10-25']) {
        for (const { schedules } of scheduleHistory(someDay, markets)) {
          for (const { tso, series, messageId } of schedules) {
            assert.ok(messageId.length <= MAX_IDENTIFICATION_LENGTH);
            assert.equal(new Set(series.map(({ identification }) => identification)).size, series.length);
            for (const { version: _, powersKw: __, ...key } of series) {
              assert.ok(key.identification.length <= MAX_IDENTIFICATION_LENGTH);
              const place = key.businessType === 'A02' ? `${tso} ${key.identification}` : key.identification;
              assert.equal(flows.get(place) ?? JSON.stringify(key), JSON.stringify(key));
              flows.set(place, JSON.stringify(key));
            }
          }
        }
      }
    }),
  );
});

test('building again changes nothing', () => {
  forHistories(({ positions, schedules }) => {
    if (schedules.length === 0) return;
    const again = buildSchedules({
      operatorEic: OPERATOR,
      day: schedules[0]!.day,
      rules,
      positions: positions.toReversed(),
      previous: schedules.toReversed(),
      closedSlots: 0,
    });
    assert.deepEqual(
      again.map(({ kind }) => kind),
      schedules.map(() => 'unchanged'),
    );
  });
});

test('a schedule mirrors nominations: what a group delivers, the operator receives', () => {
  const [schedule] = schedulesOf(
    build([deliver('DE_AMPRION', { 1: 5, 100: 1 }), receive('DE_AMPRION', { 1: 5, 100: 1 })]),
  );
  const within = { businessType: 'A02', outArea: '10YDE-RWENET---I', inArea: '10YDE-RWENET---I', version: 1 };
  const powersKw = slotsOf(day, { 1: 20, 100: 4 });
  assert.deepEqual(schedule, {
    operatorEic: OPERATOR,
    tso: 'DE_AMPRION',
    codes: tsoCodes(rules, 'DE_AMPRION', day),
    day,
    messageId: '20261025_TPS_11XSALDO-------Z_AMP',
    version: 1,
    series: [
      { ...within, identification: `${consumer}_IN`, outParty: OPERATOR, inParty: consumer, powersKw },
      { ...within, identification: `${producer}_OUT`, outParty: producer, inParty: OPERATOR, powersKw },
    ],
  });
});

test('bridges go from the first surplus to the first deficit, in the order of the areas, slot by slot', () => {
  const schedules = schedulesOf(
    build([
      deliver('DE_TENNET', { 1: 10, 3: 7 }),
      deliver('DE_50HERTZ', { 1: 5, 2: 7 }),
      receive('DE_AMPRION', { 1: 12, 2: 7 }),
      receive('DE_TRANSNET_BW', { 1: 3, 3: 7 }),
    ]),
  );
  const bridgesOf = (tso: Tso) =>
    schedules
      .find((schedule) => schedule.tso === tso)!
      .series.filter(({ businessType }) => businessType === 'A06')
      .map(({ identification, powersKw }) => [identification, ...powersKw.slice(0, 4)]);
  const toAmprion = ['BRIDGE_TTG_AMP', 40, 0, 0, 0];
  const fromHertz = ['BRIDGE_50H_AMP', 8, 28, 0, 0];
  const toTransnet = ['BRIDGE_TTG_TBW', 0, 0, 28, 0];
  const rest = ['BRIDGE_50H_TBW', 12, 0, 0, 0];
  assert.deepEqual(bridgesOf('DE_AMPRION'), [fromHertz, toAmprion]);
  assert.deepEqual(bridgesOf('DE_TENNET'), [toAmprion, toTransnet]);
  assert.deepEqual(bridgesOf('DE_TRANSNET_BW'), [rest, toTransnet]);
  assert.deepEqual(bridgesOf('DE_50HERTZ'), [fromHertz, rest]);
});

test('only the TSOs that a correction touches get a new version, and only its series are raised', () => {
  const before = [
    deliver('DE_AMPRION', { 1: 10 }),
    receive('DE_AMPRION', { 1: 10 }),
    deliver('DE_TENNET', { 1: 10 }),
    receive('DE_TENNET', { 1: 10 }),
  ];
  const first = schedulesOf(build(before));
  const other = '11XALBSTROM----X';
  const after = [
    ...before,
    deliver('DE_TENNET', { 5: 1 }, other),
    receive('DE_TENNET', { 5: 1 }, '11YALBNETZ-----R'),
  ];
  const [amprion, tennet] = build(after, first);
  assert.deepEqual(amprion, { tso: 'DE_AMPRION', withheldSlots: [], kind: 'unchanged' });
  assert.ok(tennet?.kind === 'schedule');
  assert.equal(tennet.schedule.version, 2);
  assert.equal(tennet.schedule.messageId, first[1]!.messageId);
  assert.deepEqual(
    tennet.schedule.series.map(({ identification, version }) => [identification, version]),
    [
      [`${other}_OUT`, 2],
      [`${consumer}_IN`, 1],
      [`${producer}_OUT`, 1],
      ['11YALBNETZ-----R_IN', 2],
    ],
  );
});

test('a bridge that is no longer needed stays with zeros', () => {
  const first = schedulesOf(build([deliver('DE_AMPRION', { 1: 10 }), receive('DE_TENNET', { 1: 10 })]));
  const second = schedulesOf(build([deliver('DE_AMPRION', { 1: 0 }), receive('DE_TENNET', { 1: 0 })], first));
  for (const schedule of second) {
    const bridge = seriesOf(schedule, 'BRIDGE_AMP_TTG');
    assert.deepEqual([bridge.version, bridge.powersKw], [2, slotsOf(day)]);
  }
});

test('a slot that does not net to zero over all areas blocks the schedules of its areas', () => {
  const next = build([
    deliver('DE_AMPRION', { 7: 10, 8: 1 }),
    receive('DE_TENNET', { 7: 9, 8: 1 }),
    deliver('DE_50HERTZ', { 7: 3 }),
    receive('DE_50HERTZ', { 7: 3 }),
  ]);
  assert.deepEqual(
    next.map((one) => (one.kind === 'imbalance' ? [one.tso, one.slots] : [one.tso, one.kind])),
    [
      ['DE_AMPRION', [{ slot: 7, powerKw: 40 }]],
      ['DE_TENNET', [{ slot: 7, powerKw: -36 }]],
      ['DE_50HERTZ', 'schedule'],
    ],
  );
  assert.ok(next[0]?.kind === 'imbalance');
  assert.equal(
    formatMessage(next[0].message, 'en'),
    'The schedule of 25 Oct 2026 for Amprion does not net to zero and is not sent: slot 7 by +40 kW.',
  );
});

test('an imbalance of a whole day lists its first slots and counts the others', () => {
  const all = Object.fromEntries(slotsOf(day).map((_, at) => [at + 1, 1]));
  const [next] = build([receive('DE_TENNET', all)]);
  assert.ok(next?.kind === 'imbalance');
  assert.equal(next.slots.length, 100);
  assert.match(formatMessage(next.message, 'en'), /slot 1 by -4 kW, .*slot 5 by -4 kW and 95 more\.$/);
});

test('after version 999 the result is an error for the operator', () => {
  const positions = [deliver('DE_TENNET', { 1: 1 }), receive('DE_TENNET', { 1: 1 })];
  const [first] = schedulesOf(build(positions));
  const changed = [deliver('DE_TENNET', { 1: 2 }), receive('DE_TENNET', { 1: 2 })];
  const at = (version: number) => build(changed, [{ ...first!, version }])[0];
  assert.equal(at(MAX_MESSAGE_VERSION - 1)?.kind, 'schedule');
  const exhausted = at(MAX_MESSAGE_VERSION);
  assert.ok(exhausted?.kind === 'versions_exhausted');
  assert.match(formatMessage(exhausted.message, 'en'), /version 999/);
  assert.equal(build(positions, [{ ...first!, version: 999 }])[0]?.kind, 'unchanged');
});

test('without nominations there is no schedule', () => {
  assert.deepEqual(build([]), []);
  assert.deepEqual(build([{ eic: producer, tso: 'DE_TENNET', outKwh: null, inKwh: null }]), []);
});

test('a nomination of zeros is part of the schedule', () => {
  const [schedule] = schedulesOf(build([deliver('DE_TENNET', {})]));
  assert.deepEqual(seriesOf(schedule!, `${producer}_OUT`).powersKw, slotsOf(day));
});

test('a schedule of another operator EIC starts with version 1', () => {
  const positions = [deliver('DE_TENNET', { 1: 1 }), receive('DE_TENNET', { 1: 1 })];
  const first = schedulesOf(build(positions));
  const operatorEic = '11XSWVIERNAU---D';
  const [other] = schedulesOf(
    buildSchedules({ operatorEic, day, rules, positions, previous: first, closedSlots: 0 }),
  );
  assert.deepEqual([other!.version, other!.messageId], [1, '20261025_TPS_11XSWVIERNAU---D_TTG']);
});

test('nominations without every slot, below zero or given twice are programming errors', () => {
  const right = deliver('DE_TENNET', { 1: 1 });
  assert.throws(() => build([right, right]));
  assert.throws(() => build([{ ...right, outKwh: [1, 2, 3] }]));
  assert.throws(() => build([deliver('DE_TENNET', { 1: -1 })]));
  assert.throws(() => build([deliver('DE_TENNET', { 1: 0.5 })]));
  const [schedule] = schedulesOf(build([deliver('DE_TENNET', {})]));
  assert.throws(() => build([], [{ ...schedule!, day: '2026-10-26' }]));
});
