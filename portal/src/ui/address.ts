type Change<S> = { search: (old: S) => S; replace: true; resetScroll: boolean };

/** The part of a route's `useNavigate` that changes the query string. */
type Navigate<S> = (change: Change<S>) => unknown;

/** Filters are stored in the URL; changing them adds no history entry. */
export function filtersOf<F extends object>(
  filters: F,
  navigate: Navigate<NoInfer<F>>,
  /** Parameters that identify the page's subject, such as its day. They are kept when the filters are cleared. */
  about: NoInfer<F> = {} as F,
) {
  const replace = (search: (old: F) => F) => void navigate({ search, replace: true, resetScroll: true });
  return {
    filters,
    set: (change: F) => replace((old) => ({ ...old, ...change })),
    clear: () => replace(() => about),
    isFiltered: Object.entries(filters).some(
      ([name, value]) => value !== undefined && !Object.hasOwn(about, name),
    ),
  };
}

/** What the fields of some filters need. */
export type FilterProps<F> = { filters: F; set: (change: F) => void };

/** The selection on a page (a slot, a tab) is stored in the URL as well. The scroll position is kept. */
export const choicesOf = <S extends object>(search: S, navigate: Navigate<NoInfer<S>>) => ({
  search,
  set: (change: S) =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true, resetScroll: false }),
});
