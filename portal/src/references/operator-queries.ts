import type { Brp, Tso } from '@saldo/api';
import type { SeriesOwner } from '@saldo/core/enums.ts';
import { queryOptions } from '@tanstack/react-query';
import { allOf, given } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';

/** Names change rarely, and forms and tables look them up often, so they are cached longer. */
const NAMES_STALE_MS = 60_000;

export const brpsQuery = queryOptions({
  queryKey: ['brps'],
  queryFn: ({ signal }) => allOf(operatorClient.brps.each({}, { signal })),
  staleTime: NAMES_STALE_MS,
});

export const brpQuery = (id: string) =>
  queryOptions({
    queryKey: ['brps', id],
    queryFn: ({ signal }): Promise<Brp> => operatorClient.brps.get(id, { signal }),
  });

/** The name of a plant or customer. */
export const ownerNameQuery = ({ type, id }: { type: SeriesOwner; id: string }) =>
  queryOptions({
    queryKey: ['names', id],
    queryFn: async ({ signal }): Promise<string> => {
      const { assets, customers } = operatorClient;
      return (await (type === 'asset' ? assets.get(id, { signal }) : customers.get(id, { signal }))).name;
    },
    staleTime: NAMES_STALE_MS,
  });

type GroupFilters = { search?: string | undefined; brp_id?: string | undefined; tso?: Tso | undefined };

export const groupsQuery = (filters: GroupFilters = {}) =>
  queryOptions({
    queryKey: ['balance-groups', filters],
    queryFn: ({ signal }) => allOf(operatorClient.balanceGroups.each(given(filters), { signal })),
    staleTime: NAMES_STALE_MS,
  });

export const accountsQuery = queryOptions({
  queryKey: ['accounts'],
  queryFn: ({ signal }) => allOf(operatorClient.accounts.each({}, { signal })),
  staleTime: NAMES_STALE_MS,
});
