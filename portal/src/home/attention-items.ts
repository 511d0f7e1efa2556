import type { Alarm, DeliveryDayCalendar, Nomination } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { closingOf, slotClosings } from '../calendar/closings.ts';
import { findDay, isMismatch, slotsOf } from '../nominations/nominated-slots.ts';

export type AttentionKind = 'alarm' | 'mismatch' | 'unsent' | 'unanswered' | 'volumes' | 'customers';

/** Something that a person should look at. */
export type AttentionItem = {
  readonly kind: AttentionKind;
  /** Null for a matter without a delivery day. */
  readonly day: DeliveryDay | null;
  readonly count: number;
  /** The nomination, if there is only one. */
  readonly nomination: Nomination | null;
  /** Of the kind `alarm` only: one, or those of a kind and day about several contracts. */
  readonly alarms: readonly Alarm[];
  /** The quarter-hours that have to be changed. Null: all of the day. */
  readonly slots: readonly number[] | null;
  /** The deadlines of the versions that have to be sent. */
  readonly closures: readonly number[];
};

/** At the same deadline. */
const KINDS: readonly AttentionKind[] = ['alarm', 'mismatch', 'unsent', 'unanswered', 'volumes', 'customers'];

/** One item per day, because all nominations of a day have the same next step. */
export function itemsByDay(kind: AttentionKind, nominations: readonly Nomination[]): AttentionItem[] {
  const byDay = Map.groupBy(nominations, findDay);
  return Array.from(byDay, ([day, ofDay]) => {
    const [first = null] = ofDay;
    return {
      kind,
      day,
      count: ofDay.length,
      nomination: ofDay.length === 1 ? first : null,
      alarms: [],
      slots: kind === 'mismatch' ? mismatchedSlots(ofDay) : null,
      closures: kind === 'unsent' ? ofDay.flatMap(closureOf) : [],
    };
  });
}

const closureOf = ({ gate_closure }: Nomination): number[] =>
  gate_closure ? [Date.parse(gate_closure)] : [];

/** Null if no difference is as large as a kW: then it may be in any quarter-hour. */
function mismatchedSlots(nominations: readonly Nomination[]): number[] | null {
  const slots = nominations.flatMap((nomination) => slotsOf(nomination).filter(isMismatch));
  return slots.length === 0 ? null : Array.from(new Set(slots.map(({ slot }) => slot)));
}

export type Deadline = {
  readonly at: number;
  /** How many of the quarter-hours can still be changed, and how many there are. */
  readonly changeable: number;
  readonly affected: number;
  /** The end of the wait phase while it lasts: the TSOs process changes only after it. */
  readonly waitsUntil: number | null;
};

/**
 * The day-ahead gate, later that of the first quarter-hour that has to be changed and still can be, at last the day-after
 * gate. Null if all are closed.
 */
export function deadlineOf(
  calendar: DeliveryDayCalendar,
  { slots, closures }: Pick<AttentionItem, 'slots' | 'closures'>,
  now: number,
): Deadline | null {
  const isOpen = (at: number | null) => at !== null && now < at;
  const closings = slotClosings(calendar).filter(({ slot }) => slots?.includes(slot) ?? true);
  const affected = closings.length;
  const dayAhead = closingOf(calendar, 'day_ahead');
  if (dayAhead !== null && isOpen(dayAhead))
    return { at: dayAhead, changeable: affected, affected, waitsUntil: null };
  const waitEnd = closingOf(calendar, 'wait');
  const waitsUntil = isOpen(waitEnd) ? waitEnd : null;
  const open = closings.map(({ closesAt }) => closesAt).filter(isOpen);
  const due = closures.filter(isOpen);
  if (due.length > 0) return { at: Math.min(...due), changeable: open.length, affected, waitsUntil };
  if (open.length > 0) return { at: Math.min(...open), changeable: open.length, affected, waitsUntil };
  const dayAfter = closingOf(calendar, 'day_after');
  return dayAfter !== null && isOpen(dayAfter)
    ? { at: dayAfter, changeable: 0, affected, waitsUntil: null }
    : null;
}

export type Due = AttentionItem & { readonly deadline: Deadline | null };

const compare = <T extends number | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

/** A critical alarm without a day, such as of the disk, needs an action at once. */
const dueAt = ({ alarms, day, deadline }: Due): number =>
  alarms[0]?.severity === 'critical' && day === null ? 0 : (deadline?.at ?? Number.POSITIVE_INFINITY);

/** Most urgent first: the earliest open deadline, then matters without one, of the newest day first. */
export const byUrgency = (items: readonly Due[]): Due[] =>
  items.toSorted(
    (a, b) =>
      // Not a difference, which is not a number between two infinities.
      compare(dueAt(a), dueAt(b)) ||
      KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
      compare(b.day ?? '', a.day ?? ''),
  );

/** Sent nominations count as unanswered from their delivery day on: until then the TSO may still decide. */
export function itemsOfNominations(
  mismatched: readonly Nomination[],
  pending: readonly Nomination[],
  today: DeliveryDay,
): AttentionItem[] {
  const [sent, unsent] = [
    pending.filter(({ sent_at }) => sent_at),
    pending.filter(({ sent_at }) => !sent_at),
  ];
  const unanswered = sent.filter((nomination) => (findDay(nomination) ?? today) <= today);
  return [
    ...itemsByDay('mismatch', mismatched),
    ...itemsByDay('unsent', unsent),
    ...itemsByDay('unanswered', unanswered),
  ];
}

export const itemOfCount = (
  kind: AttentionKind,
  count: number,
  day: DeliveryDay | null = null,
): AttentionItem[] =>
  count === 0 ? [] : [{ kind, day, count, nomination: null, alarms: [], slots: null, closures: [] }];

/**
 * One item per alarm, because each has its own cause and next step. Contracts whose values of a day are missing are one
 * item: many contracts wait for the same forecaster.
 */
export function itemsOfAlarms(alarms: readonly Alarm[]): AttentionItem[] {
  const groups = Map.groupBy(alarms, ({ id, kind, delivery_date, contract_id }) =>
    contract_id === null ? id : `${kind} ${delivery_date}`,
  );
  return Array.from(groups.values(), (group) => ({
    kind: 'alarm',
    day: group[0]?.delivery_date ?? null,
    count: group.length,
    nomination: null,
    alarms: group,
    slots: null,
    closures: [],
  }));
}
