import { assert } from '../assert.ts';
import type { DeliveryDay } from '../delivery-day.ts';
import type { Message } from '../messages/message.ts';
import { OPERATOR_BUSINESS_TYPES, type Schedule, type Series } from './schedule.ts';

export type Reason = { code: string; text: string | null };

export type AnsweredMessage = { messageId: string; version: number | null };

/** Fields that all answers of a TSO have. */
type AnswerHead = {
  /** Identification of the answer. Together with the sender it identifies duplicates. */
  id: string;
  createdAt: number;
  sender: string;
  receiver: string;
  /** The answered message; null if the answer names none. Only schedules have versions. */
  answers: AnsweredMessage | null;
};

/** A series in an answer: its identification is always present, its parties and areas may be missing. */
export type AnsweredSeries = {
  identification: string;
  version: number;
  /** TSOs also send series that we never do, such as forecasts. */
  businessType: string;
  outParty: string | null;
  outArea: string | null;
  inParty: string | null;
  inArea: string | null;
};

/** A series of an answer that could not be read, with what is known of it and the fault as a sentence without full stop. */
export type UnusableSeries = Omit<AnsweredSeries, 'identification' | 'version' | 'businessType'> & {
  identification: string | null;
  fault: Message;
  /** The slot of the fault, if it is about one. */
  slot?: number | null;
};

export type Acknowledgement = AnswerHead & {
  kind: 'acknowledgement';
  outcome: 'accepted' | 'rejected' | 'errors_in_series';
  reasons: readonly Reason[];
  rejectedSeries: readonly { identification: string; reasons: readonly Reason[] }[];
};

export type ImposedSeries = AnsweredSeries & {
  powersKw: readonly number[];
  reasons: readonly Reason[];
  /** Reasons of single slots: A43 increased, A44 decreased. */
  slotReasons: readonly { slot: number; reasons: readonly Reason[] }[];
};

export type ConfirmedSeries = Omit<ImposedSeries, 'powersKw'> & {
  /** Null if the series has no periods. */
  powersKw: readonly number[] | null;
};

export type Confirmation = AnswerHead & {
  kind: 'confirmation';
  day: DeliveryDay;
  isFinal: boolean;
  outcome: 'accepted' | 'partial' | 'rejected';
  reasons: readonly Reason[];
  series: readonly ConfirmedSeries[];
  imposed: readonly ImposedSeries[];
  unusable: readonly UnusableSeries[];
};

/** One side's values of a series that does not match. */
export type AnomalySide = AnsweredSeries & {
  /** The party whose schedule has these values: the operator or the counterpart. */
  party: string;
  messageId: string;
  messageVersion: number;
  powersKw: readonly number[];
  reasons: readonly Reason[];
};

export type Anomaly = AnswerHead & {
  kind: 'anomaly';
  day: DeliveryDay;
  sides: readonly AnomalySide[];
  unusable: readonly UnusableSeries[];
};

export type Answer = Acknowledgement | Confirmation | Anomaly;

/** The version of a schedule that an answer refers to, and the state of earlier answers to it. */
export type SentState = {
  /** The version that the answer names; without one, the version that counts. */
  schedule: Schedule;
  /** Of all versions sent to the TSO for the day. */
  newestVersion: number;
  /**
   * A later version that the TSO has not rejected: an accepted one, else the newest unanswered one. Null if the answered
   * version counts: the newest version that the TSO has not rejected does.
   */
  replacedBy: { version: number; isAnswered: boolean } | null;
  /** Whether the answered version has its final confirmation. */
  isFinal: boolean;
  /** Creation times of its newest acknowledgement and confirmation, by the TSO's clock. */
  acknowledgedAt: number | null;
  confirmedAt: number | null;
};

export type Reception = {
  operatorEic: string;
  /** Whether the sender is or was a TSO. */
  isFromTso: boolean;
  /** Whether an answer with the same sender and identification was applied before. */
  isRepeated: boolean;
};

export type Decision =
  | { kind: 'ignored'; why: 'repeated' | 'outdated' | 'not_ours' | 'after_final'; message: Message }
  /** A series of our own cannot be used. */
  | { kind: 'unusable'; message: Message }
  | { kind: 'acknowledged' }
  | { kind: 'rejected'; message: Message }
  | {
      kind: 'confirmed';
      isFinal: boolean;
      /** Every series of the schedule; null leaves its nomination unchanged. */
      matched: readonly { series: Series; matchedKw: readonly number[] | null }[];
      foreign: readonly ForeignSeries[];
    }
  | { kind: 'anomaly'; mismatches: readonly Mismatch[]; foreign: readonly ForeignSeries[] };

