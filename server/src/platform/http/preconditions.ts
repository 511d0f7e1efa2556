/** `If-Match` and `If-None-Match`: lists of entity tags, or `*` for any. */

const TAG = /(?:W\/)?"[^"]*"/g;
const tagsOf = (header: string): string[] => header.match(TAG) ?? [];

/** `If-Match` needs a strong comparison, so weak tags never match (RFC 9110). */
export function meetsIfMatch(header: string | undefined, tag: string): boolean {
  if (header === undefined || header.trim() === '*') return true;
  return tagsOf(header).includes(tag);
}

/** Whether the client already has this version, so that 304 is the right response. */
export function isFresh(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return tagsOf(header).some((known) => known.replace(/^W\//, '') === tag);
}
