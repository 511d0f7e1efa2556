import type { InvalidateQueryFilters, QueryClient } from '@tanstack/react-query';

/**
 * Reads what has changed again. TanStack Query does not cancel a first read that is under way and takes its answer for new,
 * which may be older than the change: such records are read once more.
 */
export async function invalidate(queryClient: QueryClient, filters: InvalidateQueryFilters): Promise<void> {
  const cache = queryClient.getQueryCache();
  const first = cache
    .findAll({ ...filters, type: 'active', fetchStatus: 'fetching' })
    .filter(({ state }) => state.data === undefined);
  await queryClient.invalidateQueries(filters);
  if (first.length === 0) return;
  await queryClient.invalidateQueries({ ...filters, predicate: (query) => first.includes(query) });
}
