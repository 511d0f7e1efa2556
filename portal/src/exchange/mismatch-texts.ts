import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  title: 'Mismatches',
  text: 'Nominations that the TSO did not fully confirm or, before its decision, that differ from the counterpart’s.',
  days: 'By day',
  daysLabel: (first: string, last: string) => `Deviations from ${first} to ${last} by day and quarter-hour`,
  daysHelp: 'Arrow keys move over days and quarter-hours, Enter shows the day below.',
  positions: (day: string) => `Balance groups on ${day}`,
  positionsLabel: (day: string) => `Differences on ${day} by balance group and quarter-hour`,
  positionsHelp: 'Arrow keys move over balance groups and quarter-hours, Enter opens the nomination.',
  more: 'nominated more than confirmed',
  less: 'nominated less than confirmed',
  deviation: 'deviation',
  none: 'no difference',
  noneOnDay: 'Everything matches on this day',
  noneOnDayText: 'Or there are no answers yet: open nominations are not mismatches.',
  selected: 'Selected quarter-hour',
  ours: 'Nominated',
  tso: 'Confirmed by the TSO',
  counterpart: 'Counterpart',
  difference: 'Nominated − confirmed',
  unknownAmount: 'unknown',
  open: 'Open the nomination',
  list: 'Nominations that do not match',
  slots: 'Quarter-hours',
  undecided: 'TSO has not decided',
};

const de: typeof en = {
  title: 'Abweichungen',
  text: 'Wo ein ÜNB nicht bestätigt hat, was nominiert war, oder, solange er nicht entschieden hat, wo die Gegenseite etwas anderes sagt.',
  days: 'Nach Tagen',
  daysLabel: (first, last) => `Abweichungen von ${first} bis ${last} nach Tag und Viertelstunde`,
  daysHelp: 'Pfeiltasten gehen über Tage und Viertelstunden, die Eingabetaste zeigt den Tag darunter.',
  positions: (day) => `Bilanzkreise am ${day}`,
  positionsLabel: (day) => `Differenzen am ${day} nach Bilanzkreis und Viertelstunde`,
  positionsHelp:
    'Pfeiltasten gehen über Bilanzkreise und Viertelstunden, die Eingabetaste öffnet die Nominierung.',
  more: 'mehr nominiert als bestätigt',
  less: 'weniger nominiert als bestätigt',
  deviation: 'Abweichung',
  none: 'keine Differenz',
  noneOnDay: 'An diesem Tag stimmt alles überein',
  noneOnDayText: 'Oder es ist noch nichts beantwortet: Offene Nominierungen sind keine Abweichungen.',
  selected: 'Gewählte Viertelstunde',
  ours: 'Nominiert',
  tso: 'Vom ÜNB bestätigt',
  counterpart: 'Gegenseite',
  difference: 'Nominiert − bestätigt',
  unknownAmount: 'nicht bekannt',
  open: 'Nominierung öffnen',
  list: 'Nominierungen, die nicht übereinstimmen',
  slots: 'Viertelstunden',
  undecided: 'ÜNB hat nicht entschieden',
};

/** Not in the dictionary, which is loaded before the first page: only the page of mismatches has the texts. */
export const MISMATCH_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
