import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  tab: 'As of, proof',
  asOf: 'What was known at a time',
  asOfText: 'Shows the state that the platform had at that time, and what has changed since.',
  button: 'As of…',
  day: 'Day',
  time: 'Time',
  now: 'now',
  none: 'Nothing was stored at that time.',
  same: 'The same as now.',
  differences: (slots: number) =>
    slots === 1 ? '1 quarter-hour has changed since' : `${slots} quarter-hours have changed since`,
  before: 'Then',
  version: (version: number) => `Version ${version}`,
  proof: 'Proof',
  proofText:
    'Every change is an entry of a ledger that is sealed every minute. The proof shows that this version was stored before its seal, and has not been changed since.',
  read: 'Load the proof',
  notSealed: 'The last change is not sealed yet. That takes up to a minute.',
  sealedAt: 'Sealed',
  entry: 'Entry',
  entryOf: (index: number, size: number) => `${index + 1} of ${size}`,
  save: 'Save the proof',
  verify: 'Verify here',
  isValid:
    'Verified in this browser: the entry is in the sealed tree, and the signature is that of the platform.',
  isInvalid: 'The proof does not hold. Keep the file and ask the operator.',
};

const de: typeof en = {
  tab: 'Stand, Nachweis',
  asOf: 'Was zu einem Zeitpunkt bekannt war',
  asOfText: 'Zeigt den Stand der Plattform zu diesem Zeitpunkt und was sich seither geändert hat.',
  button: 'Stand am…',
  day: 'Tag',
  time: 'Uhrzeit',
  now: 'jetzt',
  none: 'Zu diesem Zeitpunkt war noch nichts gespeichert.',
  same: 'Wie jetzt.',
  differences: (slots) =>
    slots === 1
      ? '1 Viertelstunde hat sich seither geändert'
      : `${slots} Viertelstunden haben sich seither geändert`,
  before: 'Damals',
  version: (version) => `Version ${version}`,
  proof: 'Nachweis',
  proofText:
    'Jede Änderung ist ein Eintrag in einem Verzeichnis, das jede Minute versiegelt wird. Der Nachweis zeigt, dass diese Version vor dem Siegel gespeichert war und seither nicht verändert wurde.',
  read: 'Nachweis laden',
  notSealed: 'Die letzte Änderung ist noch nicht versiegelt. Das dauert bis zu einer Minute.',
  sealedAt: 'Versiegelt',
  entry: 'Eintrag',
  entryOf: (index, size) => `${index + 1} von ${size}`,
  save: 'Nachweis speichern',
  verify: 'Hier prüfen',
  isValid:
    'In diesem Browser geprüft: Der Eintrag gehört zum versiegelten Verzeichnis, und die Unterschrift ist die der Plattform.',
  isInvalid: 'Der Nachweis stimmt nicht. Bewahren Sie die Datei auf und fragen Sie den Betreiber.',
};

export const EVIDENCE_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
