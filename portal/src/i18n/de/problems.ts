import type { Dictionary } from '../dictionary.ts';

export const problems: Dictionary['problems'] = {
  connection: 'Der Server ist nicht erreichbar. Bitte prüfen Sie die Verbindung und versuchen Sie es erneut.',
  unexpected: 'In dieser Seite ist etwas Unerwartetes geschehen. Bitte laden Sie sie neu.',
  sessionEnded: 'Die Sitzung war beendet. Es wurde nichts gespeichert: bitte noch einmal absenden.',
  passkeys: {
    NotAllowedError: 'Es wurde kein Passkey benutzt: abgebrochen, nicht bestätigt, oder es dauerte zu lange.',
    InvalidStateError: 'Auf diesem Gerät gibt es schon einen Passkey von Ihnen.',
    SecurityError:
      'Unter dieser Adresse funktionieren Passkeys nicht. Öffnen Sie das Portal unter seinem öffentlichen Namen, auf dem eigenen Rechner unter localhost.',
  },
  codes: {
    position_in_use:
      'Eine benutzte Regelzone kann nicht abgeschaltet werden. Verlegen Sie zuerst ihre Kunden; am ersten Tag der neuen Zuordnung lässt sie sich abschalten.',
    webhook_endpoint_disabled: 'Der Endpunkt ist abgeschaltet. Schalten Sie ihn zuerst ein.',
    precondition_failed:
      'Nichts wurde gespeichert, weil jemand dies inzwischen geändert hat. Die aktuellen Daten sind geladen: bitte prüfen und erneut speichern.',
    internal_error:
      'Im Server ist ein Fehler aufgetreten. Bitte versuchen Sie es erneut; bleibt er, nennen Sie dem Betreiber die Anfrage-ID.',
  },
};
