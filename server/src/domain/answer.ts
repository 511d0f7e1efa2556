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
export type Mismatch = AnsweredSeries & { oursKw: readonly number[] | null; theirsKw: readonly number[] | null };

/** `sent` is null when nothing was ever sent under the message that the answer names. */
export function applyAnswer(answer: Answer, sent: SentState | null): Decision {
  throw new Error('to be written');
}
