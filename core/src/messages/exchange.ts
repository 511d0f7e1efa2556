import type { Sentences } from './language.ts';

/** About messages to and from TSOs. Most of them are stored, so a key and its parameters keep their names. */
export const EXCHANGE = {
  'exchange.sentence': { en: '{fault}.', de: '{fault}.' },
  'exchange.sentences': { en: '{sentences|sentences}', de: '{sentences|sentences}' },
  'exchange.and_more': { en: '{items} and {count} more', de: '{items} und {count} weitere' },

  // Answers that are not applied
  'exchange.repeated': {
    en: 'The answer {id} was received before.',
    de: 'Die Antwort {id} ist schon eingegangen.',
  },
  'exchange.other_receiver': {
    en: 'It is addressed to {receiver}, not to {expected}.',
    de: 'Sie ist an {receiver} gerichtet, nicht an {expected}.',
  },
  'exchange.other_sender': {
    en: 'It comes from {sender}, not from {expected}.',
    de: 'Sie kommt von {sender}, nicht von {expected}.',
  },
  'exchange.sender_no_tso': {
    en: 'It comes from {sender}, which is no TSO.',
    de: 'Sie kommt von {sender}; das ist kein ÜNB.',
  },
  'exchange.schedule_never_sent': {
    en: 'It answers a schedule that was never sent.',
    de: 'Sie antwortet auf einen Fahrplan, der nie gesendet wurde.',
  },
  'exchange.other_day': {
    en: 'It is about {day}, the schedule is of {expected}.',
    de: 'Sie betrifft den {day|day}, der Fahrplan den {expected|day}.',
  },
  'exchange.answers_nothing': {
    en: 'It does not say which message and version it answers.',
    de: 'Sie nennt nicht die Nachricht und Version, auf die sie antwortet.',
  },
  'exchange.other_message': {
    en: 'It answers the message {message}, not {expected}.',
    de: 'Sie antwortet auf die Nachricht {message}, nicht auf {expected}.',
  },
  'exchange.version_never_sent': {
    en: 'Version {version} of {message} was never sent.',
    de: 'Version {version} von {message} wurde nie gesendet.',
  },
  'exchange.replaced': {
    en: 'It answers version {version}; version {newer} was sent since.',
    de: 'Sie antwortet auf Version {version}; inzwischen wurde Version {newer} gesendet.',
  },
  'exchange.replaced_unanswered': {
    en: 'It answers version {version}; version {newer} was sent since and has no answer yet.',
    de: 'Sie antwortet auf Version {version}; inzwischen wurde Version {newer} gesendet, die noch nicht beantwortet ist.',
  },
  'exchange.after_final': {
    en: 'The schedule has its final confirmation.',
    de: 'Zu diesem Fahrplan liegt die Endbestätigung schon vor.',
  },
  'exchange.after_confirmation': {
    en: 'The schedule was confirmed since.',
    de: 'Der Fahrplan wurde inzwischen bestätigt.',
  },
  'exchange.older': {
    en: 'A newer answer of the same kind was received before it.',
    de: 'Eine neuere Antwort derselben Art ist vorher eingegangen.',
  },
  'exchange.other_flow': {
    en: 'The series {series} has other parties or areas than ours.',
    de: 'Die Zeitreihe {series} hat andere Partner oder Regelzonen als unsere.',
  },
  'exchange.no_answer': {
    en: 'This is a schedule, not an answer to one.',
    de: 'Das ist ein Fahrplan, keine Antwort auf einen.',
  },

  // Rejections
  'exchange.schedule_rejected': {
    en: 'The TSO rejected the schedule: {reasons|parts}.',
    de: 'Der ÜNB hat den Fahrplan abgelehnt: {reasons|parts}.',
  },
  'exchange.whole_schedule_rejected': {
    en: 'The TSO rejected the whole schedule: {reasons|parts}.',
    de: 'Der ÜNB hat den ganzen Fahrplan abgelehnt: {reasons|parts}.',
  },
  'exchange.status_request_rejected': {
    en: 'The TSO rejected the status request: {reasons|parts}.',
    de: 'Der ÜNB hat die Statusanfrage abgelehnt: {reasons|parts}.',
  },
  'exchange.errors_in_series': {
    en: 'The TSO found errors in series: {reasons|parts}.',
    de: 'Der ÜNB hat Fehler in Zeitreihen gefunden: {reasons|parts}.',
  },

  // Remarks on answers that are applied
  'exchange.unknown_elements': {
    en: 'It has elements that are not known and were not used: {elements}.',
    de: 'Sie hat unbekannte Elemente, die nicht verwendet wurden: {elements}.',
  },
  'exchange.unknown_series': {
    en: 'It has series that our schedule does not have: {series}.',
    de: 'Sie hat Zeitreihen, die unser Fahrplan nicht hat: {series}.',
  },
  'exchange.further_reasons': {
    en: 'Further reasons of the TSO: {reasons}.',
    de: 'Weitere Gründe des ÜNB: {reasons}.',
  },
  'exchange.reason': { en: '{code} “{text}”', de: '{code} „{text}“' },
  'exchange.reasons_of_series': { en: '{series}: {reasons}', de: '{series}: {reasons}' },
  'exchange.reason_of_series': { en: '{reason} (series {series})', de: '{reason} (Zeitreihe {series})' },
  'exchange.reason_of_slot': {
    en: '{reason} (series {series}, slot {slot})',
    de: '{reason} (Zeitreihe {series}, Viertelstunde {slot})',
  },
  'exchange.series_from_to': { en: '{series} from {from} to {to}', de: '{series} von {from} an {to}' },
  'exchange.series_from': { en: '{series} from {from}', de: '{series} von {from}' },
  'exchange.series_to': { en: '{series} to {to}', de: '{series} an {to}' },

  // Schedules that are not sent
  'exchange.unsettled': {
    en: 'The volumes of this day are changing at this moment. Try again.',
    de: 'Die Mengen dieses Liefertages ändern sich gerade. Bitte versuchen Sie es erneut.',
  },
  'exchange.held': {
    en: 'Changes for {day|day} are held until the wait phase ends on {until|time}. They are sent automatically then, and rejected schedules on request.',
    de: 'Änderungen für den {day|day} werden bis zum Ende der Wartephase am {until|time} Uhr zurückgehalten. Dann werden sie von selbst gesendet, abgelehnte Fahrpläne auf Anforderung.',
  },
  'exchange.closed': {
    en: 'Every gate of {day|day} is closed. Unsent changes are settled financially.',
    de: 'Alle Fristen für den {day|day} sind abgelaufen. Nicht gesendete Änderungen werden finanziell ausgeglichen.',
  },
  'exchange.versions_exhausted': {
    en: 'The schedule of {day|day} for {tso|name} has reached version {version}, the last there can be. Agree the remaining change with the TSO directly.',
    de: 'Der Fahrplan des {day|day} für {tso|name} hat mit Version {version} die letzte mögliche erreicht. Stimmen Sie die übrige Änderung direkt mit dem ÜNB ab.',
  },
  'exchange.submitted_of_csv': {
    en: 'A CSV file is not what a TSO receives; mark the ESS or CIM message as submitted.',
    de: 'Eine CSV-Datei erhält kein ÜNB; markieren Sie die ESS- oder CIM-Nachricht als angemeldet.',
  },
  'exchange.submitted_unusable': {
    en: 'The file has series that cannot be read, so no TSO has accepted it.',
    de: 'Die Datei hat Zeitreihen, die sich nicht lesen lassen; kein ÜNB hat sie angenommen.',
  },
  'exchange.submitted_position': {
    en: '{eic} at {tso} is not a balance group of yours.',
    de: '{eic} bei {tso|name} ist kein Bilanzkreis von Ihnen.',
  },
  'exchange.submitted_day': {
    en: 'Submitted files are kept from {keptDays} days before today to {aheadDays} days after; the file is of {day}.',
    de: 'Angemeldete Dateien werden von {keptDays} Tagen vor heute bis {aheadDays} Tage danach gemerkt; die Datei ist vom {day|day}.',
  },
  'exchange.imbalance': {
    en: 'The schedule of {day|day} for {tso|name} does not net to zero and is not sent: {slots}.',
    de: 'Der Fahrplan des {day|day} für {tso|name} ist nicht ausgeglichen und wird nicht gesendet: {slots}.',
  },
  'exchange.imbalance_of_slot': {
    en: 'slot {slot} by {sign}{powerKw} kW',
    de: 'Viertelstunde {slot} um {sign}{powerKw|number} kW',
  },
  'exchange.outbox': {
    en: 'the outbox cannot be written ({reason})',
    de: 'der Postausgang lässt sich nicht beschreiben ({reason})',
  },

  // The SFTP server of a TSO
  'exchange.sftp': { en: 'SFTP server {server}: {fault}', de: 'SFTP-Server {server}: {fault}' },
  'exchange.sftp_timeout': {
    en: 'no response within {seconds} s',
    de: 'keine Antwort innerhalb von {seconds|number} s',
  },
  'exchange.sftp_closed': { en: 'the connection was closed', de: 'die Verbindung wurde beendet' },
  'exchange.sftp_failed': {
    en: 'the connection failed ({reason})',
    de: 'die Verbindung ist fehlgeschlagen ({reason})',
  },
  'exchange.sftp_not_offered': {
    en: 'it does not offer SFTP to this user ({reason})',
    de: 'er bietet diesem Benutzer kein SFTP an ({reason})',
  },
  'exchange.sftp_host_key': {
    en: 'its host key {fingerprint} is not in SFTP_KNOWN_HOSTS',
    de: 'sein Host-Schlüssel {fingerprint} steht nicht in SFTP_KNOWN_HOSTS',
  },
  'exchange.sftp_host_key_type': {
    en: 'it has no host key of a type that SFTP_KNOWN_HOSTS lists for it',
    de: 'er hat keinen Host-Schlüssel einer Art, die in SFTP_KNOWN_HOSTS für ihn steht',
  },
  'exchange.sftp_key_rejected': {
    en: 'it rejected the key of the user {user}',
    de: 'er hat den Schlüssel des Benutzers {user} abgelehnt',
  },
  'exchange.sftp_password_rejected': {
    en: 'it rejected the password of the user {user}',
    de: 'er hat das Passwort des Benutzers {user} abgelehnt',
  },
  'exchange.sftp_not_written': {
    en: '{file} cannot be written to the SFTP server ({reason})',
    de: '{file} lässt sich auf dem SFTP-Server nicht schreiben ({reason})',
  },
  'exchange.sftp_partly_stored': {
    en: '{count} of {bytes} bytes were stored',
    de: 'gespeichert wurden {count|number} von {bytes|number} Bytes',
  },
  'exchange.sftp_size': {
    en: '{file} on the SFTP server does not have the {bytes} bytes that were written',
    de: '{file} auf dem SFTP-Server hat nicht die {bytes|number} Bytes, die geschrieben wurden',
  },
  'exchange.sftp_unreadable_folder': {
    en: '{folder} on the SFTP server cannot be read ({reason})',
    de: '{folder} auf dem SFTP-Server lässt sich nicht lesen ({reason})',
  },
  'exchange.sftp_unreadable': {
    en: "{file} on the SFTP server cannot be read ({reason}). Let the server's user read it.",
    de: '{file} auf dem SFTP-Server lässt sich nicht lesen ({reason}). Geben Sie dem Benutzer des Servers Leserechte.',
  },
  'exchange.sftp_no_file': {
    en: '{file} on the SFTP server is no plain file and is not read. Move it away.',
    de: '{file} auf dem SFTP-Server ist keine gewöhnliche Datei und wird nicht gelesen. Entfernen Sie den Eintrag.',
  },
  'exchange.sftp_not_deleted': {
    en: '{file} is stored, but cannot be deleted on the SFTP server',
    de: '{file} ist gespeichert, lässt sich aber auf dem SFTP-Server nicht löschen',
  },

  // The inbox
  'exchange.large_file': {
    en: 'The file has {bytes} bytes; at most {max} are accepted. It was not read.',
    de: 'Die Datei hat {bytes|number} Bytes; höchstens {max|number} werden angenommen. Sie wurde nicht gelesen.',
  },
  'exchange.inbox_unreadable': {
    en: 'The file in INBOX_DIR cannot be read ({reason}). Let the server read it.',
    de: 'Die Datei in INBOX_DIR lässt sich nicht lesen ({reason}). Geben Sie dem Server Leserechte.',
  },
  'exchange.inbox_no_file': {
    en: 'INBOX_DIR contains {kind} of this name, which is not read. Move it away, and write answers as plain files.',
    de: 'INBOX_DIR enthält unter diesem Namen {kind}; das wird nicht gelesen. Entfernen Sie den Eintrag und schreiben Sie Antworten als gewöhnliche Dateien.',
  },
  'exchange.inbox_name': {
    en: 'INBOX_DIR contains a file whose name is not UTF-8 (� stands for what cannot be shown). It cannot be read. Rename it.',
    de: 'INBOX_DIR enthält eine Datei, deren Name kein UTF-8 ist (� steht für das, was sich nicht darstellen lässt). Sie lässt sich nicht lesen. Benennen Sie sie um.',
  },
  'exchange.folder': { en: 'a folder', de: 'einen Ordner' },
  'exchange.link': { en: 'a symbolic link', de: 'einen symbolischen Link' },
  'exchange.socket': { en: 'a socket', de: 'einen Socket' },
  'exchange.pipe': { en: 'a named pipe', de: 'eine benannte Pipe' },
  'exchange.device': { en: 'a device', de: 'ein Gerät' },

  // Requests
  'exchange.document_required': { en: 'a body with the document is required', de: 'das Dokument fehlt' },
  'exchange.kept': {
    en: '{fault} It is kept as {id}.',
    de: '{fault} Das Dokument ist als {id} gespeichert.',
  },
  'exchange.message_not_found': { en: 'There is no such message.', de: 'Diese Nachricht gibt es nicht.' },
  'exchange.no_nominations': {
    en: 'There are no nominations of {eic} and {tso} on {day}.',
    de: 'Am {day|day} gibt es keine Nominierungen von {eic} bei {tso|name}.',
  },
  'exchange.version_of_csv': {
    en: 'is for ESS and CIM only; a CSV has no version',
    de: 'gilt nur für ESS und CIM; eine CSV-Datei hat keine Version',
  },
  'exchange.required_for_format': {
    en: 'is required for format={format}',
    de: 'ist für das Format {format} eine Pflichtangabe',
  },
} as const satisfies Sentences;
