import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { queryOptions } from '@tanstack/react-query';
import { reader } from '../session/reader.ts';

export const deliveryDayQuery = (day: DeliveryDay) =>
  queryOptions({
    queryKey: ['delivery-day', day],
    queryFn: ({ signal }) => reader().deliveryDays.get(day, { signal }),
  });
