import { queryOptions } from '@tanstack/react-query';
import { allOf, firstOf } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';

export const assetsQuery = queryOptions({
  queryKey: ['assets'],
  queryFn: ({ signal }) => allOf(operatorClient.assets.each({}, { signal })),
  staleTime: 60_000,
});

/** Maximum number of suggestions; a longer search text narrows them. */
export const MAX_SUGGESTIONS = 20;

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
