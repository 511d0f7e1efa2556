import { sandboxEndpoints } from '@saldo/api';
import { formatInstant, parseInstant } from '@saldo/core/delivery-day.ts';
import { recordAudit } from '../audit/store.ts';
import type { MovableClock } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { type Route, route, writeRoute } from '../platform/http/routes.ts';

const READ = statement('read_sandbox_clock', 'select offset_ms from sandbox_clock');
const WRITE = statement(
  'write_sandbox_clock',
  `insert into sandbox_clock (offset_ms) values ($1)
   on conflict (only_one) do update set offset_ms = excluded.offset_ms`,
);

/** Loads the offset of the sandbox clock, which this or another process has stored. */
export async function followSandboxClock(db: Db, clock: MovableClock): Promise<void> {
  const [row] = await db.query<{ offset_ms: number }>(READ);
  if (row) clock.moveTo(row.offset_ms);
}

async function setClock(tx: Tx, clock: MovableClock, instant: number): Promise<number> {
  const offset = instant - clock.machineNow();
  await tx.query(WRITE, [offset]);
  return offset;
}

/** Moves the platform's clock, so that clients can test gates, statuses and deadlines. Mounted only in a sandbox. */
export function sandboxRoutes(db: Db, clock: MovableClock): Route[] {
  const state = () => ({ now: formatInstant(clock.now()), moved: clock.offsetMs() !== 0 });
  return [
    route(sandboxEndpoints.getClock, async () => {
      await followSandboxClock(db, clock);
      return state();
    }),
    writeRoute(sandboxEndpoints.setClock, async (call, tx) => {
      const instant = parseInstant(call.body.now);
      if (instant === null) throw new Error('a body is validated before it is read');
      const before = state();
      clock.moveTo(await setClock(tx, clock, instant));
      const after = state();
      await recordAudit(tx, call, { action: 'clock.set', subject: 'clock', before, after }, clock.now());
      return after;
    }),
  ];
}
