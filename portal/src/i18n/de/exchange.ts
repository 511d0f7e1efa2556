import type { Dictionary } from '../dictionary.ts';

export const exchange: Dictionary['exchange'] = {
  nav: {
    exchange: 'Fahrplanaustausch',
    messages: 'Nachrichten',
    mismatches: 'Abweichungen',
    late: 'Späte Änderungen',
  },
  title: 'Fahrplanaustausch mit den ÜNB',
  message: {
    types: {
      schedule: 'Fahrplan',
      acknowledgement: 'Quittung',
      confirmation: 'Bestätigung',
      anomaly: 'Abweichungsmeldung',
      status_request: 'Statusanfrage',
      unknown: 'Nicht erkannt',
    },
    states: {
      stored: 'gespeichert',
      sent: 'gesendet',
      delivered: 'zugestellt',
      acknowledged: 'quittiert',
      rejected: 'abgelehnt',
      confirmed: 'bestätigt',
      applied: 'übernommen',
      ignored: 'nicht beachtet',
      failed: 'unlesbar',
    },
  },
  alarm: {
    since: 'seit',
    steps: {
      rejected:
        'In der Nachricht die Gründe des ÜNB ansehen, die Ursache beheben und vor der Frist erneut senden.',
      answer_overdue: 'Die Antwort erneut anfordern; fehlt sie kurz vor der Frist, den ÜNB anrufen.',
      unreadable: 'Die Nachricht öffnen und den ÜNB bitten, sie erneut zu senden.',
      unsent_before_gate: 'Die Nominierungen jetzt senden.',
      unknown_series: 'Den ÜNB fragen, welche Zeitreihe es ist, und die Bilanzkreise prüfen.',
      out_of_balance:
        'Die Mengen korrigieren: Die Viertelstunden eines Fahrplans müssen sich zu null saldieren.',
      confirmation_overdue: 'Die Antwort ist erneut angefordert; bleibt sie aus, den ÜNB anrufen.',
      final_missing:
        'Die Antwort ist erneut angefordert; bleibt sie aus, den ÜNB anrufen: Er rechnet ab, was er bestätigt hat.',
      older_version_confirmed:
        'Den ÜNB fragen, ob er die neuere Version hat; wenn nicht, den Fahrplan vor der Frist erneut senden.',
      status_request_rejected:
        'In der Nachricht die Gründe des ÜNB ansehen und ihn nach seiner letzten Antwort fragen.',
      disk: 'Auf dem Dateisystem des Datenordners Platz schaffen.',
      forecast_missing: 'Die Werte beim Prognosedienstleister anfordern oder vor der Frist selbst eintragen.',
      meter_missing: 'Die Werte beim Messstellenbetreiber anfordern.',
    },
    severities: { critical: 'kritisch', warning: 'Warnung' },
    kinds: {
      rejected: 'Fahrplan abgelehnt',
      answer_overdue: 'Quittung überfällig',
      unreadable: 'Nachricht unlesbar',
      unsent_before_gate: 'Kurz vor der Frist nicht gesendet',
      unknown_series: 'Zeitreihe, die wir nicht haben',
      out_of_balance: 'Fahrplan nicht ausgeglichen',
      confirmation_overdue: 'Bestätigung überfällig',
      final_missing: 'Endbestätigung fehlt',
      older_version_confirmed: 'Ältere Version bestätigt',
      status_request_rejected: 'Statusanfrage abgelehnt',
      disk: 'Festplatte fast voll',
      forecast_missing: 'Prognose fehlt',
      meter_missing: 'Messwerte fehlen',
    },
    toMessage: 'Nachricht öffnen',
    toContract: 'Vertrag öffnen',
    toUnsent: 'Nicht gesendete Nominierungen',
    acknowledge: 'Quittieren',
    acknowledgeText: 'Beendet den Alarm. Dieselbe Ursache löst ihn nicht noch einmal aus.',
    note: 'Notiz',
    noteHint: 'Was unternommen wurde. Die Notiz bleibt beim Alarm und im Protokoll.',
    acknowledged: 'Der Alarm ist quittiert.',
  },
};
