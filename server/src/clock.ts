/** The platform's time. Nothing else reads the machine's clock for business, so a test can run through any day. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: () => Date.now() };

/** Time that only runs forward, for measuring: it does not follow when the platform's clock is moved. */
export const monotonicNow = (): number => performance.now();
