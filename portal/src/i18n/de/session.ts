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
  signInWith: (provider) => `Mit ${provider} anmelden`,
  otherWays: 'Über einen Anmeldedienst anmelden',
  providerRequired: (domain) => `Benutzer von ${domain} melden sich hier an, ohne Passwort:`,
  signingIn: 'Sie werden angemeldet',
  expired: 'Ihre Sitzung ist beendet. Bitte melden Sie sich erneut an.',
  invitationTitle: (name) => `Willkommen, ${name}`,
  invitationText: (email) => `Wählen Sie ein Passwort für ${email}. Danach sind Sie angemeldet.`,
  invitationProviderText: (email) =>
    `Melden Sie sich als ${email} an, um die Einladung anzunehmen. Ein Passwort für Saldo brauchen Sie nicht.`,
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
  name: 'Name',
  organisation: 'Arbeitet für',
  role: 'Rolle',
  roles: { operator: 'Betreiber', brp: 'Bilanzkreisverantwortlicher', account: 'Kontoinhaber' },
  permission: 'Rechte',
  permissions: { admin: 'Administrator', member: 'Bearbeiter', viewer: 'Leser' },
  permissionsHint:
    'Leser lesen nur. Bearbeiter erledigen das Tagesgeschäft. Administratoren verwalten auch Benutzer, Schlüssel und Webhooks.',
};
