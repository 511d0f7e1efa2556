/** `If-Match` and `If-None-Match`: lists of entity tags, or `*` for any. */

const TAG = /(?:W\/)?"[^"]*"/g;
const tagsOf = (header: string): string[] => header.match(TAG) ?? [];

/** Whether a record with this tag meets `If-Match`. Weak tags never do: they do not promise the same bytes. */
export function meetsIfMatch(header: string | undefined, tag: string): boolean {
  if (header === undefined || header.trim() === '*') return true;
  return tagsOf(header).includes(tag);
}

/** Whether the client holds this version already, so that 304 says enough. */
export function isFresh(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return tagsOf(header).some((known) => known.replace(/^W\//, '') === tag);
}
