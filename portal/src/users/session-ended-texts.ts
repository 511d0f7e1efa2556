import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  title: 'Sign in again',
  kept: 'Your session has ended. Your input on this page is kept.',
  providerLeaves: 'A provider is another page: input on this page that is not saved is lost.',
  setUpLeaves:
    'Your user now needs a second factor. Its set-up is another page: input on this page that is not saved is lost.',
  setUp: 'Set up a second factor',
  asOther: 'Sign in as another user',
  otherTitle: 'Another user has signed in',
  otherText: (now: string, before: string) =>
    `${now} has signed in to this browser. This page belongs to ${before}: its input that is not saved is lost when the page is loaded.`,
  load: 'Load the page',
};

const de: typeof en = {
  title: 'Erneut anmelden',
  kept: 'Ihre Sitzung ist beendet. Ihre Eingaben auf dieser Seite bleiben erhalten.',
  providerLeaves:
    'Die Anmeldung bei einem Anbieter verlässt diese Seite: Nicht gespeicherte Eingaben gehen verloren.',
  setUpLeaves:
    'Ihr Benutzer braucht jetzt einen zweiten Faktor. Die Einrichtung verlässt diese Seite: Nicht gespeicherte Eingaben gehen verloren.',
  setUp: 'Zweiten Faktor einrichten',
  asOther: 'Als anderer Benutzer anmelden',
  otherTitle: 'Ein anderer Benutzer hat sich angemeldet',
  otherText: (now, before) =>
    `In diesem Browser hat sich ${now} angemeldet. Diese Seite gehört zu ${before}: Ihre nicht gespeicherten Eingaben gehen verloren, wenn die Seite geladen wird.`,
  load: 'Seite laden',
};

/** Not in the dictionary, which is loaded before the first page: the dialog is rare. */
export const SESSION_ENDED_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
