import { queryOptions } from '@tanstack/react-query';
import { portalClient } from '../session/clients.ts';

/** So many records are searched in the page, newest first; a market that has more is searched by API. */
const MOST_READ = 2000;
const REFRESH_MS = 60_000;

/** A list as far as it was read, and how long it is. */
export type Listed<T> = { readonly records: readonly T[]; readonly total: number };

type Walk<T> = (filter: object, options: { onResponse: (response: Response) => void }) => AsyncIterable<T>;

/** Walks the pages of one state of the list, so that nothing is skipped or comes twice while it changes. */
async function readList<T>(each: Walk<T>): Promise<Listed<T>> {
  const records: T[] = [];
  let total = 0;
  const onResponse = ({ headers }: Response) => {
    total = Number(headers.get('x-total-count') ?? 0);
  };
  for await (const record of each({}, { onResponse })) {
    records.push(record);
    if (records.length === MOST_READ) break;
  }
  return { records, total: Math.max(total, records.length) };
}

export const offersQuery = queryOptions({
  queryKey: ['market', 'offers'],
  queryFn: ({ signal }) =>
    readList((filter, options) => portalClient.assets.each(filter, { ...options, signal })),
  refetchInterval: REFRESH_MS,
});

export const demandsQuery = queryOptions({
  queryKey: ['market', 'demands'],
  queryFn: ({ signal }) =>
    readList((filter, options) => portalClient.demands.each(filter, { ...options, signal })),
  refetchInterval: REFRESH_MS,
});
