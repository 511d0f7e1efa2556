import { type Message, TSOS, type Tso } from '@saldo/api';
import { type DeliveryDay, formatInstant } from '@saldo/core/delivery-day.ts';
import type { MessageFormat, WaitPhase } from '@saldo/core/enums.ts';
import { scheduleFileName } from '@saldo/core/exchange/documents/file-names.ts';
import { writeSchedule } from '@saldo/core/exchange/documents/write-document.ts';
import {
  buildSchedules,
  MAX_MESSAGE_VERSION,
  type NextSchedule,
  nominationOf,
  type Schedule,
} from '@saldo/core/exchange/schedule.ts';
import { isTooSoon, type SendingPhase, sendingPhase } from '@saldo/core/exchange/sending.ts';
import { slotClosings } from '@saldo/core/gates.ts';
import { nominateDue, recordConfirmations, recordSent } from '../../nominations/actions.ts';
import { markLateChanges } from '../../nominations/late.ts';
import { collectInto, combineFailures } from '../../platform/db/connection.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import {
  insertSchedule,
  listWaiting,
  lockDay,
  lockWaiting,
  markSent,
  setWaitingError,
  type WaitingDocument,
} from '../store.ts';
import {
  HandoverFailed,
  type OutgoingMessage,
  type RemoteTransport,
  type Transport,
} from '../transport/transport.ts';
import {
  adoptNominations,
  type CurrentNomination,
  clearUnsent,
  type DayToSend,
  insertSeries,
  listDaysToSend,
  listDirtyTsos,
  listRejectedTsos,
  type MadeSchedule,
  positionsOf,
  readNewestSchedules,
  readNominated,
  recordUnsent,
  type Scheduler,
  type StoredSeries,
} from './schedules.ts';

/** Settings of the exchange with the TSOs. */
export type Exchange = Scheduler & {
  readonly formats: Readonly<Record<Tso, MessageFormat>>;
  readonly waitPhases: Readonly<Record<Tso, WaitPhase>>;
  readonly transport: Transport;
  /** TSOs with a transport of their own. `exchangeRemotely` delivers to them, so that a slow server delays no others. */
  readonly remote: Readonly<Partial<Record<Tso, RemoteTransport>>>;
};

/** Restricts an explicit request to a day or TSO. Without a request, the job sends the schedules that are due. */
export type SendRequest = { readonly day: DeliveryDay | null; readonly tso: Tso | null };

export type SendFault = { day: DeliveryDay; tso: Tso; error: string; isNews: boolean };

/** Messages that a run stored or sent, and schedules that it could not send. */
export type SendRun = { messageIds: string[]; faults: SendFault[] };

/** Retries: while volumes are being written, one side of a change may be netted before the other. */
const ATTEMPTS = 3;
const UNSETTLED = 'The volumes of this day are changing at this moment. Try again.';

/**
 * Sends every schedule that has changed since it was last sent. Outbox pattern: a schedule is stored before it is
 * delivered, and any later run delivers it if this process ends in between. Safe to run in several processes at once,
 * and idempotent.
 */
export async function sendDue(
  db: Database,
  now: number,
  exchange: Exchange,
  requested: SendRequest | null = null,
): Promise<SendRun> {
  const run: SendRun = { messageIds: [], faults: [] };
  // An explicit request has to include the latest volumes. For the job, the nomination job has netted them already.
  if (requested !== null) await nominateDue(db, now, exchange.rules, { day: requested.day ?? undefined });
  const failures: unknown[] = [];
  const days = await daysToSend(db, now, exchange, requested);
  for (const { delivery_day: day, tsos, next_gate, last_made } of days) {
    if (requested === null && isTooSoon(last_made, next_gate, now)) continue;
    const phaseOf = (tso: Tso) => sendingPhase(day, exchange.rules, exchange.waitPhases[tso], now);
    const isSendable = (tso: Tso) => {
      const { phase } = phaseOf(tso);
      return phase === 'open' || (phase === 'gathering' && requested !== null);
    };
    const named = requested?.tso ? [requested.tso] : null;
    const sendable = (named ?? TSOS).filter(isSendable);
    // A held TSO stays in the list until the end of its wait phase: it is no reason to build the day again.
    if ((named ?? tsos).some(isSendable)) {
      const wanted = {
        day,
        tso: requested?.tso ?? null,
        sendable,
        isRequested: requested !== null,
        resendsRejected: requested !== null && requested.day !== null,
      };
      // A failure of one day must not make other days miss their gates.
      await storeDay(db, now, exchange, wanted, run).catch(collectInto(failures));
    }
    if (requested === null) continue;
    for (const tso of tsos.filter((one) => (requested.tso ?? one) === one && !isSendable(one))) {
      const sending = phaseOf(tso);
      // Report past days only when explicitly requested.
      if (requested.day === null && sending.phase !== 'waiting') continue;
      run.faults.push({ day, tso, error: whyNot(day, sending), isNews: false });
    }
  }
  if (requested?.day) run.faults.push(...(await findUnsettled(db, requested.day, requested.tso, run)));
  await deliverStored(db, now, exchange, requested, run);
  if (failures.length > 0) throw combineFailures(failures, 'schedules could not be made');
  run.messageIds = [...new Set(run.messageIds)];
  return run;
}

