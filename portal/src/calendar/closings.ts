import type { DeliveryDayCalendar } from '@saldo/api';

type Phase = DeliveryDayCalendar['gates'][number]['phase'];

export function closingOf(calendar: DeliveryDayCalendar | undefined, phase: Phase): number | null {
  const gate = calendar?.gates.find((known) => known.phase === phase);
  return gate ? Date.parse(gate.closes_at) : null;
}

/** A quarter-hour, and the instant from which it can no longer be changed. */
export type SlotClosing = { readonly slot: number; readonly start: number; readonly closesAt: number };

/** Each quarter-hour closes a fixed time before it begins; the gate of the last one gives that time. */
export function slotClosings(calendar: DeliveryDayCalendar): SlotClosing[] {
  const lastCloses = closingOf(calendar, 'intraday');
  const last = calendar.slots.at(-1);
  if (lastCloses === null || !last) return [];
  const leadMs = Date.parse(last.delivery_start) - lastCloses;
  return calendar.slots.map(({ slot_number: slot, delivery_start }) => {
    const start = Date.parse(delivery_start);
    return { slot, start, closesAt: start - leadMs };
  });
}
