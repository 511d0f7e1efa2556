/** A field of a record that is not the same before and after. Missing is undefined. */
export type Difference = { readonly path: string; readonly before: unknown; readonly after: unknown };

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every value of a record by the path to it: dots for members; lists are values as a whole. */
function leavesOf(value: unknown, path = ''): [path: string, value: unknown][] {
  if (!isRecord(value)) return path === '' && (value === null || value === undefined) ? [] : [[path, value]];
  const members = Object.entries(value);
  if (members.length === 0 && path !== '') return [[path, value]];
  return members.flatMap(([name, member]) => leavesOf(member, path === '' ? name : `${path}.${name}`));
}

/** What a deed changed, in the order in which the fields are known. */
export function differencesOf(before: unknown, after: unknown): Difference[] {
  const [old, now] = [new Map(leavesOf(before)), new Map(leavesOf(after))];
  const paths = [...old.keys(), ...Array.from(now.keys()).filter((path) => !old.has(path))];
  return paths
    .map((path) => ({ path, before: old.get(path), after: now.get(path) }))
    .filter((field) => JSON.stringify(field.before) !== JSON.stringify(field.after));
}
