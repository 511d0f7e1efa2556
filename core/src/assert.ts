/** For errors of our own code, never of a client: the server responds with an opaque 500. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}
