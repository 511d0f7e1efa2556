import { type QueryKey, useQueryClient } from '@tanstack/react-query';

/** Asks again for everything that a change may have touched, by the beginnings of its keys. */
export function useRefresh() {
  const queryClient = useQueryClient();
  return (...keys: readonly QueryKey[]) =>
    Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}
