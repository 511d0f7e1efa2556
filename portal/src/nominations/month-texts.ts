import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  title: 'Month',
  text: 'Every quarter-hour of the month: how much is nominated, in which direction, and where it does not match.',
  legendOut: 'delivers',
  legendIn: 'receives',
  legendMismatch: 'does not match',
  legendNone: 'nothing nominated',
  heatMapLabel: (month: string) => `Net position in ${month} by day and quarter-hour`,
  help: 'Arrow keys move over days and quarter-hours, Enter opens the day.',
  openDay: 'Open the day',
  empty: 'No nominations in this month',
  emptyText: 'Choose another month or another balance group.',
  net: 'Net position',
  mismatchedSlots: 'Mismatches',
  dayTotals: 'Days',
};

const de: typeof en = {
  title: 'Monat',
  text: 'Jede Viertelstunde des Monats: wie viel nominiert ist, in welche Richtung, und wo es nicht übereinstimmt.',
  legendOut: 'liefert',
  legendIn: 'bezieht',
  legendMismatch: 'stimmt nicht überein',
  legendNone: 'nichts nominiert',
  heatMapLabel: (month) => `Saldo im ${month} nach Tag und Viertelstunde`,
  help: 'Pfeiltasten wechseln Tag und Viertelstunde, Eingabe öffnet den Tag.',
  openDay: 'Tag öffnen',
  empty: 'Keine Nominierungen in diesem Monat',
  emptyText: 'Wählen Sie einen anderen Monat oder einen anderen Bilanzkreis.',
  net: 'Saldo',
  mismatchedSlots: 'Abweichungen',
  dayTotals: 'Tage',
};

/** Not in the dictionary, which is loaded before the first page: few pages have these texts. */
export const MONTH_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
