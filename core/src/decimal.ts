import { assert } from './assert.ts';

/** Why text is not a whole number of units. */
export type DecimalFault = 'malformed' | 'too_precise' | 'too_large';

const MINUS = 45;
const POINT = 46;
const ZERO = 48;

/**
 * Reads decimal text such as '-12.5' as whole units: with three decimals, -12500. Goes digit by digit, without binary
 * fractions. Zeros after the last decimal are accepted: JSON cannot tell 1.2500 from 1.25, so other formats do not
 * either.
 */
export function parseDecimal(
  text: string,
  decimals: number,
  max: number = Number.MAX_SAFE_INTEGER,
): number | DecimalFault {
  const firstDigit = text.charCodeAt(0) === MINUS ? 1 : 0;
  let pointAt = text.length;
  let decimalsRead = 0;
  let units = 0;
  let isTooPrecise = false;
  for (let at = firstDigit; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === POINT && pointAt === text.length && at > firstDigit) {
      pointAt = at;
      continue;
    }
    const digit = code - ZERO;
    if (!(digit >= 0 && digit <= 9)) return 'malformed';
    if (at > pointAt && decimalsRead === decimals) {
      isTooPrecise ||= digit > 0;
      continue;
    }
    units = units * 10 + digit;
    if (at > pointAt) decimalsRead++;
  }
  if (text.length === firstDigit || pointAt === text.length - 1) return 'malformed';
  if (isTooPrecise) return 'too_precise';
  units *= 10 ** (decimals - decimalsRead);
  if (units > max) return 'too_large';
  return firstDigit === 1 && units > 0 ? -units : units;
}

/**
 * Whole units of a JSON number: 58.5 with two decimals is 5850. Null for a number with more decimals or beyond 2^53
 * units. The rounded product is only a candidate; a single division is rounded correctly, so it returns the number
 * exactly if that has no further decimals.
 */
export function findUnits(value: number, decimals: number): number | null {
  const scale = 10 ** decimals;
  const units = Math.round(value * scale);
  // Adding 0 turns -0 into 0.
  return Number.isSafeInteger(units) && units / scale === value ? units + 0 : null;
}

/** For numbers that were validated before. */
export function getUnits(value: number, decimals: number): number {
  const units = findUnits(value, decimals);
  assert(units !== null, `${value} has more than ${decimals} decimals`);
  return units;
}

/** The number that JSON carries. Up to 10^15 units its shortest text is exact. */
export function numberFromUnits(units: number, decimals: number): number {
  assert(Number.isSafeInteger(units), `${units} is not a whole number of units`);
  return units / 10 ** decimals;
}

/** Decimal text with all of its decimals: 250 with three decimals is '0.250'. */
export function formatFixed(units: number, decimals: number): `${number}` {
  assert(Number.isSafeInteger(units), `${units} is not a whole number of units`);
  const digits = String(Math.abs(units)).padStart(decimals + 1, '0');
  const pointAt = digits.length - decimals;
  return `${units < 0 ? '-' : ''}${digits.slice(0, pointAt)}.${digits.slice(pointAt)}` as `${number}`;
}
