import type { Dictionary } from '../dictionary.ts';

export const session: Dictionary['session'] = {
  signIn: 'Anmelden',
  signInTitle: 'Bei Saldo anmelden',
  signOut: 'Abmelden',
  email: 'E-Mail',
  password: 'Passwort',
  showPassword: 'Passwort anzeigen',
  hidePassword: 'Passwort verbergen',
  forgot: 'Passwort vergessen?',
  forgotText:
    'Bitten Sie einen Administrator Ihrer Organisation oder den Betreiber der Plattform um einen neuen Link. Er gilt einmal, und Sie wählen damit ein neues Passwort.',
  expired: 'Ihre Sitzung ist beendet. Bitte melden Sie sich erneut an.',
  invitationTitle: (name) => `Willkommen, ${name}`,
  invitationText: (email) => `Wählen Sie ein Passwort für ${email}. Danach sind Sie angemeldet.`,
  invitationMissing: 'Diese Einladung ist nicht verwendbar',
  invitationMissingText:
    'Sie wurde schon benutzt, ist abgelaufen, oder die Adresse ist unvollständig. Bitten Sie um einen neuen Link.',
  invitationExpires: 'Der Link gilt einmal, bis',
  newPassword: 'Neues Passwort',
  repeatPassword: 'Neues Passwort wiederholen',
  passwordRule: (minimum) =>
    `Mindestens ${minimum} Zeichen, und nicht leicht zu erraten. Mehrere Wörter ergeben ein gutes Passwort.`,
  passwordsDiffer: 'Die beiden Passwörter sind verschieden.',
  accept: 'Passwort setzen und anmelden',
  profile: 'Profil',
  profileTitle: 'Profil und Passwort',
  currentPassword: 'Bisheriges Passwort',
  changePassword: 'Passwort ändern',
  changePasswordHint: 'Mit der Änderung enden alle anderen Sitzungen.',
  passwordChanged: 'Das Passwort wurde geändert.',
  otherSessions: 'Andere Geräte',
  otherSessionsText: 'Beendet alle Sitzungen außer dieser, etwa auf einem verlorenen Gerät.',
  signOutElsewhere: 'Überall sonst abmelden',
  signedOutElsewhere: 'Alle anderen Sitzungen sind beendet.',
  notifications: 'Benachrichtigungen',
  notificationsText: (...minutes) =>
    `Eine Benachrichtigung dieses Browsers ${minutes.join(' und ')} Minuten vor einer Frist, wenn Nominierungen nicht gesendet sind oder abweichen, und bei neuen Abweichungen, solange das Portal offen ist, auch in einem verdeckten Tab.`,
  showNotifications: 'In diesem Browser Benachrichtigungen zeigen',
  notificationsBlocked:
    'Dieser Browser blockiert Benachrichtigungen dieser Seite. Bitte erlauben Sie sie zuerst in seinen Einstellungen.',
  name: 'Name',
  organisation: 'Arbeitet für',
  role: 'Rolle',
  roles: { operator: 'Betreiber', brp: 'Bilanzkreisverantwortlicher', account: 'Kontoinhaber' },
  permission: 'Rechte',
  permissions: { admin: 'Administrator', member: 'Bearbeiter', viewer: 'Leser' },
  permissionsHint:
    'Leser lesen nur. Bearbeiter erledigen das Tagesgeschäft. Administratoren verwalten auch Benutzer, Schlüssel und Webhooks.',
  sessionExpires: 'Sitzung endet spätestens',
};
