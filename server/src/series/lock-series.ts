import type { SeriesKind } from '@saldo/core/enums.ts';
import type { Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';

export type LockedSeries = {
  no: number;
  id: string;
  kind: SeriesKind;
  /** One of the two is the owner. */
  asset_id: string | null;
  customer_id: string | null;
};

/**
 * Every writer of values, and every change of a contract that takes a share, locks the series first and the contracts
 * after them, each with one statement and in the order of their numbers, so that two of them cannot deadlock.
 */
const LOCK = statement(
  'lock_series',
  `select no, id, kind, asset_id, customer_id from series
   where id = any($1::uuid[]) or no = any($2::int[]) order by no for no key update`,
);

export const lockSeries = (
  tx: Tx,
  { ids = [], nos = [] }: { ids?: readonly string[]; nos?: readonly number[] },
): Promise<LockedSeries[]> =>
  ids.length + nos.length === 0 ? Promise.resolve([]) : tx.query<LockedSeries>(LOCK, [ids, nos]);
