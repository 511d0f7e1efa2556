import { queryOptions } from '@tanstack/react-query';
import { portalClient } from '../session/clients.ts';
import { pagedQuery } from '../session/lists.ts';

/** Maximum number of records loaded for search in the page, newest first; a larger market is searched by API. */
const MAX_LOADED = 2000;

/** The loaded part of a list, and its total length. */
export type Listed<T> = { readonly records: readonly T[]; readonly total: number };

type Walk<T> = (filter: object, options: { onResponse: (response: Response) => void }) => AsyncIterable<T>;

/** Reads the pages at one list version, so that no record is skipped or repeated while the list changes. */
async function readList<T>(each: Walk<T>): Promise<Listed<T>> {
  const records: T[] = [];
  let total = 0;
  const onResponse = ({ headers }: Response) => {
    total = Number(headers.get('x-total-count') ?? 0);
  };
  for await (const record of each({}, { onResponse })) {
    records.push(record);
    if (records.length === MAX_LOADED) break;
  }
  return { records, total: Math.max(total, records.length) };
}

export const offersQuery = queryOptions({
  queryKey: ['market', 'offers'],
  queryFn: ({ signal }) =>
    readList((filter, options) => portalClient.assets.each(filter, { ...options, signal })),
});

export const demandsQuery = queryOptions({
  queryKey: ['market', 'demands'],
  queryFn: ({ signal }) =>
    readList((filter, options) => portalClient.demands.each(filter, { ...options, signal })),
});

/** Beginning of the keys of the account's inquiries. */
export const OWN_INQUIRIES = ['market', 'inquiries'];

export const ownInquiriesQuery = pagedQuery(OWN_INQUIRIES, {}, portalClient.inquiries.list);

/** Ids of the offers that the user watches. */
export const watchedQuery = queryOptions({
  queryKey: ['market', 'watched'],
  queryFn: async ({ signal }) => new Set((await portalClient.watchedOffers.list({ signal })).asset_ids),
});
