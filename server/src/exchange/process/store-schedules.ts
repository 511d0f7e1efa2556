import type { Tso } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { scheduleFileName } from '@saldo/core/exchange/documents/file-names.ts';
import { writeSchedule } from '@saldo/core/exchange/documents/write-document.ts';
import {
  buildSchedules,
  MAX_MESSAGE_VERSION,
  type NextSchedule,
  nominationOf,
  type Schedule,
} from '@saldo/core/exchange/schedule.ts';
import { slotClosings } from '@saldo/core/gates.ts';
import { recordSent } from '../../nominations/actions.ts';
import { markLateChanges } from '../../nominations/late.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { insertOutgoing, lockDay } from '../store.ts';
import { inheritConfirmations } from './confirmations.ts';
import type { Exchange, SendRun } from './exchange.ts';
import {
  adoptNominations,
  type CurrentNomination,
  clearUnsent,
  insertSeries,
  type MadeSchedule,
  positionsOf,
  readNewestSchedules,
  readNominated,
  recordUnsent,
  type StoredSeries,
} from './schedules.ts';

export type WantedSchedules = {
  readonly day: DeliveryDay;
  /** The TSO that the request names. */
  readonly tso: Tso | null;
  /** The TSOs to which schedules are sent now. Changes for the others are sent later. */
  readonly sendable: readonly Tso[];
  /** Whether rejected schedules are sent again, under a new version. */
  readonly resendsRejected: boolean;
};

/** `unsettled`: schedules that cannot be made before more is netted. `dirtyTsos`: where more will be netted. */
type Stored = SendRun & { unsettled: Tso[]; dirtyTsos: readonly Tso[] };

/** Stores the next version of each schedule of the day that has changed. */
export async function storeSchedules(
  tx: Tx,
  clock: Clock,
  exchange: Exchange,
  wanted: WantedSchedules,
): Promise<Stored> {
  const { day } = wanted;
  const { operatorEic } = exchange;
  await lockDay(tx, day);
  const now = clock.now();
  const { nominations, dirtyTsos } = await readNominated(tx, day);
  const isUnsettled = dirtyTsos.length > 0;
  const made = await readNewestSchedules(tx, exchange, day, { isSent: false });
  const closings = slotClosings(day, exchange.rules);
  const next = buildSchedules({
    operatorEic,
    day,
    rules: exchange.rules,
    positions: positionsOf(nominations),
    previous: made.map(({ schedule }) => schedule),
    closedSlots: closings.filter((closing) => now >= closing).length,
  });
  const stored: Stored = { messageIds: [], faults: [], unsettled: [], dirtyTsos };
  if (!isUnsettled) {
    const late = await markUnsendable(tx, next, made, wanted, { closings, now });
    if (late.length > 0) return { ...stored, unsettled: late };
  }
  for (const entry of next) {
    const { tso } = entry;
    const newest = made.find(({ schedule }) => schedule.tso === tso) ?? null;
    const isWanted = wanted.sendable.includes(tso);
    const schedule = scheduleToStore(entry, newest, wanted);
    // One side of a change in a closed slot may be netted before the other.
    if (isUnsettled && entry.withheldSlots.length > 0) stored.unsettled.push(tso);
    else if (schedule !== null && !isWanted) await recordUnsent(tx, tso, day, null, now);
    else if (schedule !== null) {
      const id = await storeSchedule(tx, schedule, newest, nominations, exchange, now);
      stored.messageIds.push(id);
    } else if (entry.kind === 'unchanged' && newest !== null) {
      await adopt(tx, newest, nominations, now);
    } else if ('message' in entry && isUnsettled) stored.unsettled.push(tso);
    else if ('message' in entry) {
      const isUnbalanced = entry.kind === 'imbalance';
      const isNews = await recordUnsent(tx, tso, day, entry.message, now, isUnbalanced);
      if (isWanted) stored.faults.push({ day, tso, error: entry.message, isNews });
    }
  }
  return stored;
}

/**
 * Slots may close between a change and the schedule with it. The TSO then no longer accepts it, so it must not stay
 * nominated: it is marked as late, and its positions are netted again. Returns the TSOs whose schedules wait for that.
 */
