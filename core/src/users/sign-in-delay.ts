/** Tries of a password or a code that were not followed by a success: how many of late, and when the last one was. */
export type Tries = { readonly count: number; readonly lastAt: number };

/**
 * What tries are counted for. On a known device that is the device with the account; on any other the address with the
 * account, the address, and the account. `code` is the user of a second factor, on a known device with the device.
 */
export type Subject = 'device' | 'session' | 'pair' | 'address' | 'account' | 'code';

/** Tries in a row that are admitted at once; after that each one doubles the delay before the next. */
const FREE_TRIES = {
  device: 10,
  session: 10,
  pair: 5,
  address: 100,
  account: Number.POSITIVE_INFINITY,
  code: 10,
};
const MINUTE_MS = 60_000;
/**
 * Three of a million codes are right at a time, and only those with the password can try them. A quarter of an hour leaves
 * a hundred tries a day.
 */
const maxDelayMs = (subject: Subject): number => (subject === 'code' ? 15 * MINUTE_MS : MINUTE_MS);
/** Tries are forgotten when there was none for so long, which is longer than any delay. */
export const forgetTriesMs = (subject: Subject): number => (subject === 'code' ? 24 * 60 : 15) * MINUTE_MS;

/** An account with so many failed tries from unknown devices is being attacked, perhaps from many addresses. */
const ATTACK_TRIES = 20;
/** What an address starts with that is new to an account under attack: the wait comes before its first try. */
export const NEWCOMER_TRIES = FREE_TRIES.pair + 5;

const delayMs = (subject: Subject, count: number): number => {
  const beyond = count - FREE_TRIES[subject];
  return beyond < 0 ? 0 : Math.min(maxDelayMs(subject), 1000 * 2 ** beyond);
};

export type Verdict =
  | { readonly kind: 'admit' }
  /** `isNewcomer`: the wait begins now, and has to be remembered. */
  | { readonly kind: 'wait'; readonly ms: number; readonly isNewcomer: boolean };

/** Whether a password or a code may be tried now. All delays are bounded: no number of tries of others locks an account. */
export function judgeTry(tries: ReadonlyMap<Subject, Tries>, now: number): Verdict {
  // A clock that was set back must not lengthen the wait.
  const waits = [...tries].map(
    ([subject, { count, lastAt }]) => Math.min(lastAt, now) + delayMs(subject, count) - now,
  );
  const ms = Math.max(0, ...waits);
  if (ms > 0) return { kind: 'wait', ms, isNewcomer: false };
  const isNew = tries.get('pair')?.count === 0;
  const isAttacked = (tries.get('account')?.count ?? 0) >= ATTACK_TRIES;
  if (isNew && isAttacked) return { kind: 'wait', ms: delayMs('pair', NEWCOMER_TRIES), isNewcomer: true };
  return { kind: 'admit' };
}
