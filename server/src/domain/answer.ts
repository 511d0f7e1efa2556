import { controlArea } from './control-area.ts';
import type { DeliveryDay } from './delivery-day.ts';
import type { BusinessType, Schedule, Series } from './schedule.ts';

export type Reason = { code: string; text: string | null };

/** Common to everything that a TSO answers. */
type AnswerHead = {
  /** The answer's own identification; with the sender it tells whether an answer came twice. */
  id: string;
  createdAt: number;
  sender: string;
  receiver: string;
  /** The message that it answers, null where it does not say. */
  answers: { messageId: string; version: number } | null;
};

/** A series as an answer names it: parties and areas may be missing there, the identification never is. */
export type AnsweredSeries = {
  identification: string;
  version: number;
  businessType: BusinessType;
  outParty: string | null;
  outArea: string | null;
  inParty: string | null;
  inArea: string | null;
};

export type Acknowledgement = AnswerHead & {
  kind: 'acknowledgement';
  outcome: 'accepted' | 'rejected' | 'errors_in_series';
  reasons: readonly Reason[];
  rejectedSeries: readonly { identification: string; reasons: readonly Reason[] }[];
};

export type ConfirmedSeries = AnsweredSeries & {
  /** Null when the series comes without periods of its own. */
  powersKw: readonly number[] | null;
  reasons: readonly Reason[];
  /** What the TSO says about single slots: A43 increased, A44 decreased. */
  slotReasons: readonly { slot: number; reasons: readonly Reason[] }[];
};

export type ImposedSeries = AnsweredSeries & { powersKw: readonly number[]; reasons: readonly Reason[] };

export type Confirmation = AnswerHead & {
  kind: 'confirmation';
  day: DeliveryDay;
  isFinal: boolean;
  outcome: 'accepted' | 'partial' | 'rejected';
  reasons: readonly Reason[];
  series: readonly ConfirmedSeries[];
  imposed: readonly ImposedSeries[];
};

/** One side's view of a series that does not match. */
export type AnomalySide = AnsweredSeries & {
  /** Whose schedule says so: the operator's or the counterpart's. */
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
};

export type Answer = Acknowledgement | Confirmation | Anomaly;

/** The schedule that an answer is about, and what has been answered to it before. */
export type SentState = {
  /** Of all that was sent for the TSO and the day, the newest version: only that one is answered. */
  newest: Schedule;
  /** Whether an answer with the same sender and identification was received before. */
  isRepeated: boolean;
  /** Whether the newest version has its final confirmation. */
  isFinal: boolean;
  /** When the newest acknowledgement and confirmation of the newest version were made, by the TSO's clock. */
  acknowledgedAt: number | null;
  confirmedAt: number | null;
};

export type Decision =
  | { kind: 'ignored'; why: 'repeated' | 'outdated' | 'not_ours' | 'after_final'; message: string }
  | { kind: 'acknowledged' }
  | { kind: 'rejected'; message: string }
  | {
      kind: 'confirmed';
      isFinal: boolean;
      /** Every series of the schedule; null means that its nomination stays as it was. */
      matched: readonly { series: Series; matchedKw: readonly number[] | null }[];
      /** Series in the answer that the schedule does not have. */
      unknownSeries: readonly string[];
    }
  | { kind: 'anomaly'; mismatches: readonly Mismatch[] };

/** Both sides' values of a series; null where a side has none. Differences are for the reader to see. */
export type Mismatch = AnsweredSeries & {
  oursKw: readonly number[] | null;
  theirsKw: readonly number[] | null;
};

type Ignored = Extract<Decision, { kind: 'ignored' }>;

/** What the codes of a confirmed series say where their absence would mean something else. */
const REJECTED = 'A20';
const COUNTERPART_MISSING = 'A28';
const MATCHED = 'A88';

/**
 * What an answer does. Only the newest version of a schedule is answered, each answer once, and nothing follows a final
 * confirmation. `sent` is null when nothing was ever sent under the message that the answer names.
 */
export function applyAnswer(answer: Answer, sent: SentState | null): Decision {
  if (sent === null) return ignored('not_ours', 'It answers a schedule that was never sent.');
  const foreign = foreignness(answer, sent.newest);
  if (foreign !== null) return ignored('not_ours', foreign);
  if (sent.isRepeated) return ignored('repeated', `The answer ${answer.id} was received before.`);
  const late = lateness(answer, sent);
  if (late !== null) return late;
  switch (answer.kind) {
    case 'acknowledgement':
      return answer.outcome === 'accepted'
        ? { kind: 'acknowledged' }
        : { kind: 'rejected', message: rejectionMessage(answer) };
    case 'confirmation':
      return confirmed(answer, sent.newest);
    case 'anomaly':
      return { kind: 'anomaly', mismatches: mismatchesOf(answer, sent.newest.operatorEic) };
  }
}

/** Why an answer cannot be about this schedule, whatever its version. */
function foreignness(answer: Answer, sent: Schedule): string | null {
  const { party } = controlArea(sent.tso);
  if (answer.receiver !== sent.operatorEic) {
    return `It is addressed to ${answer.receiver}, not to ${sent.operatorEic}.`;
  }
  if (answer.sender !== party) return `It comes from ${answer.sender}, not from ${party}.`;
  if (answer.kind !== 'acknowledgement' && answer.day !== sent.day) {
    return `It is about ${answer.day}, the schedule is of ${sent.day}.`;
  }
  // The counterpart's side alone makes an anomaly report that names no message of ours.
  if (answer.answers === null) {
    return answer.kind === 'anomaly' ? null : 'It does not say which message and version it answers.';
  }
  const { messageId, version } = answer.answers;
  if (messageId !== sent.messageId) return `It answers the message ${messageId}, not ${sent.messageId}.`;
  if (version > sent.version) return `Version ${version} of ${messageId} was never sent.`;
  return null;
}

