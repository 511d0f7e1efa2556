import { kwFromKwh } from '@saldo/core/energy.ts';
import { niceStep } from './scale.ts';

/** Shades of a heat map on each side of zero. */
export const LEVELS = 6;
const OPACITIES = ['0', '0.22', '0.38', '0.54', '0.7', '0.85', '1'];
export const opacityOf = (level: number) => OPACITIES[level];

/** The values of a heat map that set its scale: kWh per quarter-hour. */
type Values = readonly (number | null)[];

export type Scale = {
  /** The power of one shade, a round number. */
  readonly stepKw: number;
  readonly hasAbove: boolean;
  readonly hasBelow: boolean;
};

export function scaleOf(rows: readonly { readonly values: Values }[]): Scale {
  let largestKwh = 1;
  let hasAbove = false;
  let hasBelow = false;
  for (const { values } of rows) {
    for (const kwh of values) {
      if (kwh === null || kwh === 0) continue;
      largestKwh = Math.max(largestKwh, Math.abs(kwh));
      if (kwh > 0) hasAbove = true;
      else hasBelow = true;
    }
  }
  return { stepKw: niceStep(kwFromKwh(largestKwh) / LEVELS), hasAbove, hasBelow };
}

/** The shade of a value other than zero, from 1. A value on the limit of two shades has the lighter one. */
export const levelOf = (kwh: number, { stepKw }: Scale): number =>
  Math.min(LEVELS, Math.max(1, Math.ceil(kwFromKwh(Math.abs(kwh)) / stepKw - 1e-9)));
