import type { UserPermissions, UserRole } from '@saldo/api';
import { LANGUAGES, type Language } from '@saldo/core/messages/language.ts';
import { includesPermissions } from '@saldo/core/users/permissions.ts';
import type { Dictionary } from '../i18n/dictionary.ts';
import { LANGUAGE_NAMES } from '../i18n/language-names.ts';
import type { IconName } from '../ui/icons.tsx';
import type { NavigationItem } from '../ui/navigation-item.ts';
import { THEMES, type Theme } from '../ui/theme.ts';
import type { Given } from './query.ts';

type Path = NavigationItem['to'];

/** What an entry does: opens a page, opens the dialog of a page that creates a record, or runs a command. */
export type Target =
  | { readonly page: Path; readonly search?: object }
  | { readonly create: Path }
  | { readonly command: 'schedule' | 'docs' | 'sign-out' | 'story' }
  | { readonly language: Language }
  | { readonly theme: Theme };

/** A page or an action. */
export type Entry = {
  readonly group: 'pages' | 'actions';
  readonly label: string;
  /** With a day; by default the same. */
  readonly labelOfDay?: string | undefined;
  readonly words: string;
  readonly icon: IconName;
  readonly takes: readonly (keyof Given)[];
  readonly target: Target;
  /** Shown before a text is typed. */
  readonly isFrequent: boolean;
};

/** The URL parameters of lists that a day or a TSO filters. */
const PARAMETERS: Readonly<Record<string, { readonly day?: string; readonly tso?: string }>> = {
  '/nominations': { day: 'day', tso: 'tso' },
  '/month': { tso: 'tso' },
  '/contracts': { day: 'active_on' },
  '/customers': { tso: 'tso' },
  '/operator/nominations': { day: 'day', tso: 'tso' },
  '/operator/exchange': { day: 'day', tso: 'tso' },
  '/operator/mismatches': { day: 'day', tso: 'tso' },
  '/operator/messages': { day: 'day', tso: 'tso' },
  '/operator/late': { day: 'day' },
  '/operator/contracts': { day: 'active_on' },
  '/operator/customers': { tso: 'tso' },
  '/operator/balance-groups': { tso: 'tso' },
  '/operator/assets': { tso: 'tso' },
};

/** The URL parameters of a page for a day and a TSO. */
export const parametersOf = (page: string, given: Given): Record<string, string> =>
  Object.fromEntries(
    Object.entries(PARAMETERS[page] ?? {}).flatMap(([kind, parameter]) => {
      const value = given[kind as keyof Given];
      return value === undefined ? [] : [[parameter, value]];
    }),
  );

/** Names of the pages in both languages, and other words for them. By the path without the role. */
const PAGE_WORDS: Readonly<Record<string, string>> = {
  '/': 'Overview Übersicht Home Start Market Markt Deadlines Fristen Alarms Alarme',
  '/activity': 'Activity Aktivität Events Ereignisse',
  '/nominations': 'Nominations Nominierungen Schedules Fahrpläne Export',
  '/check': 'Check a schedule Einen Fahrplan prüfen Compare Vergleichen',
  '/month': 'Month Monat Calendar Kalender',
  '/contracts': 'Contracts Verträge PPA',
  '/customers': 'Customers Kunden',
  '/balance-groups': 'Balance groups Bilanzkreise EIC',
  '/users': 'Users Benutzer People',
  '/keys': 'API keys API-Schlüssel',
  '/webhooks': 'Webhooks Endpoints Endpunkte Deliveries Zustellungen',
  '/requests': 'Requests Anfragen API Log API-Anfragen',
  '/exchange': 'Exchange Fahrplanaustausch Send Senden Simulator TSO ÜNB',
  '/mismatches': 'Mismatches Abweichungen Differences',
  '/late': 'Late changes Späte Änderungen',
  '/messages': 'Messages Nachrichten Documents Dokumente ACK CNF ANO',
  '/import': 'Volume import Mengenimport Upload CSV',
  '/series': 'Series Zeitreihen Forecast Prognose Meter Messwerte',
  '/assets': 'Assets Anlagen Plants Kraftwerke',
  '/offers': 'Offers Angebote Assets Anlagen',
  '/demands': 'Demands Gesuche',
  '/inquiries': 'Inquiries Anfragen',
  '/brps': 'BRPs BKV Balance responsible parties Bilanzkreisverantwortliche',
  '/accounts': 'Accounts Konten Account holders Kontoinhaber',
  '/audit': 'Audit trail Protokoll Log',
};

