import { CumulativeRounding } from '../cumulative-rounding.ts';
import { findUnits, parseDecimal } from '../decimal.ts';
import { SLOTS_PER_HOUR } from '../delivery-day.ts';
import { MAX_SLOT_KWH, UNIT_DECIMALS } from '../energy.ts';
import type { Message } from '../messages/message.ts';

/** What a file gives the volume of a slot in: its MWh, or the average power of its quarter-hour. */
export const VOLUME_UNITS = ['volume', 'power_mw', 'power_kw'] as const;
export type VolumeUnit = (typeof VOLUME_UNITS)[number];

/** Why a value is not a volume of a slot. */
export type VolumeFault = 'not_a_number' | 'negative' | 'too_precise' | 'too_large';

/** The power of 1 kWh a slot. */
const W_PER_SLOT_KWH = 1000 * SLOTS_PER_HOUR;

type UnitRule = {
  readonly symbol: string;
  readonly decimals: number;
  /** The largest value, without its decimals: in kWh, or in W. */
  readonly max: number;
};

/** Volumes are read as whole kWh, power as whole W: `volumesFromPower` then makes whole kWh of a day. */
export const VOLUME_RULES: Readonly<Record<VolumeUnit, UnitRule>> = {
  volume: { symbol: 'MWh', decimals: 3, max: MAX_SLOT_KWH },
  power_mw: { symbol: 'MW', decimals: UNIT_DECIMALS.power_mw, max: MAX_SLOT_KWH * W_PER_SLOT_KWH },
  power_kw: { symbol: 'kW', decimals: UNIT_DECIMALS.power_kw, max: MAX_SLOT_KWH * W_PER_SLOT_KWH },
};

/** Whole kWh of a JSON value in MWh, or whole W of a power. */
export function volumeFromJson(value: unknown, unit: VolumeUnit = 'volume'): number | VolumeFault {
  if (typeof value !== 'number') return 'not_a_number';
  if (value < 0) return 'negative';
  const { decimals, max } = VOLUME_RULES[unit];
  const units = findUnits(value, decimals);
  if (units === null) return value > max / 10 ** decimals + 1 ? 'too_large' : 'too_precise';
  return units > max ? 'too_large' : units;
}

/** Whole kWh of decimal text in MWh, or whole W of a power, as in a CSV file. */
export function volumeFromText(text: string, unit: VolumeUnit = 'volume'): number | VolumeFault {
  const { decimals, max } = VOLUME_RULES[unit];
  const units = parseDecimal(text, decimals, max);
  if (units === 'malformed') return 'not_a_number';
  if (text.startsWith('-') && units !== 0) return 'negative';
  return units;
}

/**
 * The volumes of quarter-hours with these powers, in kWh. Their sum since the start of the day is rounded half up, so that
 * the day is within half a kWh of its exact energy. A gap has no volume and leaves the sum as it is.
 */
export function volumesFromPower(powersW: readonly (number | null)[]): (number | null)[] {
  const rounding = new CumulativeRounding(W_PER_SLOT_KWH);
  return powersW.map((powerW) => (powerW === null ? null : rounding.next(powerW)));
}

export function volumeFaultMessage(fault: VolumeFault, unit: VolumeUnit = 'volume'): Message {
  const { symbol, decimals, max } = VOLUME_RULES[unit];
  switch (fault) {
    case 'not_a_number':
      return { key: 'import.not_a_number', unit: symbol };
    case 'negative':
      return { key: 'import.negative' };
    case 'too_precise':
      return { key: 'field.max_decimals', max: decimals };
    case 'too_large':
      return { key: 'import.too_large', max: max / 10 ** decimals, unit: symbol };
  }
}
