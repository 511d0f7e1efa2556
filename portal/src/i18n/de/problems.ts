import type { Dictionary } from '../dictionary.ts';

const FIELD_CODES: Readonly<Record<string, string>> = {
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

export const problems: Dictionary['problems'] = {
  connection: 'Der Server ist nicht erreichbar. Bitte prüfen Sie die Verbindung und versuchen Sie es erneut.',
  unexpected: 'In dieser Seite ist etwas Unerwartetes geschehen. Bitte laden Sie sie neu.',
  field: (code, message) => {
    const known = FIELD_CODES[code];
    return known === undefined ? message : `${known}: ${message}`;
  },
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
    precondition_failed: 'Jemand hat dies inzwischen geändert. Bitte laden Sie es neu.',
    internal_error:
      'Im Server ist ein Fehler aufgetreten. Bitte versuchen Sie es erneut; bleibt er, nennen Sie dem Betreiber die Anfrage-Id.',
    unavailable: 'Der Server ist ausgelastet oder startet neu. Bitte versuchen Sie es gleich noch einmal.',
  },
};
