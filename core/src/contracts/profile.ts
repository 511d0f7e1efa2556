import { assert } from '../assert.ts';
import { type DeliveryDay, isWeekend, localHours, SLOTS_PER_HOUR } from '../delivery-day.ts';
import { MAX_SLOT_KWH } from '../energy.ts';

export type Profile =
  | { kind: 'baseload'; powerKw: number }
  | { kind: 'peakload'; powerKw: number }
  /** By month, then by local hour. */
  | { kind: 'shaped'; powerKw: readonly (readonly number[])[] };

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const MONTHS = 12;
const PEAK_FROM_HOUR = 8;
const PEAK_TO_HOUR = 20;

/** The volume of each slot in kWh. A repeated local hour delivers twice, a skipped one not at all. */
export function profileVolumes(profile: Profile, day: DeliveryDay): number[] {
  const slotKwhByHour = hourlyPowerKw(profile, day).map(slotKwh);
  return localHours(day).map((hour) => slotKwhByHour[hour]!);
}

function hourlyPowerKw(profile: Profile, day: DeliveryDay): readonly number[] {
  if (profile.kind === 'baseload') return HOURS.map(() => profile.powerKw);
  if (profile.kind === 'peakload') {
    // Peak load of the market includes holidays.
    const hasPeak = !isWeekend(day);
    return HOURS.map((hour) =>
      hasPeak && hour >= PEAK_FROM_HOUR && hour < PEAK_TO_HOUR ? profile.powerKw : 0,
    );
  }
  assert(profile.powerKw.length === MONTHS, 'a shape has 12 months');
  const month = profile.powerKw[Number(day.slice(-5, -3)) - 1]!;
  assert(month.length === HOURS.length, 'a month of a shape has 24 hours');
  return month;
}

function slotKwh(powerKw: number): number {
  assert(Number.isInteger(powerKw) && powerKw >= 0, 'power is a whole number of kW');
  assert(powerKw % SLOTS_PER_HOUR === 0, 'power that is not a multiple of 4 kW gives no whole kWh per slot');
  assert(powerKw <= MAX_SLOT_KWH * SLOTS_PER_HOUR, 'a slot cannot hold so much power');
  return powerKw / SLOTS_PER_HOUR;
}
