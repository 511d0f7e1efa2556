/** The source of business time. Business code never calls `Date.now`, so that tests and sandboxes can set the time. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: () => Date.now() };

/** Monotonic milliseconds for durations. Changes of the system clock or of the sandbox clock do not affect it. */
export const monotonicNow = (): number => performance.now();

/** A clock with an adjustable offset to its base clock. */
export type MovableClock = Clock & {
  /** Time without the offset. Sessions and invitations use it, so that moving a sandbox clock signs no user out. */
  machineNow(): number;
  offsetMs(): number;
  /** Moves the clock to the offset that `read` returns, unless a call that began later has done so: its read is newer. */
  follow(read: () => Promise<number>): Promise<void>;
};

export function movableClock(base: Clock): MovableClock {
  let offset = 0;
  let calls = 0;
  let applied = 0;
  return {
    now: () => base.now() + offset,
    machineNow: () => base.now(),
    offsetMs: () => offset,
    async follow(read) {
      const call = ++calls;
      const offsetMs = await read();
      if (call < applied) return;
      applied = call;
      offset = offsetMs;
    },
  };
}
