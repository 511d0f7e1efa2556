import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  create: 'New contract',
  createTitle: 'New contract',
  createText: 'The contract uses the balance groups that its customers have on each delivery day.',
  referenceHint: 'Used once.',
  chooseParty: 'Please choose a customer from the list.',
  typeHint: 'Only PPA contracts accept volumes.',
  firstDay: 'First day of delivery',
  lastDay: 'Last day of delivery',
  lastDayHint: 'Both can be left open and set later; until then there are no volumes.',
  noAsset: 'None',
  end: 'Set end',
  endTitle: (reference: string) => `End ${reference}`,
  endText:
    'Volumes of later days become invalid and no longer count in any saldo. A later end makes volumes valid again that an earlier one had made invalid. Gates that have closed stay closed.',
  editDay: 'Correct the day',
};

const de: typeof en = {
  create: 'Neuer Vertrag',
  createTitle: 'Neuer Vertrag',
  createText: 'Der Vertrag nutzt die Bilanzkreise, die seine Kunden am jeweiligen Liefertag haben.',
  referenceHint: 'Wird nur einmal vergeben.',
  chooseParty: 'Bitte einen Kunden aus der Liste wählen.',
  typeHint: 'Nur PPA-Verträge nehmen Mengen auf.',
  firstDay: 'Erster Liefertag',
  lastDay: 'Letzter Liefertag',
  lastDayHint: 'Beide können offen bleiben und später gesetzt werden; bis dahin gibt es keine Mengen.',
  noAsset: 'Keine',
  end: 'Ende setzen',
  endTitle: (reference) => `${reference} beenden`,
  endText:
    'Mengen späterer Tage werden ungültig und aus allen Salden genommen. Ein späteres Ende macht Mengen wieder gültig, die ein früheres ungültig gemacht hatte. Abgelaufene Fristen bleiben abgelaufen.',
  editDay: 'Tag korrigieren',
};

/** Not in the dictionary, which is loaded before the first page: few pages have these texts. */
export const OPERATOR_CONTRACT_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
