import type { Dictionary } from '../dictionary.ts';

export const schedule: Dictionary['schedule'] = {
  check: { title: 'Fahrplan prüfen' },
};
