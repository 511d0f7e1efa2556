import { isProblem, SaldoConnectionError } from '@saldo/sdk';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { setConnected } from './connection.ts';
import { sessionQuery } from './session.ts';

/** A query that failed is tried again after this time. Others are refreshed when their data change. */
const RETRY_MS = 20_000;

export function handleError(client: QueryClient, error: unknown): void {
  const isDown = error instanceof SaldoConnectionError || (isProblem(error) && error.status >= 500);
  setConnected(!isDown);
  // The session has ended: the shell redirects to the sign-in. A wrong password (also 401) does not end the session.
  const isEnded = isProblem(error) && error.status === 401 && error.code !== 'invalid_credentials';
  if (isEnded) client.setQueryData(sessionQuery.queryKey, null);
}

export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => handleError(client, error),
      onSuccess: () => setConnected(true),
    }),
    mutationCache: new MutationCache({ onError: (error) => handleError(client, error) }),
    defaultOptions: {
      queries: {
        // The SDK already retries, with better knowledge of when to.
        retry: false,
        // The browser's online state says nothing about a server in the local network.
        networkMode: 'always',
        staleTime: 5_000,
        refetchInterval: (query) => (query.state.status === 'error' ? RETRY_MS : false),
      },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}
