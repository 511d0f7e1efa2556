import type { Language } from '@saldo/core/messages/language.ts';
import { useI18n } from '../i18n/i18n.tsx';

/** Loaded with the pages that show requests, not with the first page. */
const en = {
  text: 'The requests of your keys, and of your users in the portal. A request appears here a few seconds after its answer.',
  id: 'Request id',
  caller: 'Key or user',
  statusClass: 'Answer',
  statusClasses: {
    '2xx': '2xx, successful',
    '3xx': '3xx, unchanged',
    '4xx': '4xx, rejected',
    '5xx': '5xx, failed',
  },
  method: 'Method',
  route: 'Operation',
  from: 'From',
  to: 'To',
  at: 'Answered',
  request: 'Request',
  status: 'Status',
  duration: 'Duration',
  empty: 'No requests',
  emptyText: 'No request matches the filters, or those that did are no longer kept.',
  path: 'Path',
  problem: 'Problem',
  address: 'Address',
  userAgent: 'Program',
  noRoute: 'The path does not exist',
  copyAll: 'Copy for support',
  sameCaller: 'Requests of the same key or user',
  sameRoute: 'Requests of the same operation',
};
type RequestTexts = typeof en;

const de: RequestTexts = {
  text: 'Die Anfragen Ihrer Schlüssel und Ihrer Benutzer im Portal. Eine Anfrage erscheint hier wenige Sekunden nach ihrer Antwort.',
  id: 'Anfrage-ID',
  caller: 'Schlüssel oder Benutzer',
  statusClass: 'Antwort',
  statusClasses: {
    '2xx': '2xx, erfolgreich',
    '3xx': '3xx, unverändert',
    '4xx': '4xx, abgelehnt',
    '5xx': '5xx, fehlgeschlagen',
  },
  method: 'Methode',
  route: 'Operation',
  from: 'Von',
  to: 'Bis',
  at: 'Beantwortet',
  request: 'Anfrage',
  status: 'Status',
  duration: 'Dauer',
  empty: 'Keine Anfragen',
  emptyText: 'Keine Anfrage passt zu den Filtern, oder sie wird nicht mehr aufbewahrt.',
  path: 'Pfad',
  problem: 'Fehler',
  address: 'Adresse',
  userAgent: 'Programm',
  noRoute: 'Diesen Pfad gibt es nicht',
  copyAll: 'Für den Support kopieren',
  sameCaller: 'Anfragen desselben Schlüssels oder Benutzers',
  sameRoute: 'Anfragen derselben Operation',
};

const REQUEST_TEXTS: Readonly<Record<Language, RequestTexts>> = { en, de };

export const useRequestTexts = (): RequestTexts => REQUEST_TEXTS[useI18n().language];
