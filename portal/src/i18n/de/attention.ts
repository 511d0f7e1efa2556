import type { Dictionary } from '../dictionary.ts';

export const attention: Dictionary['attention'] = {
  nothing: 'Nichts zu tun',
  nothingText: 'Alles Fällige ist gesendet und stimmt überein, und kein Kunde wartet.',
  deadline: 'Frist',
  changeable: (open, all) => `${open} von ${all} Viertelstunden sind noch änderbar.`,
  onlyWithinArea:
    'Alle Viertelstunden sind geschlossen: Bis zur Day-After-Frist sind nur noch Änderungen innerhalb einer Regelzone möglich.',
  waiting: (time) => `Wartephase: Die ÜNB verarbeiten Änderungen ab ${time} Uhr`,
  rejected: 'Vom ÜNB abgelehnt',
  kinds: {
    mismatch: 'Abweichung',
    unsent: 'Nicht gesendet',
    unanswered: 'Keine Antwort',
    volumes: 'Keine Mengen',
    customers: 'Wartet',
  },
  nominations: (count) => (count === 1 ? '1 Nominierung' : `${count} Nominierungen`),
  contracts: (count) => (count === 1 ? '1 Vertrag' : `${count} Verträge`),
  customers: (count) => (count === 1 ? '1 Kunde' : `${count} Kunden`),
  moreThan: (records) => `mehr als ${records}`,
  settled: 'Alle Fristen sind abgelaufen: Die Differenz wird finanziell ausgeglichen.',
  rejectedStep: 'Der Betreiber muss den Fahrplan vor der Frist erneut senden. Fragen Sie den Betreiber.',
  brpSteps: {
    mismatch: 'Beide Seiten vergleichen und den eigenen Fahrplan vor der Frist korrigieren.',
    unsent: 'Der Betreiber sendet vor der Frist. Prüfen Sie Ihren eigenen Fahrplan dagegen.',
    unanswered: 'Gesendet, aber vom ÜNB nicht bestätigt. Fragen Sie den Betreiber.',
    volumes: 'Fragen Sie den Betreiber nach den Mengen.',
    customers: 'Aktivieren Sie die Kunden, die zu Ihnen gehören.',
  },
  operatorSteps: {
    mismatch: 'Beide Seiten ansehen und vor der Frist eine Korrektur mit dem BKV vereinbaren.',
    unsent: 'Fahrpläne werden automatisch gesendet. Der Austausch zeigt, was das verhindert.',
    unanswered: 'Gesendet, aber vom ÜNB nicht bestätigt. Fordern Sie die Antwort erneut an.',
    volumes: 'Die Mengen vor der Frist importieren.',
    customers: 'Der zuständige BKV muss sie aktivieren.',
  },
};
