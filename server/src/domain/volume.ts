import { MAX_SLOT_KWH, parseMwh } from './energy.ts';

/** Why something is not a volume of a slot. */
export type VolumeFault = 'not_a_number' | 'negative' | 'too_precise' | 'too_large';

const MAX_SLOT_MWH = MAX_SLOT_KWH / 1000;

/**
 * A JSON number as whole kWh. Dividing back is correctly rounded, so it gives the number again exactly when its
 * shortest decimal text has at most three decimals: the same answer as reading that text, without printing it.
 */
export function volumeOf(value: unknown): number | VolumeFault {
  if (typeof value !== 'number') return 'not_a_number';
  if (value < 0) return 'negative';
  if (value > MAX_SLOT_MWH + 1) return 'too_large';
  const kwh = Math.round(value * 1000);
  if (kwh / 1000 !== value) return 'too_precise';
  // As a 32-bit integer there is one zero only, and it is stored and printed faster than a fraction would be.
  return kwh > MAX_SLOT_KWH ? 'too_large' : kwh | 0;
}

/** The same for decimal text, as it stands in a CSV file. */
export function volumeOfText(text: string): number | VolumeFault {
  const kwh = parseMwh(text);
  if (kwh === 'malformed') return 'not_a_number';
  if (text.startsWith('-') && kwh !== 0) return 'negative';
  return kwh;
}

const MESSAGES: Record<VolumeFault, string> = {
  not_a_number: 'must be a number of MWh such as 1.25',
  negative: 'must not be negative',
  too_precise: 'must have at most 3 decimals',
  too_large: `must be at most ${MAX_SLOT_MWH} MWh`,
};

export const volumeFaultMessage = (fault: VolumeFault): string => MESSAGES[fault];
