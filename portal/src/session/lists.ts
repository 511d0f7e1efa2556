import { keepPreviousData } from '@tanstack/react-query';

/** Number of records per page of a list. */
export const PAGE_SIZE = 50;

/** Refresh interval of records whose changes are not announced. */
export const WITHOUT_EVENTS_MS = 60_000;

export async function allOf<T>(records: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const record of records) all.push(record);
  return all;
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

/** Removes filters that are not set, because the SDK's types do not allow undefined. */
export const given = <F extends object>(filters: F): { [Name in keyof F]: Exclude<F[Name], undefined> } =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as never;
