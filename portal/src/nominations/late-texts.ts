import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  title: 'Late changes',
  text: 'Valid transactions that are no longer nominated, because every gate is past, or because they move energy between control areas in a closed quarter-hour. The difference is settled financially.',
  exportHint: 'All late changes that match the filters, one line per quarter-hour',
  empty: 'No late changes',
  emptyText: 'All valid transactions are nominated.',
  emptyFiltered: 'No late change matches these filters.',
  since: 'since',
  slots: 'Quarter-hours',
  nominated: 'Nominated, MWh',
  transactions: 'Transactions, MWh',
  difference: 'Nominated − transactions, MWh',
};

const de: typeof en = {
  title: 'Späte Änderungen',
  text: 'Gültige Transaktionen, die nicht mehr nominiert werden, weil alle Fristen abgelaufen sind oder weil sie in einer geschlossenen Viertelstunde Energie zwischen Regelzonen verschieben. Die Differenz wird finanziell ausgeglichen.',
  exportHint: 'Alle späten Änderungen, die zu den Filtern passen, eine Zeile je Viertelstunde',
  empty: 'Keine späten Änderungen',
  emptyText: 'Alle gültigen Transaktionen sind nominiert.',
  emptyFiltered: 'Keine späte Änderung passt zu diesen Filtern.',
  since: 'seit',
  slots: 'Viertelstunden',
  nominated: 'Nominiert, MWh',
  transactions: 'Transaktionen, MWh',
  difference: 'Nominiert − Transaktionen, MWh',
};

/** Not in the dictionary, which is loaded before the first page: only the page of late changes has the texts. */
export const LATE_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
