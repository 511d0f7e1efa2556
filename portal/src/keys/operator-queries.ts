import { queryOptions } from '@tanstack/react-query';
import { allOf, given } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';
import type { KeyFilters } from './filters.ts';

export const keysQuery = ({ owner_type, owner_id }: KeyFilters) =>
  queryOptions({
    queryKey: ['api-keys', owner_type, owner_id],
    queryFn: ({ signal }) => allOf(operatorClient.apiKeys.each(given({ owner_type, owner_id }), { signal })),
  });
