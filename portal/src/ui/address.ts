import { useNavigate, useSearch } from '@tanstack/react-router';
import type { RawSearch } from './search-parameters.ts';

/** The query string of the page, as its route reads it. A page of several roles has a route for each of them. */
function useQueryString<S extends object>(read: (raw: RawSearch) => S) {
  const search = read(useSearch({ strict: false }));
  const navigate = useNavigate();
  /** Adds no history entry. */
  const replace = (change: (old: S) => S, resetScroll: boolean) =>
    void navigate({
      to: '.',
      search: (old: RawSearch) => change(read(old)),
      replace: true,
      resetScroll,
    } as never);
  return { search, replace };
}

/** Filters are stored in the URL; changing them adds no history entry. */
export function useFilters<F extends object>(
  read: (raw: RawSearch) => F,
  /** Parameters that identify the page's subject, such as its day. They are kept when the filters are cleared. */
  about: readonly (keyof F)[] = [],
) {
  const { search: filters, replace } = useQueryString(read);
  const isAbout = (name: string) => about.some((known) => known === name);
  return {
    filters,
    set: (change: F) => replace((old) => ({ ...old, ...change }), true),
    clear: () =>
      replace((old) => Object.fromEntries(Object.entries(old).filter(([name]) => isAbout(name))) as F, true),
    isFiltered: Object.keys(filters).some((name) => !isAbout(name)),
  };
}

/** What the fields of some filters need. */
export type FilterProps<F> = { filters: F; set: (change: F) => void };

/** The selection on a page (a slot, a tab) is stored in the URL as well. The scroll position is kept. */
export function useChoices<S extends object>(read: (raw: RawSearch) => S) {
  const { search, replace } = useQueryString(read);
  return { search, set: (change: S) => replace((old) => ({ ...old, ...change }), false) };
}