/** A series of an answer that the schedule does not have. */
type ForeignSeries = {
  name: Message;
  /** Whether a counterpart nominates with the operator's balance group. */
  isWithUs: boolean;
};

/** Both sides' values of a series; null for a side without values. */
export type Mismatch = AnsweredSeries & {
  oursKw: readonly number[] | null;
  theirsKw: readonly number[] | null;
};

type Flow = Pick<AnsweredSeries, 'outParty' | 'outArea' | 'inParty' | 'inArea'>;
type Ignored = Extract<Decision, { kind: 'ignored' }>;

/** Reason codes of a confirmed series that change its result. */
const REJECTED = 'A20';
const COUNTERPART_MISSING = 'A28';
const IMPOSED = 'A30';
const MATCHED = 'A88';

/**
 * Decides the effect of an answer. Ignores answers to versions that were replaced, duplicates, and what is older than a
 * final confirmation. `sent` is null if no message with the answered identification was ever sent.
 */
export function applyAnswer(answer: Answer, reception: Reception, sent: SentState | null): Decision {
  const { operatorEic, isRepeated } = reception;
  const notOurs = whyNotOurs(answer, reception, sent);
  if (notOurs !== null) return ignored('not_ours', notOurs);
  if (isRepeated) return ignored('repeated', repeated(answer));
  const outdated = sent && whyOutdated(answer, sent);
  if (outdated !== null) return outdated;
  if (answer.kind === 'anomaly') return anomaly(answer, operatorEic, sent?.schedule ?? null);
  assert(sent !== null, 'only an anomaly report may be about a day without a schedule');
  if (answer.kind === 'confirmation') return confirmed(answer, sent.schedule);
  return answer.outcome === 'accepted'
    ? { kind: 'acknowledged' }
    : { kind: 'rejected', message: rejectionMessage(answer, 'exchange.schedule_rejected') };
}

/** Decides the effect of an acknowledgement of a status request that was sent to this party. */
export function applyToRequest(
  answer: Acknowledgement,
  { operatorEic, isRepeated }: Reception,
  party: string,
): Extract<Decision, { kind: 'ignored' | 'acknowledged' | 'rejected' }> {
  if (answer.receiver !== operatorEic) return ignored('not_ours', wrongReceiver(answer, operatorEic));
  if (answer.sender !== party) return ignored('not_ours', wrongSender(answer, party));
  if (isRepeated) return ignored('repeated', repeated(answer));
  return answer.outcome === 'accepted'
    ? { kind: 'acknowledged' }
    : { kind: 'rejected', message: rejectionMessage(answer, 'exchange.status_request_rejected') };
}

const wrongReceiver = ({ receiver }: Answer, expected: string): Message => ({
  key: 'exchange.other_receiver',
  receiver,
  expected,
});
const wrongSender = ({ sender }: Answer, expected: string): Message => ({
  key: 'exchange.other_sender',
  sender,
  expected,
});
const repeated = ({ id }: Answer): Message => ({ key: 'exchange.repeated', id });

/** The reason why an answer cannot belong to any version of this schedule, or null. */
function whyNotOurs(
  answer: Answer,
  { operatorEic, isFromTso }: Reception,
  sent: SentState | null,
): Message | null {
  if (answer.receiver !== operatorEic) return wrongReceiver(answer, operatorEic);
  if (sent === null) {
    if (!isFromTso) return { key: 'exchange.sender_no_tso', sender: answer.sender };
    // A counterpart may nominate with us for a day for which we have sent nothing.
    const isNominationAlone = answer.kind === 'anomaly' && answer.answers === null;
    return isNominationAlone ? null : { key: 'exchange.schedule_never_sent' };
  }
  const { codes, day, messageId: ourId } = sent.schedule;
  if (answer.sender !== codes.party) return wrongSender(answer, codes.party);
  if (answer.kind !== 'acknowledgement' && answer.day !== day) {
    return { key: 'exchange.other_day', day: answer.day, expected: day };
  }
  // An anomaly report with the counterpart's side only names no message of ours.
  if (answer.answers === null && answer.kind === 'anomaly') return null;
  const { messageId: message, version } = answer.answers ?? { messageId: ourId, version: null };
  if (version === null) return { key: 'exchange.answers_nothing' };
  if (message !== ourId) return { key: 'exchange.other_message', message, expected: ourId };
  return version > sent.newestVersion ? { key: 'exchange.version_never_sent', version, message } : null;
}

