import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../test/runs.ts';
import {
  addDays,
  type DeliveryDay,
  dayEnd,
  dayOf,
  dayStart,
  formatInstant,
  formatInstantMs,
  formatLocalTime,
  hourLabel,
  isDay,
  isWeekend,
  localHours,
  localInstant,
  MAX_SLOTS,
  parseDay,
  parseInstant,
  SLOT_MS,
  SLOTS_PER_HOUR,
  slotAt,
  slotCount,
  slotLabel,
  slotStart,
  TIME_ZONE,
  weekday,
} from './delivery-day.ts';

const utc = (text: string): number => Date.parse(text);
const anyDay = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const modernInstant = fc.integer({ min: utc('2020-01-01T00:00Z'), max: utc('2041-01-01T00:00Z') });

const berlin = (instant: number) =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(TIME_ZONE);

function* daysFrom(first: DeliveryDay, last: DeliveryDay): Generator<DeliveryDay> {
  for (let day = first; day <= last; day = addDays(day, 1)) yield day;
}

test('the slots of all days from 2020 to 2040 tile time without gap or overlap', () => {
  let next = utc('2019-12-31T23:00Z');
  for (const day of daysFrom('2020-01-01', '2040-12-31')) {
    assert.equal(dayStart(day), next);
    for (let slot = 1; slot <= slotCount(day); slot++) {
      if (slotStart(day, slot) !== next) assert.fail(`${day} slot ${slot}`);
      next += SLOT_MS;
    }
    assert.equal(dayEnd(day), next);
  }
  assert.equal(next, utc('2040-12-31T23:00Z'));
});

test('every day from 1996 to 2100 has the start, end, slots and local hours of the time zone database', () => {
  const from = Temporal.ZonedDateTime.from('1996-01-01T00:00:00+01:00[Europe/Berlin]');
  let change = from.getTimeZoneTransition('next');
  let next = from.epochMilliseconds;
  for (const day of daysFrom('1996-01-01', '2100-12-31')) {
    const end = Temporal.PlainDate.from(day).add({ days: 1 }).toZonedDateTime(TIME_ZONE).epochMilliseconds;
    assert.equal(dayStart(day), next, day);
    assert.equal(dayEnd(day), end, day);
    assert.equal(slotCount(day), (end - next) / SLOT_MS, day);
    assert.ok(slotCount(day) <= MAX_SLOTS);
    // Between two changes of the offset, hours follow from the start of the day; on the day of a change, ask for each.
    const hasChange = change !== null && change.epochMilliseconds < end;
    const start = next;
    const hourOf = (at: number) =>
      hasChange ? berlin(start + at * SLOT_MS).hour : Math.floor(at / SLOTS_PER_HOUR);
    assert.equal(localHours(day).length, slotCount(day), day);
    assert.ok(
      localHours(day).every((hour, at) => hour === hourOf(at)),
      day,
    );
    if (hasChange) change = change?.getTimeZoneTransition('next') ?? null;
    next = end;
  }
});

test('local times of any instant from 1996 to 2100 are those of the time zone database', () => {
  const instants = fc.integer({ min: utc('1996-01-01T00:00Z'), max: utc('2100-12-31T00:00Z') });
  fc.assert(
    fc.property(instants, (instant) => {
      const local = berlin(instant);
      const [day, time] = [local.toPlainDate().toString(), local.toPlainTime().toString().slice(0, 5)];
      assert.equal(formatLocalTime(instant), `${day} ${time}`);
      const minutes = local.hour * 60 + local.minute;
      const resolved = local.toPlainDate().toZonedDateTime({
        timeZone: TIME_ZONE,
        plainTime: { hour: local.hour, minute: local.minute },
      });
      assert.equal(localInstant(day, minutes), resolved.epochMilliseconds);
    }),
    { numRuns: runs(2000) },
  );
});

test('every local time of a clock-change day is mapped as the time zone database maps it', () => {
  for (const day of ['2026-03-29', '2026-10-25']) {
    for (let minutes = 0; minutes < 24 * 60; minutes++) {
      const plainTime = { hour: Math.floor(minutes / 60), minute: minutes % 60 };
      const expected = Temporal.PlainDate.from(day).toZonedDateTime({ timeZone: TIME_ZONE, plainTime });
      assert.equal(localInstant(day, minutes), expected.epochMilliseconds, `${day} ${minutes}`);
    }
  }
  assert.throws(() => localInstant('2026-01-15', 1440));
});

