import type { Counterparty, OperatorCustomer } from '@saldo/api';
import { queryOptions } from '@tanstack/react-query';
import { allOf, firstOf } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';

export const assetsQuery = queryOptions({
  queryKey: ['assets'],
  queryFn: ({ signal }) => allOf(operatorClient.assets.each({}, { signal })),
  staleTime: 60_000,
});

/** Maximum number of suggestions; a longer search text narrows them. */
const MAX_SUGGESTIONS = 20;

/** Customers that can be party to a contract, by a part of their name: they have a balance group. */
export const partiesQuery = (search: string) =>
  queryOptions({
    queryKey: ['customers', 'parties', search],
    queryFn: ({ signal }) =>
      firstOf(
        operatorClient.customers.each(search === '' ? {} : { search }, { signal }),
        MAX_SUGGESTIONS,
        ({ balance_group }) => balance_group !== null,
      ),
  });

/** The ids of the customers that may be this party: a contract has their name and balance group only. */
export const buyersQuery = ({ name, eic, tso }: Counterparty) =>
  queryOptions({
    queryKey: ['customers', 'named', name, eic, tso],
    queryFn: async ({ signal }) => {
      const isParty = ({ name: found, balance_group: group }: OperatorCustomer) =>
        found === name && group?.eic === eic && group.tso === tso;
      const customers = operatorClient.customers.each({ search: name }, { signal });
      return (await firstOf(customers, MAX_SUGGESTIONS, isParty)).records.map(({ id }) => id);
    },
  });
