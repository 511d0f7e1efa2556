import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  title: 'Customers',
  name: 'Name',
  searchHint: 'Name or metadata',
  metadata: 'Metadata',
  assigned: 'Assigned',
  activated: 'Activated',
  empty: 'No customers',
  emptyText: 'No customer matches these filters.',
  activate: 'Activate',
  deactivate: 'Deactivate',
  activateTitle: (name: string) => `Activate ${name}?`,
  activateText:
    'The contracts of this customer then take volumes, once the other side is active too. Transactions that a deactivation made invalid become valid again from the first delivery day on.',
  deactivateTitle: (name: string) => `Deactivate ${name}?`,
  deactivateText:
    'Transactions of the first delivery day and later become invalid, and no volumes are taken for these days. Earlier days stay as they are. The customer can be activated again.',
  activatedToast: (name: string) => `${name} is active.`,
  deactivatedToast: (name: string) => `${name} is deactivated.`,
  move: 'Move',
  moveTitle: (name: string) => `Move ${name}?`,
  moveText: (eic: string, tso: string) =>
    `To ${eic} in the control area of ${tso}. Transactions of the first delivery day and later get a new version in this balance group; earlier days stay as they are.`,
  effect: {
    from: 'First delivery day',
    changes: 'Will change',
    counts: (contracts: number, transactions: string) =>
      `${contracts === 1 ? '1 contract' : `${contracts} contracts`}, ${transactions === '1' ? '1 transaction' : `${transactions} transactions`}`,
    noNominations: 'Nothing changes for nominations.',
    nominations: (total: number, count: string) =>
      total === 1 ? '1 nomination gets a new version:' : `${count} nominations get a new version:`,
    newVersions: 'Nominations with a new version',
    energy: 'Energy before and after',
    before: 'Before, MWh',
    after: 'After, MWh',
    firstNominations: (count: number) => `The first ${count} by delivery day are listed.`,
    postponed: (day: string) =>
      `A gate has closed meanwhile, and nothing has been sent: the change now applies from ${day} on. Please check and confirm again.`,
  },
  placements: {
    title: 'Balance groups by delivery day',
    text: 'Volumes use the balance group of their delivery day.',
    firstDay: 'First day',
    lastDay: 'Last day',
    fromTheStart: 'from the beginning',
    current: 'current',
    coming: 'upcoming',
  },
  balanceGroupText: 'In which of your balance groups and control areas this customer is accounted.',
  noBalanceGroup: 'No balance group yet',
  chooseBalanceGroup: 'Choose…',
  preview: 'Preview…',
  notEnabled: 'not enabled',
  saved: 'Saved.',
  metadataText: (keys: number) =>
    `Notes on this customer, up to ${keys}. The search in the list of customers finds them.`,
  metadataKey: 'Key',
  metadataValue: 'Value',
  metadataKeyOf: (row: number) => `Key ${row}`,
  metadataValueOf: (row: number) => `Value ${row}`,
  addMetadata: 'Add entry',
  removeMetadata: (key: string) => `Remove ${key || 'this entry'}`,
  emptyMetadata: 'No entries yet.',
  duplicateKey: 'This key is repeated.',
};

const de: typeof en = {
  title: 'Kunden',
  name: 'Name',
  searchHint: 'Name oder Metadaten',
  metadata: 'Metadaten',
  assigned: 'Zugeordnet',
  activated: 'Aktiviert',
  empty: 'Keine Kunden',
  emptyText: 'Kein Kunde passt zu diesen Filtern.',
  activate: 'Aktivieren',
  deactivate: 'Deaktivieren',
  activateTitle: (name) => `${name} aktivieren?`,
  activateText:
    'Verträge dieses Kunden nehmen dann Mengen an, sobald auch die andere Seite aktiv ist. Transaktionen, die eine Deaktivierung ungültig gemacht hat, werden ab dem ersten Liefertag wieder gültig.',
  deactivateTitle: (name) => `${name} deaktivieren?`,
  deactivateText:
    'Transaktionen ab dem ersten Liefertag werden ungültig, und für diese Tage werden keine Mengen angenommen. Frühere Tage bleiben, wie sie sind. Der Kunde kann wieder aktiviert werden.',
  activatedToast: (name) => `${name} ist aktiv.`,
  deactivatedToast: (name) => `${name} ist deaktiviert.`,
  move: 'Wechseln',
  moveTitle: (name) => `Bilanzkreis von ${name} wechseln?`,
  moveText: (eic, tso) =>
    `Zu ${eic} in der Regelzone von ${tso}. Transaktionen ab dem ersten Liefertag erhalten eine neue Version in diesem Bilanzkreis; frühere Tage bleiben, wie sie sind.`,
  effect: {
    from: 'Erster Liefertag',
    changes: 'Es ändern sich',
    counts: (contracts, transactions) =>
      `${contracts === 1 ? '1 Vertrag' : `${contracts} Verträge`}, ${transactions === '1' ? '1 Transaktion' : `${transactions} Transaktionen`}`,
    noNominations: 'Für Nominierungen ändert sich nichts.',
    nominations: (total, count) =>
      total === 1
        ? '1 Nominierung erhält eine neue Version:'
        : `${count} Nominierungen erhalten eine neue Version:`,
    newVersions: 'Nominierungen mit neuer Version',
    energy: 'Energie vorher und nachher',
    before: 'Vorher, MWh',
    after: 'Nachher, MWh',
    firstNominations: (count) => `Aufgeführt sind die ersten ${count} nach Liefertag.`,
    postponed: (day) =>
      `Inzwischen ist eine Frist abgelaufen, und nichts wurde gesendet: Die Änderung gilt jetzt ab ${day}. Bitte prüfen und erneut bestätigen.`,
  },
  placements: {
    title: 'Bilanzkreise nach Liefertag',
    text: 'Mengen benutzen den Bilanzkreis ihres Liefertags.',
    firstDay: 'Erster Tag',
    lastDay: 'Letzter Tag',
    fromTheStart: 'von Anfang an',
    current: 'aktuell',
    coming: 'künftig',
  },
  balanceGroupText: 'In welchem Ihrer Bilanzkreise und welcher Regelzone dieser Kunde bilanziert wird.',
  noBalanceGroup: 'Noch kein Bilanzkreis',
  chooseBalanceGroup: 'Auswählen…',
  preview: 'Vorschau…',
  notEnabled: 'nicht freigeschaltet',
  saved: 'Gespeichert.',
  metadataText: (keys) =>
    `Angaben zu diesem Kunden, bis zu ${keys}. Die Liste der Kunden lässt sich danach durchsuchen.`,
  metadataKey: 'Schlüssel',
  metadataValue: 'Wert',
  metadataKeyOf: (row) => `Schlüssel ${row}`,
  metadataValueOf: (row) => `Wert ${row}`,
  addMetadata: 'Eintrag hinzufügen',
  removeMetadata: (key) => `${key || 'Diesen Eintrag'} entfernen`,
  emptyMetadata: 'Noch keine Einträge.',
  duplicateKey: 'Diesen Schlüssel gibt es zweimal.',
};

/** Not in the dictionary, which is loaded before the first page: few pages have these texts. */
export const CUSTOMER_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
