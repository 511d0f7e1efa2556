import type { Sentences } from './language.ts';

/** The texts of alarms. They are stored, so a key and its parameters keep their names. */
export const ALARMS = {
  'alarm.rejected': {
    en: 'Version {version} of the schedule of {day|day} for {tso|name} was rejected.',
    de: 'Version {version} des Fahrplans des {day|day} für {tso|name} wurde abgelehnt.',
  },
  'alarm.answer_overdue': {
    en: '{tso|name} has not answered version {version} of the schedule of {day|day} within {minutes} minutes. It was sent on {sentAt|time}.',
    de: '{tso|name} hat auf Version {version} des Fahrplans des {day|day}, gesendet am {sentAt|time} Uhr, nach {minutes} Minuten nicht geantwortet.',
  },
  'alarm.confirmation_overdue': {
    en: '{tso|name} has acknowledged version {version} of the schedule of {day|day}, sent on {sentAt|time}, and has not confirmed it.',
    de: '{tso|name} hat Version {version} des Fahrplans des {day|day}, gesendet am {sentAt|time} Uhr, quittiert, aber nicht bestätigt.',
  },
  'alarm.final_missing': {
    en: '{tso|name} has not sent its final confirmation of version {version} of the schedule of {day|day}, and the day-after gate has closed.',
    de: 'Die Endbestätigung von {tso|name} für Version {version} des Fahrplans des {day|day} fehlt, und die Day-After-Frist ist abgelaufen.',
  },
  'alarm.older_version_confirmed': {
    en: '{tso|name} confirms version {confirmed} of the schedule of {day|day} and has not answered version {version}, sent on {sentAt|time}. It may not have received version {version}.',
    de: '{tso|name} bestätigt Version {confirmed} des Fahrplans des {day|day} und hat auf Version {version}, gesendet am {sentAt|time} Uhr, nicht geantwortet. Version {version} ist vielleicht nicht angekommen.',
  },
  'alarm.status_request_rejected': {
    en: 'The status request about the schedule of {day|day} for {tso|name}, sent on {sentAt|time}, was rejected.',
    de: 'Die Statusanfrage zum Fahrplan des {day|day} für {tso|name}, gesendet am {sentAt|time} Uhr, wurde abgelehnt.',
  },
  'alarm.unreadable': {
    en: 'An incoming message cannot be read.',
    de: 'Eine eingegangene Nachricht lässt sich nicht lesen.',
  },
  'alarm.file': { en: '{file}: {reason}', de: '{file}: {reason}' },
  'alarm.unknown_series': {
    en: "{tso|name} reports series with the operator's balance group that the schedule of {day|day} does not have: {series}.",
    de: '{tso|name} meldet Zeitreihen mit dem Bilanzkreis des Betreibers, die der Fahrplan des {day|day} nicht hat: {series}.',
  },
  'alarm.unsent': {
    en: '{count} nominations of {day|day} for {tso|name} are not sent, and their gate closes on {gate|time}.',
    de: '{count|number} Nominierungen des {day|day} für {tso|name} sind nicht gesendet, und ihre Frist endet am {gate|time} Uhr.',
  },
  'alarm.one_unsent': {
    en: '1 nomination of {day|day} for {tso|name} is not sent, and its gate closes on {gate|time}.',
    de: 'Eine Nominierung des {day|day} für {tso|name} ist nicht gesendet, und ihre Frist endet am {gate|time} Uhr.',
  },
  'alarm.reason': { en: 'The reason: {reason}', de: 'Der Grund: {reason}' },
  'alarm.disk': {
    en: 'The file system of DATA_DIR on {host} has {freeMb} MB free, less than {limitMb} MB.',
    de: 'Das Dateisystem von DATA_DIR auf {host} hat {freeMb|number} MB frei, weniger als {limitMb|number} MB.',
  },
  'alarm.forecast_missing': {
    en: 'Contract {contract} has no forecast for {missing} of {slots} quarter-hours of {day|day} (series {series}).',
    de: 'Für den Vertrag {contract} fehlt die Prognose von {missing} der {slots} Viertelstunden des {day|day} (Zeitreihe {series}).',
  },
  'alarm.meter_missing': {
    en: 'Contract {contract} has no metered value for {missing} of {slots} quarter-hours of {day|day} (series {series}).',
    de: 'Für den Vertrag {contract} fehlen die Messwerte von {missing} der {slots} Viertelstunden des {day|day} (Zeitreihe {series}).',
  },
  'alarm.not_found': { en: 'There is no such alarm.', de: 'Diesen Alarm gibt es nicht.' },
  'alarm.ended': { en: 'The alarm ended on {at|time}.', de: 'Der Alarm ist seit dem {at|time} Uhr beendet.' },
} as const satisfies Sentences;
