import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  text: 'Consumers and producers, assigned to the BRPs.',
  create: 'New customer',
  createTitle: 'Assign a customer to a BRP',
  edit: 'Change',
  groupHint: 'Can be left to the BRP.',
  groupText: 'In which of its BRP’s balance groups and control areas this customer is accounted.',
  movedText:
    'The customer moves to another BRP and loses the metadata of the present one. Transactions of the first delivery day and later get a new version in the new balance group; earlier days stay with the present BRP.',
  movedGroupHint: 'Needed if the customer has contracts that still deliver.',
  activeFromStart: 'Active from the start, without its BRP',
};

const de: typeof en = {
  text: 'Verbraucher und Erzeuger, den BKV zugeordnet.',
  create: 'Neuer Kunde',
  createTitle: 'Kunden einem BKV zuordnen',
  edit: 'Ändern',
  groupHint: 'Kann dem BKV überlassen werden.',
  groupText: 'In welchem Bilanzkreis und welcher Regelzone seines BKV dieser Kunde bilanziert wird.',
  movedText:
    'Der Kunde wechselt zu einem anderen BKV und verliert die Metadaten des bisherigen. Transaktionen ab dem ersten Liefertag erhalten eine neue Version im neuen Bilanzkreis; frühere Tage bleiben beim bisherigen BKV.',
  movedGroupHint: 'Nötig, wenn der Kunde Verträge hat, die noch liefern.',
  activeFromStart: 'Von Anfang an aktiv, ohne seinen BKV',
};

/** Not in the dictionary, which is loaded before the first page: few pages have these texts. */
export const OPERATOR_CUSTOMER_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
