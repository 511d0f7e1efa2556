import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, type DeliveryDay, dayEnd, dayStart, formatInstant, slotCount } from './delivery-day.ts';
import { gateClosure, gatesOf } from './gates.ts';
import { isHoliday } from './holidays.ts';
import { inForce, MAX_DAY_AFTER_DAYS } from './market-rules.ts';
import { BUILT_IN_RULES } from './market-rules-file.ts';

const utc = (text: string): number => Date.parse(text);
const rules = BUILT_IN_RULES;
const isGermanHoliday = (day: DeliveryDay) => isHoliday(day, inForce(rules.holidays, day));
const anyDay = fc.integer({ min: 0, max: 7600 }).map((days) => addDays('2020-01-01', days));

const closing = (day: DeliveryDay) => formatInstant(gatesOf(day, rules).dayAfter);

test('the holidays of 2026 are those of all Länder, and the two days the market adds', () => {
  const expected = [
    '2026-01-01',
    '2026-01-06',
    '2026-03-08',
    '2026-04-03',
    '2026-04-05',
    '2026-04-06',
    '2026-05-01',
    '2026-05-14',
    '2026-05-24',
    '2026-05-25',
    '2026-06-04',
    '2026-08-15',
    '2026-09-20',
    '2026-10-03',
    '2026-10-31',
    '2026-11-01',
    '2026-11-18',
    '2026-12-24',
    '2026-12-25',
    '2026-12-26',
    '2026-12-31',
  ];
  const days = Array.from({ length: 365 }, (_, at) => addDays('2026-01-01', at));
  assert.deepEqual(days.filter(isGermanHoliday), expected);
});

test('Easter is found in the earliest, the latest and the corrected years', () => {
  const earliest = ['1598-03-22', '1693-03-22', '1761-03-22', '1818-03-22', '2285-03-22', '2353-03-22'];
  const latest = ['1666-04-25', '1734-04-25', '1886-04-25', '1943-04-25', '2038-04-25', '2190-04-25'];
  const corrected = ['1954-04-18', '1981-04-19', '2049-04-18', '2076-04-19'];
  const easterSundays = [...earliest, ...latest, ...corrected, '2024-03-31', '2025-04-20', '2027-03-28'];
  for (const sunday of easterSundays) {
    assert.ok(isGermanHoliday(sunday), sunday);
    assert.ok(isGermanHoliday(addDays(sunday, -2)), 'Good Friday');
    assert.ok(isGermanHoliday(addDays(sunday, 1)), 'Easter Monday');
  }
  assert.ok(!isGermanHoliday('2025-04-27'));
});

test('repentance day is the Wednesday before 23 November', () => {
  const november = (year: number) =>
    Array.from({ length: 28 }, (_, at) => addDays(`${year}-11-02`, at)).filter(isGermanHoliday);
  assert.deepEqual([2022, 2023, 2024, 2028].map(november), [
    ['2022-11-16'],
    ['2023-11-22'],
    ['2024-11-20'],
    ['2028-11-22'],
  ]);
});

test('holidays of a single year count in that year, those of a single town never', () => {
  assert.deepEqual(['2025-05-08', '2026-05-08', '2026-08-08'].map(isGermanHoliday), [true, false, false]);
});

test('the day-ahead gate closes at 14:30 local time of the day before, the wait ends at 16:00', () => {
  const times = (day: DeliveryDay) => {
    const { dayAhead, waitEnd } = gatesOf(day, rules);
    return [dayAhead, waitEnd].map(formatInstant);
  };
  assert.deepEqual(times('2026-01-15'), ['2026-01-14T13:30:00Z', '2026-01-14T15:00:00Z']);
  assert.deepEqual(times('2026-07-15'), ['2026-07-14T12:30:00Z', '2026-07-14T14:00:00Z']);
});

test('gates keep their wall time around both clock changes', () => {
  const dayAhead = (day: DeliveryDay) => formatInstant(gatesOf(day, rules).dayAhead);
  assert.deepEqual(['2026-03-29', '2026-03-30', '2026-03-31'].map(dayAhead), [
    '2026-03-28T13:30:00Z',
    '2026-03-29T12:30:00Z',
    '2026-03-30T12:30:00Z',
  ]);
  assert.deepEqual(['2026-10-25', '2026-10-26', '2026-10-27'].map(dayAhead), [
    '2026-10-24T12:30:00Z',
    '2026-10-25T13:30:00Z',
    '2026-10-26T13:30:00Z',
  ]);
  assert.equal(closing('2026-03-27'), '2026-03-30T14:00:00Z', 'Friday, closed in summer time');
  assert.equal(closing('2026-10-23'), '2026-10-26T15:00:00Z', 'Friday, closed in winter time');
  const { intraday } = gatesOf('2026-10-25', rules);
  assert.equal(formatInstant(intraday(1)), '2026-10-24T21:45:00Z');
  assert.equal(formatInstant(intraday(9)), '2026-10-24T23:45:00Z', 'first 02:00');
  assert.equal(formatInstant(intraday(13)), '2026-10-25T00:45:00Z', 'second 02:00');
  assert.equal(formatInstant(intraday(100)), '2026-10-25T22:30:00Z');
  assert.throws(() => gatesOf('2026-03-29', rules).intraday(93));
});

