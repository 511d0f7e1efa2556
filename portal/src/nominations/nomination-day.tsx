import { addDays, type DeliveryDay } from '@saldo/core/delivery-day.ts';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { closingOf } from '../calendar/deadlines.ts';
import { deliveryDayQuery } from '../calendar/queries.ts';
import { readNominationFilters } from '../references/filters.ts';
import { useServerMinute, useToday } from '../session/server-clock.ts';
import { useFilters } from '../ui/address.ts';
import { RoutePending } from '../ui/route-states.tsx';

/**
 * The day that the list opens on: tomorrow until its wait phase ends, because until then tomorrow is nominated and answered.
 * Afterwards changes are intraday, and those of today are due first. Null while the gates are unknown. The day stays while
 * the page is open: a list must not change below the hands of its reader.
 */
function useOpeningDay(today: DeliveryDay, isNeeded: boolean): DeliveryDay | null {
  const now = useServerMinute();
  const [opened, setOpened] = useState<DeliveryDay | null>(null);
  const tomorrow = addDays(today, 1);
  const { data: calendar, error } = useQuery({ ...deliveryDayQuery(tomorrow), enabled: isNeeded });
  if (!isNeeded) {
    if (opened !== null) setOpened(null);
    return null;
  }
  if (opened !== null) return opened;
  if (calendar === undefined && error === null) return null;
  const closes = closingOf(calendar, 'wait') ?? closingOf(calendar, 'day_ahead');
  const day = closes !== null && now < closes ? tomorrow : today;
  setOpened(day);
  return day;
}

function useNominationDay() {
  const today = useToday();
  const address = useFilters(readNominationFilters, ['day', 'sort']);
  const named = address.filters.day;
  const opening = useOpeningDay(today, named === undefined);
  const day = named ?? opening;
  return day === null ? null : { ...address, today, day };
}

/** The day of the page, by its URL or by the gates, and its filters. */
export type NominationDay = NonNullable<ReturnType<typeof useNominationDay>>;

/** Shows the list when its day is known. */
export function OnNominationDay({ children }: { children: (page: NominationDay) => ReactNode }) {
  const page = useNominationDay();
  return page === null ? <RoutePending /> : children(page);
}
