import { assert } from '../assert.ts';

/** How far a day's meter is from its forecast. All energies are over the slots that have both values. */
export type Deviation = {
  readonly slotsPresent: number;
  readonly slotCount: number;
  readonly forecastWh: number;
  readonly meterWh: number;
  /** Meter less forecast. */
  readonly errorWh: number;
  /** The sum of the errors of the slots without their signs. */
  readonly absoluteErrorWh: number;
};

export function deviationOf(
  forecast: readonly (number | null)[],
  meter: readonly (number | null)[],
): Deviation {
  assert(forecast.length === meter.length, 'both series have the slots of one day');
  let [slotsPresent, forecastWh, meterWh, absoluteErrorWh] = [0, 0, 0, 0];
  for (let at = 0; at < forecast.length; at++) {
    const [expected, measured] = [forecast[at] ?? null, meter[at] ?? null];
    if (expected === null || measured === null) continue;
    slotsPresent++;
    forecastWh += expected;
    meterWh += measured;
    absoluteErrorWh += Math.abs(measured - expected);
  }
  const slotCount = forecast.length;
  return { slotsPresent, slotCount, forecastWh, meterWh, errorWh: meterWh - forecastWh, absoluteErrorWh };
}
