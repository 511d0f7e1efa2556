import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { Tso } from '@saldo/core/enums.ts';
import type {
  Acknowledgement,
  Anomaly,
  AnomalySide,
  AnsweredMessage,
  Confirmation,
  ConfirmedSeries,
} from '@saldo/core/exchange/answer.ts';
import type { ReadStatusRequest } from '@saldo/core/exchange/documents/status-request.ts';
import { compactDay, nominationOf, type Schedule, type Series } from '@saldo/core/exchange/schedule.ts';
import { findingsOf } from '@saldo/core/exchange/schedule-rules.ts';
import { gatesOf } from '@saldo/core/gates.ts';
import { type MarketRules, tsoCodes } from '@saldo/core/market-rules.ts';
import { BUILT_IN_RULES } from '@saldo/core/market-rules-file.ts';
import { formatMessage } from '@saldo/core/messages/message.ts';

/** A balance group whose schedule differs from the operator's. Null means any TSO or any day. */
export type Counterpart = { eic: string; tso: Tso | null; day: DeliveryDay | null };

/** How the simulated counterparts and TSOs deviate. Without entries all schedules match. */
export type Behaviour = {
  /** The counterpart's values differ in these slots. Null means all slots. */
  readonly deviations: readonly (Counterpart & { slots: readonly number[] | null; differenceKw: number })[];
  /** The counterpart has sent no schedule. */
  readonly missing: readonly Counterpart[];
  /** The TSO rejects the operator's schedule. */
  readonly rejections: readonly { tso: Tso; day: DeliveryDay | null }[];
};

export const CONFORMING: Behaviour = { deviations: [], missing: [], rejections: [] };

/** The answers of a TSO to a schedule, in this order. A rejection is the last one. */
export type Answers = {
  acknowledgement: Acknowledgement;
  intermediate: Confirmation | null;
  anomaly: Anomaly | null;
  final: Confirmation | null;
};

/** When a TSO sends which answer to a schedule. An anomaly report comes with the intermediate confirmation. */
export type AnswerTimes = { acknowledgedAt: number; intermediateAt: number; finalAt: number };

const SECOND_MS = 1000;
/** Each TSO has habits of its own; each habit is simulated with one of them. */
const FORECASTING_TSO: Tso = 'DE_50HERTZ';
const FORECAST_PARTY = '11XFC-CONS-----0';
const AGAINST_RULES = { code: 'A59', text: 'Against the rules of this control area' };

/**
 * A TSO acknowledges at once. It compares schedules after the day-ahead gate, those of the wait phase at its end and
 * later ones at once. Confirmations are final when the day-after gate has closed.
 */
export function answerTimes(schedule: Schedule, receivedAt: number, rules: MarketRules): AnswerTimes {
  const { dayAhead, waitEnd, dayAfter } = gatesOf(schedule.day, rules);
  const comparedAt = receivedAt < dayAhead ? dayAhead : Math.max(receivedAt, waitEnd);
  return {
    acknowledgedAt: receivedAt,
    intermediateAt: comparedAt,
    finalAt: Math.max(comparedAt, dayAfter),
  };
}

/** The document type of a final confirmation. */
export const finalTypeOf = (tso: Tso) => (tso === 'DE_TRANSNET_BW' ? 'A09' : 'A08');

/** All answers within seconds. */
const immediateTimes = (receivedAt: number): AnswerTimes => ({
  acknowledgedAt: receivedAt,
  intermediateAt: receivedAt + SECOND_MS,
  finalAt: receivedAt + 2 * SECOND_MS,
});

/**
 * Simulates the TSO: accepts a schedule that breaks no rule, compares it with the counterparts' schedules, and confirms
 * the smaller of both values.
 */
export function answersTo(
  schedule: Schedule,
  behaviour: Behaviour,
  at: number | AnswerTimes,
  rules: MarketRules = BUILT_IN_RULES,
): Answers {
  const { acknowledgedAt, intermediateAt, finalAt } = typeof at === 'number' ? immediateTimes(at) : at;
  const head = answerHead(schedule);
  const refusal = refusalOf(schedule, behaviour, rules);
  if (refusal !== null) {
    const reasons = [{ code: 'A02', text: null }, refusal];
    const acknowledgement = {
      ...head('ACK', acknowledgedAt),
      kind: 'acknowledgement',
      outcome: 'rejected',
    } as const;
    return {
      acknowledgement: { ...acknowledgement, reasons, rejectedSeries: [] },
      intermediate: null,
      anomaly: null,
      final: null,
    };
  }
  const compared = schedule.series.map((series) => ({
    series,
    theirs: theirPowers(series, schedule, behaviour),
  }));
  const series = [...compared.map(confirmedSeries), ...forecasts(schedule)];
  const sides = compared.flatMap((one) => anomalySides(one, schedule));
  const isMatched = compared.every(({ series: { powersKw }, theirs }) => isSame(powersKw, theirs));
  const confirmation = {
    kind: 'confirmation',
    day: schedule.day,
    outcome: isMatched ? 'accepted' : 'partial',
    reasons: [{ code: isMatched ? 'A06' : 'A07', text: null }],
    series,
    imposed: [],
    unusable: [],
  } as const;
  return {
    acknowledgement: {
      ...head('ACK', acknowledgedAt),
      kind: 'acknowledgement',
      outcome: 'accepted',
      reasons: [{ code: 'A01', text: null }],
      rejectedSeries: [],
    },
    intermediate: { ...head('CNI', intermediateAt), ...confirmation, isFinal: false },
    anomaly:
      sides.length === 0
        ? null
        : { ...head('ANO', intermediateAt), kind: 'anomaly', day: schedule.day, sides, unusable: [] },
    final: { ...head('CNF', finalAt), ...confirmation, isFinal: true },
  };
}

