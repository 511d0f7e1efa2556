import type { Db } from './database.ts';
import { hotStatement } from './statement.ts';

const PING = hotStatement('ping', 'select 1');
/** A slower database counts as unreachable, so that a load balancer uses another server. */
const READY_WITHIN_MS = 1_500;

export async function isReachable(db: Db): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), READY_WITHIN_MS);
  // The availability listener already logs the reason.
  const answered = db.hot.query(PING).then(
    () => true,
    () => false,
  );
  return Promise.race([answered, late.promise]).finally(() => clearTimeout(timer));
}
