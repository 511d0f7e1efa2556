/** The source of business time. Business code never calls `Date.now`, so that tests and sandboxes can set the time. */
export type Clock = { now(): number };

/**
 * The clock of one transaction: read when it is first needed, which is after the locks, and standing from then on, so that all
 * records of the change have the same instant.
 */
export function transactionClock(clock: Clock): Clock {
  let instant: number | null = null;
  return { now: () => (instant ??= clock.now()) };
}

export const systemClock: Clock = { now: () => Date.now() };

/** Monotonic milliseconds for durations. Changes of the system clock or of the sandbox clock do not affect it. */
export const monotonicNow = (): number => performance.now();

type ClockSetting = { readonly offsetMs: number; readonly wasMovedBack: boolean };

/** A clock with an adjustable offset to its base clock. */
export type MovableClock = Clock & {
  /** Time without the offset. Sessions and invitations use it, so that moving a sandbox clock signs no user out. */
  machineNow(): number;
  offsetMs(): number;
  /** Whether the clock was ever moved back, so that the order of stored instants is not that of the changes. */
  wasMovedBack(): boolean;
  /** Moves the clock to what `read` returns, unless a call that began later has done so: its read is newer. */
  follow(read: () => Promise<ClockSetting>): Promise<void>;
};

export function movableClock(base: Clock): MovableClock {
  let setting: ClockSetting = { offsetMs: 0, wasMovedBack: false };
  let calls = 0;
  let applied = 0;
  return {
    now: () => base.now() + setting.offsetMs,
    machineNow: () => base.now(),
    offsetMs: () => setting.offsetMs,
    wasMovedBack: () => setting.wasMovedBack,
    async follow(read) {
      const call = ++calls;
      const next = await read();
      if (call < applied) return;
      applied = call;
      setting = next;
    },
  };
}
