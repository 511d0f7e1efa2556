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

/**
 * Compares the other clock with the own one midway between question and answer. Half of the time in between is not certain, and
 * does not count as an offset.
 */
export function checkOffset(
  name: string,
  other: string,
  otherMs: number,
  { asked, answered }: { readonly asked: number; readonly answered: number },
): Check {
  const offsetMs = otherMs - (asked + answered) / 2;
  const size = Math.max(0, Math.abs(offsetMs) - (answered - asked) / 2);
  const side = offsetMs < 0 ? 'behind' : 'ahead of';
  const fact = `The clock of ${other} is ${(size / 1000).toFixed(1)} s ${side} the one of this machine.`;
  const remedy = 'Synchronise both machines with a time server (chrony, systemd-timesyncd).';
  if (size > CLOCK_LIMIT_MS.failed) return failed(name, fact, remedy);
  return size > CLOCK_LIMIT_MS.warning ? warning(name, fact, remedy) : ok(name, fact);
}
