import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  button: 'Export…',
  hint: 'Download whole days as CSV, NDJSON or Parquet',
  title: 'Export whole days',
  text: 'One file with all versions, in the form of the API: energy in MWh, times in UTC.',
  subject: 'Data',
  subjects: { transactions: 'Transactions', nominations: 'Nominations' },
  format: 'Format',
  formats: { german_csv: 'CSV for German Excel', csv: 'CSV', ndjson: 'NDJSON', parquet: 'Parquet' },
  formatHints: {
    german_csv: 'A row per quarter-hour, with semicolon and decimal comma.',
    csv: 'A row per quarter-hour, with comma and decimal point.',
    ndjson: 'A record of the API per line.',
    parquet: 'A row per quarter-hour, for data tools; the smallest file.',
  },
  first: 'First delivery day',
  last: 'Last delivery day',
  backwards: 'The last day must not come before the first.',
  start: 'Download',
  received: (size: string) => `${size} received…`,
  done: (size: string) => `Export complete: ${size}`,
};

const de: typeof en = {
  button: 'Exportieren…',
  hint: 'Ganze Tage als CSV, NDJSON oder Parquet herunterladen',
  title: 'Ganze Tage exportieren',
  text: 'Eine Datei mit allen Versionen in der Form der API: Energie in MWh, Zeiten in UTC.',
  subject: 'Daten',
  subjects: { transactions: 'Transaktionen', nominations: 'Nominierungen' },
  format: 'Format',
  formats: { german_csv: 'CSV für Excel', csv: 'CSV', ndjson: 'NDJSON', parquet: 'Parquet' },
  formatHints: {
    german_csv: 'Eine Zeile je Viertelstunde, mit Semikolon und Dezimalkomma.',
    csv: 'Eine Zeile je Viertelstunde, mit Komma und Dezimalpunkt.',
    ndjson: 'Je Zeile ein Datensatz der API.',
    parquet: 'Eine Zeile je Viertelstunde, für Datenwerkzeuge; die kleinste Datei.',
  },
  first: 'Erster Liefertag',
  last: 'Letzter Liefertag',
  backwards: 'Der letzte Tag darf nicht vor dem ersten liegen.',
  start: 'Herunterladen',
  received: (size) => `${size} empfangen…`,
  done: (size) => `Export vollständig: ${size}`,
};

/** Not in the dictionary, which is loaded before the first page: few pages have these texts. */
export const EXPORT_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
