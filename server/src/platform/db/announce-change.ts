/**
 * A transaction that changes records reads the platform's clock inside of it, and stores that instant with them. It announces a
 * lower bound of the instant with its first statement: a shared advisory lock whose key is the bound in milliseconds, which
 * Postgres withdraws when the transaction ends, after its changes are visible. A read as of an instant waits for all announcements
 * up to it, and sees everything that was committed with an instant at or before its own.
 */
export const announceChange = (nowMs: number): string =>
  `select pg_advisory_xact_lock_shared((21318::bigint << 48) | ${Math.max(0, Math.trunc(nowMs))})`;
