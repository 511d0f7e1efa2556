import { addDays, type DeliveryDay, dayStart, formatInstant } from '@saldo/core/delivery-day.ts';
import { queryOptions } from '@tanstack/react-query';
import { firstOf } from '../session/lists.ts';
import { reader } from '../session/reader.ts';

/** Maximum number of records of one kind on the operator's home page: the earliest days come first. */
export const MAX_COUNTED = 500;

/** How many days back nominations with an open end are shown. */
const DAYS_BACK = 7;

/**
 * Current nominations in one state: pending ones with their first slot only, which identifies the day, others with all
 * slots, because their deadline depends on those that differ. No last day: a nomination of any later day may need attention.
 */
export const nominationsInStateQuery = (
  today: DeliveryDay,
  status: 'pending' | 'partial_match',
  max: number,
) =>
  queryOptions({
    queryKey: ['nominations', 'in-state', status, today, max],
    queryFn: ({ signal }) => {
      const delivery_start = formatInstant(dayStart(addDays(today, -DAYS_BACK)));
      const slots = status === 'pending' ? { slot_number_from: 1, slot_number_to: 1 } : {};
      const filter = { status, delivery_start, include_slots: 'true', ...slots } as const;
      return firstOf(reader().nominations.each(filter, { signal }), max);
    },
  });

export const pendingCustomersQuery = queryOptions({
  queryKey: ['customers', 'pending'],
  queryFn: ({ signal }) => firstOf(reader().customers.each({ status: 'pending' }, { signal }), MAX_COUNTED),
});
