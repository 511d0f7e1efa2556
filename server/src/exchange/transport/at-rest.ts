/** Gateways may write in place: a file is complete when its size and time have not changed for this long. */
export const AT_REST_MS = 2_000;

/**
 * Decides which files are complete. Compares what successive listings show instead of a file's time with our clock: the
 * clock of a file server may differ from ours. `now` must be monotonic, because sandboxes move the platform's clock.
 */
export function restTracker(now: () => number) {
  let seen = new Map<string, { readonly state: string; readonly since: number }>();
  /** Returns the entries of a complete listing whose `state` has not changed for `AT_REST_MS`. */
  return <T extends { readonly name: string; readonly state: string }>(listed: readonly T[]): T[] => {
    const at = now();
    const next: typeof seen = new Map();
    for (const { name, state } of listed) {
      const before = seen.get(name);
      next.set(name, before?.state === state ? before : { state, since: at });
    }
    seen = next;
    return listed.filter(({ name }) => at - (next.get(name)?.since ?? at) >= AT_REST_MS);
  };
}
