import fc from 'fast-check';
import { slotCount } from '../src/delivery-day.ts';
import type { Answer, Reason } from '../src/exchange/answer.ts';
import type { Schedule } from '../src/exchange/schedule.ts';
import { anyDay, anyMarkets, OPERATOR, scheduleHistory } from './schedule-worlds.ts';

/** The newest schedules of random worlds; some have none. */
export const anySchedules: fc.Arbitrary<Schedule[]> = fc
  .tuple(anyDay, anyMarkets)
  .map(([day, markets]) => [...scheduleHistory(day, markets)].at(-1)!.schedules);

/** Generated records have the usual prototype, as those of the reader do. */
const PLAIN = { noNullPrototype: true } as const;

const anyText = fc
  .string({ unit: 'grapheme', maxLength: 40 })
  .map((text) => text.replaceAll(/\p{Cc}/gu, '').trim() || null);
const anyReason = (...codes: string[]): fc.Arbitrary<Reason> =>
  fc.record({ code: fc.constantFrom(...codes), text: anyText }, PLAIN);
const anyReasons = (...codes: string[]) => fc.array(anyReason(...codes), { maxLength: 2 });
const anyInstant = fc.integer({ min: 1_700_000_000, max: 1_900_000_000 }).map((seconds) => seconds * 1000);

const OUTCOMES = { accepted: 'A06', partial: 'A07', rejected: 'A08' } as const;
const ACKNOWLEDGED = { accepted: 'A01', rejected: 'A02', errors_in_series: 'A03' } as const;

/** Any answer that a TSO could give to this schedule. */
export function anyAnswer(schedule: Schedule): fc.Arbitrary<Answer> {
  const anyHead = fc.record(
    {
      id: fc.stringMatching(/^[A-Z0-9_-]{1,35}$/),
      createdAt: anyInstant,
      sender: fc.constant(schedule.codes.party),
      receiver: fc.constant(OPERATOR),
      answers: fc.constant({ messageId: schedule.messageId, version: schedule.version }),
    },
    PLAIN,
  );
  return fc.oneof(
    anyAcknowledgement(schedule, anyHead),
    anyConfirmation(schedule, anyHead),
    anyAnomaly(schedule, anyHead),
  );
}

type Head = Pick<Answer, 'id' | 'createdAt' | 'sender' | 'receiver' | 'answers'>;

function anyAcknowledgement(schedule: Schedule, anyHead: fc.Arbitrary<Head>): fc.Arbitrary<Answer> {
  const anyRejected = fc.subarray(schedule.series.map(({ identification }) => identification));
  return fc
    .tuple(
      anyHead,
      fc.constantFrom('accepted', 'rejected', 'errors_in_series'),
      anyRejected,
      anyReasons('A54', 'A50'),
      anyText,
    )
    .map(([head, outcome, rejected, reasons, text]) => ({
      ...head,
      kind: 'acknowledgement',
      outcome,
      reasons: [{ code: ACKNOWLEDGED[outcome], text }, ...reasons],
      rejectedSeries: rejected.map((identification) => ({ identification, reasons })),
    }));
}

function anyConfirmation(schedule: Schedule, anyHead: fc.Arbitrary<Head>): fc.Arbitrary<Answer> {
  const slots = slotCount(schedule.day);
  const anyPowers = fc.array(fc.nat(1_000_000), { minLength: slots, maxLength: slots });
  const anySlotReasons = fc.uniqueArray(
    fc.record(
      {
        slot: fc.integer({ min: 1, max: slots }),
        reasons: fc.array(anyReason('A43', 'A44'), { minLength: 1, maxLength: 2 }),
      },
      PLAIN,
    ),
    { selector: ({ slot }) => slot, maxLength: 3 },
  );
  const anyReported = fc.oneof(
    fc.record({ powersKw: anyPowers, slotReasons: anySlotReasons }),
    fc.constant({ powersKw: null, slotReasons: [] }),
  );
  return fc
    .tuple(
      anyHead,
      fc.boolean(),
      fc.constantFrom('accepted', 'partial', 'rejected'),
      fc.subarray([...schedule.series]),
      fc.subarray([...schedule.series]),
      fc.tuple(anyReported, anyPowers, anyReasons('A20', 'A28', 'A30', 'A63', 'A88'), anyText),
    )
    .map(([head, isFinal, outcome, listed, imposing, [reported, imposed, reasons, text]]) => ({
      ...head,
      kind: 'confirmation',
      day: schedule.day,
      isFinal,
      outcome,
      reasons: [{ code: OUTCOMES[outcome], text }],
      series: listed.map((series) => ({
        ...series,
        reasons,
        powersKw: reported.powersKw,
        slotReasons: reported.slotReasons.toSorted((one, other) => one.slot - other.slot),
      })),
      imposed: imposing.map((series) => ({
        ...series,
        powersKw: imposed,
        reasons: [{ code: 'A30', text }],
        slotReasons: reported.slotReasons.toSorted((one, other) => one.slot - other.slot),
      })),
      unusable: [],
    }));
}

function anyAnomaly(schedule: Schedule, anyHead: fc.Arbitrary<Head>): fc.Arbitrary<Answer> {
  return fc.tuple(anyHead, fc.subarray([...schedule.series], { minLength: 1 })).map(([head, series]) => ({
    ...head,
    kind: 'anomaly',
    day: schedule.day,
    unusable: [],
    sides: series.flatMap(({ powersKw, ...name }) => {
      const counterpart = name.outParty === OPERATOR ? name.inParty : name.outParty;
      const reasons = [{ code: 'A09', text: null }];
      const ours = { messageId: schedule.messageId, messageVersion: schedule.version, reasons };
      return [
        { ...name, ...ours, party: OPERATOR, powersKw },
        {
          ...name,
          identification: `${name.identification}-THEIRS`,
          party: counterpart,
          messageId: 'THEIRS',
          messageVersion: 7,
          reasons,
          powersKw: powersKw.map((kw) => kw + 1),
        },
      ];
    }),
  }));
}
