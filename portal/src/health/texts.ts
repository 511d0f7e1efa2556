import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  title: 'Health of the platform',
  good: 'running',
  bad: 'needs attention',
  late: 'Changed volumes have been waiting for minutes to be netted. Please look at the server’s log.',
  moved: 'The clock of this platform has been moved: it is a sandbox.',
  waiting: 'Position-days waiting to be netted',
  since: 'since',
  running: 'Runs for',
  database: 'Database',
  answered: 'Answers within',
  size: 'Size on disk',
  schema: 'Schema',
};

const de: typeof en = {
  title: 'Zustand der Plattform',
  good: 'läuft',
  bad: 'braucht Aufmerksamkeit',
  late: 'Geänderte Mengen warten seit Minuten auf die Saldierung. Bitte das Protokoll des Servers ansehen.',
  moved: 'Die Uhr dieser Plattform wurde verstellt: Sie ist eine Testumgebung.',
  waiting: 'Bilanzkreis-Tage vor der Saldierung',
  since: 'seit',
  running: 'Laufzeit',
  database: 'Datenbank',
  answered: 'Antwortet in',
  size: 'Größe auf der Platte',
  schema: 'Schema',
};

/** Not in the dictionary, which is loaded before the first page: few pages have these texts. */
export const HEALTH_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
