import type { Alarm, Nomination, OwnSchedule, Reconciliation } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { Deadline } from '../calendar/deadlines.ts';
import { findDay, mismatchedSlots } from '../nominations/nominated-slots.ts';
import type { Rejections } from '../nominations/rejections.ts';
import type { Counted } from '../session/lists.ts';

export type AttentionKind =
  | 'alarm'
  | 'rejected'
  | 'changed'
  | 'mismatch'
  | 'unsent'
  | 'unanswered'
  | 'volumes'
  | 'customers';

/** Something that a person should look at. */
export type AttentionItem = {
  readonly kind: AttentionKind;
  /** Null for a matter without a delivery day. */
  readonly day: DeliveryDay | null;
  readonly count: number;
  /** Whether there are more than were read: then the count is of those. */
  readonly hasMore: boolean;
  /** The nomination, if there is only one. */
  readonly nomination: Nomination | null;
  /** Of the kind `alarm` only: one, or those of a kind and day about several contracts. */
  readonly alarms: readonly Alarm[];
  /** Of the kind `changed` only. */
  readonly schedule?: OwnSchedule;
  /** Of the kind `rejected` only. */
  readonly rejection?: Reconciliation;
  /** The quarter-hours that have to be changed. Null: all of the day. */
  readonly slots: readonly number[] | null;
  /** The deadlines of the versions that have to be sent. */
  readonly closures: readonly number[];
};

/** At the same deadline. */
const KINDS: readonly AttentionKind[] = [
  'alarm',
  'rejected',
  'changed',
  'mismatch',
  'unsent',
  'unanswered',
  'volumes',
  'customers',
];

/** One item per day, because all nominations of a day have the same next step. */
export function itemsByDay(kind: AttentionKind, { records, hasMore }: Counted<Nomination>): AttentionItem[] {
  const byDay = Map.groupBy(records, findDay);
  return Array.from(byDay, ([day, ofDay], at) => {
    const [first = null] = ofDay;
    return {
      kind,
      day,
      count: ofDay.length,
      // The earliest days are read first, so only the last one may be incomplete.
      hasMore: hasMore && at === byDay.size - 1,
      nomination: ofDay.length === 1 ? first : null,
      alarms: [],
      slots: kind === 'mismatch' ? slotsToChange(ofDay) : null,
      closures: kind === 'unsent' ? ofDay.flatMap(closureOf) : [],
    };
  });
}

const closureOf = ({ gate_closure }: Nomination): number[] =>
  gate_closure ? [Date.parse(gate_closure)] : [];

/** Null if no difference is as large as a kW: then it may be in any quarter-hour. */
function slotsToChange(nominations: readonly Nomination[]): number[] | null {
  const slots = mismatchedSlots(nominations);
  return slots.length === 0 ? null : slots;
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
  mismatched: Counted<Nomination>,
  { records: pending, hasMore }: Counted<Nomination>,
  today: DeliveryDay,
  rejected: Rejections,
): AttentionItem[] {
  const [sent, unsent] = [
    pending.filter(({ id, sent_at }) => sent_at && !rejected.has(id)),
    pending.filter(({ sent_at }) => !sent_at),
  ];
  const unanswered = sent.filter((nomination) => (findDay(nomination) ?? today) <= today);
  return [
    ...itemsByDay('mismatch', mismatched),
    ...itemsByDay('unsent', { records: unsent, hasMore }),
    ...itemsByDay('unanswered', { records: unanswered, hasMore }),
  ];
}

/** One item per rejected schedule, because each has its own reasons. */
export function itemsOfRejected(pending: readonly Nomination[], rejected: Rejections): AttentionItem[] {
  const bySchedule = Map.groupBy(pending, ({ id }) => rejected.get(id) ?? null);
  return Array.from(bySchedule, ([rejection, records]) =>
    rejection === null
      ? []
      : itemsByDay('rejected', { records, hasMore: false }).map((item) => ({ ...item, rejection })),
  ).flat();
}

export const itemOfCount = (
  kind: AttentionKind,
  count: number,
  { day = null, hasMore = false }: { day?: DeliveryDay | null; hasMore?: boolean } = {},
): AttentionItem[] =>
  count === 0 ? [] : [{ kind, day, count, hasMore, nomination: null, alarms: [], slots: null, closures: [] }];

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
    hasMore: false,
    nomination: null,
    alarms: group,
    slots: null,
    closures: [],
  }));
}

/** One item per nomination, because each has its own causes and schedule. */
export const itemsOfChanged = (schedules: readonly OwnSchedule[]): AttentionItem[] =>
  schedules
    .filter(({ changed_since }) => changed_since !== null)
    .map((schedule) => ({
      kind: 'changed',
      day: schedule.delivery_date,
      count: 1,
      hasMore: false,
      nomination: null,
      alarms: [],
      schedule,
      slots: null,
      closures: [],
    }));
