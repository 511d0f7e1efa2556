import type { Transaction } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { queryOptions } from '@tanstack/react-query';
import { allOf } from '../session/lists.ts';
import { reader } from '../session/reader.ts';
import { monthRange } from '../ui/delivery-period.ts';

export const eachTransaction = (
  contractId: string,
  day: DeliveryDay,
  signal: AbortSignal,
): AsyncIterable<Transaction> =>
  reader().transactions.each({ contract_id: contractId, delivery_date: day }, { signal });

/** All versions of a contract-day. */
export const contractDayQuery = (id: string, day: DeliveryDay) =>
  queryOptions({
    queryKey: ['contract', id, 'transactions', day],
    queryFn: ({ signal }) => allOf(eachTransaction(id, day, signal)),
  });

/** All versions that a contract-day had at an instant. What was known then never changes. */
export const contractDayAsOfQuery = (id: string, day: DeliveryDay, asOf: string) =>
  queryOptions({
    queryKey: ['contract', id, 'transactions', day, asOf],
    queryFn: ({ signal }) =>
      allOf(reader().transactions.each({ contract_id: id, delivery_date: day, as_of: asOf }, { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** All versions of a contract's month, with one request. */
export const contractMonthQuery = (id: string, month: string) =>
  queryOptions({
    queryKey: ['contract', id, 'month', month],
    queryFn: ({ signal }) =>
      allOf(reader().exports.eachTransaction({ contract_id: id, ...monthRange(month) }, { signal })),
  });
