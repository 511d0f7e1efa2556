import { queryOptions } from '@tanstack/react-query';
import { allOf, given } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';
import type { UserFilters } from './filters.ts';

export const usersQuery = (filters: UserFilters) =>
  queryOptions({
    queryKey: ['users', filters],
    queryFn: ({ signal }) => allOf(operatorClient.users.each(given(filters), { signal })),
  });
