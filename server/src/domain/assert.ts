/** A broken assertion is a mistake of ours, never of a caller outside: it ends as an opaque 500. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}
