import type { AuditEntry } from '@saldo/api';
import { addDays, dayStart, formatInstant } from '@saldo/core/delivery-day.ts';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { given, PAGE_SIZE, pageOf, pages } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';
import type { AuditFilters } from './filters.ts';

/** Days are German calendar days; the last one is included. */
const auditFilter = ({ from, to, ...rest }: AuditFilters) =>
  given({
    ...rest,
    since: from && formatInstant(dayStart(from)),
    until: to && formatInstant(dayStart(addDays(to, 1))),
  });

export const auditQuery = (filters: AuditFilters, size = PAGE_SIZE) =>
  infiniteQueryOptions({
    queryKey: ['audit', filters, size],
    queryFn: ({ pageParam, signal }) =>
      operatorClient.audit.list(
        { ...pageOf(auditFilter(filters), pageParam, size), order: 'newest_first' },
        { signal },
      ),
    ...pages,
  });

export const eachAuditEntry = (filters: AuditFilters, signal: AbortSignal): AsyncIterable<AuditEntry> =>
  operatorClient.audit.each({ ...auditFilter(filters), order: 'newest_first' }, { signal });
