import { addDays, type DeliveryDay, slotCount } from '@saldo/core/delivery-day.ts';
import { answerFileName } from '@saldo/core/exchange/documents/file-names.ts';
import { readDocument } from '@saldo/core/exchange/documents/read-document.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import type { Schedule } from '@saldo/core/exchange/schedule.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import { type Answers, answersTo, type Behaviour, finalTypeOf } from '@saldo/simulator/tso.ts';
import type { Exchange } from '../exchange/process/exchange.ts';
import { receiveMessage } from '../exchange/process/receive.ts';
import { sendDue, sendRequested } from '../exchange/process/send.ts';
import type { Database } from '../platform/db/database.ts';
import { GROUPS } from './cast.ts';

/** Slots in which a counterpart's schedule is lower, so that the TSO confirms less. */
const SHORT_SLOTS = [45, 46, 47, 48];
const MINUTE_MS = 60_000;

/** The last hour of a day. */
const lastSlots = (day: DeliveryDay): number[] => {
  const count = slotCount(day);
  return [count - 3, count - 2, count - 1, count];
};

/**
 * Deviations that the dispatcher of Nordwind can still correct at any time: the last hour of today until 23:30, and
 * tomorrow, which is confirmed in the evening. Besides them, a deviation four days ago, a missing schedule three days ago,
 * and a rejected first schedule yesterday.
 */
const behaviourOn = (today: DeliveryDay): Behaviour => ({
  deviations: [
    { eic: GROUPS.rhein, tso: null, day: addDays(today, -4), slots: SHORT_SLOTS, differenceKw: -50 },
    {
      eic: GROUPS.nordwind,
      tso: 'DE_50HERTZ',
      day: today,
      slots: lastSlots(today),
      differenceKw: -200,
    },
    {
      eic: GROUPS.nordwind,
      tso: 'DE_50HERTZ',
      day: addDays(today, 1),
      slots: SHORT_SLOTS,
      differenceKw: -120,
    },
  ],
  missing: [{ eic: GROUPS.ruhr, tso: null, day: addDays(today, -3) }],
  rejections: [{ tso: 'DE_TENNET', day: addDays(today, -1) }],
});

/**
 * The simulated TSOs of the demo world. Schedules reach the simulator in memory instead of through files. Its answers
 * take the normal path of received messages.
 */
export function demoTsos(db: Database, operatorEic: string, rules: MarketRules, today: DeliveryDay) {
  const behaviour = behaviourOn(today);
  const sent: Buffer[] = [];
  const unconfirmed: Schedule[] = [];
  /** The newest schedule of each TSO and day that has its intermediate confirmation. */
  const confirmed = new Map<string, Schedule>();
  const exchange: Exchange = {
    operatorEic,
    formats: { DE_AMPRION: 'cim', DE_TENNET: 'ess', DE_TRANSNET_BW: 'ess', DE_50HERTZ: 'ess' },
    waitPhases: { DE_AMPRION: 'hold', DE_TENNET: 'hold', DE_TRANSNET_BW: 'hold', DE_50HERTZ: 'hold' },
    rules,
    transport: {
      async deliver({ document }) {
        sent.push(document);
      },
    },
    remote: {},
  };

  async function answer(schedule: Schedule, which: keyof Answers, at: number) {
    // The TSO rejects only the first version.
    const isCorrected = schedule.version > 1;
    const given = answersTo(schedule, isCorrected ? { ...behaviour, rejections: [] } : behaviour, at);
    const document = given[which];
    if (document === null) return;
    await receiveMessage(
      db,
      { now: () => at },
      { operatorEic, rules, messageLimitBytes: Number.POSITIVE_INFINITY },
      {
        document: Buffer.from(
          writeAnswer(document, exchange.formats[schedule.tso], rules, finalTypeOf(schedule.tso)),
        ),
        error: null,
        fileName: answerFileName(schedule, document),
        inboxFingerprint: null,
      },
    );
  }

  async function send(at: number): Promise<void> {
    await sendDue(db, { now: () => at }, exchange);
    const rejected = await acknowledge(at);
    // The operator reacts to the rejection and sends the schedule again.
    const later = { now: () => at + MINUTE_MS };
    for (const { day, tso } of rejected) await sendRequested(db, later, exchange, { day, tso });
    await acknowledge(at + MINUTE_MS);
  }

  /** Sends the acknowledgements of the TSOs. Returns the rejected schedules. */
  async function acknowledge(at: number): Promise<Schedule[]> {
    const rejected: Schedule[] = [];
    for (const document of sent.splice(0)) {
      const read = readDocument(document, rules);
      if (read.kind !== 'ok' || read.document.kind !== 'schedule') throw new Error('we send schedules');
      const { schedule } = read.document;
      await answer(schedule, 'acknowledgement', at);
      const isRejected = answersTo(schedule, behaviour, at).final === null && schedule.version === 1;
      (isRejected ? rejected : unconfirmed).push(schedule);
    }
    return rejected;
  }

  return {
    send,
    /**
     * Confirms the schedules of a day, which may still change. One TSO has not answered tomorrow's schedule yet, so
     * that the demo shows both.
     */
    async confirm(day: DeliveryDay, at: number): Promise<void> {
      for (const schedule of unconfirmed.splice(0)) {
        const isForLater = schedule.day !== day || (day > today && schedule.tso === 'DE_TRANSNET_BW');
        if (isForLater) {
          unconfirmed.push(schedule);
          continue;
        }
        await answer(schedule, 'anomaly', at);
        await answer(schedule, 'intermediate', at);
        confirmed.set(`${schedule.tso} ${day}`, schedule);
      }
    },

    /** Confirms the schedules of a day finally, after its last gate. */
    async finalise(day: DeliveryDay, at: number): Promise<void> {
      for (const schedule of confirmed.values()) {
        if (schedule.day === day) await answer(schedule, 'final', at);
      }
    },
  };
}
