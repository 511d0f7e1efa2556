import { assert } from './assert.ts';
import { type ByteText, FRACTION_TEXTS } from './byte-text.ts';
import { SLOTS_PER_HOUR } from './delivery-day.ts';

/** In SQL a cell is an int. */
export const MAX_SLOT_KWH = 2_147_483_647;

const KWH_PER_MWH = 1000;
const MWH_DECIMALS = 3;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;

/**
 * Reads decimal MWh digit by digit, so no binary fraction ever stands between the text and the integer. Zeros
 * after the third decimal are harmless: JSON cannot tell 1.2500 from 1.25, and CSV should not either.
 */
export function parseMwh(text: string): number | 'malformed' | 'too_precise' | 'too_large' {
  const firstDigit = text.charCodeAt(0) === MINUS ? 1 : 0;
  let pointAt = text.length;
  let decimals = 0;
  let kwh = 0;
  let tooPrecise = false;
  for (let at = firstDigit; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === POINT && pointAt === text.length && at > firstDigit) {
      pointAt = at;
      continue;
    }
    const digit = code - ZERO;
    if (!(digit >= 0 && digit <= 9)) return 'malformed';
    if (decimals === MWH_DECIMALS) {
      tooPrecise ||= digit > 0;
      continue;
    }
    kwh = kwh * 10 + digit;
    if (at > pointAt) decimals++;
  }
  if (text.length === firstDigit || pointAt === text.length - 1) return 'malformed';
  if (tooPrecise) return 'too_precise';
  kwh *= 10 ** (MWH_DECIMALS - decimals);
  if (kwh > MAX_SLOT_KWH) return 'too_large';
  return firstDigit === 1 && kwh > 0 ? -kwh : kwh;
}

/**
 * A JSON number is what its shortest decimal text says. That text has an exponent only below 1e-6 and from
 * 1e21 on, where no volume can be, so `1e-3` in a body arrives here as '0.001' and every remaining exponent
 * is rightly refused.
 */
export function kwhFromMwh(value: number): number | null {
  const kwh = parseMwh(String(value));
  return typeof kwh === 'number' ? kwh : null;
}

/** Power has its thousandths just as energy has: whole kW, or null where a number of MW is not that. */
export const kwFromMw = (valueMw: number): number | null => kwhFromMwh(valueMw);

/** A single, correctly rounded division: up to 10^15 kWh the shortest text of the result is exact. */
export function mwhNumber(kwh: number): number {
  assert(Number.isSafeInteger(kwh), 'energy is a whole number of kWh');
  return kwh / KWH_PER_MWH;
}

/** The same text as JSON.stringify(mwhNumber(kwh)), without printing a fraction each time. */
export function mwhText(kwh: number): string {
  assert(Number.isSafeInteger(kwh), 'energy is a whole number of kWh');
  if (kwh < 0) return `-${mwhText(-kwh)}`;
  const mwh = Math.floor(kwh / KWH_PER_MWH);
  return mwh + FRACTION_TEXTS[kwh - mwh * KWH_PER_MWH]!;
}

/** The same text as bytes. */
export function writeMwh(text: ByteText, kwh: number): void {
  assert(Number.isSafeInteger(kwh), 'energy is a whole number of kWh');
  text.thousandths(kwh);
}

/** The power that delivers this energy within one slot; exact, unlike the way back. */
export function kwFromKwh(kwh: number): number {
  return kwh * SLOTS_PER_HOUR;
}

/** What a TSO confirmed in kW, as the energy of one quarter-hour; half a kWh counts as a whole one. */
export function kwhFromMatchedKw(kw: number): number {
  assert(Number.isSafeInteger(kw), 'power is a whole number of kW');
  return Math.floor((kw + SLOTS_PER_HOUR / 2) / SLOTS_PER_HOUR);
}
