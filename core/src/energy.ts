import { assert } from './assert.ts';
import {
  type DecimalFault,
  findUnits,
  formatFixed,
  getUnits,
  numberFromUnits,
  parseDecimal,
} from './decimal.ts';
import { SLOTS_PER_HOUR } from './delivery-day.ts';
import type { ValueUnit } from './enums.ts';
import type { Message } from './messages/message.ts';

/** Energy is stored in whole kWh and power in whole kW; the APIs and files carry MWh and MW with three decimals. */
const MEGA_DECIMALS = 3;

/** A cell of a sheet has 32 bits in SQL. */
export const MAX_SLOT_KWH = 2_147_483_647;

/** Decimals of a value that is a whole number of Wh or W. */
export const UNIT_DECIMALS: Readonly<Record<ValueUnit, number>> = {
  energy_kwh: 3,
  energy_mwh: 6,
  power_kw: 3,
  power_mw: 6,
};

export const isPower = (unit: ValueUnit): boolean => unit === 'power_kw' || unit === 'power_mw';

/** Nine digits of MW: more than any grid has. */
const MAX_POWER_KW = 999_999_999_999;

/** For MWh that were validated before, such as those of an API response. */
export const kwhFromMwh = (mwh: number): number => getUnits(mwh, MEGA_DECIMALS);

/** Null for a number that is not a whole number of kW. */
export const findKw = (mw: number): number | null => findUnits(mw, MEGA_DECIMALS);

export const mwhNumber = (kwh: number): number => numberFromUnits(kwh, MEGA_DECIMALS);

export const mwNumber = (kw: number): number => numberFromUnits(kw, MEGA_DECIMALS);

/** The shortest text, as in JSON: '1.25' */
export const mwhText = (kwh: number): string => String(mwhNumber(kwh));

/** With three decimals, as in files: '1.250' */
export const formatMwh = (kwh: number): `${number}` => formatFixed(kwh, MEGA_DECIMALS);

/** With three decimals, as in schedules: '0.250' */
export function formatMw(kw: number): `${number}` {
  assert(kw >= 0, 'power is not negative');
  return formatFixed(kw, MEGA_DECIMALS);
}

/** Reads the MW of a schedule as kW, or explains what is wrong with the text. */
export function parseMw(text: string): number | { fault: Message } {
  if (text.startsWith('-')) return { fault: { key: 'document.negative_power' } };
  const kw = parseDecimal(text, MEGA_DECIMALS, MAX_POWER_KW);
  if (kw === 'malformed') {
    return { fault: { key: text.includes(',') ? 'document.comma' : 'document.no_mw' } };
  }
  if (kw === 'too_precise') return { fault: { key: 'document.three_decimals' } };
  return kw === 'too_large' ? { fault: { key: 'document.too_large' } } : kw;
}

/** A kW for one slot is a quarter of a kWh, so that its MWh have five decimals. */
const SLOT_KW_DECIMALS = 5;
const UNITS_PER_SLOT_KW = 25;

/** The exact MWh of one slot at a power; unlike a confirmed amount, which is rounded to the kWh. */
export const exactMwh = (kw: number): number => numberFromUnits(kw * UNITS_PER_SLOT_KW, SLOT_KW_DECIMALS);

/** Reads exact MWh of one slot as the kW that deliver them. */
export function parseExactMwh(text: string): number | DecimalFault | 'no_whole_kw' {
  const units = parseDecimal(text, SLOT_KW_DECIMALS, MAX_SLOT_KWH * 10 ** (SLOT_KW_DECIMALS - MEGA_DECIMALS));
  if (typeof units !== 'number') return units;
  return units % UNITS_PER_SLOT_KW === 0 ? units / UNITS_PER_SLOT_KW : 'no_whole_kw';
}
/** The same with five decimals, where amounts are compared to the kW: '1.74975' */
export const formatExactMwh = (kw: number): `${number}` =>
  formatFixed(kw * UNITS_PER_SLOT_KW, SLOT_KW_DECIMALS);

/** With three decimals, or with five where the energy is not a whole number of kWh: '1.750', '1.74975' */
export const formatSlotMwh = (kw: number): `${number}` =>
  kw % SLOTS_PER_HOUR === 0 ? formatMwh(kw / SLOTS_PER_HOUR) : formatExactMwh(kw);

/** The whole kW of an exact amount, such as that of an API response. */
export function kwFromExactMwh(mwh: number): number {
  const kw = getUnits(mwh, SLOT_KW_DECIMALS) / UNITS_PER_SLOT_KW;
  assert(Number.isSafeInteger(kw), `${mwh} MWh are not a whole number of kW`);
  return kw;
}

export const sumKwh = (volumesKwh: readonly number[]): number =>
  volumesKwh.reduce((sum, kwh) => sum + kwh, 0);

/** The power that delivers this energy within one slot; exact, unlike the reverse. */
export function kwFromKwh(kwh: number): number {
  return kwh * SLOTS_PER_HOUR;
}

/** The energy of one slot at the power that a TSO confirmed; half a kWh is rounded up. */
export function kwhFromMatchedKw(kw: number): number {
  assert(Number.isSafeInteger(kw), 'power is a whole number of kW');
  return Math.floor((kw + SLOTS_PER_HOUR / 2) / SLOTS_PER_HOUR);
}
