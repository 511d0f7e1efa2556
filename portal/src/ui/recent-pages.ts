import { parseUserList, storedUserList, writeUserList } from './user-list.ts';

/** A page that the user has opened, by the title that it had. */
export type RecentPage = { readonly path: string; readonly title: string };

const LIST = 'recent';
const MAX_PAGES = 9;
const MAX_TITLE = 120;

const isRecent = (value: object): value is RecentPage =>
  'path' in value && typeof value.path === 'string' && 'title' in value && typeof value.title === 'string';

/** Newest first. */
export const recentPages = (userId: string): RecentPage[] =>
  parseUserList(storedUserList(LIST, userId), isRecent);

/** The title of a record changes when its data are loaded. The first page is always one click away. */
export function rememberPage(userId: string, { path, title }: RecentPage): void {
  if (path === '/') return;
  const others = recentPages(userId).filter((page) => page.path !== path);
  const pages = [{ path, title: title.slice(0, MAX_TITLE) }, ...others].slice(0, MAX_PAGES);
  writeUserList(LIST, userId, pages);
}
