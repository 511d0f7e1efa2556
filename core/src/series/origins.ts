import type { SeriesKind } from '../enums.ts';

/** Per slot the series that a volume comes from, null without one. */
export type Origins = readonly (SeriesKind | null)[];

const LETTERS: Readonly<Record<SeriesKind, string>> = { forecast: 'f', meter: 'm' };
const NONE = '-';

/**
 * Encodes the origins of a sheet for storage: a letter per slot, or a single one if it is the same for all slots that
 * the sheet sets.
 */
export function packOrigins(origins: Origins, volumes: readonly (number | null)[]): string {
  const letters = origins.map((origin) => (origin === null ? NONE : LETTERS[origin]));
  const set = new Set(letters.filter((_, at) => volumes[at] !== null));
  return set.size === 1 ? [...set].join('') : letters.join('');
}

export function originAt(packed: string, slot: number): SeriesKind | null {
  const letter = packed.length === 1 ? packed : packed[slot - 1];
  if (letter === LETTERS.forecast) return 'forecast';
  return letter === LETTERS.meter ? 'meter' : null;
}
