import type { Message, Tso } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { storeMessage } from '@saldo/core/messages/stored.ts';
import { recordSent } from '../../nominations/actions.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import {
  listWaiting,
  lockDay,
  lockWaiting,
  markSent,
  setWaitingError,
  type WaitingDocument,
} from '../store.ts';
import { HandoverFailed, type OutgoingMessage, type Transport } from '../transport/transport.ts';
import type { Exchange, SendFault, SendRequest, SendRun } from './exchange.ts';
import { clearUnsent, readNewestSchedules, recordUnsent, type Scheduler } from './schedules.ts';

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
 * Messages that this process has delivered, but whose record the database has not confirmed, for instance because of a
 * fail-over. A later run of the same process only records them, so that the TSO does not get the file twice. Those that
 * turn out to be recorded are forgotten, so that the set is not larger than the number of undelivered messages.
 */
export const unconfirmed = new Set<string>();

/**
 * Delivers stored schedules and status requests, oldest first. After a failure, later messages for the same TSO and day
 * wait for the next run.
 */
export async function deliverStored(
  db: Database,
  clock: Clock,
  exchange: Exchange,
  requested: SendRequest | null,
  run: SendRun,
): Promise<void> {
  const { transport } = exchange;
  if (transport === null) return;
  // Read before the list, which then has all of them that are not recorded.
  const known = [...unconfirmed];
  const waiting = await listUndelivered(db, { day: requested?.day ?? null, tso: requested?.tso ?? null });
  if (requested === null) forgetRecorded(known, waiting);
  const stuck = new Set<string>();
  for (const message of waiting) {
    const { id, tso, day } = message;
    if (exchange.remote[tso] !== undefined || stuck.has(`${tso} ${day}`)) continue;
    try {
      if (await db.transaction((tx) => deliver(tx, message, clock, exchange, transport)))
        run.messageIds.push(id);
      unconfirmed.delete(id);
    } catch (error) {
      if (!(error instanceof HandoverFailed)) throw error;
      stuck.add(`${tso} ${day}`);
      run.faults.push(...(await recordUndelivered(db, message, error, clock)));
    }
  }
}

function forgetRecorded(known: readonly string[], waiting: readonly Undelivered[]): void {
  const ids = new Set(waiting.map(({ id }) => id));
  for (const id of known) if (!ids.has(id)) unconfirmed.delete(id);
}

/**
 * Records why a stored message could not be delivered, for the message and for the nominations that it carries. Returns the
 * fault, or nothing when another process or an answer has recorded the delivery meanwhile.
 */
export async function recordUndelivered(
  db: Database,
  { id, type, tso, day }: Undelivered,
  { fault: error }: HandoverFailed,
  clock: Clock,
): Promise<SendFault[]> {
  return db.transaction(async (tx) => {
    await lockDay(tx, day);
    if ((await lockWaiting(tx, id)) === null) return [];
    const isNews = await setWaitingError(tx, id, storeMessage(error));
    if (type === 'schedule') await recordUnsent(tx, tso, day, error, clock.now(), null);
    return [{ day, tso, error, isNews }];
  });
}

/**
 * Delivers the file, then records it as sent. A crash in between delivers the same file again, which is harmless. The
 * transport is a local folder, so that the transaction stays short although it waits for the delivery.
 */
async function deliver(
  tx: Tx,
  message: Undelivered,
  clock: Clock,
  us: Scheduler,
  transport: Transport,
): Promise<boolean> {
  await lockDay(tx, message.day);
  const found = await lockWaiting(tx, message.id);
  if (found === null) return false;
  if (!unconfirmed.has(message.id)) await transport.deliver(outgoingOf(message, found));
  unconfirmed.add(message.id);
  await recordDelivered(tx, message, us, clock.now());
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
  // Newer nominations may be out of balance, and stay so.
  await clearUnsent(tx, tso, day, false);
}