/**
 * Another process may be netting the first volumes of the day at this moment. Then there is nothing to send yet, and the
 * caller has to know that there will be.
 */
async function findUnsettled(
  db: Database,
  day: DeliveryDay,
  requestedTso: Tso | null,
  { messageIds, faults }: SendRun,
): Promise<SendFault[]> {
  if (messageIds.length > 0) return [];
  const reported = new Set(faults.map(({ tso }) => tso));
  const tsos = (await listDirtyTsos(db, day)).filter(
    (tso) => (requestedTso ?? tso) === tso && !reported.has(tso),
  );
  return tsos.map((tso) => ({ day, tso, error: UNSETTLED, isNews: false }));
}

/** A rejected schedule does not count as unsent, but a request that names its day sends it again. */
async function daysToSend(
  db: Database,
  now: number,
  exchange: Exchange,
  requested: SendRequest | null,
): Promise<DayToSend[]> {
  const days = await listDaysToSend(db, requested?.day ?? null, now);
  if (!requested?.day) return days;
  const unsent = days[0] ?? { delivery_day: requested.day, tsos: [], next_gate: null, last_made: null };
  const rejected = await listRejectedTsos(db, exchange, requested.day);
  return [{ ...unsent, tsos: [...new Set([...unsent.tsos, ...rejected])] }];
}

const whyNot = (day: DeliveryDay, sending: SendingPhase): string =>
  'opensAt' in sending
    ? `Changes for ${day} are held until the wait phase ends at ${formatInstant(sending.opensAt)}. They are sent automatically then, and rejected schedules on request.`
    : `Every gate of ${day} is closed. Unsent changes are settled financially.`;

type WantedSchedules = {
  readonly day: DeliveryDay;
  /** The TSO that the request names. */
  readonly tso: Tso | null;
  /** The TSOs to which schedules are sent now. Changes for the others are sent later. */
  readonly sendable: readonly Tso[];
  readonly isRequested: boolean;
  /** Whether rejected schedules are sent again, under a new version. */
  readonly resendsRejected: boolean;
};

async function storeDay(
  db: Database,
  now: number,
  exchange: Exchange,
  wanted: WantedSchedules,
  run: SendRun,
): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    await nominateDue(db, now, exchange.rules, { day: wanted.day });
    const stored = await db.transaction((tx) => storeSchedules(tx, now, exchange, wanted));
    run.messageIds.push(...stored.messageIds);
    run.faults.push(...stored.faults);
    if (stored.unsettled.length === 0) return;
    if (attempt < ATTEMPTS || !wanted.isRequested) continue;
    const { day } = wanted;
    run.faults.push(...stored.unsettled.map((tso) => ({ day, tso, error: UNSETTLED, isNews: false })));
  }
}

type Stored = SendRun & { unsettled: Tso[] };

