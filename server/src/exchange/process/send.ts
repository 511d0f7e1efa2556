import { TSOS, type Tso } from '@saldo/api';
import { type DeliveryDay, formatInstant } from '@saldo/core/delivery-day.ts';
import { isTooSoon, type SendingPhase, sendingPhase } from '@saldo/core/exchange/sending.ts';
import type { Message } from '@saldo/core/messages/message.ts';
import { nominateDue } from '../../nominations/actions.ts';
import type { Clock } from '../../platform/clock.ts';
import { collectInto, combineFailures } from '../../platform/db/connection.ts';
import type { Database } from '../../platform/db/database.ts';
import { deliverStored } from './deliver.ts';
import type { Exchange, SendRequest, SendRun } from './exchange.ts';
import { type DayToSend, listDaysToSend, listDirtyDays, listRejectedTsos } from './schedules.ts';
import { storeSchedules, type WantedSchedules } from './store-schedules.ts';

/** Retries: while volumes are being written, one side of a change may be netted before the other. */
const ATTEMPTS = 3;
const UNSETTLED: Message = { key: 'exchange.unsettled' };

/**
 * The job: sends every schedule that has changed since it was last sent and that is due. Outbox pattern: a schedule is
 * stored before it is delivered, and any later run delivers it if this process ends in between. Safe to run in several
 * processes at once, and idempotent.
 */
export async function sendDue(db: Database, clock: Clock, exchange: Exchange): Promise<SendRun> {
  const now = clock.now();
  const run: SendRun = { messageIds: [], faults: [] };
  const failures: unknown[] = [];
  for (const { delivery_day: day, tsos, next_gate, last_made } of await listDaysToSend(db, null, now)) {
    if (isTooSoon(last_made, next_gate, now)) continue;
    const isOpen = (tso: Tso) => phaseOf(exchange, day, tso, now).phase === 'open';
    // A held TSO stays in the list until the end of its wait phase: it is no reason to build the day again.
    if (!tsos.some(isOpen)) continue;
    const wanted = { day, tso: null, sendable: TSOS.filter(isOpen), resendsRejected: false };
    // A failure of one day must not make other days miss their gates.
    await storeDay(db, clock, exchange, wanted, run).catch(collectInto(failures));
  }
  return deliverRun(db, clock, exchange, null, run, failures);
}

/**
 * A request of the operator: sends at once what has changed, also while changes are gathered, and reports what cannot be
 * sent.
 */
export async function sendRequested(
  db: Database,
  clock: Clock,
  exchange: Exchange,
  requested: SendRequest,
): Promise<SendRun> {
  const now = clock.now();
  const run: SendRun = { messageIds: [], faults: [] };
  const isSendable = (day: DeliveryDay, tso: Tso) =>
    ['open', 'gathering'].includes(phaseOf(exchange, day, tso, now).phase);
  const isNamed = (tso: Tso) => (requested.tso ?? tso) === tso;
  // The latest volumes are included. The job leaves them to the nomination job.
  await nominateDue(db, clock, exchange.rules, { day: requested.day ?? undefined });
  // What is not netted yet is read before the nominations, which then have everything else.
  const leftToNet = await listDirtyDays(db, requested.day);
  const failures: unknown[] = [];
  for (const { delivery_day: day, tsos } of await requestedDays(db, now, exchange, requested)) {
    if ((requested.tso ? [requested.tso] : tsos).some((tso) => isSendable(day, tso))) {
      const sendable = TSOS.filter((tso) => isNamed(tso) && isSendable(day, tso));
      const wanted = { day, tso: requested.tso, sendable, resendsRejected: requested.day !== null };
      await storeDay(db, clock, exchange, wanted, run).then(
        (left) => leftToNet.set(day, left),
        collectInto(failures),
      );
    }
    for (const tso of tsos.filter((one) => isNamed(one) && !isSendable(day, one))) {
      const sending = phaseOf(exchange, day, tso, now);
      // Report past days only when explicitly requested.
      if (requested.day === null && sending.phase !== 'waiting') continue;
      run.faults.push({ day, tso, error: whyNot(day, sending), isNews: false });
    }
  }
  const isReported = (day: DeliveryDay, tso: Tso) =>
    isNamed(tso) && (requested.day !== null || isSendable(day, tso));
  reportUnsettled(leftToNet, isReported, run);
  return deliverRun(db, clock, exchange, requested, run, failures);
}

const phaseOf = ({ rules, waitPhases }: Exchange, day: DeliveryDay, tso: Tso, now: number): SendingPhase =>
  sendingPhase(day, rules, waitPhases[tso], now);

/** Delivers what is stored, by this run or an earlier one, also after some days could not be stored. */
async function deliverRun(
  db: Database,
  clock: Clock,
  exchange: Exchange,
  requested: SendRequest | null,
  run: SendRun,
  failures: readonly unknown[],
): Promise<SendRun> {
  await deliverStored(db, clock, exchange, requested, run);
  if (failures.length > 0) throw combineFailures(failures, 'schedules could not be made');
  return { ...run, messageIds: [...new Set(run.messageIds)] };
}

/**
 * Another process may be netting volumes at this moment. Then there is nothing to send yet, or less than there will be,
 * and the caller has to know.
 */
function reportUnsettled(
  leftToNet: ReadonlyMap<DeliveryDay, readonly Tso[]>,
  isReported: (day: DeliveryDay, tso: Tso) => boolean,
  { faults }: SendRun,
): void {
  const known = new Set(faults.map(({ day, tso }) => `${day} ${tso}`));
  for (const [day, tsos] of leftToNet)
    for (const tso of tsos)
      if (isReported(day, tso) && !known.has(`${day} ${tso}`))
        faults.push({ day, tso, error: UNSETTLED, isNews: false });
}

/** A rejected schedule does not count as unsent, but a request that names its day sends it again. */
async function requestedDays(
  db: Database,
  now: number,
  exchange: Exchange,
  { day }: SendRequest,
): Promise<Pick<DayToSend, 'delivery_day' | 'tsos'>[]> {
  const days = await listDaysToSend(db, day, now);
  if (day === null) return days;
  const rejected = await listRejectedTsos(db, exchange, day);
  return [{ delivery_day: day, tsos: [...new Set([...(days[0]?.tsos ?? []), ...rejected])] }];
}

const whyNot = (day: DeliveryDay, sending: SendingPhase): Message =>
  'opensAt' in sending
    ? { key: 'exchange.held', day, until: formatInstant(sending.opensAt) }
    : { key: 'exchange.closed', day };

/** Returns the TSOs for which more will be netted. */
async function storeDay(
  db: Database,
  clock: Clock,
  exchange: Exchange,
  wanted: WantedSchedules,
  run: SendRun,
): Promise<Tso[]> {
  for (let attempt = 1; ; attempt++) {
    await nominateDue(db, clock, exchange.rules, { day: wanted.day });
    const stored = await db.transaction((tx) => storeSchedules(tx, clock, exchange, wanted));
    run.messageIds.push(...stored.messageIds);
    run.faults.push(...stored.faults);
    const { unsettled, dirtyTsos } = stored;
    if (unsettled.length === 0 || attempt === ATTEMPTS) return [...new Set([...unsettled, ...dirtyTsos])];
  }
}
