import type { MovableClock } from '../clock.ts';
import { createChangeHorizon } from '../db/change-horizon.ts';
import type { Db, Primary } from '../db/database.ts';
import { fieldProblem, problem } from './problem.ts';
import { instantOf } from './time-filter.ts';

/** An instant in milliseconds, or null for a read of what is stored now. */
export type AsOf = number | null;

/** What a read as of `text` reads from, and its instant. Throws a problem if that instant cannot be answered. */
export type AsOfReads = (
  db: Db,
  text: string | undefined,
) => Promise<{ readonly db: Db; readonly asOf: AsOf }>;

const RETRY_AFTER_S = '1';

/** Reads as of an instant are answered by the primary, because replicas know no announcements of changes. */
export function asOfReads(primary: Primary, clock: MovableClock): AsOfReads {
  const horizon = createChangeHorizon(primary, clock);
  return async (db, text) => {
    const asOf = instantOf(text);
    if (asOf === null) return { db, asOf };
    if (clock.wasMovedBack()) throw problem('clock_moved_back');
    if (asOf > clock.now()) throw fieldProblem('as_of', 'value_too_large', { key: 'field.as_of_future' });
    if (!(await horizon.untilPassed(asOf)))
      throw problem('unavailable', { key: 'problem.changes_running' }, { 'retry-after': RETRY_AFTER_S });
    return { db: primary, asOf };
  };
}