function whyOutdated(answer: Answer, sent: SentState): Ignored | null {
  const { schedule, replacedBy, isFinal, acknowledgedAt, confirmedAt } = sent;
  // Until a later version is answered, an acknowledgement says which versions the TSO has.
  if (replacedBy !== null && (replacedBy.isAnswered || answer.kind !== 'acknowledgement')) {
    const key = replacedBy.isAnswered ? 'exchange.replaced' : 'exchange.replaced_unanswered';
    return ignored('outdated', { key, version: schedule.version, newer: replacedBy.version });
  }
  if (answer.kind === 'anomaly') return null;
  if (isFinal) {
    // A TSO may correct its final confirmation.
    const isNewer = confirmedAt !== null && answer.createdAt > confirmedAt;
    if (answer.kind === 'confirmation' && answer.isFinal && isNewer) return null;
    return ignored('after_final', { key: 'exchange.after_final' });
  }
  if (answer.kind === 'acknowledgement') {
    if (confirmedAt !== null) return ignored('outdated', { key: 'exchange.after_confirmation' });
    return ignoreIfOlder(answer, acknowledgedAt);
  }
  // A final confirmation applies even if an intermediate one with a later time arrived before it.
  return answer.isFinal ? null : ignoreIfOlder(answer, confirmedAt);
}

function ignoreIfOlder(answer: Answer, newerAt: number | null): Ignored | null {
  if (newerAt === null || answer.createdAt >= newerAt) return null;
  return ignored('outdated', { key: 'exchange.older' });
}

function ignored(why: Ignored['why'], message: Message): Ignored {
  return { kind: 'ignored', why, message };
}

function rejectionMessage(
  { outcome, reasons, rejectedSeries }: Acknowledgement,
  rejected: 'exchange.schedule_rejected' | 'exchange.status_request_rejected',
): Message {
  const details = [
    ...reasons.map(quotedReason),
    ...rejectedSeries.map(({ identification: series, reasons: own }): string | Message =>
      own.length === 0
        ? series
        : { key: 'exchange.reasons_of_series', series, reasons: own.map(quotedReason) },
    ),
  ];
  const key = outcome === 'rejected' ? rejected : 'exchange.errors_in_series';
  return { key, reasons: details };
}

/** What a TSO wrote is a quotation: it is not in the language of the sentence. */
export const quotedReason = ({ code, text }: Reason): string | Message =>
  text === null ? code : { key: 'exchange.reason', code, text };

/** A reason in an event: the code, and the TSO's own words after a space. */
export const reasonText = ({ code, text }: Reason): string => (text === null ? code : `${code} ${text}`);

/** The reason of a text of `reasonText`. */
export function splitReason(reason: string): Reason {
  const [code = '', ...words] = reason.split(' ');
  return { code, text: words.length === 0 ? null : words.join(' ') };
}

function confirmed(confirmation: Confirmation, sent: Schedule): Decision {
  const unusable = unusableOwn(confirmation, sent);
  if (unusable !== null) return unusable;
  const listed = new Map(confirmation.series.map((series) => [series.identification, series]));
  const imposed = new Map<string, ImposedSeries>();
  for (const series of confirmation.imposed) {
    imposed.set(series.identification, series);
    const flow = flowKey(series);
    if (flow !== null) imposed.set(flow, series);
  }
  const used = new Set<AnsweredSeries>();
  const matched: { series: Series; matchedKw: readonly number[] | null }[] = [];
  for (const series of sent.series) {
    const imposing = imposed.get(flowKey(series) ?? '') ?? imposed.get(series.identification);
    const confirming = listed.get(series.identification);
    for (const found of [imposing, confirming]) {
      if (found === undefined) continue;
      if (contradicts(found, series)) {
        const message: Message = { key: 'exchange.other_flow', series: found.identification };
        return { kind: 'unusable', message };
      }
      used.add(found);
    }
    matched.push({ series, matchedKw: matchedKw(series, confirmation.outcome, imposing, confirming) });
  }
  const others = [...confirmation.imposed, ...confirmation.series].filter((series) => !used.has(series));
  const foreign = foreignSeries(others, confirmation.unusable, sent.operatorEic);
  return { kind: 'confirmed', isFinal: confirmation.isFinal, matched, foreign };
}

