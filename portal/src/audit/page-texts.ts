import type { Language } from '@saldo/core/messages/language.ts';
import type { FoundRecord, SearchedRecords } from './records.ts';

type AuditPageTexts = {
  readonly text: string;
  readonly from: string;
  readonly to: string;
  readonly empty: string;
  readonly emptyText: string;
  readonly kinds: Readonly<Record<FoundRecord['kind'], string>>;
  readonly hints: Readonly<Record<SearchedRecords, string>>;
  /** Searches for an id or the name of a job as it is typed. */
  readonly exactly: (typed: string) => string;
  readonly remove: string;
};

const en: AuditPageTexts = {
  text: 'All changes with their author and the values before and after. Entries cannot be changed.',
  from: 'From day',
  to: 'To day',
  empty: 'No entries',
  emptyText: 'Nothing matches these filters.',
  kinds: {
    user: 'User',
    key: 'API key',
    brp: 'BRP',
    group: 'Balance group',
    customer: 'Customer',
    contract: 'Contract',
    asset: 'Plant',
  },
  hints: { actor: 'User or key', subject: 'Name, number or EIC' },
  exactly: (typed) => `Exactly “${typed}”`,
  remove: 'Remove the filter:',
};

const de: AuditPageTexts = {
  text: 'Alle Änderungen mit Urheber und den Werten vorher und nachher. Einträge sind unveränderlich.',
  from: 'Von Tag',
  to: 'Bis Tag',
  empty: 'Keine Einträge',
  emptyText: 'Nichts passt zu diesen Filtern.',
  kinds: {
    user: 'Benutzer',
    key: 'API-Schlüssel',
    brp: 'BKV',
    group: 'Bilanzkreis',
    customer: 'Kunde',
    contract: 'Vertrag',
    asset: 'Anlage',
  },
  hints: { actor: 'Benutzer oder Schlüssel', subject: 'Name, Nummer oder EIC' },
  exactly: (typed) => `Genau „${typed}“`,
  remove: 'Filter entfernen:',
};

/** The texts of the page itself. Those of its entries are also on the first page. */
export const AUDIT_PAGE_TEXTS: Readonly<Record<Language, AuditPageTexts>> = { en, de };
