import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  profileTitle: 'Profile and password',
  currentPassword: 'Current password',
  changePassword: 'Change password',
  changePasswordHint: 'All other sessions end with the change.',
  passwordChanged: 'The password has been changed.',
  sessions: 'Sessions',
  sessionsText: 'Where you are signed in. End a session that you do not know, and then change your password.',
  browser: 'Browser',
  unknownBrowser: 'unknown',
  thisSession: 'this session',
  address: 'Address',
  method: 'Signed in with',
  methods: {
    password: 'password',
    invitation: 'invitation',
    passkey: 'passkey',
    provider: 'identity provider',
  },
  signedInAt: 'Signed in',
  lastSeen: 'Last used',
  endsAt: 'Ends at the latest',
  endSession: 'End',
  sessionEnded: 'The session has ended.',
  signOutElsewhere: 'Sign out everywhere else',
  signedOutElsewhere: 'All other sessions have ended.',
  providers: 'Identity providers',
  providersText:
    'Your accounts there sign you in. An account that you unlink is linked again when you next sign in with it.',
  linkedSince: 'Linked since',
  unlink: 'Unlink',
  unlinked: 'The provider is no longer linked.',
  onlyWay: 'Your only way to sign in',
  notifications: 'Notifications',
  notificationsText: (...minutes: number[]) =>
    `A notification of this browser ${minutes.join(' and ')} minutes before a gate closes with nominations that are not sent or differ, and for new mismatches, while the portal is open, also in a hidden tab.`,
  showNotifications: 'Show notifications in this browser',
  notificationsBlocked: 'This browser blocks notifications of this page. Allow them in its settings first.',
  sessionExpires: 'Session ends at the latest',
};

const de: typeof en = {
  profileTitle: 'Profil und Passwort',
  currentPassword: 'Bisheriges Passwort',
  changePassword: 'Passwort ändern',
  changePasswordHint: 'Mit der Änderung enden alle anderen Sitzungen.',
  passwordChanged: 'Das Passwort wurde geändert.',
  sessions: 'Sitzungen',
  sessionsText:
    'Wo Sie angemeldet sind. Beenden Sie eine Sitzung, die Sie nicht kennen, und ändern Sie dann Ihr Passwort.',
  browser: 'Browser',
  unknownBrowser: 'unbekannt',
  thisSession: 'diese Sitzung',
  address: 'Adresse',
  method: 'Angemeldet mit',
  methods: {
    password: 'Passwort',
    invitation: 'Einladung',
    passkey: 'Passkey',
    provider: 'Identitätsanbieter',
  },
  signedInAt: 'Angemeldet',
  lastSeen: 'Zuletzt benutzt',
  endsAt: 'Endet spätestens',
  endSession: 'Beenden',
  sessionEnded: 'Die Sitzung ist beendet.',
  signOutElsewhere: 'Überall sonst abmelden',
  signedOutElsewhere: 'Alle anderen Sitzungen sind beendet.',
  providers: 'Anmeldedienste',
  providersText:
    'Ihre Konten dort melden Sie hier an. Ein entferntes Konto wird wieder verknüpft, wenn Sie sich das nächste Mal damit anmelden.',
  linkedSince: 'Verknüpft seit',
  unlink: 'Verknüpfung entfernen',
  unlinked: 'Die Verknüpfung wurde entfernt.',
  onlyWay: 'Ihr einziger Weg zur Anmeldung',
  notifications: 'Benachrichtigungen',
  notificationsText: (...minutes) =>
    `Eine Benachrichtigung dieses Browsers ${minutes.join(' und ')} Minuten vor einer Frist, wenn Nominierungen nicht gesendet sind oder abweichen, und bei neuen Abweichungen, solange das Portal offen ist, auch in einem verdeckten Tab.`,
  showNotifications: 'In diesem Browser Benachrichtigungen zeigen',
  notificationsBlocked:
    'Dieser Browser blockiert Benachrichtigungen dieser Seite. Bitte erlauben Sie sie zuerst in seinen Einstellungen.',
  sessionExpires: 'Sitzung endet spätestens',
};

/** Not in the dictionary, which is loaded before the first page: few pages have these texts. */
export const PROFILE_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
