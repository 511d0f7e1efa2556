/** A field that differs between two versions of a record; undefined if it is missing. */
export type Difference = { readonly path: string; readonly before: unknown; readonly after: unknown };

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Flattens a record to values by dotted path; a list is one value. */
function leavesOf(value: unknown, path = ''): [path: string, value: unknown][] {
  if (!isRecord(value)) return path === '' && (value === null || value === undefined) ? [] : [[path, value]];
  const members = Object.entries(value);
  if (members.length === 0 && path !== '') return [[path, value]];
  return members.flatMap(([name, member]) => leavesOf(member, path === '' ? name : `${path}.${name}`));
}

/** The fields that an audit event changed, in the order of the record. */
export function differencesOf(before: unknown, after: unknown): Difference[] {
  const [old, now] = [new Map(leavesOf(before)), new Map(leavesOf(after))];
  const paths = [...old.keys(), ...Array.from(now.keys()).filter((path) => !old.has(path))];
  return paths
    .map((path) => ({ path, before: old.get(path), after: now.get(path) }))
    .filter((field) => JSON.stringify(field.before) !== JSON.stringify(field.after));
}
