import { queryOptions } from '@tanstack/react-query';
import { firstOf } from '../session/lists.ts';
import { reader } from '../session/reader.ts';

/** Maximum number of records of one kind on the operator's home page: the earliest days come first. */
export const MAX_COUNTED = 500;

export const pendingCustomersQuery = queryOptions({
  queryKey: ['customers', 'pending'],
  queryFn: ({ signal }) => firstOf(reader().customers.each({ status: 'pending' }, { signal }), MAX_COUNTED),
});
