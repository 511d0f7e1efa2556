import type { Sentences } from './language.ts';

/** The meaning of ENTSO-E's reason codes in answers to the operator's schedule, as its counterpart reads it. */
export const REASONS = {
  'reason.A01': { en: 'Message fully accepted.', de: 'Nachricht vollständig angenommen.' },
  'reason.A02': { en: 'Message fully rejected.', de: 'Nachricht vollständig abgelehnt.' },
  'reason.A03': {
    en: 'Message contains errors in time series.',
    de: 'Nachricht enthält Fehler in Zeitreihen.',
  },
  'reason.A04': { en: 'Time interval incorrect.', de: 'Zeitintervall falsch.' },
  'reason.A05': { en: 'Sender without valid contract.', de: 'Absender ohne gültigen Vertrag.' },
  'reason.A06': { en: 'Schedule accepted.', de: 'Fahrplan angenommen.' },
  'reason.A07': { en: 'Schedule partially accepted.', de: 'Fahrplan teilweise angenommen.' },
  'reason.A08': { en: 'Schedule rejected.', de: 'Fahrplan abgelehnt.' },
  'reason.A09': {
    en: 'Time series of both sides do not match.',
    de: 'Die Zeitreihen beider Seiten stimmen nicht überein.',
  },
  'reason.A20': { en: 'Time series fully rejected.', de: 'Zeitreihe vollständig abgelehnt.' },
  'reason.A21': {
    en: 'Time series accepted except for some intervals.',
    de: 'Zeitreihe bis auf einzelne Intervalle angenommen.',
  },
  'reason.A22': {
    en: 'A party of the time series is invalid.',
    de: 'Ein Partner der Zeitreihe ist ungültig.',
  },
  'reason.A23': {
    en: 'An area of the time series is invalid.',
    de: 'Ein Gebiet der Zeitreihe ist ungültig.',
  },
  'reason.A26': {
    en: 'Time series replaced by a default one.',
    de: 'Zeitreihe durch eine Standardzeitreihe ersetzt.',
  },
  'reason.A27': {
    en: 'Capacity between the areas exceeded.',
    de: 'Kapazität zwischen den Gebieten überschritten.',
  },
  'reason.A28': {
    en: 'The TSO has no such time series from you.',
    de: 'Dem ÜNB fehlt diese Zeitreihe von Ihnen.',
  },
  'reason.A29': {
    en: 'The quantities of your time series differ.',
    de: 'Die Werte Ihrer Zeitreihe weichen ab.',
  },
  'reason.A30': {
    en: 'The time series of one side was imposed on the other.',
    de: 'Die Zeitreihe einer Seite wurde der anderen auferlegt.',
  },
  'reason.A41': { en: 'Resolution does not fit.', de: 'Auflösung passt nicht.' },
  'reason.A42': { en: 'Quantities are inconsistent.', de: 'Mengen sind nicht stimmig.' },
  'reason.A43': { en: 'Quantity increased.', de: 'Menge erhöht.' },
  'reason.A44': { en: 'Quantity decreased.', de: 'Menge verringert.' },
  'reason.A45': { en: 'Default quantity applied.', de: 'Standardmenge eingesetzt.' },
  'reason.A46': { en: 'Quantities must not have a sign.', de: 'Mengen dürfen kein Vorzeichen haben.' },
  'reason.A49': { en: 'Positions are inconsistent.', de: 'Positionen sind nicht stimmig.' },
  'reason.A50': { en: 'Version of the time series does not fit.', de: 'Version der Zeitreihe passt nicht.' },
  'reason.A51': {
    en: 'Identification or version of the message does not fit.',
    de: 'Kennung oder Version der Nachricht passt nicht.',
  },
  'reason.A52': {
    en: 'A time series of the previous version is missing.',
    de: 'Eine Zeitreihe der vorigen Version fehlt.',
  },
  'reason.A53': { en: 'Receiver incorrect.', de: 'Empfänger falsch.' },
  'reason.A54': { en: 'The schedule does not net to zero.', de: 'Der Fahrplan ist nicht ausgeglichen.' },
  'reason.A55': {
    en: 'Identification of the time series is used twice.',
    de: 'Kennung der Zeitreihe doppelt vergeben.',
  },
  'reason.A56': {
    en: 'Corresponding time series are not netted.',
    de: 'Zusammengehörige Zeitreihen sind nicht saldiert.',
  },
  'reason.A57': {
    en: 'Sent after the gate, or before it opened.',
    de: 'Nach Fristende gesendet, oder vor dem Beginn.',
  },
  'reason.A59': {
    en: 'Against the market rules of this control area.',
    de: 'Gegen die Marktregeln dieser Regelzone.',
  },
  'reason.A62': { en: 'Business type invalid.', de: 'Geschäftstyp ungültig.' },
  'reason.A63': { en: 'Time series modified.', de: 'Zeitreihe geändert.' },
  'reason.A69': { en: 'A required value is missing.', de: 'Eine Pflichtangabe fehlt.' },
  'reason.A78': {
    en: 'Identification or role of the sender invalid.',
    de: 'Kennung oder Rolle des Absenders ungültig.',
  },
  'reason.A79': { en: 'Process type invalid.', de: 'Prozesstyp ungültig.' },
  'reason.A82': {
    en: 'Areas do not fit the control area of the schedule.',
    de: 'Gebiete passen nicht zur Regelzone des Fahrplans.',
  },
  'reason.A85': { en: 'Confirmed without change.', de: 'Unverändert bestätigt.' },
  'reason.A86': { en: 'Confirmed with changes.', de: 'Mit Änderungen bestätigt.' },
  'reason.A87': {
    en: 'Both sides have to agree and act.',
    de: 'Beide Seiten müssen sich einigen und handeln.',
  },
  'reason.A88': { en: 'Time series matched.', de: 'Zeitreihe stimmt überein.' },
  'reason.A89': { en: 'Time series of zeros ignored.', de: 'Zeitreihe aus Nullen nicht beachtet.' },
  'reason.A94': { en: 'Document cannot be processed.', de: 'Dokument kann nicht verarbeitet werden.' },
  'reason.A95': { en: 'Additional information.', de: 'Zusätzliche Angabe.' },
  'reason.unknown': {
    en: 'No description of this code is known.',
    de: 'Zu diesem Code ist keine Beschreibung bekannt.',
  },
} as const satisfies Sentences;
