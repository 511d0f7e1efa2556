import type { Sentences } from './language.ts';

/** Why an event was not delivered. They are stored, so a key and its parameters keep their names. */
export const WEBHOOKS = {
  'webhook.not_public': {
    en: 'The host has no public address.',
    de: 'Der Host hat keine öffentliche Adresse.',
  },
  'webhook.unresolved': {
    en: 'The host cannot be resolved: {code}.',
    de: 'Der Host lässt sich nicht auflösen: {code}.',
  },
  'webhook.failed': {
    en: 'The connection failed: {code}.',
    de: 'Die Verbindung ist fehlgeschlagen: {code}.',
  },
  'webhook.tls': { en: 'TLS failed: {reason} ({code}).', de: 'TLS ist fehlgeschlagen: {reason} ({code}).' },
  'webhook.timeout': {
    en: 'No answer within {seconds} s.',
    de: 'Keine Antwort innerhalb von {seconds|number} s.',
  },
  'webhook.redirect': {
    en: 'Status {status}: redirects are not followed.',
    de: 'Status {status}: Weiterleitungen wird nicht gefolgt.',
  },
  'webhook.status': { en: 'Status {status}.', de: 'Der Empfänger hat mit Status {status} geantwortet.' },
  'webhook.expired': {
    en: 'The event is no longer kept.',
    de: 'Das Ereignis wird nicht mehr aufbewahrt.',
  },
  'webhook.unsigned': {
    en: 'The platform cannot read the secret of this endpoint at the moment. Please contact its operator.',
    de: 'Die Plattform kann das Geheimnis dieses Endpunkts derzeit nicht lesen. Bitte wenden Sie sich an ihren Betreiber.',
  },
} as const satisfies Sentences;
