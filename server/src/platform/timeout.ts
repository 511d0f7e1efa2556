/**
 * Waits for a call, but not longer than `ms`: then the result is that of `giveUp`, which may throw. Ends the wait, not the
 * call.
 */
export function within<T>(ms: number, call: Promise<T>, giveUp: () => T): Promise<T> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  return Promise.race([call, late.promise.then(giveUp)]).finally(() => clearTimeout(timer));
}
