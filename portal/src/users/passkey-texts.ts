import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  title: 'Passkeys',
  text: 'Sign in with your fingerprint, your face, a PIN or a security key, without a password. Once you have a passkey, your password alone is no longer enough: it is followed by a passkey or another second factor. Add a second passkey in case you lose the first.',
  unsupported:
    'Passkeys are not available here. They need a current browser and a secure connection (https).',
  empty: 'You have no passkeys yet.',
  created: 'Added',
  lastUsed: 'Last used',
  add: 'Add passkey',
  addText: 'Next, your browser asks where to store the passkey, and verifies that it is you.',
  newName: (count: number) => `Passkey ${count}`,
  name: 'Name',
  nameHint: 'Tells your passkeys apart, such as “Laptop” or “Blue security key”.',
  added: (name: string) => `The passkey “${name}” has been added.`,
  rename: 'Rename',
  renameTitle: (name: string) => `Rename the passkey “${name}”`,
  renamed: (name: string) => `The passkey is now called “${name}”.`,
  remove: 'Remove',
  removeTitle: (name: string) => `Remove the passkey “${name}”?`,
  removeText:
    'You can no longer sign in with it. Delete it in your browser or on your security key, too. Sessions that it began go on until you sign out everywhere else.',
  removed: (name: string) => `The passkey “${name}” has been removed.`,
  signInAgain: 'Sign in again',
  use: 'Use a passkey',
  setUpText: 'Or add a passkey: it is a second factor, and also signs you in without a password.',
};

const de: typeof en = {
  title: 'Passkeys',
  text: 'Melden Sie sich mit Fingerabdruck, Gesicht, PIN oder Sicherheitsschlüssel an, ohne Passwort. Sobald Sie einen Passkey haben, genügt Ihr Passwort allein nicht mehr: Danach wird ein Passkey oder ein anderer zweiter Faktor verlangt. Richten Sie einen zweiten Passkey ein, falls Sie den ersten verlieren.',
  unsupported:
    'Passkeys sind hier nicht verfügbar. Sie brauchen einen aktuellen Browser und eine sichere Verbindung (https).',
  empty: 'Sie haben noch keinen Passkey.',
  created: 'Eingerichtet',
  lastUsed: 'Zuletzt benutzt',
  add: 'Passkey einrichten',
  addText: 'Als Nächstes fragt Ihr Browser, wo er den Passkey speichern soll, und prüft, dass Sie es sind.',
  newName: (count) => `Passkey ${count}`,
  name: 'Name',
  nameHint: 'Unterscheidet Ihre Passkeys, zum Beispiel „Laptop“ oder „Blauer Sicherheitsschlüssel“.',
  added: (name) => `Der Passkey „${name}“ ist eingerichtet.`,
  rename: 'Umbenennen',
  renameTitle: (name) => `Passkey „${name}“ umbenennen`,
  renamed: (name) => `Der Passkey heißt jetzt „${name}“.`,
  remove: 'Entfernen',
  removeTitle: (name) => `Passkey „${name}“ entfernen?`,
  removeText:
    'Sie können sich damit nicht mehr anmelden. Löschen Sie ihn auch in Ihrem Browser oder auf Ihrem Sicherheitsschlüssel. Sitzungen, die mit ihm begonnen haben, laufen weiter, bis Sie sich überall sonst abmelden.',
  removed: (name) => `Der Passkey „${name}“ ist entfernt.`,
  signInAgain: 'Erneut anmelden',
  use: 'Passkey verwenden',
  setUpText:
    'Oder richten Sie einen Passkey ein: Er ist ein zweiter Faktor, und Sie melden sich damit auch ohne Passwort an.',
};

/** Not in the dictionary, which is loaded before the first page: few pages have these texts. */
export const PASSKEY_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