test('day-after closes at 16:00 of the next working day, at the latest on the third calendar day', () => {
  assert.equal(closing('2026-01-14'), '2026-01-15T15:00:00Z', 'Wednesday');
  assert.equal(closing('2026-01-16'), '2026-01-19T15:00:00Z', 'Friday');
  assert.equal(closing('2026-01-17'), '2026-01-19T15:00:00Z', 'Saturday');
  assert.equal(closing('2026-10-30'), '2026-11-02T15:00:00Z', 'Friday before two holidays at a weekend');
  assert.equal(
    closing('2026-05-22'),
    '2026-05-25T14:00:00Z',
    'Friday before Whit Monday: third day, though a holiday',
  );
  assert.equal(closing('2026-05-23'), '2026-05-26T14:00:00Z', 'Saturday before Whit Monday');
  assert.equal(
    closing('2026-04-02'),
    '2026-04-05T14:00:00Z',
    'Maundy Thursday: Easter Sunday is the third day',
  );
  assert.equal(closing('2026-04-03'), '2026-04-06T14:00:00Z', 'Good Friday');
  assert.equal(closing('2026-04-04'), '2026-04-07T14:00:00Z', 'Holy Saturday');
  assert.equal(closing('2026-12-23'), '2026-12-26T15:00:00Z', 'before Christmas');
  assert.equal(closing('2026-12-30'), '2027-01-02T15:00:00Z', 'before New Year: the third day is a Saturday');
  assert.equal(closing('2026-05-13'), '2026-05-15T14:00:00Z', 'before Ascension');
});

test('before the day-ahead gate every version has to meet that gate', () => {
  const { dayAhead } = gatesOf('2026-01-15', rules);
  assert.equal(gateClosure('2026-01-15', rules, dayAhead - 1, [96]), dayAhead);
  assert.equal(gateClosure('2026-01-15', rules, utc('2025-01-01T00:00Z'), [1]), dayAhead);
});

test('at its very deadline a gate is closed', () => {
  const day = '2026-01-15';
  const { dayAhead, intraday, dayAfter } = gatesOf(day, rules);
  assert.equal(gateClosure(day, rules, dayAhead, [40]), intraday(40));
  assert.equal(gateClosure(day, rules, intraday(40) - 1, [40]), intraday(40));
  assert.equal(gateClosure(day, rules, intraday(40), [40]), dayAfter);
  assert.equal(gateClosure(day, rules, dayAfter - 1, [40]), dayAfter);
  assert.equal(gateClosure(day, rules, dayAfter, [40]), 'too_late');
});

test('later the earliest deadline still ahead among the changed slots counts', () => {
  const day = '2026-01-15';
  const { intraday, dayAfter } = gatesOf(day, rules);
  assert.equal(gateClosure(day, rules, intraday(10), [3, 10]), dayAfter);
  assert.equal(gateClosure(day, rules, intraday(10), [90, 3, 50, 70]), intraday(50));
});

test('a deadline is ahead of now, or there is none because all gates are past', () => {
  const hours = fc.integer({ min: -60, max: 120 });
  fc.assert(
    fc.property(
      anyDay,
      hours,
      fc.uniqueArray(fc.integer({ min: 1, max: 92 }), { minLength: 1 }),
      (day, hour, slots) => {
        const now = dayStart(day) + hour * 3_600_000;
        const { dayAfter } = gatesOf(day, rules);
        const closure = gateClosure(day, rules, now, slots);
        if (closure === 'too_late') assert.ok(now >= dayAfter);
        else assert.ok(now < closure && closure <= dayAfter);
      },
    ),
  );
});

test('the gates of a day close in their order', () => {
  fc.assert(
    fc.property(anyDay, (day) => {
      const { dayAhead, waitEnd, intraday, dayAfter } = gatesOf(day, rules);
      const inOrder = [dayAhead, waitEnd, intraday(1), intraday(slotCount(day)), dayEnd(day), dayAfter];
      assert.deepEqual(
        inOrder.toSorted((one, other) => one - other),
        inOrder,
      );
    }),
  );
});

test('other rules move the gates, and no existing date breaks them', () => {
  const times = { ...inForce(rules.gates, '2026-01-16'), validFrom: null };
  const early = {
    ...rules,
    gates: [{ ...times, dayAheadMinutes: 600, dayAfterMaxDays: 1, intradayLeadMinutes: 5 }],
  };
  const gates = gatesOf('2026-01-16', early);
  assert.equal(formatInstant(gates.dayAhead), '2026-01-15T09:00:00Z');
  assert.equal(formatInstant(gates.dayAfter), '2026-01-17T15:00:00Z');
  assert.equal(formatInstant(gates.intraday(1)), '2026-01-15T22:55:00Z');
  for (const day of ['0001-01-01', '9999-12-31']) assert.ok(gatesOf(day, rules).dayAfter > dayEnd(day));
});

test('a version that changes no slot is a programming error', () => {
  assert.throws(() => gateClosure('2026-01-15', rules, 0, []));
});

test('every gate of a day is on the day before or later, and within the limit of the day-after gate', () => {
  const gates = rules.gates.map((times) => ({ ...times, dayAfterMaxDays: MAX_DAY_AFTER_DAYS }));
  fc.assert(
    fc.property(anyDay, (day) => {
      const { dayAhead, intraday, dayAfter } = gatesOf(day, { ...rules, gates });
      const [start, end] = [dayStart(addDays(day, -1)), dayEnd(addDays(day, MAX_DAY_AFTER_DAYS))];
      for (const gate of [dayAhead, intraday(1), intraday(slotCount(day)), dayAfter])
        assert.ok(gate >= start && gate < end, `${formatInstant(gate)} of ${day}`);
    }),
  );
});