test('slot numbers count from local midnight', () => {
  assert.deepEqual(slotAt(utc('2026-01-15T14:00Z')), { day: '2026-01-15', slot: 61 });
  assert.deepEqual(slotAt(utc('2026-01-14T23:00Z')), { day: '2026-01-15', slot: 1 });
  assert.deepEqual(slotAt(utc('2026-01-14T22:59:59.999Z')), { day: '2026-01-14', slot: 96 });
  assert.deepEqual(slotAt(utc('2026-10-25T22:45Z')), { day: '2026-10-25', slot: 100 });
  assert.throws(() => slotStart('2026-03-29', 93));
  assert.throws(() => slotStart('2026-01-15', 0));
});

test('slotAt returns the slot that contains the instant', () => {
  fc.assert(
    fc.property(modernInstant, (instant) => {
      const { day, slot } = slotAt(instant);
      const start = slotStart(day, slot);
      assert.ok(start <= instant && instant < start + SLOT_MS);
      const local = berlin(instant);
      assert.equal(day, local.toPlainDate().toString());
      assert.equal(dayOf(instant), day);
      assert.equal(localHours(day)[slot - 1], local.hour);
    }),
    { numRuns: runs(1000) },
  );
});

test('no existing date makes the calendar throw', () => {
  const check = (day: DeliveryDay): void => {
    assert.equal(parseDay(day), day);
    assert.equal(dayOf(dayStart(day)), day);
    assert.equal(dayEnd(day), dayStart(addDays(day, 1)));
    assert.equal(addDays(addDays(day, -1), 1), day);
    assert.equal(slotAt(dayEnd(day) - 1).slot, slotCount(day));
    assert.equal(localHours(day).length, slotCount(day));
    assert.equal(weekday(day), Temporal.PlainDate.from(day).dayOfWeek);
    for (const minutes of [0, 150, 870, 1439]) assert.equal(dayOf(localInstant(day, minutes)), day);
    formatInstant(dayEnd(day));
  };
  fc.assert(fc.property(anyDay, check), { numRuns: runs(500) });
  for (const day of ['0001-01-01', '9999-12-31', '1893-04-01', '1945-05-24', '2000-02-29']) check(day);
  for (const text of ['0001-01-01T00:00:00+23:59', '9999-12-31T23:59:59-23:59']) {
    const { day, slot } = slotAt(parseInstant(text)!);
    assert.ok(slotStart(day, slot) <= parseInstant(text)!);
  }
});

test('only existing dates are days', () => {
  const wrong = [
    '2026-02-29',
    '2026-02-30',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-04-31',
    '1900-02-29',
  ];
  const malformed = [
    '',
    '2026-1-5',
    '2026-01-15T00:00:00Z',
    ' 2026-01-15',
    '2026-01-15\n',
    '+002026-01-15',
    '20260115',
  ];
  for (const text of [
    ...wrong,
    ...malformed,
    '0000-01-01',
    '+010000-01-01',
    '-000001-01-01',
    '２０２６-01-15',
  ]) {
    assert.equal(parseDay(text), null, JSON.stringify(text));
    assert.ok(!isDay(text), JSON.stringify(text));
  }
  assert.equal(parseDay('2028-02-29'), '2028-02-29');
  assert.ok(isDay('2028-02-29'));
});

test('a date-time with any offset is read as its instant', () => {
  const same = [
    '2026-01-15T14:00:00Z',
    '2026-01-15T15:00:00+01:00',
    '2026-01-15T08:30:00-05:30',
    '2026-01-16T04:00:00.000+14:00',
    '2026-01-15t14:00:00z',
  ];
  for (const text of same) assert.equal(parseInstant(text), utc('2026-01-15T14:00:00Z'), text);
  assert.equal(parseInstant('2026-01-15T14:00:00.5Z'), utc('2026-01-15T14:00:00.500Z'));
  assert.equal(parseInstant('2026-01-15T14:00:00.123999999Z'), utc('2026-01-15T14:00:00.123Z'));
  fc.assert(
    fc.property(modernInstant, (instant) =>
      assert.equal(parseInstant(new Date(instant).toISOString()), instant),
    ),
  );
});

