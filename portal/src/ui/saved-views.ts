import { useMemo, useSyncExternalStore } from 'react';
import { parseUserList, storedUserList, writeUserList } from './user-list.ts';

/** The filters of a list under a name. Names of one list differ. */
export type SavedView = {
  readonly name: string;
  readonly path: string;
  readonly search: Readonly<Record<string, string>>;
};

const LIST = 'views';
/** Of all lists of a user. */
export const MAX_VIEWS = 30;
export const MAX_VIEW_NAME = 60;

const isView = (value: object): value is SavedView =>
  'name' in value &&
  typeof value.name === 'string' &&
  'path' in value &&
  typeof value.path === 'string' &&
  'search' in value &&
  typeof value.search === 'object' &&
  value.search !== null;

/** The parameters that select a part of the page, not records of the list. */
const SELECTIONS = ['slot', 'nomination', 'compare', 'endpoint'];
/** The day or month that a list is about, where it always has one: a view is opened for any of them. */
export const isSubject = (parameter: string): boolean => ['day', 'month'].includes(parameter);

/** The filters in a URL, in one order. Without the day or month that the list is about. */
export const viewedFilters = (search: object, hasSubject: boolean): SavedView['search'] =>
  Object.fromEntries(
    Object.entries(search)
      .filter(([name, value]) => value !== undefined && !SELECTIONS.includes(name))
      .filter(([name]) => !hasSubject || !isSubject(name))
      .map(([name, value]) => [name, String(value)] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );

export const isSameView = (one: SavedView['search'], other: SavedView['search']): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const isNamed =
  ({ path, name }: Pick<SavedView, 'path' | 'name'>) =>
  (view: SavedView) =>
    view.path === path && view.name === name;

/** The views with this one, in the place of the one that it replaces: of the same name, or the one that it renames. */
export function withView(views: readonly SavedView[], view: SavedView, former?: SavedView): SavedView[] {
  const kept = views.filter((known) => !isNamed(view)(known) || (former && isNamed(former)(known)));
  const at = former ? kept.findIndex(isNamed(former)) : -1;
  return at < 0 ? [...kept, view] : kept.with(at, view);
}

export const withoutView = (views: readonly SavedView[], view: SavedView): SavedView[] =>
  views.filter((known) => !isNamed(view)(known));

const listeners = new Set<() => void>();

function subscribe(listener: () => void) {
  listeners.add(listener);
  // Changes of other tabs.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

/** The views of all lists of a user, which the browser keeps. */
export function useViewsOf(userId: string): readonly SavedView[] {
  const stored = useSyncExternalStore(subscribe, () => storedUserList(LIST, userId));
  return useMemo(() => parseUserList(stored, isView), [stored]);
}

export function storeViews(userId: string, views: readonly SavedView[]): void {
  writeUserList(LIST, userId, views);
  for (const listener of listeners) listener();
}
