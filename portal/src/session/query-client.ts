import { isProblem, SaldoConnectionError } from '@saldo/sdk';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { setConnected } from './connection.ts';
import { sessionQuery } from './session.ts';

/** How often what is on the screen is asked for again. */
const LIVE_MS = 20_000;

function heard(client: QueryClient, error: unknown): void {
  const isDown = error instanceof SaldoConnectionError || (isProblem(error) && error.status >= 500);
  setConnected(!isDown);
  // The session has ended, here or elsewhere: the shell leads back to the sign-in. A wrong password ends none.
  const isEnded = isProblem(error) && error.status === 401 && error.code !== 'invalid_credentials';
  if (isEnded) client.setQueryData(sessionQuery.queryKey, null);
}

export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => heard(client, error),
      onSuccess: () => setConnected(true),
    }),
    mutationCache: new MutationCache({ onError: (error) => heard(client, error) }),
    defaultOptions: {
      queries: {
        // The SDK tries again by itself, and knows better when.
        retry: false,
        // What the browser believes of the network says nothing about a server in the same building.
        networkMode: 'always',
        staleTime: 5_000,
        refetchInterval: LIVE_MS,
      },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}
