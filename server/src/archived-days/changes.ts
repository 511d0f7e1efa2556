import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { problem } from '../platform/http/problem.ts';
import { firstDayOf, firstKeptDay, type Month, monthNumber, monthOf } from './months.ts';

const lockKey = (monthNo: string) => `hashtext('saldo archive'), ${monthNo}::int`;

/** The lock of a month: writers share it, and `saldo archive` has it exclusively. $1 number of the month. */
export const MONTH_LOCK_KEY = lockKey('$1');

const LOCK_MONTHS = statement(
  'share_locks_of_months',
  `select at::int - 1 as at from unnest($1::int[]) with ordinality as asked (no, at)
   where not pg_try_advisory_xact_lock_shared(${lockKey('no')})`,
);

const FIND_MONTHS = statement(
  'find_closed_months',
  `select to_char(month, 'YYYY-MM') as month from archive where month = any($1::date[])`,
);

/** Why nothing may be written in a month. `busy`: it is being archived or restored, which may also fail. */
type Closed = 'archived' | 'busy';

/** The months of days that are closed. The others are open. */
export type ClosedMonths = ReadonlyMap<Month, Closed>;

/** The months of the days that are old enough for being archived. */
function oldMonths(days: Iterable<DeliveryDay>): Month[] {
  const kept = firstKeptDay();
  const months = new Set<Month>();
  for (const day of days) if (day < kept) months.add(monthOf(day));
  return [...months].toSorted();
}

/** The closed months of these days. The open ones cannot be archived until the transaction ends. */
export async function lockMonths(tx: Tx, days: Iterable<DeliveryDay>): Promise<ClosedMonths> {
  const months = oldMonths(days);
  if (months.length === 0) return new Map();
  const busy = await tx.query<{ at: number }>(LOCK_MONTHS, [months.map(monthNumber)]);
  // Read after the locks were taken: the archive of a month may just have been committed.
  const closed = new Map(await readArchived(tx, months));
  for (const { at } of busy) closed.set(months[at]!, 'busy');
  return closed;
}

/** The archived months of these days, for work that changes nothing and takes no locks. */
export async function findArchivedMonths(db: Db, days: Iterable<DeliveryDay>): Promise<ClosedMonths> {
  const months = oldMonths(days);
  return months.length === 0 ? new Map() : readArchived(db, months);
}

async function readArchived(db: Db, months: readonly Month[]): Promise<ClosedMonths> {
  const found = await db.query<{ month: Month }>(FIND_MONTHS, [months.map(firstDayOf)]);
  return new Map(found.map(({ month }) => [month, 'archived']));
}

export const closedText = (month: Month, closed: Closed): string =>
  closed === 'archived' ? `${month} is archived` : `${month} is being archived or restored; try again`;

/** Rejects a change of these days if one of their months is closed. */
export async function rejectChangeOfArchived(tx: Tx, days: Iterable<DeliveryDay>): Promise<void> {
  rejectClosed(await lockMonths(tx, days));
}

export function rejectClosed(closed: ClosedMonths): void {
  const monthsThatAre = (why: Closed) =>
    [...closed.keys()].filter((month) => closed.get(month) === why).toSorted();
  const [archived, busy] = [monthsThatAre('archived'), monthsThatAre('busy')];
  if (archived.length > 0)
    throw problem('days_archived', `Archived months cannot be changed: ${archived.join(', ')}.`);
  if (busy.length > 0)
    throw problem('days_archived', `Months are being archived or restored; try again: ${busy.join(', ')}.`);
}

const FIND_MONTHS_FROM = statement(
  'find_archived_months_from',
  `select to_char(month, 'YYYY-MM') as month from archive where month >= $1 order by month`,
);

/** Rejects a change of this and later days if one of them is in an archived month that the change concerns. */
export async function rejectChangeFrom(
  tx: Tx,
  first: DeliveryDay,
  isConcerned: (month: Month) => boolean,
): Promise<void> {
  if (first >= firstKeptDay()) return;
  const found = await tx.query<{ month: Month }>(FIND_MONTHS_FROM, [firstDayOf(monthOf(first))]);
  const months = found.map(({ month }) => month).filter(isConcerned);
  rejectClosed(new Map(months.map((month) => [month, 'archived'])));
}
