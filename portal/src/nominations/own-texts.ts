import type { CauseKind, ScheduleStep } from '@saldo/api';
import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  changed: 'Changed',
  changedSince: (version: number) => `changed since v${version}`,
  versions: (before: number, after: number) => `Version ${before} → ${after}`,
  slots: (count: number) => (count === 1 ? '1 quarter-hour' : `${count} quarter-hours`),
  difference: (mwh: string) => `Δ ${mwh} MWh`,
  changedText: (version: number, day: string) =>
    `This nomination of ${day} has changed since version ${version}. Load the new schedule, and submit it to your TSO.`,
  load: 'Load new schedule',
  loadHint: 'Download your side of the current version as CSV',
  causes: 'Why it has changed',
  causesOf: (version: number) => `Why version ${version} differs from the version before`,
  noCauses: 'The amounts are the same.',
  kinds: {
    created: 'New volumes',
    corrected: 'Correction',
    invalidated: 'Invalidated',
    moved: 'Change of balance group',
    source: 'Forecast or meter',
    other: 'Other contracts',
  } satisfies Record<CauseKind, string>,
  more: (count: number) => (count === 1 ? '1 more cause' : `${count} more causes`),
  by: (name: string) => `by ${name}`,
  own: 'Your own side',
  ownText: 'What you have done with your schedule, version by version. The operator sends only its own side.',
  steps: {
    loaded: 'loaded',
    checked: 'checked',
    submitted: 'submitted',
  } satisfies Record<ScheduleStep, string>,
  confirmed: 'confirmed',
  notYet: 'not yet',
  outdated: (version: number) => `version ${version}, out of date`,
  check: 'Check…',
  submit: 'Mark as submitted',
  takeBack: 'Take back “submitted”',
  before: (version: number) => `Version ${version}`,
};

const de: typeof en = {
  changed: 'Geändert',
  changedSince: (version) => `geändert seit v${version}`,
  versions: (before, after) => `Version ${before} → ${after}`,
  slots: (count) => (count === 1 ? '1 Viertelstunde' : `${count} Viertelstunden`),
  difference: (mwh) => `Δ ${mwh} MWh`,
  changedText: (version, day) =>
    `Diese Nominierung für ${day} hat sich seit Version ${version} geändert. Laden Sie den neuen Fahrplan und melden Sie ihn beim ÜNB an.`,
  load: 'Neuen Fahrplan laden',
  loadHint: 'Ihre Seite der aktuellen Version als CSV herunterladen',
  causes: 'Warum sie sich geändert hat',
  causesOf: (version) => `Warum Version ${version} von der Version davor abweicht`,
  noCauses: 'Die Mengen sind gleich.',
  kinds: {
    created: 'Neue Mengen',
    corrected: 'Korrektur',
    invalidated: 'Ungültig gesetzt',
    moved: 'Bilanzkreiswechsel',
    source: 'Prognose oder Messwerte',
    other: 'Übrige Verträge',
  },
  more: (count) => (count === 1 ? '1 weitere Ursache' : `${count} weitere Ursachen`),
  by: (name) => `durch ${name}`,
  own: 'Ihre eigene Seite',
  ownText: 'Was Sie mit Ihrem Fahrplan getan haben, je Version. Der Betreiber sendet nur seine Seite.',
  steps: { loaded: 'geladen', checked: 'geprüft', submitted: 'angemeldet' },
  confirmed: 'bestätigt',
  notYet: 'noch nicht',
  outdated: (version) => `Version ${version}, überholt`,
  check: 'Prüfen…',
  submit: 'Als angemeldet markieren',
  takeBack: '„Angemeldet“ zurücknehmen',
  before: (version) => `Version ${version}`,
};

export const OWN_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
