import { queryOptions } from '@tanstack/react-query';
import { portalClient } from '../session/clients.ts';

/** The second factors of the user who is signing in or has signed in. */
export const factorsQuery = queryOptions({
  queryKey: ['factors'],
  queryFn: ({ signal }) => portalClient.factors.get({ signal }),
});
