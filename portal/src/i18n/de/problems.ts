import type { FieldCode, ProblemCode } from '@saldo/api';
import { loadPart } from '../../session/connection.ts';
import type { Dictionary } from '../dictionary.ts';
import { loadedTranslator } from '../server-texts.ts';

/** The German of a text of the server; null if there is none, or not yet. */
const translate = loadedTranslator(async () => (await loadPart(() => import('./server-texts.ts'))).translate);

/** Shown for messages without German. */
const FIELD_CODES: Readonly<Record<FieldCode, string>> = {
  unknown_field: 'Unbekannte Angabe',
  read_only_field: 'Nicht änderbar',
  required: 'Pflichtangabe',
  invalid_type: 'Falsche Art von Wert',
  invalid_enum_value: 'Kein erlaubter Wert',
  invalid_format: 'Falsches Format',
  invalid_literal: 'Kein erlaubter Wert',
  value_too_small: 'Zu klein oder zu kurz',
  value_too_large: 'Zu groß oder zu lang',
  validation_failed: 'Nicht zulässig',
};

/** The problems that are explained in the server's own words in English. */
const OTHER_CODES: Readonly<Record<Exclude<ProblemCode, keyof Dictionary['problems']['codes']>, string>> = {
  validation: 'Eine Angabe ist ungültig. Nichts wurde geändert.',
  unreadable_message:
    'Das Dokument lässt sich nicht als Antwort eines ÜNB verwenden. Es ist mit dem Grund gespeichert.',
  invalid_api_key: 'Der API-Schlüssel fehlt oder ist ungültig.',
  insufficient_scopes: 'Dem API-Schlüssel fehlt eine Berechtigung.',
  foreign_origin:
    'Änderungen sind nur auf den Seiten des Portals selbst möglich. Bitte laden Sie die Seite neu.',
  not_found: 'Das gibt es nicht.',
  contract_not_found: 'Diesen Vertrag gibt es nicht.',
  transaction_not_found: 'Diese Transaktion gibt es nicht.',
  nomination_not_found: 'Diese Nominierung gibt es nicht.',
  brp_not_found: 'Diesen Bilanzkreisverantwortlichen gibt es nicht.',
  balance_group_not_found: 'Diesen Bilanzkreis gibt es nicht.',
  api_key_not_found: 'Diesen API-Schlüssel gibt es nicht.',
  user_not_found: 'Diesen Benutzer gibt es nicht.',
  asset_not_found: 'Diese Anlage gibt es nicht.',
  demand_not_found: 'Dieses Gesuch gibt es nicht.',
  message_not_found: 'Diese Nachricht gibt es nicht.',
  alarm_not_found: 'Diesen Alarm gibt es nicht.',
  webhook_endpoint_not_found: 'Diesen Webhook-Endpunkt gibt es nicht.',
  webhook_delivery_not_found: 'Diese Zustellung gibt es nicht.',
  customer_not_found: 'Diesen Kunden gibt es nicht.',
  event_not_found: 'Dieses Ereignis gibt es nicht.',
  method_not_allowed: 'Das ist hier nicht möglich.',
  request_timeout: 'Die Anfrage kam nicht rechtzeitig vollständig an. Bitte versuchen Sie es erneut.',
  already_exists: 'Das gibt es schon: die Referenz, der EIC oder die E-Mail-Adresse ist vergeben.',
  contract_without_volumes: 'Der Vertrag nimmt keine Mengen auf.',
  idempotency_key_reused:
    'Diese Anfrage wurde schon mit anderem Inhalt gestellt. Bitte laden Sie die Seite neu.',
  customer_not_active: 'Einer der beiden Kunden des Vertrags ist nicht aktiv.',
  events_expired: 'So weit zurück reichen die Ereignisse nicht.',
  payload_too_large: 'Die Datei ist zu groß.',
  unsupported_media_type: 'Diese Art von Datei wird nicht angenommen.',
  uri_too_long: 'Die Adresse ist zu lang. Bitte wählen Sie weniger Filter.',
  headers_too_large: 'Die Anfrage ist zu groß. Bitte löschen Sie die Cookies dieser Seite.',
};

export const problems: Dictionary['problems'] = {
  connection: 'Der Server ist nicht erreichbar. Bitte prüfen Sie die Verbindung und versuchen Sie es erneut.',
  unexpected: 'In dieser Seite ist etwas Unerwartetes geschehen. Bitte laden Sie sie neu.',
  field: (code, message) =>
    translate(message) ?? (FIELD_CODES as Readonly<Record<string, string>>)[code] ?? 'Ungültige Angabe',
  other: (code, detail) =>
    translate(detail) ??
    (OTHER_CODES as Readonly<Record<string, string>>)[code] ??
    'Die Anfrage wurde abgelehnt.',
  serverText: (text) => translate(text) ?? `Meldung des Servers: „${text}“`,
  codes: {
    invalid_credentials: 'E-Mail und Passwort gehören nicht zusammen.',
    invalid_session: 'Ihre Sitzung ist beendet. Bitte melden Sie sich erneut an.',
    insufficient_permissions: 'Ihr Benutzer darf dies ansehen, aber nicht ändern.',
    rate_limited:
      'Zu viele Versuche in kurzer Zeit. Bitte warten Sie eine Minute und versuchen Sie es erneut.',
    too_many_exports:
      'Es laufen bereits so viele Exporte, wie gleichzeitig möglich sind. Bitte warten Sie, bis einer beendet ist.',
    invitation_not_found: 'Diese Einladung gibt es nicht, sie wurde benutzt oder ist abgelaufen.',
    already_active: 'Dieser Kunde ist bereits aktiv.',
    invalid_status_transition:
      'Dieser Schritt ist im jetzigen Zustand nicht möglich. Bitte laden Sie die Seite neu.',
    balance_group_tso_not_enabled:
      'Diese Regelzone ist für den Bilanzkreis nicht freigeschaltet. Schalten Sie sie zuerst in dessen Einstellungen frei.',
    position_in_use:
      'Eine benutzte Regelzone kann nicht abgeschaltet werden. Verlegen Sie zuerst ihre Kunden; am ersten Tag der neuen Zuordnung lässt sie sich abschalten.',
    too_many_endpoints: 'Es gibt schon zehn Webhook-Endpunkte. Löschen Sie zuerst einen.',
    webhook_endpoint_disabled: 'Der Endpunkt ist abgeschaltet. Schalten Sie ihn zuerst ein.',
    precondition_failed:
      'Nichts wurde gespeichert, weil jemand dies inzwischen geändert hat. Die aktuellen Daten sind geladen: bitte prüfen und erneut speichern.',
    internal_error:
      'Im Server ist ein Fehler aufgetreten. Bitte versuchen Sie es erneut; bleibt er, nennen Sie dem Betreiber die Anfrage-Id.',
    unavailable: 'Der Server ist ausgelastet oder startet neu. Bitte versuchen Sie es gleich noch einmal.',
  },
};
