import { findKwh, MAX_SLOT_KWH, mwhNumber, parseMwh } from '../energy.ts';
import type { Message } from '../messages/message.ts';

/** Why a value is not a volume of a slot. */
export type VolumeFault = 'not_a_number' | 'negative' | 'too_precise' | 'too_large';

const MAX_SLOT_MWH = mwhNumber(MAX_SLOT_KWH);

/** Whole kWh of a JSON value in MWh. */
export function volumeFromJson(value: unknown): number | VolumeFault {
  if (typeof value !== 'number') return 'not_a_number';
  if (value < 0) return 'negative';
  const kwh = findKwh(value);
  if (kwh === null) return value > MAX_SLOT_MWH + 1 ? 'too_large' : 'too_precise';
  return kwh > MAX_SLOT_KWH ? 'too_large' : kwh;
}

/** Whole kWh of decimal text in MWh, as in a CSV file. */
export function volumeFromText(text: string): number | VolumeFault {
  const kwh = parseMwh(text);
  if (kwh === 'malformed') return 'not_a_number';
  if (text.startsWith('-') && kwh !== 0) return 'negative';
  return kwh;
}

const MESSAGES: Readonly<Record<VolumeFault, Message>> = {
  not_a_number: { key: 'import.not_a_number' },
  negative: { key: 'import.negative' },
  too_precise: { key: 'field.max_decimals', max: 3 },
  too_large: { key: 'import.too_large', max: MAX_SLOT_MWH },
};

export const volumeFaultMessage = (fault: VolumeFault): Message => MESSAGES[fault];
