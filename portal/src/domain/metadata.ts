/** An entry of the editor, in the order of typing. */
export type MetadataEntry = { readonly id: number; readonly key: string; readonly value: string };

export const entriesOf = (metadata: Readonly<Record<string, string>>): MetadataEntry[] =>
  Object.entries(metadata).map(([key, value], id) => ({ id, key, value }));

/** Ids of entries whose key stands further up already; one of the two would be lost. */
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
 * What has to be sent so that the stored metadata become those of the editor: new and changed keys, and null for those
 * that are gone. An entry without a key and a value was never filled in.
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
  // Keys may be called anything, `__proto__` included: a null prototype takes them as they are.
  const change = Object.create(null) as Record<string, string | null>;
  for (const key of removed) change[key] = null;
  for (const [key, value] of changed) change[key] = value;
  return change;
}
