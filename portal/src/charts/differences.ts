import type { Language } from '@saldo/core/messages/language.ts';
import type { Format } from '../i18n/format.ts';

export type DifferenceTotals = {
  /** How many quarter-hours differ. */
  readonly count: number;
  readonly sumKw: number;
  /** Of the absolute values. */
  readonly largestKw: number;
};

/** Null means that one of both sides is not known, which is not a difference. */
export function totalDifference(differencesKw: readonly (number | null)[]): DifferenceTotals {
  const differing = differencesKw.filter((kw): kw is number => kw !== null && kw !== 0);
  return {
    count: differing.length,
    sumKw: differing.reduce((sum, kw) => sum + kw, 0),
    largestKw: Math.max(0, ...differing.map(Math.abs)),
  };
}

const TEXTS: Readonly<Record<Language, { slots: (count: number) => string; atMost: string }>> = {
  en: { slots: (count) => (count === 1 ? '1 quarter-hour' : `${count} quarter-hours`), atMost: 'at most' },
  de: {
    slots: (count) => (count === 1 ? '1 Viertelstunde' : `${count} Viertelstunden`),
    atMost: 'höchstens',
  },
};

/** The size of a mismatch in one line: `96 quarter-hours, Σ +0.960 MWh, at most 0.040 MW`. */
export function differenceText(differencesKw: readonly (number | null)[], format: Format): string {
  const { count, sumKw, largestKw } = totalDifference(differencesKw);
  const { slots, atMost } = TEXTS[format.language];
  return `${slots(count)}, Σ ${format.slotMwhSigned(sumKw)} MWh, ${atMost} ${format.power(largestKw)} MW`;
}