function lateness(answer: Answer, sent: SentState): Ignored | null {
  const { newest, isFinal, acknowledgedAt, confirmedAt } = sent;
  if (answer.answers !== null && answer.answers.version < newest.version) {
    return ignored(
      'outdated',
      `It answers version ${answer.answers.version}; version ${newest.version} was sent since.`,
    );
  }
  if (answer.kind === 'anomaly') return null;
  if (isFinal) return ignored('after_final', 'The schedule has its final confirmation.');
  if (answer.kind === 'acknowledgement') {
    if (confirmedAt !== null) return ignored('outdated', 'The schedule was confirmed since.');
    return isOvertaken(answer, acknowledgedAt);
  }
  // A final confirmation counts even when an intermediate one with a later time overtook it.
  return answer.isFinal ? null : isOvertaken(answer, confirmedAt);
}

function isOvertaken(answer: Answer, newerAt: number | null): Ignored | null {
  if (newerAt === null || answer.createdAt >= newerAt) return null;
  return ignored('outdated', 'A newer answer of the same kind was received before it.');
}

function ignored(why: Ignored['why'], message: string): Ignored {
  return { kind: 'ignored', why, message };
}

function rejectionMessage({ outcome, reasons, rejectedSeries }: Acknowledgement): string {
  const head = outcome === 'rejected' ? 'The TSO rejected the schedule' : 'The TSO found errors in series';
  const details = [
    ...reasons.map(reasonText),
    ...rejectedSeries.map((series) =>
      [series.identification, series.reasons.map(reasonText).join(', ')].filter(Boolean).join(': '),
    ),
  ];
  return `${head}: ${details.join('; ')}.`;
}

function reasonText({ code, text }: Reason): string {
  return text === null ? code : `${code} ${text}`;
}

function confirmed(confirmation: Confirmation, sent: Schedule): Decision {
  const listed = new Map(confirmation.series.map((series) => [series.identification, series]));
  const imposed = new Map<string, ImposedSeries>();
  for (const series of confirmation.imposed) {
    imposed.set(series.identification, series);
    const flow = flowText(series);
    if (flow !== null) imposed.set(flow, series);
  }
  const used = new Set<AnsweredSeries>();
  const matched: { series: Series; matchedKw: readonly number[] | null }[] = [];
  for (const series of sent.series) {
    const imposing = imposed.get(flowText(series) ?? '') ?? imposed.get(series.identification);
    const confirming = listed.get(series.identification);
    for (const found of [imposing, confirming]) {
      if (found === undefined) continue;
      if (contradicts(found, series)) {
        return ignored(
          'not_ours',
          `Its series ${found.identification} has other parties or areas than ours.`,
        );
      }
      used.add(found);
    }
    matched.push({ series, matchedKw: matchedKw(series, confirmation.outcome, imposing, confirming) });
  }
  const unknownSeries = [...confirmation.imposed, ...confirmation.series]
    .filter((series) => !used.has(series))
    .map(({ identification }) => identification);
  return { kind: 'confirmed', isFinal: confirmation.isFinal, matched, unknownSeries };
}

/** Null where the confirmation says nothing about the series. */
function matchedKw(
  series: Series,
  outcome: Confirmation['outcome'],
  imposing: ImposedSeries | undefined,
  confirming: ConfirmedSeries | undefined,
): readonly number[] | null {
  const zeros = series.powersKw.map(() => 0);
  if (outcome === 'rejected') return zeros;
  if (imposing !== undefined) return imposing.powersKw;
  const unlessSaid = outcome === 'accepted' ? series.powersKw : null;
  if (confirming === undefined) return unlessSaid;
  const codes = confirming.reasons.map(({ code }) => code);
  if (codes.includes(REJECTED)) return zeros;
  if (confirming.powersKw !== null) return confirming.powersKw;
  if (codes.includes(COUNTERPART_MISSING)) return zeros;
  return codes.includes(MATCHED) ? series.powersKw : unlessSaid;
}

/** Parties and areas as one text, null when any of them is not told. */
function flowText({ outParty, outArea, inParty, inArea }: Omit<AnsweredSeries, 'version'>): string | null {
  const parts = [outParty, outArea, inParty, inArea];
  return parts.includes(null) ? null : parts.join(' ');
}

function contradicts(answered: AnsweredSeries, series: Series): boolean {
  return (['outParty', 'outArea', 'inParty', 'inArea'] as const).some(
    (part) => answered[part] !== null && answered[part] !== series[part],
  );
}

/** The two sides name a series each in their own way; what they share is who delivers to whom, and where. */
function mismatchesOf({ sides }: Anomaly, operatorEic: string): Mismatch[] {
  const mismatches = new Map<string, Mismatch>();
  for (const { party, messageId: _, messageVersion: __, powersKw, reasons: ___, ...series } of sides) {
    const key = flowText(series) ?? series.identification;
    const known = mismatches.get(key) ?? { ...series, oursKw: null, theirsKw: null };
    mismatches.set(
      key,
      party === operatorEic ? { ...known, ...series, oursKw: powersKw } : { ...known, theirsKw: powersKw },
    );
  }
  return [...mismatches.values()];
}