type Action = {
  readonly roles: readonly UserRole[];
  readonly needs?: UserPermissions;
  readonly names: Readonly<Record<Language, string>>;
  readonly namesOfDay?: Readonly<Record<Language, string>>;
  /** Other words for it, in both languages. */
  readonly words?: string;
  readonly icon: IconName;
  readonly takes?: readonly (keyof Given)[];
  readonly target: Target;
  readonly isPage?: boolean;
  readonly isFrequent?: boolean;
  /** Only with the demo data. */
  readonly isOfDemo?: boolean;
};

const OPERATOR = ['operator'] as const;
const OWN = ['brp', 'account'] as const;
const ALL = ['brp', 'operator', 'account'] as const;

const creation = (
  create: Path,
  roles: readonly UserRole[],
  names: Action['names'],
  more: Partial<Action> = {},
) => ({
  roles,
  names,
  needs: 'member' as const,
  icon: 'plus' as const,
  target: { create },
  ...more,
});

/** After the creation of a key: `neuer` is a part of `erneuern`. */
const rotation = (page: Path, roles: readonly UserRole[]): Action => ({
  roles,
  names: { en: 'Rotate API key', de: 'API-Schlüssel erneuern' },
  needs: 'admin',
  icon: 'key',
  target: { page },
});

const pageAt = (
  page: Path,
  roles: readonly UserRole[],
  action: Omit<Action, 'roles' | 'target'> & Partial<Pick<Action, 'target'>>,
): Action => ({ target: { page }, isPage: true, roles, ...action });

/** Pages that the navigation does not have, and what can be done from any page. */
const ACTIONS: readonly Action[] = [
  {
    roles: ['brp'],
    names: { en: 'Download tomorrow’s schedule', de: 'Fahrplan für morgen herunterladen' },
    namesOfDay: { en: 'Download schedule', de: 'Fahrplan herunterladen' },
    words: 'CSV Save Speichern',
    icon: 'download',
    takes: ['day'],
    target: { command: 'schedule' },
    isFrequent: true,
  },
  pageAt('/operator/board', OPERATOR, {
    names: { en: 'Control room', de: 'Leitstand' },
    words: 'Board Wall Screen Tafel Leitwarte',
    icon: 'grid',
    isFrequent: true,
  }),
  pageAt('/operator/series/interchanges', OPERATOR, {
    names: { en: 'Interchanges', de: 'Übertragungsdateien' },
    words: 'MSCONS Files Dateien',
    icon: 'list',
  }),
  {
    roles: OPERATOR,
    needs: 'member',
    names: { en: 'Import values of series', de: 'Werte von Zeitreihen importieren' },
    words: 'Upload CSV Forecast Prognose Meter Messwerte',
    icon: 'upload',
    target: { page: '/operator/series/import' },
  },
  {
    roles: OPERATOR,
    needs: 'member',
    names: { en: 'New contract', de: 'Neuer Vertrag' },
    words: 'PPA Create Anlegen',
    icon: 'plus',
    target: { page: '/operator/contracts/new' },
    isFrequent: true,
  },
  creation('/operator/customers', OPERATOR, { en: 'New customer', de: 'Neuer Kunde' }, { isFrequent: true }),
  creation('/operator/brps', OPERATOR, { en: 'New BRP', de: 'Neuer BKV' }),
  creation('/operator/balance-groups', OPERATOR, { en: 'New balance group', de: 'Neuer Bilanzkreis' }),
  creation('/operator/accounts', OPERATOR, { en: 'New account', de: 'Neues Konto' }),
  creation('/operator/assets', OPERATOR, { en: 'New asset', de: 'Neue Anlage' }),
  creation('/operator/demands', OPERATOR, { en: 'New demand', de: 'Neues Gesuch' }),
  creation('/operator/users', OPERATOR, { en: 'New user', de: 'Neuer Benutzer' }, { needs: 'admin' }),
  creation('/operator/keys', OPERATOR, { en: 'New API key', de: 'Neuer API-Schlüssel' }, { needs: 'admin' }),
  rotation('/operator/keys', OPERATOR),
  creation('/operator/webhooks', OPERATOR, { en: 'New webhook', de: 'Neuer Webhook' }, { needs: 'admin' }),
  pageAt('/offers', ['account'], {
    names: { en: 'Watch list', de: 'Merkliste' },
    words: 'Watched offers Beobachtete gemerkte Angebote',
    icon: 'eye',
    target: { page: '/offers', search: { watched: 'true' } },
    isFrequent: true,
  }),
  pageAt('/compare', ['account'], {
    names: { en: 'Compare offers', de: 'Angebote vergleichen' },
    words: 'Comparison Vergleich',
    icon: 'scale',
    isFrequent: true,
  }),
  creation('/users', OWN, { en: 'New user', de: 'Neuer Benutzer' }, { needs: 'admin' }),
  creation(
    '/keys',
    OWN,
    { en: 'New API key', de: 'Neuer API-Schlüssel' },
    { needs: 'admin', isFrequent: true },
  ),
  rotation('/keys', OWN),
  creation('/webhooks', ['brp'], { en: 'New webhook', de: 'Neuer Webhook' }, { needs: 'admin' }),
  pageAt('/profile', ALL, {
    names: { en: 'Profile', de: 'Profil' },
    words:
      'Password Passwort Passkey Second factor Zweiter Faktor Sessions Sitzungen Notifications Benachrichtigungen',
    icon: 'user',
  }),
  {
    roles: ALL,
    names: { en: 'Documentation', de: 'Dokumentation' },
    words: 'Docs Help Hilfe API Reference Referenz',
    icon: 'external',
    target: { command: 'docs' },
    isPage: true,
  },
  {
    roles: OPERATOR,
    needs: 'member',
    names: { en: 'Guided story', de: 'Rundgang' },
    words: 'Demo Tour Help Hilfe Geführte Geschichte',
    icon: 'steps',
    target: { command: 'story' },
    isOfDemo: true,
  },
  {
    roles: ALL,
    names: { en: 'Sign out', de: 'Abmelden' },
    words: 'Log out Logout Ausloggen',
    icon: 'signOut',
    target: { command: 'sign-out' },
  },
];

