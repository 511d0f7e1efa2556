import { addDays, type DeliveryDay, dayOf, formatInstant } from '@saldo/core/delivery-day.ts';
import type { ReadSchedule } from '@saldo/core/exchange/schedule-check.ts';
import { type SubmittedFile, submittedFile } from '@saldo/core/exchange/submitted-file.ts';
import { MAX_DAY_AFTER_DAYS } from '@saldo/core/market-rules.ts';
import type { Message } from '@saldo/core/messages/message.ts';
import { tenantValues, type Viewer } from '../platform/auth/viewer.ts';
import type { Database, Primary } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { fieldProblem } from '../platform/http/problem.ts';

/** No gate of a delivery day is later, so that no file is submitted for an older day. */
const KEPT_DAYS = MAX_DAY_AFTER_DAYS;
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
   )
   select count(*)::int as positions from own`,
);
const FORGET = statement(
  'forget_submitted_schedules',
  'delete from submitted_schedule where brp_no = $1 and delivery_day < $2',
);

/** Stores what later checks need of a file. A TSO keeps the highest version, so a lower one replaces nothing. */
export async function rememberSubmitted(
  db: Database,
  viewer: Viewer,
  { schedule, unusable }: ReadSchedule,
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
  const brp = tenantValues(viewer);
  await db.transaction(async (tx) => {
    const values = [day, messageId, version, JSON.stringify(series), formatInstant(now)];
    const [found] = await tx.query<{ positions: number }>(REMEMBER, [...brp, eic, tso, ...values]);
    if (found?.positions !== 1) throw submissionProblem({ key: 'exchange.submitted_position', eic, tso });
    await tx.query(FORGET, [...brp, oldest]);
  });
}
