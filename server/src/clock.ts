/** The platform's time. Nothing else reads the machine's clock for business, so a test can run through any day. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: () => Date.now() };

/** Time that only runs forward, for measuring: it does not follow when the platform's clock is moved. */
export const monotonicNow = (): number => performance.now();

/** A clock that runs beside another one, at a distance that can be set. */
export type MovableClock = Clock & {
  /** The time that is not moved: sessions and invitations go by it, so that nobody is signed out by a sandbox's clock. */
  machineNow(): number;
  offsetMs(): number;
  moveTo(offsetMs: number): void;
};

export function movableClock(base: Clock): MovableClock {
  let offset = 0;
  return {
    now: () => base.now() + offset,
    machineNow: () => base.now(),
    offsetMs: () => offset,
    moveTo(offsetMs) {
      offset = offsetMs;
    },
  };
}
