import { assert } from '../assert.ts';

const MALO_FORM = /^\d{11}$/;
const MELO_FORM = /^DE[0-9A-Z]{31}$/;
const MALO_BODY_LENGTH = 10;

export type MarketLocationFault =
  | { readonly key: 'series.location_form' }
  | { readonly key: 'series.location_check_digit'; readonly expected: string };

/**
 * Null for a valid identification: a MaLo (11 digits, where energy is bought or sold) or a MeLo (33 characters, where it
 * is metered). Only a MaLo has a check digit.
 */
export function checkMarketLocation(text: string): MarketLocationFault | null {
  if (MELO_FORM.test(text)) return null;
  if (!MALO_FORM.test(text)) return { key: 'series.location_form' };
  const expected = maloCheckDigit(text.slice(0, MALO_BODY_LENGTH));
  return text.endsWith(expected) ? null : { key: 'series.location_check_digit', expected };
}

/** The eleventh digit for the first ten: digits at even positions count twice, the sum rises to a multiple of ten. */
export function maloCheckDigit(first10: string): string {
  assert(first10.length === MALO_BODY_LENGTH, 'a check digit belongs to ten digits');
  let sum = 0;
  for (let at = 0; at < MALO_BODY_LENGTH; at++) {
    sum += Number(first10.charAt(at)) * (at % 2 === 0 ? 1 : 2);
  }
  return String((10 - (sum % 10)) % 10);
}
