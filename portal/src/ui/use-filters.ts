import { useCallback } from 'react';

/** What a route's `useNavigate` gives, as far as filters need it. */
type Navigate<F> = (options: { search: (old: F) => F; replace: true }) => unknown;

/** A page's filters: they stand in its address, and changing them adds nothing to the way back. */
export function useFilters<F extends object>(filters: F, navigate: Navigate<NoInfer<F>>) {
  const set = useCallback(
    (change: F) => void navigate({ search: (old) => ({ ...old, ...change }), replace: true }),
    [navigate],
  );
  const clear = useCallback(() => void navigate({ search: () => ({}) as F, replace: true }), [navigate]);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return { filters, set, clear, isFiltered };
}
