import { within } from '../timeout.ts';
import type { Db } from './database.ts';
import { hotStatement } from './statement.ts';

const PING = hotStatement('ping', 'select 1');
/** A slower database counts as unreachable, so that a load balancer uses another server. */
const READY_WITHIN_MS = 1_500;

export async function isReachable(db: Db): Promise<boolean> {
  // The availability listener already logs the reason.
  const answered = db.hot.query(PING).then(
    () => true,
    () => false,
  );
  return within(READY_WITHIN_MS, answered, () => false);
}