const THEME_NAMES: Readonly<Record<Theme, Readonly<Record<Language, string>>>> = {
  system: { en: 'Theme of the system', de: 'Darstellung des Systems' },
  light: { en: 'Light theme', de: 'Helle Darstellung' },
  dark: { en: 'Dark theme', de: 'Dunkle Darstellung' },
};

const THEME_WORDS: Readonly<Record<Theme, string>> = {
  system: 'Automatic Automatisch',
  light: 'Bright Hell',
  dark: 'Night Dunkel',
};

/** Language and theme, without those that are chosen. */
const preferences = (language: Language, theme: Theme): Action[] => [
  ...LANGUAGES.filter((known) => known !== language).map((known) => ({
    roles: ALL,
    names: { en: `Language: ${LANGUAGE_NAMES[known]}`, de: `Sprache: ${LANGUAGE_NAMES[known]}` },
    words: 'Change Ändern German Englisch',
    icon: 'edit' as const,
    target: { language: known },
  })),
  ...THEMES.filter((known) => known !== theme).map((known) => ({
    roles: ALL,
    names: THEME_NAMES[known],
    words: `Change Ändern Mode Modus Design ${THEME_WORDS[known]}`,
    icon: 'edit' as const,
    target: { theme: known },
  })),
];

type User = { readonly role: UserRole; readonly permissions: UserPermissions; readonly isInDemo: boolean };

/** All pages and actions of a user, in display order. */
export function entriesOf(
  { role, permissions, isInDemo }: User,
  navigation: readonly NavigationItem[],
  t: Dictionary,
  theme: Theme,
): Entry[] {
  const isAllowed = ({ needs = 'viewer' }: { readonly needs?: UserPermissions }) =>
    includesPermissions(permissions, needs);
  const pages = navigation.filter(isAllowed).map(
    ({ to, label, icon }): Entry => ({
      group: 'pages',
      label: label(t),
      words: PAGE_WORDS[to.replace(/^\/operator(?=\/)/, '')] ?? '',
      icon,
      takes: Object.keys(PARAMETERS[to] ?? {}) as (keyof Given)[],
      target: { page: to },
      isFrequent: to === '/check',
    }),
  );
  const actions = [...ACTIONS, ...preferences(t.language, theme)]
    .filter((action) => action.roles.includes(role) && isAllowed(action) && (isInDemo || !action.isOfDemo))
    .map(
      ({
        names,
        namesOfDay,
        words = '',
        icon,
        takes = [],
        target,
        isPage = false,
        isFrequent = false,
      }): Entry => ({
        group: isPage ? 'pages' : 'actions',
        label: names[t.language],
        labelOfDay: namesOfDay?.[t.language],
        words: `${LANGUAGES.map((language) => names[language]).join(' ')} ${words}`,
        icon,
        takes,
        target,
        isFrequent,
      }),
    );
  return [...pages, ...actions];
}
