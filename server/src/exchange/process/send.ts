import { TSOS, type Tso } from '@saldo/api';
import { type DeliveryDay, formatInstant } from '@saldo/core/delivery-day.ts';
import { isTooSoon, type SendingPhase, sendingPhase } from '@saldo/core/exchange/sending.ts';
import type { Message } from '@saldo/core/messages/message.ts';
import { nominateDue } from '../../nominations/actions.ts';
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
  const phaseOf = (day: DeliveryDay, tso: Tso) =>
    sendingPhase(day, exchange.rules, exchange.waitPhases[tso], now);
  const isSendable = (day: DeliveryDay, tso: Tso) => {
    const { phase } = phaseOf(day, tso);
    return phase === 'open' || (phase === 'gathering' && requested !== null);
  };
  // An explicit request has to include the latest volumes. For the job, the nomination job has netted them already.
  if (requested !== null) await nominateDue(db, now, exchange.rules, { day: requested.day ?? undefined });
  // What is not netted yet is read before the nominations, which then have everything else.
  const leftToNet =
    requested === null ? new Map<DeliveryDay, Tso[]>() : await listDirtyDays(db, requested.day);
  const failures: unknown[] = [];
  const days = await daysToSend(db, now, exchange, requested);
  for (const { delivery_day: day, tsos, next_gate, last_made } of days) {
    if (requested === null && isTooSoon(last_made, next_gate, now)) continue;
    const named = requested?.tso ? [requested.tso] : null;
    // A held TSO stays in the list until the end of its wait phase: it is no reason to build the day again.
    if ((named ?? tsos).some((tso) => isSendable(day, tso))) {
      const wanted = {
        day,
        tso: requested?.tso ?? null,
        sendable: (named ?? TSOS).filter((tso) => isSendable(day, tso)),
        resendsRejected: requested !== null && requested.day !== null,
      };
      // A failure of one day must not make other days miss their gates.
      await storeDay(db, now, exchange, wanted, run).then(
        (left) => leftToNet.set(day, left),
        collectInto(failures),
      );
    }
    if (requested === null) continue;
    for (const tso of tsos.filter((one) => (requested.tso ?? one) === one && !isSendable(day, one))) {
      const sending = phaseOf(day, tso);
      // Report past days only when explicitly requested.
      if (requested.day === null && sending.phase !== 'waiting') continue;
      run.faults.push({ day, tso, error: whyNot(day, sending), isNews: false });
    }
  }
  if (requested !== null) {
    const isReported = (day: DeliveryDay, tso: Tso) =>
      (requested.tso ?? tso) === tso && (requested.day !== null || isSendable(day, tso));
    reportUnsettled(leftToNet, isReported, run);
  }
  await deliverStored(db, now, exchange, requested, run);
  if (failures.length > 0) throw combineFailures(failures, 'schedules could not be made');
  run.messageIds = [...new Set(run.messageIds)];
  return run;
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

const whyNot = (day: DeliveryDay, sending: SendingPhase): Message =>
  'opensAt' in sending
    ? { key: 'exchange.held', day, until: formatInstant(sending.opensAt) }
    : { key: 'exchange.closed', day };

/** Returns the TSOs for which more will be netted. */
async function storeDay(
  db: Database,
  now: number,
  exchange: Exchange,
  wanted: WantedSchedules,
  run: SendRun,
): Promise<Tso[]> {
  for (let attempt = 1; ; attempt++) {
    await nominateDue(db, now, exchange.rules, { day: wanted.day });
    const stored = await db.transaction((tx) => storeSchedules(tx, now, exchange, wanted));
    run.messageIds.push(...stored.messageIds);
    run.faults.push(...stored.faults);
    const { unsettled, dirtyTsos } = stored;
    if (unsettled.length === 0 || attempt === ATTEMPTS) return [...new Set([...unsettled, ...dirtyTsos])];
  }
}