/** A TSO acknowledges a status request like any document. Its answer about the schedule is a message of its own. */
export function acknowledgementOf(
  { id: messageId, operatorEic, tso, day }: ReadStatusRequest,
  rules: MarketRules,
  at: number,
): Acknowledgement {
  const codes = tsoCodes(rules, tso, day);
  const head = answerHead({ codes, day, version: null, messageId, operatorEic });
  return {
    ...head('SRA', at),
    kind: 'acknowledgement',
    outcome: 'accepted',
    reasons: [{ code: 'A01', text: null }],
    rejectedSeries: [],
  };
}

type AnsweredDocument = Pick<Schedule, 'codes' | 'day' | 'operatorEic'> & AnsweredMessage;

function answerHead({ codes, day, version, messageId, operatorEic }: AnsweredDocument) {
  const { party, tag } = codes;
  return (kind: string, at: number) => {
    const second = Math.floor(at / SECOND_MS);
    return {
      id: [kind, compactDay(day), tag, version ?? 0, second.toString(36)].join('-'),
      createdAt: second * SECOND_MS,
      sender: party,
      receiver: operatorEic,
      answers: { messageId, version },
    };
  };
}

/** TSOs confirm forecasts together with the schedules, under a party of their own and with reasons of their own. */
function forecasts({ tso, codes, operatorEic, series: [first] }: Schedule): ConfirmedSeries[] {
  if (tso !== FORECASTING_TSO || first === undefined) return [];
  return [
    {
      identification: 'FORECAST_CONSUMPTION',
      version: 1,
      businessType: 'A04',
      outParty: operatorEic,
      outArea: codes.area,
      inParty: FORECAST_PARTY,
      inArea: codes.area,
      powersKw: first.powersKw.map(() => 0),
      reasons: [
        { code: 'A88', text: null },
        { code: 'A95', text: null },
      ],
      slotReasons: [],
    },
  ];
}

function refusalOf(
  schedule: Schedule,
  { rejections }: Behaviour,
  rules: MarketRules,
): typeof AGAINST_RULES | null {
  const { tso, day } = schedule;
  if (rejections.some((one) => one.tso === tso && (one.day === null || one.day === day)))
    return AGAINST_RULES;
  const nothingBefore = { previous: null, elsewhere: [], exportedAgainst: null };
  const [finding] = findingsOf({ schedule, unusable: [], headFaults: [], rules, ...nothingBefore });
  return finding === undefined ? null : { code: finding.code, text: formatMessage(finding.text, 'en') };
}

/** Null if the counterpart has sent no schedule. Both sides of a bridge belong to the operator, so they match. */
function theirPowers(series: Series, { operatorEic, tso, day }: Schedule, behaviour: Behaviour) {
  const eic = nominationOf(series, operatorEic)?.eic ?? null;
  const isMeant = (one: Counterpart) =>
    one.eic === eic && (one.tso === null || one.tso === tso) && (one.day === null || one.day === day);
  if (behaviour.missing.some(isMeant)) return null;
  const powersKw = [...series.powersKw];
  for (const { slots, differenceKw } of behaviour.deviations.filter(isMeant)) {
    for (const [at, kw] of powersKw.entries()) {
      // A deviation does not apply to a direction without any flow.
      if (kw > 0 && (slots === null || slots.includes(at + 1))) powersKw[at] = Math.max(0, kw + differenceKw);
    }
  }
  return powersKw;
}

type Compared = { series: Series; theirs: readonly number[] | null };

const isSame = (ours: readonly number[], theirs: readonly number[] | null) =>
  theirs !== null && ours.every((kw, at) => kw === theirs[at]);

function confirmedSeries({ series, theirs }: Compared): ConfirmedSeries {
  if (theirs === null) {
    return { ...series, powersKw: null, reasons: [{ code: 'A28', text: null }], slotReasons: [] };
  }
  const code = isSame(series.powersKw, theirs) ? 'A88' : 'A63';
  const powersKw = series.powersKw.map((kw, at) => Math.min(kw, theirs[at] ?? 0));
  const slotReasons = powersKw.flatMap((kw, at) =>
    kw === series.powersKw[at] ? [] : [{ slot: at + 1, reasons: [{ code: 'A44', text: null }] }],
  );
  return { ...series, powersKw, reasons: [{ code, text: null }], slotReasons };
}

/** Both sides' values of a series on which they differ. */
function anomalySides({ series, theirs }: Compared, schedule: Schedule): AnomalySide[] {
  if (theirs === null || isSame(series.powersKw, theirs)) return [];
  const { operatorEic, day, codes, messageId, version } = schedule;
  const counterpart = nominationOf(series, operatorEic);
  if (counterpart === null) return [];
  const reasons = [{ code: 'A09', text: null }];
  const identification = `${operatorEic}_${counterpart.direction.toUpperCase()}`;
  const theirMessage = `${compactDay(day)}_TPS_${counterpart.eic}_${codes.tag}`;
  return [
    { ...series, party: operatorEic, messageId, messageVersion: version, reasons },
    {
      ...series,
      identification,
      version: 1,
      powersKw: theirs,
      party: counterpart.eic,
      messageId: theirMessage,
      messageVersion: 1,
      reasons,
    },
  ];
}
