import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { Tso } from '@saldo/core/enums.ts';
import type {
  Acknowledgement,
  Anomaly,
  AnomalySide,
  Confirmation,
  ConfirmedSeries,
} from '@saldo/core/exchange/answer.ts';
import { compactDay, nominationOf, type Schedule, type Series } from '@saldo/core/exchange/schedule.ts';

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

export const EXEMPLARY: Behaviour = { deviations: [], missing: [], rejections: [] };

/** The answers of a TSO to a schedule, in this order. A rejection is the last one. */
export type Answers = {
  acknowledgement: Acknowledgement;
  intermediate: Confirmation | null;
  anomaly: Anomaly | null;
  final: Confirmation | null;
};

const SECOND_MS = 1000;
const DOES_NOT_NET = { code: 'A54', text: 'The schedule does not net to zero' };
const AGAINST_RULES = { code: 'A59', text: 'Against the rules of this control area' };

/**
 * Simulates the TSO: accepts a schedule that nets to zero, compares it with the counterparts' schedules, and confirms
 * the smaller of both values.
 */
export function answersTo(schedule: Schedule, behaviour: Behaviour, at: number): Answers {
  const head = answerHead(schedule, at);
  const refusal = refusalOf(schedule, behaviour);
  if (refusal !== null) {
    const reasons = [{ code: 'A02', text: null }, refusal];
    const acknowledgement = { ...head('ACK', 0), kind: 'acknowledgement', outcome: 'rejected' } as const;
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
  const series = compared.map(confirmedSeries);
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
      ...head('ACK', 0),
      kind: 'acknowledgement',
      outcome: 'accepted',
      reasons: [{ code: 'A01', text: null }],
      rejectedSeries: [],
    },
    intermediate: { ...head('CNI', 1), ...confirmation, isFinal: false },
    anomaly:
      sides.length === 0
        ? null
        : { ...head('ANO', 1), kind: 'anomaly', day: schedule.day, sides, unusable: [] },
    final: { ...head('CNF', 2), ...confirmation, isFinal: true },
  };
}

function answerHead({ codes, day, version, messageId, operatorEic }: Schedule, at: number) {
  const { party, tag } = codes;
  const second = Math.floor(at / SECOND_MS);
  return (kind: string, later: number) => ({
    id: [kind, compactDay(day), tag, version, (second + later).toString(36)].join('-'),
    createdAt: (second + later) * SECOND_MS,
    sender: party,
    receiver: operatorEic,
    answers: { messageId, version },
  });
}

function refusalOf(schedule: Schedule, { rejections }: Behaviour): typeof AGAINST_RULES | null {
  const { tso, day } = schedule;
  if (rejections.some((one) => one.tso === tso && (one.day === null || one.day === day)))
    return AGAINST_RULES;
  const { area } = schedule.codes;
  const net = new Map<number, number>();
  for (const { outParty, outArea, inParty, inArea, powersKw } of schedule.series) {
    const comesIn = inParty === schedule.operatorEic && inArea === area ? 1 : 0;
    const goesOut = outParty === schedule.operatorEic && outArea === area ? 1 : 0;
    for (const [slot, kw] of powersKw.entries())
      net.set(slot, (net.get(slot) ?? 0) + (comesIn - goesOut) * kw);
  }
  return [...net.values()].some((kw) => kw !== 0) ? DOES_NOT_NET : null;
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
