import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { invalidate } from './invalidate.ts';

/** Invalidates all queries that a change may affect, by key prefix. */
export function useRefresh() {
  const queryClient = useQueryClient();
  return (...keys: readonly QueryKey[]) =>
    Promise.all(keys.map((queryKey) => invalidate(queryClient, { queryKey })));
}
