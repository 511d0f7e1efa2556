import type { Tso } from '@saldo/api';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { lockDay, lockWaiting } from '../store.ts';
import { HandoverFailed, type RemoteTransport, Unreachable } from '../transport/transport.ts';
import {
  listUndelivered,
  outgoingOf,
  recordDelivered,
  recordUndelivered,
  type Undelivered,
} from './deliver.ts';
import type { Exchange, SendFault } from './exchange.ts';
import { type InboxRun, type Receiving, receiveFiles } from './receive.ts';

/** `unreachable`: why the TSO's server could not be used, null when it could. */
export type RemoteRun = { faults: SendFault[]; inbox: InboxRun; unreachable: string | null };

/**
 * Delivers the stored messages of one TSO through its own transport and imports its answers. One process at a time does
 * this for a TSO, so that versions arrive in order and once. The lock is not the day's, and no transaction is open while
 * the network waits: a slow server delays neither other TSOs, nor answers, nor new schedules. Returns null when another
 * process is at work.
 */
export function exchangeRemotely(
  db: Database,
  clock: Clock,
  exchange: Exchange & Receiving,
  tso: Tso,
  transport: RemoteTransport,
): Promise<RemoteRun | null> {
  return db.exclusively(`saldo exchange ${tso}`, async () => {
    const run: RemoteRun = { faults: [], inbox: { received: 0, unreadable: [] }, unreachable: null };
    await deliverStored(db, clock, exchange, tso, transport, run);
    if (run.unreachable !== null) return run;
    try {
      run.inbox = await receiveFiles(db, clock, exchange, transport.inbox);
    } catch (error) {
      if (!(error instanceof HandoverFailed)) throw error;
      run.unreachable = error.message;
    }
    return run;
  });
}

/**
 * Delivers in order. After a failure, later versions of the same schedule wait for the next run; when the server cannot
 * be reached, every message waits.
 */
async function deliverStored(
  db: Database,
  clock: Clock,
  exchange: Exchange,
  tso: Tso,
  transport: RemoteTransport,
  run: RemoteRun,
): Promise<void> {
  const stuckDays = new Set<string>();
  let lost: Unreachable | null = null;
  for (const message of await listUndelivered(db, { day: null, tso })) {
    if (stuckDays.has(message.day)) continue;
    try {
      if (lost !== null) throw lost;
      await deliver(db, clock, exchange, message, transport);
    } catch (error) {
      if (!(error instanceof HandoverFailed)) throw error;
      if (error instanceof Unreachable) lost = error;
      stuckDays.add(message.day);
      run.faults.push(...(await recordUndelivered(db, message, error, clock)));
    }
  }
  run.unreachable = lost?.message ?? null;
}

/** A crash between delivery and record delivers the same file again, which is harmless. */
async function deliver(
  db: Database,
  clock: Clock,
  exchange: Exchange,
  message: Undelivered,
  transport: RemoteTransport,
): Promise<void> {
  const found = await db.transaction((tx) => lockWaiting(tx, message.id));
  if (found === null) return;
  const state = await transport.deliver(outgoingOf(message, found));
  await db.transaction(async (tx) => {
    await lockDay(tx, message.day);
    // An answer that arrived meanwhile has recorded the delivery.
    if ((await lockWaiting(tx, message.id)) === null) return;
    await recordDelivered(tx, message, exchange, clock.now(), state);
  });
}
