import type { Dictionary } from '../dictionary.ts';

export const search: Dictionary['search'] = {
  title: 'Suche',
  nothing: 'Nichts gefunden',
  nothingText: 'Kein Eintrag enthält den Text.',
};
