import type { ListOrder, Pagination } from '@saldo/api';
import type { ListStart, Sorting } from '../db/sorted-list.ts';
import type { Position } from './cursor.ts';

export type PageRequest = {
  readonly limit: number;
  /** Sort key of the last record of the previous page. */
  readonly after: Position | null;
  seal(position: Position): string;
};

/** Callers read one record more than the page shows, to know whether there is a next page. */
export function paginate<T>(
  page: PageRequest,
  records: readonly T[],
  positionOf: (record: T) => Position,
): { records: readonly T[]; pagination: Pagination } {
  const hasMore = records.length > page.limit;
  const shown = hasMore ? records.slice(0, page.limit) : records;
  const last = shown.at(-1);
  const next = hasMore && last !== undefined ? page.seal(positionOf(last)) : null;
  return { records: shown, pagination: { limit: page.limit, has_more: hasMore, next_cursor: next } };
}

export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
/** Greater than every id: the start of a descending list. */
const BEYOND_IDS = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export const pageByEic = (page: PageRequest): { after: string; count: number } => ({
  after: String(page.after?.[0] ?? ''),
  count: page.limit + 1,
});

export const pageById = (page: PageRequest): { after: string; count: number } => ({
  after: String(page.after?.[0] ?? FIRST_ID),
  count: page.limit + 1,
});

/** A page of a list that can be read from either end. */
export const pageInOrder = (page: PageRequest, order: ListOrder = 'oldest_first') => ({
  order,
  after: String(page.after?.[0] ?? (order === 'oldest_first' ? FIRST_ID : BEYOND_IDS)),
  count: page.limit + 1,
});

/** Reads a page in the order of creation, or sorted. */
export async function readPage<Row extends { readonly id: string }>(
  page: PageRequest,
  sorting: Sorting<Row> | undefined,
  read: (start: ListStart) => Promise<Row[]>,
): Promise<{ records: readonly Row[]; pagination: Pagination }> {
  if (sorting === undefined) {
    const rows = await read({ ...pageById(page), value: null });
    return paginate(page, rows, ({ id }) => [id]);
  }
  const { key, isDescending } = sorting;
  const start = isDescending ? [key.bounds[1], BEYOND_IDS] : [key.bounds[0], FIRST_ID];
  const [value = null, after] = page.after ?? start;
  const rows = await read({ after: String(after), value, count: page.limit + 1 });
  return paginate(page, rows, (row) => [key.valueOf(row), row.id]);
}

/**
 * The `Link` header of a list: always `first` and `last`, `prev` and `next` where they exist. All addresses carry the
 * version of the list, so that a client that follows them reads one version.
 */
export function pageLinks(
  address: string,
  { page, limit, total, version }: { page: number; limit: number; total: number; version: string },
): string {
  const last = Math.max(1, Math.ceil(total / limit));
  const link = (to: number, rel: string) =>
    `<${address}?page=${to}&limit=${limit}&listVersion=${version}>; rel="${rel}"`;
  const links = [link(1, 'first')];
  if (page > 1) links.push(link(Math.min(page - 1, last), 'prev'));
  if (page < last) links.push(link(page + 1, 'next'));
  links.push(link(last, 'last'));
  return links.join(', ');
}
