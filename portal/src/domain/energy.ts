import { SLOTS_PER_HOUR } from '../../../server/src/domain/delivery-day.ts';

/** Energy is counted in whole kWh; the wire's MWh have at most three decimals, so nothing is lost and no sum is rounded. */
export const kwhOf = (mwh: number): number => Math.round(mwh * 1000);

/** The power that delivers this energy within a quarter-hour, in whole kW. */
export const kwOfKwh = (kwh: number): number => kwh * SLOTS_PER_HOUR;

export function sumKwh(volumesKwh: readonly number[]): number {
  return volumesKwh.reduce((sum, kwh) => sum + kwh, 0);
}

/** Thousandths as decimal text, exact and in no language: 1234567 is `1234.567`. What files carry. */
export function decimalOf(thousandths: number): `${number}` {
  const digits = String(Math.abs(thousandths)).padStart(4, '0');
  const text = `${digits.slice(0, -3)}.${digits.slice(-3)}`;
  return (thousandths < 0 ? `-${text}` : text) as `${number}`;
}
