import {
  addDays,
  type DeliveryDay,
  dayEnd,
  dayStart,
  formatInstant,
  slotCount,
  slotLabel,
  slotStart,
} from '@saldo/core/delivery-day.ts';

export const isMonth = (text: string): boolean => /^\d{4}-(?:0[1-9]|1[0-2])$/.test(text);

export function daysOfMonth(month: string): DeliveryDay[] {
  const days: DeliveryDay[] = [];
  for (let day = `${month}-01`; day.startsWith(month); day = addDays(day, 1)) days.push(day);
  return days;
}

export function addMonths(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const index = year * 12 + number - 1 + months;
  return `${Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`;
}

/** The half-open range from the first day to the last, as list filters expect it. */
export const deliveryRange = (first: DeliveryDay, last: DeliveryDay) => ({
  delivery_start: formatInstant(dayStart(first)),
  delivery_end: formatInstant(dayEnd(last)),
});

export const monthRange = (month: string) => {
  const days = daysOfMonth(month);
  return deliveryRange(days[0] ?? '', days.at(-1) ?? '');
};

/** Empty if the day has no such slot: the selection may come from a longer day. */
export const slotText = (day: DeliveryDay, slot: number): string =>
  slot <= slotCount(day) ? slotLabel(slotStart(day, slot)) : '';
