import type { Message } from '../messages/message.ts';
import { REASONS } from '../messages/reasons.ts';
import { type Answer, type AnsweredSeries, type ConfirmedSeries, type Reason, reasonText } from './answer.ts';
import type { SeriesKey } from './schedule.ts';

const isKnownReason = (key: string): key is keyof typeof REASONS => Object.hasOwn(REASONS, key);

/** Form of an EIC within a text. */
const EIC_FORM = /\b\d{2}[A-Z][A-Z0-9-]{13}(?![A-Z0-9-])/g;

export type ReasonInWords = { readonly code: string; readonly text: Message };

/**
 * The TSO answers the operator, so its texts may name other balance groups. A BRP sees no text with an EIC other than
 * `ownEics`.
 */
function reasonForBrp({ code, text }: Reason, ownEics: ReadonlySet<string>): Reason {
  const isShown = text !== null && Array.from(text.matchAll(EIC_FORM)).every(([eic]) => ownEics.has(eic));
  return { code, text: isShown ? text : null };
}

/** The same for a reason of a whole answer. Its text is about all balance groups, so a known code replaces it. */
const headReasonForBrp = (reason: Reason, ownEics: ReadonlySet<string>): Reason =>
  isKnownReason(keyOf(reason)) ? { code: reason.code, text: null } : reasonForBrp(reason, ownEics);

/** A reason in words: the text of the TSO or, without one, the meaning of its code. */
const inWords = ({ code, text }: Reason): ReasonInWords => ({
  code,
  text: text === null ? meaningOf(code) : { key: 'field.text', text },
});

export const reasonInWords = (reason: Reason, ownEics: ReadonlySet<string>): ReasonInWords =>
  inWords(reasonForBrp(reason, ownEics));

export const headReasonInWords = (reason: Reason, ownEics: ReadonlySet<string>): ReasonInWords =>
  inWords(headReasonForBrp(reason, ownEics));

const keyOf = ({ code }: Pick<Reason, 'code'>) => `reason.${code}`;

function meaningOf(code: string): Message {
  const key = keyOf({ code });
  // The compiler does not split an object with so many possible keys into the members of a union.
  return { key: isKnownReason(key) ? key : 'reason.unknown' } as Message;
}

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
  ...new Map(reasons.map((reason) => [JSON.stringify(reason), reason])).values(),
];

/** An event has less than 4 kB, but a TSO may give any number of reasons, of any length. */
const MAX_REASONS = 5;
/** In UTF-16 units, each of which has up to three bytes in JSON. */
const MAX_REASON_LENGTH = 200;

/** Why a series of a rejected schedule counts as rejected, for its BRP: the reasons of the schedule and its own. */
export function rejectionReasons(
  answer: Answer,
  identification: string,
  ownEics: ReadonlySet<string>,
): string[] {
  const ofSchedule = 'reasons' in answer ? answer.reasons : [];
  const ofSeries = answer.kind === 'acknowledgement' ? answer.rejectedSeries : [];
  const own = ofSeries.filter((series) => series.identification === identification);
  return [
    // Without its text, which is about all balance groups. An event has no sentences, so a code needs no meaning.
    ...ofSchedule.map(({ code }) => ({ code, text: null })),
    ...own.flatMap(({ reasons }) => reasons.map((reason) => reasonForBrp(reason, ownEics))),
  ]
    .slice(0, MAX_REASONS)
    .map((reason) => reasonText(reason).slice(0, MAX_REASON_LENGTH).toWellFormed());
}
