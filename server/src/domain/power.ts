import { assert } from './assert.ts';

const KW_PER_MW = 1000;
const DECIMALS = 3;
/** Whole MW with up to nine digits: beyond any grid, and exact in kW. */
const FORM = /^(\d{1,9})(?:\.(\d+))?$/;

/** Schedules carry MW with all three decimals: '0.250'. */
export function powerText(powerKw: number): string {
  assert(Number.isSafeInteger(powerKw) && powerKw >= 0, 'power is a whole number of kW, not below zero');
  const mw = Math.floor(powerKw / KW_PER_MW);
  return `${mw}.${String(powerKw - mw * KW_PER_MW).padStart(DECIMALS, '0')}`;
}

/** The kW that a text of MW says, read digit by digit; else what is wrong with it. */
export function parsePower(text: string): number | { fault: string } {
  const parts = FORM.exec(text);
  if (parts === null) return { fault: formFault(text) };
  const [, whole = '', fraction = ''] = parts;
  if (fraction.length > DECIMALS) return { fault: `has ${fraction.length} decimals, three are allowed` };
  return Number(whole) * KW_PER_MW + Number(fraction.padEnd(DECIMALS, '0'));
}

function formFault(text: string): string {
  if (text.startsWith('-')) return 'is negative, power never is';
  if (text.includes(',')) return 'has a comma, decimals stand behind a point';
  if (/^\d{10,}(\.\d+)?$/.test(text)) return 'is too large';
  return 'is not a decimal number of MW';
}
