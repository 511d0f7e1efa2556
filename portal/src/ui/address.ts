type Change<S> = { search: (old: S) => S; replace: true; resetScroll: boolean };

/** What a route's `useNavigate` gives, as far as what stands behind the question mark of its address goes. */
type Navigate<S> = (change: Change<S>) => unknown;

/** A page's filters stand in its address, and changing them adds nothing to the way back. */
export function filtersOf<F extends object>(
  filters: F,
  navigate: Navigate<NoInfer<F>>,
  /** What the page is about, such as its day, is no filter: it stays when they are cleared. */
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

/** So does what somebody looks at on a page: a slot, a tab. The page stays scrolled to where it is. */
export const choicesOf = <S extends object>(search: S, navigate: Navigate<NoInfer<S>>) => ({
  search,
  set: (change: S) =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true, resetScroll: false }),
});
