export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The canonical JSON of RFC 8785: no white space, members sorted by UTF-16 code units, numbers and strings as in ECMAScript. */
export function canonicalJson(value: Json): string {
  if (!isObject(value)) return JSON.stringify(value);
  // Without objects the writer of the engine is canonical, and takes a third of the time for an entry with 96 slots.
  if (Array.isArray(value))
    return value.some(isObject) ? `[${value.map(canonicalJson).join(',')}]` : JSON.stringify(value);
  const record = value as { readonly [name: string]: Json };
  const members = Object.keys(record).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalJson(record[name]!)}`).join(',')}}`;
}

const isObject = (value: Json): value is Exclude<Json, null | boolean | number | string> =>
  value !== null && typeof value === 'object';
