import type { DeliveryDayCalendar } from '@saldo/api';
import { type DeliveryDay, formatInstant, slotCount, slotStart } from '@saldo/core/delivery-day.ts';

type Phase = DeliveryDayCalendar['gates'][number]['phase'];

/** What deadlines follow from. */
export type Calendar = Pick<DeliveryDayCalendar, 'gates'> & {
  readonly slots: readonly Pick<DeliveryDayCalendar['slots'][number], 'slot_number' | 'delivery_start'>[];
};

export function closingOf(calendar: Pick<Calendar, 'gates'> | undefined, phase: Phase): number | null {
  const gate = calendar?.gates.find((known) => known.phase === phase);
  return gate ? Date.parse(gate.closes_at) : null;
}

/** The calendar of a day whose gates are known. */
export const calendarOf = (day: DeliveryDay, gates: Calendar['gates']): Calendar => ({
  gates,
  slots: Array.from({ length: slotCount(day) }, (_, at) => ({
    slot_number: at + 1,
    delivery_start: formatInstant(slotStart(day, at + 1)),
  })),
});

/** A quarter-hour, and the instant from which it can no longer be changed. */
type SlotClosing = { readonly slot: number; readonly start: number; readonly closesAt: number };

/** Each quarter-hour closes a fixed time before it begins; the gate of the last one gives that time. */
export function slotClosings(calendar: Calendar): SlotClosing[] {
  const lastCloses = closingOf(calendar, 'intraday');
  const last = calendar.slots.at(-1);
  if (lastCloses === null || !last) return [];
  const leadMs = Date.parse(last.delivery_start) - lastCloses;
  return calendar.slots.map(({ slot_number: slot, delivery_start }) => {
    const start = Date.parse(delivery_start);
    return { slot, start, closesAt: start - leadMs };
  });
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
 * When these quarter-hours have to be changed (null: all of the day), or versions with these deadlines have to be sent. The
 * day-ahead gate, later that of the first quarter-hour that has to be changed and still can be, at last the day-after
 * gate. Null if all are closed.
 */
export function deadlineOf(
  calendar: Calendar,
  {
    slots,
    closures = [],
  }: { readonly slots: readonly number[] | null; readonly closures?: readonly number[] },
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
