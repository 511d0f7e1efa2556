import { hash } from 'node:crypto';
import { type Database, statement, type Tx } from '../../db/database.ts';
import { timestamp } from '../../db/wire-types.ts';
import { problem } from '../../http/problem.ts';

/** A password may be tried so often within this window: by one user, and by one address for all users. */
const WINDOW_MS = 15 * 60_000;
const TRIES = { email: 10, address: 100 };

type Kind = keyof typeof TRIES;

/** All tries are counted in the database, for every process and also for users who are not there. */
const TAKE = statement(
  'take_sign_in_try',
  `insert into sign_in_try (subject, count, ends_at) values ($1, 1, $3)
   on conflict (subject) do update set
     count = case when sign_in_try.ends_at <= $2 then 1 else sign_in_try.count + 1 end,
     ends_at = case when sign_in_try.ends_at <= $2 then $3 else sign_in_try.ends_at end
   returning count, ends_at`,
);
const FORGET_OLD = statement(
  'forget_sign_in_tries',
  `delete from sign_in_try where subject in
     (select subject from sign_in_try where ends_at <= $1 for update skip locked)`,
);
const FORGIVE = statement('forgive_sign_in_tries', 'delete from sign_in_try where subject = $1');
const GIVE_BACK = statement(
  'give_back_sign_in_try',
  'update sign_in_try set count = count - 1 where subject = $1 and count > 0',
);

const subjectOf = (kind: Kind, who: string) => hash('sha256', `${kind}:${who}`, 'buffer');

async function take(db: Database, kind: Kind, who: string, now: number): Promise<void> {
  const values = [subjectOf(kind, who), timestamp(now), timestamp(now + WINDOW_MS)];
  const [state] = await db.transaction((tx) => tx.query<{ count: number; ends_at: number }>(TAKE, values));
  if (!state) throw new Error('an insert returns its row');
  if (state.count <= TRIES[kind]) return;
  const waitS = Math.max(1, Math.ceil((state.ends_at - now) / 1000));
  throw problem('rate_limited', `The password was wrong too often. Try again in ${waitS} s.`, {
    'retry-after': String(waitS),
  });
}

/** Counts a try before it is made, so that many at once are no way around the limit. `now` is the machine's time. */
export async function takeTry(db: Database, email: string, address: string, now: number): Promise<void> {
  await take(db, 'address', address, now);
  await take(db, 'email', email, now);
}

/** The password was right. The address gets back no more than this one try: others may use it too. */
export async function forgiveTries(tx: Tx, email: string, address: string, now: number): Promise<void> {
  await tx.query(FORGIVE, [subjectOf('email', email)]);
  await tx.query(GIVE_BACK, [subjectOf('address', address)]);
  await tx.query(FORGET_OLD, [timestamp(now)]);
}
