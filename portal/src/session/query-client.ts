import { isProblem, SaldoConnectionError } from '@saldo/sdk';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { setConnected } from './connection.ts';
import { sessionQuery } from './session.ts';
import { isSessionEnd } from './session-end.ts';

/** A query that failed is tried again after this time. Others are refreshed when their data change. */
const RETRY_MS = 20_000;

export function handleError(client: QueryClient, error: unknown): void {
  const isDown = error instanceof SaldoConnectionError || (isProblem(error) && error.status >= 500);
  setConnected(!isDown);
  if (isSessionEnd(error)) void readSessionAgain(client);
}

/**
 * The shell asks for the sign-in when there is no session. The error does not prove that: a request that was sent before
 * the user signed in again may be answered after it.
 */
async function readSessionAgain(client: QueryClient): Promise<void> {
  const { queryKey } = sessionQuery;
  if (client.getQueryData(queryKey)) await client.invalidateQueries({ queryKey }, { cancelRefetch: false });
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
