import { infiniteQueryOptions, keepPreviousData, type QueryKey } from '@tanstack/react-query';

/** Number of records per page of a list. */
export const PAGE_SIZE = 50;

/** Refresh interval of records whose changes are not announced. */
export const WITHOUT_EVENTS_MS = 60_000;

export async function allOf<T>(records: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const record of records) all.push(record);
  return all;
}

/** The first records of a list, and whether there are more. */
export type Counted<T> = { readonly records: readonly T[]; readonly hasMore: boolean };

/** The first records that match. */
export async function firstOf<T>(
  records: AsyncIterable<T>,
  max: number,
  isMatch: (record: T) => boolean = () => true,
): Promise<Counted<T>> {
  const found: T[] = [];
  for await (const record of records) {
    if (!isMatch(record)) continue;
    if (found.length === max) return { records: found, hasMore: true };
    found.push(record);
  }
  return { records: found, hasMore: false };
}

/** Paging of an API list for TanStack Query. */
export const pages = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ pagination }: { pagination: { next_cursor: string | null } }) =>
    pagination.next_cursor ?? undefined,
  placeholderData: keepPreviousData,
};

/** The paging parameters of the next page, or of the first one. */
export const pageOf = <F extends object>(filters: F, after: string | undefined, limit = PAGE_SIZE) => ({
  ...given(filters),
  limit,
  ...given({ after }),
});

type PageOf<F extends object> = ReturnType<typeof pageOf<F>>;
type Page = Parameters<typeof pages.getNextPageParam>[0];

/** The query of a list that is read page by page. */
export const pagedQuery = <F extends object, P extends Page>(
  queryKey: QueryKey,
  filters: F,
  list: (query: PageOf<F>, options: { signal: AbortSignal }) => Promise<P>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => list(pageOf(filters, pageParam), { signal }),
    ...pages,
  });

/**
 * Keeps the records on the screen while others are read, but not those of another day or month, which would be shown as
 * those of this one. `at` is its place in the key.
 */
export const keepOfSame =
  (at: number, period: string) =>
  <T>(former: T | undefined, query: { readonly queryKey: QueryKey } | undefined): T | undefined =>
    query?.queryKey[at] === period ? former : undefined;

type Read = {
  readonly data: { readonly pageParams: readonly unknown[] } | undefined;
  readonly hasNextPage: boolean;
  /** The data are those of other filters. */
  readonly isPlaceholderData: boolean;
  readonly isError: boolean;
};

export type PagedRead = Read & {
  readonly fetchNextPage: (options: { cancelRefetch: boolean }) => Promise<Read>;
};

/**
 * Reads the next page of a list. TanStack Query reads a list for one reason at a time: a refresh that has begun ends first,
 * and a refresh in between cancels this request, which is then repeated.
 */
export async function readNextPage(query: PagedRead): Promise<void> {
  const countOf = ({ data }: Read) => data?.pageParams.filter((param) => !isNewer(param)).length ?? 0;
  const count = countOf(query);
  const isMissing = (read: Read) =>
    read.hasNextPage && !read.isPlaceholderData && !read.isError && countOf(read) <= count;
  let read: Read;
  do read = await query.fetchNextPage({ cancelRefetch: false });
  while (isMissing(read));
}

/** Whether the parameter is that of a page before the first one. */
export const isNewer = (param: unknown): param is { readonly newer: string | undefined } =>
  typeof param === 'object' && param !== null && 'newer' in param;

/** Removes filters that are not set, because the SDK's types do not allow undefined. */
export const given = <F extends object>(filters: F): { [Name in keyof F]: Exclude<F[Name], undefined> } =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as never;
