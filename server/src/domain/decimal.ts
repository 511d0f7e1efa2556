/**
 * A decimal number as a whole number of its smallest unit: 58.5 with two decimals is 5850. Null where it has more
 * decimals, or more digits than can be told apart.
 */
export function wholeUnits(value: number, decimals: number): number | null {
  const scale = 10 ** decimals;
  const units = Math.round(value * scale);
  // A single division is rounded correctly, so it gives the number back exactly if that has no further decimals.
  return Number.isSafeInteger(units) && units / scale === value ? units : null;
}

/** '.01' for 1, '.5' for 50, and nothing for 0. */
const CENTS_TEXT = Array.from({ length: 100 }, (_, cents) => String(cents / 100).slice(1));

/** The same text as JSON.stringify(cents / 100), without printing a fraction each time. */
export function centsText(cents: number): string {
  const whole = Math.floor(cents / 100);
  return whole + CENTS_TEXT[cents - whole * 100]!;
}
