import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, type DeliveryDay, slotCount, slotStart, TIME_ZONE, weekday } from '../delivery-day.ts';
import { MAX_SLOT_KWH } from '../energy.ts';
import { type Profile, profileVolumes } from './profile.ts';

const total = (volumes: number[]): number => volumes.reduce((sum, kwh) => sum + kwh, 0);
const peakload: Profile = { kind: 'peakload', powerKw: 400 };
/** Every month and hour has a different power. */
const shaped: Profile = {
  kind: 'shaped',
  powerKw: Array.from({ length: 12 }, (_, month) =>
    Array.from({ length: 24 }, (_, hour) => 4 * (month * 100 + hour)),
  ),
};

test('baseload delivers the same in every slot, so the energy follows the length of the day', () => {
  const energy = (day: DeliveryDay) => total(profileVolumes({ kind: 'baseload', powerKw: 1000 }, day));
  assert.deepEqual(['2026-03-29', '2026-01-15', '2026-10-25'].map(energy), [23_000, 24_000, 25_000]);
});

test('peakload delivers from 08 to 20 on Mondays to Fridays, holidays included', () => {
  const volumes = profileVolumes(peakload, '2026-01-15');
  assert.deepEqual(
    volumes.flatMap((kwh, at) => (kwh > 0 ? [at + 1] : [])),
    Array.from({ length: 48 }, (_, at) => 33 + at),
  );
  assert.ok(volumes.every((kwh) => kwh === 0 || kwh === 100));
  assert.equal(total(profileVolumes(peakload, '2026-01-01')), 4800, 'New Year, a Thursday');
  const week = Array.from({ length: 7 }, (_, at) => addDays('2026-01-12', at));
  assert.deepEqual(
    week.map((day) => total(profileVolumes(peakload, day)) > 0),
    [true, true, true, true, true, false, false],
  );
});

test('a shape delivers the missing hour not at all and the repeated one twice', () => {
  const byHour = (day: DeliveryDay) => Map.groupBy(profileVolumes(shaped, day), (kwh) => kwh % 100);
  const spring = byHour('2026-03-29');
  assert.equal(spring.get(2), undefined);
  assert.equal(spring.get(3)!.length, 4);
  const autumn = byHour('2026-10-25');
  assert.equal(autumn.get(2)!.length, 8);
  assert.equal(autumn.get(3)!.length, 4);
  assert.equal(autumn.get(2)![0], 902);
});

test('on any day every slot has the power of its local hour', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 7600 }), (days) => {
      const day = addDays('2020-01-01', days);
      const shapedVolumes = profileVolumes(shaped, day);
      const peakVolumes = profileVolumes(peakload, day);
      assert.equal(shapedVolumes.length, slotCount(day));
      for (let slot = 1; slot <= slotCount(day); slot += 3) {
        const local = Temporal.Instant.fromEpochMilliseconds(slotStart(day, slot)).toZonedDateTimeISO(
          TIME_ZONE,
        );
        const isPeak = weekday(day) <= 5 && local.hour >= 8 && local.hour < 20;
        assert.equal(shapedVolumes[slot - 1], (local.month - 1) * 100 + local.hour);
        assert.equal(peakVolumes[slot - 1], isPeak ? 100 : 0);
      }
    }),
  );
});

test('power that gives no whole kWh, or an incomplete shape, is a programming error', () => {
  for (const powerKw of [1, 402, -4, 0.5, Number.NaN, 4 * (MAX_SLOT_KWH + 1)]) {
    assert.throws(() => profileVolumes({ kind: 'baseload', powerKw }, '2026-01-15'));
  }
  assert.throws(() => profileVolumes({ kind: 'shaped', powerKw: [] }, '2026-01-15'));
  assert.throws(() =>
    profileVolumes({ kind: 'shaped', powerKw: Array.from({ length: 12 }, () => [0]) }, '2026-01-15'),
  );
});
