import type { Scope } from '@saldo/api';
import type { Language } from '@saldo/core/messages/language.ts';

const en: Readonly<Record<Scope, string>> = {
  'contracts:read': 'Read contracts',
  'transactions:read': 'Read transactions',
  'nominations:read': 'Read nominations',
  'schedules:write': 'Record steps of your own schedules',
  'customers:read': 'Read customers',
  'customers:write': 'Change customers',
  'balance_groups:read': 'Read balance groups',
  'balance_groups:write': 'Change balance group settings',
  'events:read': 'Read events',
  'webhooks:write': 'Manage webhook endpoints',
  'requests:read': 'Read the request log',
  read: 'Read everything',
  'parties:write': 'Change BRPs, balance groups, accounts and customers',
  'market:write': 'Change plants, offers and demands',
  'contracts:write': 'Change contracts and their sources',
  'series:write': 'Deliver forecasts and meter values',
  'volumes:write': 'Deliver volumes',
  'exchange:write': 'Nominate, exchange with TSOs, acknowledge alarms',
  'platform:write': 'Set the clock of a sandbox',
  'users:write': 'Manage users',
  'keys:write': 'Manage API keys',
};

const de: typeof en = {
  'contracts:read': 'Verträge lesen',
  'transactions:read': 'Transaktionen lesen',
  'nominations:read': 'Nominierungen lesen',
  'schedules:write': 'Schritte der eigenen Fahrpläne festhalten',
  'customers:read': 'Kunden lesen',
  'customers:write': 'Kunden ändern',
  'balance_groups:read': 'Bilanzkreise lesen',
  'balance_groups:write': 'Bilanzkreis-Einstellungen ändern',
  'events:read': 'Ereignisse lesen',
  'webhooks:write': 'Webhook-Endpunkte verwalten',
  'requests:read': 'Anfrageprotokoll lesen',
  read: 'Alles lesen',
  'parties:write': 'BKV, Bilanzkreise, Kontoinhaber und Kunden ändern',
  'market:write': 'Anlagen, Angebote und Gesuche ändern',
  'contracts:write': 'Verträge und ihre Quellen ändern',
  'series:write': 'Prognosen und Messwerte liefern',
  'volumes:write': 'Mengen liefern',
  'exchange:write': 'Nominieren, mit ÜNB austauschen, Alarme quittieren',
  'platform:write': 'Uhr einer Sandbox stellen',
  'users:write': 'Benutzer verwalten',
  'keys:write': 'API-Schlüssel verwalten',
};

/** Not in the dictionary, which is loaded before the first page: one dialog has these texts. */
export const SCOPE_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
