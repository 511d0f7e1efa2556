import { addDays, type DeliveryDay, dayOf } from '@saldo/core/delivery-day.ts';
import type { ReadSchedule } from '@saldo/core/exchange/schedule-check.ts';
import { type SubmittedFile, submittedFile } from '@saldo/core/exchange/submitted-file.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { MAX_DAY_AFTER_DAYS } from '@saldo/core/market-rules.ts';
import type { Message } from '@saldo/core/messages/message.ts';
import { type Actor, recordAudit } from '../audit/store.ts';
import { tenantValues, type Viewer } from '../platform/auth/viewer.ts';
import type { Database, Primary } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import { fieldProblem } from '../platform/http/problem.ts';
import { markNominations } from './own-schedules.ts';

/** No gate of a delivery day is later, so that no file is submitted for an older day. */
export const KEPT_DAYS = MAX_DAY_AFTER_DAYS;
/** Bounds the rows of a balance group. */
const AHEAD_DAYS = 366;

export const submissionProblem = (message: Message) =>
  fieldProblem('submitted', 'validation_failed', message);

const FIND = statement(
  'find_submitted_schedules',
  `select tso, message_id as "messageId", version, series from submitted_schedule
   where brp_no = $1 and delivery_day = $2 and eic = $3`,
);

/** The newest submitted files of a balance group and day, one per TSO. */
export const findSubmitted = (
  db: Primary,
  viewer: Viewer,
  day: DeliveryDay,
  eic: string,
): Promise<SubmittedFile[]> => db.query<SubmittedFile>(FIND, [...tenantValues(viewer), day, eic]);

const REMEMBER = statement(
  'remember_submitted_schedule',
  `with own as (select brp_no, eic, tso from position where brp_no = $1 and eic = $2 and tso = $3),
   stored as (
     insert into submitted_schedule (brp_no, eic, tso, delivery_day, message_id, version, series, submitted_at)
     select brp_no, eic, tso, $4, $5, $6, $7, $8 from own
     on conflict (brp_no, delivery_day, eic, tso) do update
     set message_id = excluded.message_id, version = excluded.version, series = excluded.series,
       submitted_at = excluded.submitted_at
     where submitted_schedule.version <= excluded.version
     returning version
   )
   select count(*)::int as positions, (select count(*)::int from stored) as stored from own`,
);
const FORGET = statement(
  'forget_submitted_schedules',
  'delete from submitted_schedule where brp_no = $1 and delivery_day < $2',
);

/**
 * Stores what later checks need of a file, and records the step of the nomination versions that it has. A TSO keeps the
 * highest version, so a lower one replaces nothing.
 */
export async function rememberSubmitted(
  db: Database,
  call: Actor & { readonly viewer: Viewer },
  { schedule, unusable }: ReadSchedule,
  nominations: readonly string[],
  now: number,
): Promise<void> {
  const { operatorEic: eic, tso, day } = schedule;
  const [oldest, newest] = [addDays(dayOf(now), -KEPT_DAYS), addDays(dayOf(now), AHEAD_DAYS)];
  if (unusable.length > 0) throw submissionProblem({ key: 'exchange.submitted_unusable' });
  if (day < oldest || day > newest) {
    const limits = { keptDays: KEPT_DAYS, aheadDays: AHEAD_DAYS };
    throw submissionProblem({ key: 'exchange.submitted_day', ...limits, day });
  }
  const { messageId, version, series } = submittedFile(schedule);
  const brp = tenantValues(call.viewer);
  await db.transaction(async (tx) => {
    const values = [day, messageId, version, JSON.stringify(series), timestamp(now)];
    const [found] = await tx.query<{ positions: number; stored: number }>(REMEMBER, [
      ...brp,
      eic,
      tso,
      ...values,
    ]);
    if (found?.positions !== 1) throw submissionProblem({ key: 'exchange.submitted_position', eic, tso });
    await tx.query(FORGET, [...brp, oldest]);
    const marked = await markNominations(tx, nominations, 'submitted', call.actor, now);
    if (found.stored === 0 && marked.length === 0) return;
    const after = {
      ...{ delivery_date: day, eic, tso, message_id: messageId, message_version: version },
      nomination_ids: nominations.map((id) => encodeId(ID_PREFIX.nomination, id)).toSorted(),
    };
    await recordAudit(tx, call, { action: 'schedule.submitted', subject: call.request.id, after }, now);
  });
}
