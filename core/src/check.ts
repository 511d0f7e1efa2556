/** What `saldo doctor` has found out about one part of an installation. */
export type Check = {
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly fact: string;
  /** Null where nothing is to be done. */
  readonly remedy: string | null;
};

export const ok = (name: string, fact: string): Check => ({ name, status: 'ok', fact, remedy: null });
export const warning = (name: string, fact: string, remedy: string): Check => ({
  name,
  status: 'warning',
  fact,
  remedy,
});
export const failed = (name: string, fact: string, remedy: string): Check => ({
  name,
  status: 'failed',
  fact,
  remedy,
});

/** Gates close by the minute, and requests are signed with times of seconds. */
const CLOCK_LIMIT_MS = { warning: 2_000, failed: 30_000 };

/** `offsetMs` is how far the other clock is ahead of the own one. */
export function checkOffset(name: string, other: string, offsetMs: number): Check {
  const [size, side] = [Math.abs(offsetMs), offsetMs < 0 ? 'behind' : 'ahead of'];
  const fact = `The clock of ${other} is ${(size / 1000).toFixed(1)} s ${side} the one of this machine.`;
  const remedy = 'Synchronise both machines with a time server (chrony, systemd-timesyncd).';
  if (size > CLOCK_LIMIT_MS.failed) return failed(name, fact, remedy);
  return size > CLOCK_LIMIT_MS.warning ? warning(name, fact, remedy) : ok(name, fact);
}
