import { hash } from 'node:crypto';
import { networkOf } from '@saldo/core/users/network.ts';
import {
  forgetTriesMs,
  judgeTry,
  NEWCOMER_TRIES,
  type Subject,
  type Tries,
} from '@saldo/core/users/sign-in-delay.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import { problem } from '../platform/http/problem.ts';

/**
 * The origin of a password attempt: a known device, a session or a network address. The email need not exist. A code of a
 * second factor is tried in a session; `deviceId` is null unless its user has signed in with the browser before.
 */
export type AttemptOrigin =
  | { readonly kind: 'device'; readonly id: string; readonly email: string }
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'address'; readonly address: string; readonly email: string }
  | {
      readonly kind: 'code';
      readonly sessionId: string;
      readonly userId: string;
      readonly deviceId: string | null;
    };

/**
 * Rate limit keys of an attempt. Hashed, because users may type a password into the email field. Sorted, so that
 * concurrent attempts lock their rows in the same order and cannot deadlock.
 */
function subjectsOf(origin: AttemptOrigin): ReadonlyMap<string, Subject> {
  const hashed = namesOf(origin).map(
    ([subject, who]) => [hash('sha256', `${subject}:${who}`), subject] as const,
  );
  return new Map(hashed.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function namesOf(origin: AttemptOrigin): [Subject, string][] {
  switch (origin.kind) {
    case 'address':
      return [
        ['pair', `${networkOf(origin.address)} ${origin.email}`],
        ['address', networkOf(origin.address)],
        ['account', origin.email],
      ];
    case 'code':
      return [
        ['session', `code ${origin.sessionId}`],
        ['code', `${origin.deviceId ?? ''} ${origin.userId}`],
      ];
    case 'device':
      return [['device', `${origin.id} ${origin.email}`]];
    case 'session':
      return [['session', origin.id]];
  }
}

const bytes = (hashes: Iterable<string>) => [...hashes].map((hex) => Buffer.from(hex, 'hex'));

/** `ends_at` is the last attempt plus `forgetTriesMs`. */
const READ = statement(
  'read_sign_in_tries',
  `select encode(subject, 'hex') as subject, count, ends_at from sign_in_try
   where subject = any($1) and ends_at > $2`,
);
const ENSURE = statement(
  'ensure_sign_in_tries',
  `insert into sign_in_try (subject, count, ends_at) select unnest($1::bytea[]), 0, $2
   on conflict (subject) do nothing`,
);
const LOCK = statement(
  'lock_sign_in_tries',
  `select encode(subject, 'hex') as subject, case when ends_at > $2 then count else 0 end as count, ends_at
   from sign_in_try where subject = any($1) order by subject for update`,
);
const COUNT = statement(
  'count_sign_in_tries',
  `update sign_in_try t set count = n.count, ends_at = n.ends_at
   from unnest($1::bytea[], $2::int[], $3::timestamptz[]) n (subject, count, ends_at) where t.subject = n.subject`,
);
/** Each attempt deletes up to 100 expired rows, so that failed attempts cannot fill the table. */
const DELETE_EXPIRED = statement(
  'forget_sign_in_tries',
  `delete from sign_in_try where subject in
     (select subject from sign_in_try where ends_at <= $1 limit 100 for update skip locked)`,
);
const DELETE_COUNTS = statement('forgive_sign_in_tries', 'delete from sign_in_try where subject = any($1)');
const DECREMENT_COUNTS = statement(
  'give_back_sign_in_tries',
  'update sign_in_try set count = count - 1 where subject = any($1) and count > 0',
);

type Row = { readonly subject: string; readonly count: number; readonly ends_at: number };

function triesOf(subjects: ReadonlyMap<string, Subject>, rows: readonly Row[]): Map<Subject, Tries> {
  const found = new Map(rows.map((row) => [row.subject, row]));
  return new Map(
    [...subjects].map(([hashed, subject]) => {
      const { count = 0, ends_at = 0 } = found.get(hashed) ?? {};
      return [subject, { count, lastAt: ends_at - forgetTriesMs(subject) }];
    }),
  );
}

const tooManyAttempts = ({ kind }: AttemptOrigin, ms: number) => {
  const waitS = Math.ceil(ms / 1000);
  const key = kind === 'code' ? 'problem.wrong_codes' : 'problem.wrong_passwords';
  const detail = { key, seconds: waitS } as const;
  return problem('rate_limited', detail, { 'retry-after': String(waitS) });
};

/**
 * Counts an attempt before the password or code is verified, so that concurrent attempts cannot exceed the limit. A rejected
 * attempt costs one read and no write, except for the first one of a newcomer. `now` ignores the sandbox clock.
 */
export async function countAttempt(db: Database, origin: AttemptOrigin, now: number): Promise<void> {
  const subjects = subjectsOf(origin);
  const keys = bytes(subjects.keys());
  const rows = await db.query<Row>(READ, [keys, timestamp(now)]);
  const early = judgeTry(triesOf(subjects, rows), now);
  if (early.kind === 'wait' && !early.isNewcomer) throw tooManyAttempts(origin, early.ms);
  const verdict = await db.transaction(async (tx) => {
    await tx.query(ENSURE, [keys, timestamp(now)]);
    const tries = triesOf(subjects, await tx.query<Row>(LOCK, [keys, timestamp(now)]));
    const verdict = judgeTry(tries, now);
    if (verdict.kind === 'admit')
      await setTries(tx, subjects, now, (subject) => (tries.get(subject)?.count ?? 0) + 1);
    else if (verdict.isNewcomer) await setTries(tx, onlyPair(subjects), now, () => NEWCOMER_TRIES);
    await tx.query(DELETE_EXPIRED, [timestamp(now)]);
    return verdict;
  });
  if (verdict.kind === 'wait') throw tooManyAttempts(origin, verdict.ms);
}

const onlyPair = (subjects: ReadonlyMap<string, Subject>) =>
  new Map([...subjects].filter(([, subject]) => subject === 'pair'));

async function setTries(
  tx: Tx,
  subjects: ReadonlyMap<string, Subject>,
  now: number,
  countOf: (subject: Subject) => number,
): Promise<void> {
  const counts = [...subjects.values()].map(countOf);
  const endsAt = [...subjects.values()].map((subject) => timestamp(now + forgetTriesMs(subject)));
  await tx.query(COUNT, [bytes(subjects.keys()), counts, endsAt]);
}

/**
 * Resets the limits after a correct password or code. Address, account and code are shared with other clients, possibly
 * attackers, so their counts are only reduced by this attempt.
 */
export async function resetAttempts(tx: Tx, origin: AttemptOrigin, now: number): Promise<void> {
  // Lock in the same order as `countAttempt` to avoid deadlocks.
  await tx.query(LOCK, [bytes(subjectsOf(origin).keys()), timestamp(now)]);
  const shared = (subject: Subject) => subject !== 'device' && subject !== 'session' && subject !== 'pair';
  const of = (isShared: boolean) =>
    bytes(
      [...subjectsOf(origin)].filter(([, subject]) => shared(subject) === isShared).map(([hashed]) => hashed),
    );
  await tx.query(DELETE_COUNTS, [of(false)]);
  await tx.query(DECREMENT_COUNTS, [of(true)]);
}
