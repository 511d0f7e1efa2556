import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  title: 'Nominations of all BRPs',
  emptyText: 'They appear as soon as volumes have come in and been netted.',
  run: 'Net now',
  runAgain: 'Net again',
  runTitle: 'Net all changes',
  runText:
    'Creates new versions where transactions have changed. The platform does the same automatically every few seconds.',
  runDays: 'Delivery days',
  allDays: 'All days',
  positions: 'Position-days netted',
  created: 'New versions',
  unchanged: 'Without a new version',
  tooLate: 'Too late: gates closed',
};

const de: typeof en = {
  title: 'Nominierungen aller BKV',
  emptyText: 'Sie erscheinen, sobald Mengen eingegangen und saldiert sind.',
  run: 'Jetzt saldieren',
  runAgain: 'Noch einmal saldieren',
  runTitle: 'Alle Änderungen saldieren',
  runText:
    'Erzeugt neue Versionen, wo sich Transaktionen geändert haben. Die Plattform tut das alle paar Sekunden automatisch.',
  runDays: 'Liefertage',
  allDays: 'Alle Tage',
  positions: 'Saldierte Bilanzkreis-Tage',
  created: 'Neue Versionen',
  unchanged: 'Ohne neue Version',
  tooLate: 'Zu spät: Fristen abgelaufen',
};

/** Not in the dictionary, which is loaded before the first page: few pages have these texts. */
export const RUN_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
