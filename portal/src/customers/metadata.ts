/** An entry of the editor, in the order of input. */
export type MetadataEntry = { readonly id: number; readonly key: string; readonly value: string };

export const entriesOf = (metadata: Readonly<Record<string, string>>): MetadataEntry[] =>
  Object.entries(metadata).map(([key, value], id) => ({ id, key, value }));

/** Ids of entries that repeat the key of an earlier entry; one of the two would be lost. */
export function duplicateIds(entries: readonly MetadataEntry[]): Set<number> {
  const seen = new Set<string>();
  const duplicates = new Set<number>();
  for (const { id, key } of entries) {
    if (seen.has(key)) duplicates.add(id);
    seen.add(key);
  }
  return duplicates;
}

/**
 * The patch from the stored metadata to the editor's entries: new and changed keys, and null for removed
 * ones. An entry without key and value is ignored.
 */
export function metadataChange(
  stored: Readonly<Record<string, string>>,
  entries: readonly MetadataEntry[],
): Record<string, string | null> {
  const wanted = new Map(
    entries.filter(({ key, value }) => key !== '' || value !== '').map(({ key, value }) => [key, value]),
  );
  const removed = Object.keys(stored).filter((key) => !wanted.has(key));
  const changed = Array.from(wanted).filter(
    ([key, value]) => !Object.hasOwn(stored, key) || stored[key] !== value,
  );
  // Keys are arbitrary, including `__proto__`: a null prototype stores them safely.
  const change = Object.create(null) as Record<string, string | null>;
  for (const key of removed) change[key] = null;
  for (const [key, value] of changed) change[key] = value;
  return change;
}

/** The entries after others have changed the stored metadata: their keys, with the editor's own changes on top. */
export function rebasedEntries(
  base: Readonly<Record<string, string>>,
  entries: readonly MetadataEntry[],
  stored: Readonly<Record<string, string>>,
): MetadataEntry[] {
  const change = new Map(Object.entries(metadataChange(base, entries)));
  const kept = Object.entries(stored).filter(([key]) => !change.has(key));
  const own = Array.from(change).filter((entry): entry is [string, string] => entry[1] !== null);
  return [...kept, ...own].map(([key, value], id) => ({ id, key, value }));
}