test('a date-time without offset, with an impossible field or in another form is refused', () => {
  const wrong = [
    '2026-01-15T14:00:00',
    '2026-01-15T14:00Z',
    '2026-01-15 14:00:00Z',
    '2026-01-15T24:00:00Z',
    '2026-01-15T14:60:00Z',
    '2026-12-31T23:59:60Z',
    '2026-02-30T14:00:00Z',
    '2026-01-15T14:00:00.Z',
    '2026-01-15T14:00:00.1234567890Z',
    '2026-01-15T14:00:00,5Z',
    '2026-01-15T14:00:00+0100',
    '2026-01-15T14:00:00+01',
    '2026-01-15T14:00:00+24:00',
    '2026-01-15T14:00:00+01:60',
    '2026-01-15T14:00:00 01:00',
    '2026-01-15',
    '0000-01-15T14:00:00Z',
    '2026-01-15T14:00:00Z\n',
  ];
  for (const text of wrong) assert.equal(parseInstant(text), null, JSON.stringify(text));
});

test('instants are printed in UTC with whole seconds', () => {
  assert.equal(formatInstant(utc('2026-01-15T14:00:00.999Z')), '2026-01-15T14:00:00Z');
  const anyInstant = fc.date({
    min: new Date('0001-01-01'),
    max: new Date('9999-12-31'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(anyInstant, (date) => {
      assert.equal(formatInstant(date.getTime()), `${date.toISOString().slice(0, 19)}Z`);
    }),
  );
  assert.throws(() => formatInstant(Number.NaN));
});

test('weeks begin on Monday', () => {
  assert.deepEqual(['2026-01-12', '2026-01-16', '2026-01-17', '2026-01-18'].map(weekday), [1, 5, 6, 7]);
  assert.deepEqual(['2026-01-16', '2026-01-17', '2026-01-18', '2026-01-19'].map(isWeekend), [
    false,
    true,
    true,
    false,
  ]);
});

test('an instant with milliseconds has the text of Date.toISOString', () => {
  const years = { min: Date.UTC(1900, 0, 1), max: Date.UTC(2999, 11, 31) };
  fc.assert(
    fc.property(fc.integer(years), (instant) => {
      assert.equal(formatInstantMs(instant), new Date(instant).toISOString());
    }),
  );
});

const labelsOf = (day: string) =>
  Array.from({ length: slotCount(day) }, (_, index) => slotLabel(slotStart(day, index + 1)));

test('the day on which the clock goes back has 100 slots with labels A and B for the repeated hour', () => {
  const labels = labelsOf('2026-10-25');
  assert.equal(labels.length, 100);
  assert.deepEqual(labels.slice(7, 17), [
    '01:45',
    '02:00A',
    '02:15A',
    '02:30A',
    '02:45A',
    '02:00B',
    '02:15B',
    '02:30B',
    '02:45B',
    '03:00',
  ]);
  assert.equal(new Set(labels).size, 100);
  assert.equal(labels.at(-1), '23:45');
});

test('the day on which the clock goes forward has 92 slots, and no hour from two to three', () => {
  const labels = labelsOf('2026-03-29');
  assert.equal(labels.length, 92);
  assert.deepEqual(labels.slice(7, 9), ['01:45', '03:00']);
  assert.ok(labels.every((label) => label.length === 5));
});

test('the hours of a clock-change day are 25 and 23', () => {
  const hours = (day: string) =>
    new Set(Array.from({ length: slotCount(day) }, (_, index) => hourLabel(slotStart(day, index + 1))));
  assert.equal(hours('2026-10-25').size, 25);
  assert.ok(hours('2026-10-25').has('02:00B'));
  assert.equal(hours('2026-03-29').size, 23);
});

test('every slot of a day has a label of its own', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 36_500 }), (days) => {
      const day = addDays('1996-01-01', days);
      assert.equal(new Set(labelsOf(day)).size, slotCount(day));
    }),
    { numRuns: runs(60) },
  );
});
