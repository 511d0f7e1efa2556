import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  label: 'Saved view',
  none: 'None',
  save: 'Save view…',
  edit: 'Edit view…',
  saveTitle: 'Save these filters as a view',
  editTitle: 'Edit view',
  text: 'This browser keeps the view for you. The search (Ctrl K) finds it by its name.',
  name: 'Name',
  submit: 'Save',
  remove: 'Remove',
  replaces: 'Replaces the view of this name.',
  full: (max: number) => `There are ${max} views already. Remove one first.`,
};
type ViewTexts = typeof en;

const de: ViewTexts = {
  label: 'Ansicht',
  none: 'Keine',
  save: 'Ansicht speichern…',
  edit: 'Ansicht bearbeiten…',
  saveTitle: 'Diese Filter als Ansicht speichern',
  editTitle: 'Ansicht bearbeiten',
  text: 'Dieser Browser merkt sich die Ansicht für Sie. Die Suche (Strg K) findet sie unter ihrem Namen.',
  name: 'Name',
  submit: 'Speichern',
  remove: 'Entfernen',
  replaces: 'Ersetzt die Ansicht dieses Namens.',
  full: (max) => `Es gibt schon ${max} Ansichten. Bitte zuerst eine entfernen.`,
};

export const VIEW_TEXTS: Readonly<Record<Language, ViewTexts>> = { en, de };