/**
 * A faulty series is an error if it is one of ours or could be. Faulty series of others are only named, because TSOs
 * also send series that we never do.
 */
function unusableOwn({ unusable }: Confirmation | Anomaly, sent: Schedule): Decision | null {
  if (unusable.length === 0) return null;
  const own = new Set(sent.series.flatMap((series) => [series.identification, flowKey(series)]));
  const found = unusable.find(
    (series) =>
      series.identification === null || own.has(series.identification) || own.has(flowKey(series) ?? ''),
  );
  if (found === undefined) return null;
  return { kind: 'unusable', message: { key: 'exchange.sentence', fault: found.fault } };
}

function foreignSeries(
  readable: readonly AnsweredSeries[],
  unusable: readonly UnusableSeries[],
  operatorEic: string,
): ForeignSeries[] {
  return [
    ...readable.map((series) => ({
      name: flowName(series),
      isWithUs: isNominationWith(operatorEic, series),
    })),
    ...unusable.map(({ fault }) => ({ name: fault, isWithUs: false })),
  ];
}

const isNominationWith = (operatorEic: string, { businessType, outParty, inParty }: AnsweredSeries) =>
  (OPERATOR_BUSINESS_TYPES as readonly string[]).includes(businessType) &&
  [outParty, inParty].includes(operatorEic);

/** 'TS002 from 11XNORDWIND----J to 11XSALDO-------Z' */
function flowName({ identification: series, outParty: from, inParty: to }: AnsweredSeries): Message {
  if (from === null)
    return to === null ? { key: 'field.text', text: series } : { key: 'exchange.series_to', series, to };
  return to === null
    ? { key: 'exchange.series_from', series, from }
    : { key: 'exchange.series_from_to', series, from, to };
}

/** Null if the confirmation does not cover the series. */
function matchedKw(
  series: Series,
  outcome: Confirmation['outcome'],
  imposing: ImposedSeries | undefined,
  confirming: ConfirmedSeries | undefined,
): readonly number[] | null {
  const zeros = series.powersKw.map(() => 0);
  if (outcome === 'rejected') return zeros;
  if (imposing !== undefined) return imposing.powersKw;
  const byDefault = outcome === 'accepted' ? series.powersKw : null;
  if (confirming === undefined) return byDefault;
  const codes = confirming.reasons.map(({ code }) => code);
  if (codes.includes(IMPOSED) && confirming.powersKw !== null) return confirming.powersKw;
  if (codes.includes(REJECTED)) return zeros;
  if (confirming.powersKw !== null) return confirming.powersKw;
  if (codes.includes(COUNTERPART_MISSING)) return zeros;
  return codes.includes(MATCHED) ? series.powersKw : byDefault;
}

/** Key of a flow: its parties and areas; null if one of them is missing. */
function flowKey({ outParty, outArea, inParty, inArea }: Flow): string | null {
  const parts = [outParty, outArea, inParty, inArea];
  return parts.includes(null) ? null : parts.join(' ');
}

function contradicts(answered: AnsweredSeries, series: Series): boolean {
  return (['outParty', 'outArea', 'inParty', 'inArea'] as const).some(
    (part) => answered[part] !== null && answered[part] !== series[part],
  );
}

function anomaly(answer: Anomaly, operatorEic: string, sent: Schedule | null): Decision {
  const unusable = sent && unusableOwn(answer, sent);
  if (unusable !== null) return unusable;
  const mismatches = mismatchesOf(answer, operatorEic);
  const own = new Set(sent?.series.map(flowKey));
  const others = mismatches.filter((mismatch) => mismatch.oursKw === null && !own.has(flowKey(mismatch)));
  return { kind: 'anomaly', mismatches, foreign: foreignSeries(others, answer.unusable, operatorEic) };
}

/** Each side has its own identification of a series; parties and areas are the same on both sides. */
function mismatchesOf({ sides }: Anomaly, operatorEic: string): Mismatch[] {
  const mismatches = new Map<string, Mismatch>();
  for (const { party, messageId: _, messageVersion: __, powersKw, reasons: ___, ...series } of sides) {
    const key = flowKey(series) ?? series.identification;
    const known = mismatches.get(key) ?? { ...series, oursKw: null, theirsKw: null };
    mismatches.set(
      key,
      party === operatorEic ? { ...known, ...series, oursKw: powersKw } : { ...known, theirsKw: powersKw },
    );
  }
  return [...mismatches.values()];
}
