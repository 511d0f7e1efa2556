import type { Answer, AnsweredSeries, ConfirmedSeries, Reason } from './answer.ts';
import type { SeriesKey } from './schedule.ts';

/** The meaning of ENTSO-E's reason codes in answers to the operator's schedule, as its counterpart reads it. */
export const REASON_TEXTS = {
  A01: 'Message fully accepted.',
  A02: 'Message fully rejected.',
  A03: 'Message contains errors in time series.',
  A04: 'Time interval incorrect.',
  A05: 'Sender without valid contract.',
  A06: 'Schedule accepted.',
  A07: 'Schedule partially accepted.',
  A08: 'Schedule rejected.',
  A09: 'Time series of both sides do not match.',
  A20: 'Time series fully rejected.',
  A21: 'Time series accepted except for some intervals.',
  A22: 'A party of the time series is invalid.',
  A23: 'An area of the time series is invalid.',
  A26: 'Time series replaced by a default one.',
  A27: 'Capacity between the areas exceeded.',
  A28: 'The TSO has no such time series from you.',
  A29: 'The quantities of your time series differ.',
  A30: 'The time series of one side was imposed on the other.',
  A41: 'Resolution does not fit.',
  A42: 'Quantities are inconsistent.',
  A43: 'Quantity increased.',
  A44: 'Quantity decreased.',
  A45: 'Default quantity applied.',
  A46: 'Quantities must not have a sign.',
  A49: 'Positions are inconsistent.',
  A50: 'Version of the time series does not fit.',
  A51: 'Identification or version of the message does not fit.',
  A52: 'A time series of the previous version is missing.',
  A53: 'Receiver incorrect.',
  A54: 'The schedule does not net to zero.',
  A55: 'Identification of the time series is used twice.',
  A56: 'Corresponding time series are not netted.',
  A57: 'Sent after the gate, or before it opened.',
  A59: 'Against the market rules of this control area.',
  A62: 'Business type invalid.',
  A63: 'Time series modified.',
  A69: 'A required value is missing.',
  A78: 'Identification or role of the sender invalid.',
  A79: 'Process type invalid.',
  A82: 'Areas do not fit the control area of the schedule.',
  A85: 'Confirmed without change.',
  A86: 'Confirmed with changes.',
  A87: 'Both sides have to agree and act.',
  A88: 'Time series matched.',
  A89: 'Time series of zeros ignored.',
  A94: 'Document cannot be processed.',
  A95: 'Additional information.',
} as const satisfies Readonly<Record<string, string>>;
export type KnownReasonCode = keyof typeof REASON_TEXTS;

export const UNKNOWN_REASON = 'No description of this code is known.';

export const isKnownReason = (code: string): code is KnownReasonCode => Object.hasOwn(REASON_TEXTS, code);

/** Form of an EIC within a text. */
const EIC_FORM = /\b\d{2}[A-Z][A-Z0-9-]{13}(?![A-Z0-9-])/g;

export type ReasonInWords = { readonly code: string; readonly text: string };

/**
 * A reason in words: the text of the TSO or, without one, the meaning of its code. The TSO answers the operator, so its
 * texts may name other balance groups. A text with an EIC other than `ownEics` is not shown.
 */
export function reasonInWords({ code, text }: Reason, ownEics: ReadonlySet<string>): ReasonInWords {
  const isShown = text !== null && Array.from(text.matchAll(EIC_FORM)).every(([eic]) => ownEics.has(eic));
  return { code, text: isShown ? text : meaningOf(code) };
}

/** The same for a reason of a whole answer. Its text is about all balance groups, so a known code replaces it. */
export const headReasonInWords = (reason: Reason, ownEics: ReadonlySet<string>): ReasonInWords =>
  reasonInWords(isKnownReason(reason.code) ? { code: reason.code, text: null } : reason, ownEics);

const meaningOf = (code: string) => (isKnownReason(code) ? REASON_TEXTS[code] : UNKNOWN_REASON);

/** The reasons of one series in an answer. */
export type SeriesReasons = {
  readonly reasons: readonly Reason[];
  readonly slots: readonly { readonly slot: number; readonly reasons: readonly Reason[] }[];
};

/** The reasons of an answer without its values, so that many series can be looked up in a large answer. */
export type ReasonIndex = {
  readonly isRejection: boolean;
  readonly head: readonly Reason[];
  readonly series: ReadonlyMap<string, SeriesReasons>;
};

type Flow = Pick<AnsweredSeries, 'outParty' | 'outArea' | 'inParty' | 'inArea'>;

/** Prefixes keep confirmed and imposed series apart: the same series may be both. */
const nameKey = (kind: string, identification: string) => `${kind} name ${identification}`;
const flowKey = (kind: string, { outParty, outArea, inParty, inArea }: Flow) =>
  `${kind} flow ${outParty} ${outArea} ${inParty} ${inArea}`;

export function indexReasons(answer: Answer): ReasonIndex {
  const series = new Map<string, SeriesReasons>();
  const add = (key: string, reasons: readonly Reason[], slots: SeriesReasons['slots'] = []) => {
    const known = series.get(key);
    series.set(key, {
      reasons: [...(known?.reasons ?? []), ...reasons],
      slots: [...(known?.slots ?? []), ...slots],
    });
  };
  switch (answer.kind) {
    case 'acknowledgement':
      for (const { identification, reasons } of answer.rejectedSeries)
        add(nameKey('confirmed', identification), reasons);
      return { isRejection: answer.outcome !== 'accepted', head: answer.reasons, series };
    case 'confirmation': {
      const shared = new Map<string, readonly Reason[]>();
      const slotsOf = ({ slotReasons }: ConfirmedSeries) => slotReasons.map((slot) => sharing(slot, shared));
      for (const one of answer.series)
        add(nameKey('confirmed', one.identification), one.reasons, slotsOf(one));
      for (const imposed of answer.imposed) {
        const slots = slotsOf(imposed);
        add(nameKey('imposed', imposed.identification), imposed.reasons, slots);
        add(flowKey('imposed', imposed), imposed.reasons, slots);
      }
      return { isRejection: answer.outcome === 'rejected', head: answer.reasons, series };
    }
    case 'anomaly':
      for (const side of answer.sides) add(flowKey('anomaly', side), side.reasons);
      return { isRejection: false, head: [], series };
  }
}

/** A modified series has the same reason in many slots, which then share one list. */
function sharing(
  { slot, reasons }: SeriesReasons['slots'][number],
  shared: Map<string, readonly Reason[]>,
): SeriesReasons['slots'][number] {
  const key = JSON.stringify(reasons);
  const known = shared.get(key) ?? reasons;
  shared.set(key, known);
  return { slot, reasons: known };
}

/** The reasons of an answer for one series of the operator's schedule. */
export function reasonsOfSeries(index: ReasonIndex, series: SeriesKey): SeriesReasons {
  const found = [
    index.series.get(nameKey('confirmed', series.identification)),
    index.series.get(flowKey('imposed', series)) ??
      index.series.get(nameKey('imposed', series.identification)),
    index.series.get(flowKey('anomaly', series)),
  ].filter((one) => one !== undefined);
  return {
    reasons: found.flatMap(({ reasons }) => reasons),
    slots: found.flatMap(({ slots }) => slots),
  };
}

/** Each reason once, in the order of the first ones. */
export const distinctReasons = (reasons: readonly ReasonInWords[]): ReasonInWords[] => [
  ...new Map(reasons.map((reason) => [`${reason.code} ${reason.text}`, reason])).values(),
];
