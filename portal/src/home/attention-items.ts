import type { Alarm, DeliveryDayCalendar, Nomination } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { findDay } from '../nominations/nominated-slots.ts';

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
};

/** At the same deadline. */
const KINDS: readonly AttentionKind[] = ['alarm', 'mismatch', 'unsent', 'unanswered', 'volumes', 'customers'];

/** One item per day, because all nominations of a day have the same deadline and the same next step. */
export function itemsByDay(kind: AttentionKind, nominations: readonly Nomination[]): AttentionItem[] {
  const byDay = Map.groupBy(nominations, findDay);
  return Array.from(byDay, ([day, ofDay]) => {
    const [first = null] = ofDay;
    return { kind, day, count: ofDay.length, nomination: ofDay.length === 1 ? first : null, alarms: [] };
  });
}

/** The first gate of a delivery day that is still open; null if all are closed. */
export function nextGate({ gates }: DeliveryDayCalendar, now: number): number | null {
  const open = gates.map(({ closes_at }) => Date.parse(closes_at)).filter((at) => at > now);
  return open.length === 0 ? null : Math.min(...open);
}

export type Due = AttentionItem & { readonly deadline: number | null };

const compare = <T extends number | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

/** A critical alarm without a day, such as of the disk, needs an action at once. */
const dueAt = ({ alarms, day, deadline }: Due): number =>
  alarms[0]?.severity === 'critical' && day === null ? 0 : (deadline ?? Number.POSITIVE_INFINITY);

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
): AttentionItem[] => (count === 0 ? [] : [{ kind, day, count, nomination: null, alarms: [] }]);

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
  }));
}
