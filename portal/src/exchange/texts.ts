import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  text: 'Schedules are sent automatically before each gate. This page lists unsent nominations and has manual actions.',
  unsent: 'Not sent yet',
  unsentEmpty: 'Everything is sent',
  unsentEmptyText: 'All current nominations have been sent to their TSOs.',
  unsentEmptyFiltered: 'Nothing is waiting for this day and control area.',
  gate: 'Gate',
  gateClosed: 'gate is closed',
  sendsAt: 'Sent from',
  sendsNow: 'at once',
  sendsNever: 'not any more',
  fault: 'Problem',
  send: 'Send now',
  sendTitle: 'Send unsent schedules',
  sendText:
    'Nets all changes and sends a new version of every schedule that differs from the last one sent. Between the day-ahead gate and the end of the wait phase nothing is sent to TSOs for which changes are held.',
  sendRejected: 'A rejected schedule is sent again only when its day is chosen.',
  allDays: 'All days',
  oneDay: 'One day',
  sentCount: (count: number) => (count === 1 ? '1 schedule was sent.' : `${count} schedules were sent.`),
  sentNone: 'There was nothing to send.',
  faults: (count: number) =>
    count === 1
      ? '1 schedule was not sent, or not with all volumes:'
      : `${count} schedules were not sent, or not with all volumes:`,
  receive: 'Receive a file',
  receiveText:
    'An acknowledgement, confirmation or anomaly report that arrived another way, as XML in ESS or CIM. It is stored unchanged before it is read.',
  drop: 'Drop the TSO’s file here',
  choose: 'Choose a file',
  kinds: 'XML, ESS or CIM',
  receiving: (file: string) => `Reading ${file}…`,
  received: (file: string) => `${file} has been taken in`,
  changedNominations: (count: number) =>
    count === 0
      ? 'No nomination changed.'
      : count === 1
        ? '1 nomination changed:'
        : `${count} nominations changed:`,
  unreadable: 'The file cannot be used',
  toMessages: 'All messages',
};

const de: typeof en = {
  text: 'Fahrpläne werden vor jeder Frist automatisch gesendet. Diese Seite zeigt nicht gesendete Nominierungen und manuelle Aktionen.',
  unsent: 'Noch nicht gesendet',
  unsentEmpty: 'Alles ist gesendet',
  unsentEmptyText: 'Alle aktuellen Nominierungen sind an ihre ÜNB gesendet.',
  unsentEmptyFiltered: 'Für diesen Tag und diese Regelzone wartet nichts.',
  gate: 'Frist',
  gateClosed: 'Frist ist abgelaufen',
  sendsAt: 'Wird gesendet ab',
  sendsNow: 'sofort',
  sendsNever: 'nicht mehr',
  fault: 'Problem',
  send: 'Jetzt senden',
  sendTitle: 'Nicht gesendete Fahrpläne senden',
  sendText:
    'Saldiert alle Änderungen und sendet eine neue Version jedes Fahrplans, der vom zuletzt gesendeten abweicht. Zwischen der Day-Ahead-Frist und dem Ende der Wartephase wird an ÜNB, für die Änderungen zurückgehalten werden, nichts gesendet.',
  sendRejected: 'Ein abgelehnter Fahrplan wird nur dann noch einmal gesendet, wenn sein Tag gewählt ist.',
  allDays: 'Alle Tage',
  oneDay: 'Ein Tag',
  sentCount: (count) => (count === 1 ? '1 Fahrplan wurde gesendet.' : `${count} Fahrpläne wurden gesendet.`),
  sentNone: 'Es gab nichts zu senden.',
  faults: (count) =>
    count === 1
      ? '1 Fahrplan wurde nicht oder nicht mit allen Mengen gesendet:'
      : `${count} Fahrpläne wurden nicht oder nicht mit allen Mengen gesendet:`,
  receive: 'Datei empfangen',
  receiveText:
    'Eine Quittung, Bestätigung oder Abweichungsmeldung, die auf anderem Weg kam, als XML in ESS oder CIM. Sie wird unverändert gespeichert, bevor sie gelesen wird.',
  drop: 'Datei des ÜNB hier ablegen',
  choose: 'Datei wählen',
  kinds: 'XML, ESS oder CIM',
  receiving: (file) => `${file} wird gelesen…`,
  received: (file) => `${file} ist aufgenommen`,
  changedNominations: (count) =>
    count === 0
      ? 'Keine Nominierung hat sich geändert.'
      : count === 1
        ? '1 Nominierung hat sich geändert:'
        : `${count} Nominierungen haben sich geändert:`,
  unreadable: 'Die Datei ist nicht verwendbar',
  toMessages: 'Alle Nachrichten',
};

/** Not in the dictionary, which is loaded before the first page: few pages have these texts. */
export const EXCHANGE_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
