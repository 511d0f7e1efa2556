import { type QueryKey, useQueryClient } from '@tanstack/react-query';

/** Invalidates all queries that a change may affect, by key prefix. */
export function useRefresh() {
  const queryClient = useQueryClient();
  return (...keys: readonly QueryKey[]) =>
    Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}
