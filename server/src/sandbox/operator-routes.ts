import { sandboxEndpoints } from '@saldo/api';
import { formatInstant, parseInstant } from '@saldo/core/delivery-day.ts';
import { recordAudit } from '../audit/store.ts';
import type { MovableClock } from '../platform/clock.ts';
import type { Database, Primary } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { longRoute, type Route, route } from '../platform/http/routes.ts';

const READ = statement('read_sandbox_clock', 'select offset_ms, was_moved_back from sandbox_clock');
const WRITE = statement(
  'write_sandbox_clock',
  `insert into sandbox_clock as clock (offset_ms, was_moved_back) values ($1::bigint, $1::bigint < 0)
   on conflict (only_one) do update set offset_ms = excluded.offset_ms,
     was_moved_back = clock.was_moved_back or excluded.offset_ms < clock.offset_ms`,
);

/** Loads the offset of the sandbox clock, which this or another process has stored. */
export const followSandboxClock = (db: Primary, clock: MovableClock): Promise<void> =>
  clock.follow(async () => {
    const [row] = await db.query<{ offset_ms: number; was_moved_back: boolean }>(READ);
    return { offsetMs: row?.offset_ms ?? 0, wasMovedBack: row?.was_moved_back ?? false };
  });

/** Moves the platform's clock, so that clients can test gates, statuses and deadlines. Mounted only in a sandbox. */
export function sandboxRoutes(db: Database, clock: MovableClock): Route[] {
  const state = () => ({ now: formatInstant(clock.now()), moved: clock.offsetMs() !== 0 });
  return [
    route(sandboxEndpoints.getClock, async () => {
      await followSandboxClock(db, clock);
      return state();
    }),
    // Not in one transaction: the clock moves after the commit, because a read before it would move the clock back.
    longRoute(sandboxEndpoints.setClock, (call) => {
      const before = state();
      return {
        async work() {
          const instant = parseInstant(call.body.now);
          if (instant === null) throw new Error('a body is validated before it is read');
          await db.transaction((tx) => tx.query(WRITE, [instant - clock.machineNow()]));
          await followSandboxClock(db, clock);
          return state();
        },
        async record(tx, after) {
          await recordAudit(tx, call, { action: 'clock.set', subject: 'clock', before, after }, clock.now());
        },
      };
    }),
  ];
}
