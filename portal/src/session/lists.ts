import { keepPreviousData } from '@tanstack/react-query';

/** How many records a list shows at first, and adds with every step. */
export const PAGE_SIZE = 50;

export async function allOf<T>(records: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const record of records) all.push(record);
  return all;
}

/** How TanStack Query walks a list of the API. */
export const pages = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ pagination }: { pagination: { next_cursor: string | null } }) =>
    pagination.next_cursor ?? undefined,
  placeholderData: keepPreviousData,
};

/** What a list is asked for its next page, or for its first one. */
export const pageOf = <F extends object>(filters: F, after: string | undefined, limit = PAGE_SIZE) => ({
  ...given(filters),
  limit,
  ...given({ after }),
});

/** Filters without those that are not set: the wire knows no undefined. */
export const given = <F extends object>(filters: F): { [Name in keyof F]: Exclude<F[Name], undefined> } =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as never;
