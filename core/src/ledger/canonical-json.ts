export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The canonical JSON of RFC 8785: no white space, members sorted by UTF-16 code units, numbers and strings as in ECMAScript. */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const record = value as { readonly [name: string]: Json };
  const members = Object.keys(record).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalJson(record[name]!)}`).join(',')}}`;
}