async function markUnsendable(
  tx: Tx,
  next: readonly NextSchedule[],
  made: readonly MadeSchedule[],
  wanted: WantedSchedules,
  { closings, now }: { closings: readonly number[]; now: number },
): Promise<Tso[]> {
  const withheld = next.flatMap(({ tso, withheldSlots }) =>
    withheldSlots.length > 0 && wanted.sendable.includes(tso) ? [tso] : [],
  );
  if (withheld.length === 0) return [];
  const unscheduled = {
    day: wanted.day,
    scheduledIds: made.flatMap(({ series }) => series.flatMap(({ nominationId }) => nominationId ?? [])),
    closedAt: closings.findLast((closing) => now >= closing) ?? 0,
  };
  return (await markLateChanges(tx, unscheduled, now)) ? withheld : [];
}

/** A request that names the day of a rejected schedule sends it again under a new version, even if it is unchanged. */
function scheduleToStore(
  entry: NextSchedule,
  newest: MadeSchedule | null,
  wanted: WantedSchedules,
): Schedule | null {
  if (entry.kind === 'schedule') return entry.schedule;
  const isWanted = wanted.resendsRejected && (wanted.tso === null || wanted.tso === entry.tso);
  if (entry.kind !== 'unchanged' || newest?.message.state !== 'rejected' || !isWanted) return null;
  const { schedule } = newest;
  return schedule.version < MAX_MESSAGE_VERSION ? { ...schedule, version: schedule.version + 1 } : null;
}

const idFinder = (nominations: readonly CurrentNomination[], schedule: Schedule) => {
  const ids = new Map(
    nominations
      .filter(({ tso }) => tso === schedule.tso)
      .map(({ id, eic, direction }) => [`${eic} ${direction}`, id]),
  );
  return (series: Schedule['series'][number]): string | null => {
    const of = nominationOf(series, schedule.operatorEic);
    return of === null ? null : (ids.get(`${of.eic} ${of.direction}`) ?? null);
  };
};

async function storeSchedule(
  tx: Tx,
  schedule: Schedule,
  newest: MadeSchedule | null,
  nominations: readonly CurrentNomination[],
  exchange: Exchange,
  now: number,
): Promise<string> {
  const { tso, day, version, messageId: identification } = schedule;
  const format = exchange.formats[tso];
  const document = Buffer.from(writeSchedule(schedule, format, now));
  const id = await insertOutgoing(
    tx,
    {
      type: 'schedule',
      ...{ format, tso, delivery_day: day, version, identification },
      file_name: scheduleFileName(schedule),
    },
    document,
    now,
  );
  const idOf = idFinder(nominations, schedule);
  const known = new Map(newest?.series.map((series) => [series.identification, series]));
  const changed = schedule.series.flatMap((series) => {
    const before = known.get(series.identification);
    const nominationId = idOf(series);
    const isSame = before?.version === series.version && before.nominationId === nominationId;
    return isSame ? [] : [{ ...series, nominationId }];
  });
  await insertSeries(tx, schedule, changed);
  await clearUnsent(tx, tso, day);
  return id;
}

/**
 * Nominations may change and change back before anything is sent. Then the newest versions equal the schedule that was
 * sent, so they are recorded as sent and inherit the TSO's confirmation.
 */
async function adopt(
  tx: Tx,
  { schedule, series, message }: MadeSchedule,
  nominations: readonly CurrentNomination[],
  now: number,
): Promise<void> {
  // An undelivered schedule keeps the reason why it was not delivered.
  await clearUnsent(tx, schedule.tso, schedule.day, message.sentAt === null ? true : null);
  const idOf = idFinder(nominations, schedule);
  const adopted: (StoredSeries & { nominationId: string; before: string | null })[] = [];
  for (const one of series) {
    const nominationId = idOf(one);
    if (nominationId !== null && nominationId !== one.nominationId)
      adopted.push({ ...one, nominationId, before: one.nominationId });
  }
  if (adopted.length === 0) return;
  await adoptNominations(tx, schedule, adopted);
  if (message.sentAt === null) return;
  const ids = adopted.map(({ nominationId }) => nominationId);
  await recordSent(tx, ids, now);
  const pairs = adopted.flatMap(({ before, nominationId }) =>
    before === null ? [] : [{ from: before, to: nominationId }],
  );
  await inheritConfirmations(tx, pairs, now);
}