/** Stores the next version of each schedule of the day that has changed. */
async function storeSchedules(
  tx: Tx,
  now: number,
  exchange: Exchange,
  wanted: WantedSchedules,
): Promise<Stored> {
  const { day } = wanted;
  const { operatorEic } = exchange;
  await lockDay(tx, day);
  const { nominations, isUnsettled } = await readNominated(tx, day);
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
  const stored: Stored = { messageIds: [], faults: [], unsettled: [] };
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
 * nominated: it is marked as late, and its positions are netted again. Returns the TSOs with changes that were marked.
 */
async function markUnsendable(
  tx: Tx,
  next: readonly NextSchedule[],
  made: readonly MadeSchedule[],
  wanted: WantedSchedules,
  { closings, now }: { closings: readonly number[]; now: number },
): Promise<Tso[]> {
  const scheduledIds = made.flatMap(({ series }) => series.flatMap(({ nominationId }) => nominationId ?? []));
  const marked: Tso[] = [];
  for (const { tso, withheldSlots } of next) {
    const lastSlot = withheldSlots.at(-1);
    if (lastSlot === undefined || !wanted.sendable.includes(tso)) continue;
    const closedAt = closings[lastSlot - 1] ?? 0;
    if (await markLateChanges(tx, { day: wanted.day, tso, scheduledIds, closedAt }, now)) marked.push(tso);
  }
  return marked;
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
  const format = exchange.formats[schedule.tso];
  const document = Buffer.from(writeSchedule(schedule, format, now));
  const id = await insertSchedule(
    tx,
    schedule,
    { format, fileName: scheduleFileName(schedule), document },
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
  await clearUnsent(tx, schedule.tso, schedule.day);
  return id;
}

const CONFIRMED = statement(
  'confirmed_nominations',
  'select id, matched, confirmed_at from nomination where id = any($1::uuid[]) and matched is not null',
);

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
  if (message.sentAt !== null) await clearUnsent(tx, schedule.tso, schedule.day);
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
  const earlier = adopted.flatMap(({ before }) => before ?? []);
  const confirmed = await tx.query<{ id: string; matched: number[]; confirmed_at: number | null }>(
    CONFIRMED,
    [earlier],
  );
  const newIdOf = new Map(adopted.map(({ before, nominationId }) => [before, nominationId]));
  for (const isFinal of [false, true]) {
    const matched = confirmed
      .filter(({ confirmed_at }) => (confirmed_at !== null) === isFinal)
      .map(({ id, matched: matchedKw }) => ({ id: newIdOf.get(id) as string, matchedKw }));
    await recordConfirmations(tx, matched, isFinal, now);
  }
}

/** A stored message that was not delivered yet. */
export type Undelivered = {
  readonly id: string;
  readonly type: Message['type'];
  readonly tso: Tso;
  readonly day: DeliveryDay;
};

/** Lists the messages of each TSO and day in the order in which they have to be delivered. */
export async function listUndelivered(
  db: Database,
  only: { day: DeliveryDay | null; tso: Tso | null },
): Promise<Undelivered[]> {
  return (await listWaiting(db, 'out', only)).map(({ id, type, tso, delivery_day: day }) => {
    if (tso === null || day === null) throw new Error('an outgoing message is for a TSO and a day');
    return { id, type, tso, day };
  });
}

/**
 * Delivers stored schedules and status requests, oldest first. After a failure, later messages for the same TSO and day
 * wait for the next run.
 */
export async function deliverStored(
  db: Database,
  now: number,
  exchange: Exchange,
  requested: SendRequest | null,
  run: SendRun,
): Promise<void> {
  const waiting = await listUndelivered(db, { day: requested?.day ?? null, tso: requested?.tso ?? null });
  const stuck = new Set<string>();
  for (const message of waiting) {
    const { id, tso, day } = message;
    if (exchange.remote[tso] !== undefined || stuck.has(`${tso} ${day}`)) continue;
    try {
      if (await db.transaction((tx) => deliver(tx, message, now, exchange))) run.messageIds.push(id);
    } catch (error) {
      if (!(error instanceof HandoverFailed)) throw error;
      stuck.add(`${tso} ${day}`);
      run.faults.push(await recordUndelivered(db, message, error, now));
    }
  }
}

/** Records why a stored message could not be delivered, for the message and for the nominations that it carries. */
export async function recordUndelivered(
  db: Database,
  { id, type, tso, day }: Undelivered,
  { message: error }: HandoverFailed,
  now: number,
): Promise<SendFault> {
  const isNews = await db.transaction(async (tx) => {
    const isNew = await setWaitingError(tx, id, error);
    return type === 'schedule' ? recordUnsent(tx, tso, day, error, now) : isNew;
  });
  return { day, tso, error, isNews };
}

/**
 * Delivers the file, then records it as sent. A crash in between delivers the same file again, which is harmless. The
 * transport is a local folder, so that the transaction stays short although it waits for the delivery.
 */
async function deliver(tx: Tx, message: Undelivered, now: number, exchange: Exchange): Promise<boolean> {
  await lockDay(tx, message.day);
  const found = await lockWaiting(tx, message.id);
  if (found === null) return false;
  await exchange.transport.deliver(outgoingOf(message, found));
  await recordDelivered(tx, message, exchange, now);
  return true;
}

export const outgoingOf = (
  { id, tso, day }: Undelivered,
  { row, document }: WaitingDocument,
): OutgoingMessage => {
  if (row.file_name === null) throw new Error('an outgoing message has a file name');
  return { id, tso, day, type: row.type, version: row.version, fileName: row.file_name, document };
};

/** Records the message and the nominations that it carries as sent. Precondition: the caller has locked the day. */
export async function recordDelivered(
  tx: Tx,
  { id, type, tso, day }: Undelivered,
  us: Scheduler,
  now: number,
  state: 'sent' | 'delivered' = 'sent',
): Promise<void> {
  await markSent(tx, id, state, now);
  if (type !== 'schedule') return;
  const [sent] = await readNewestSchedules(tx, us, day, { tso, isSent: true });
  const carried = sent?.series.flatMap(({ nominationId }) => nominationId ?? []) ?? [];
  await recordSent(tx, carried, now);
  await clearUnsent(tx, tso, day);
}
