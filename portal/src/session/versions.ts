import { isProblem } from '@saldo/sdk';
import {
  type FetchQueryOptions,
  type QueryClient,
  type QueryKey,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { isSameInput } from '../domain/input.ts';

/** A record, and the `ETag` that a change has to send. Null if its API has none. */
export type Versioned<R> = { readonly record: R; readonly etag: string | null };

type ReadOptions = { signal: AbortSignal; onResponse: (response: Response) => void };

async function readWithEtag<R>(
  read: (options: ReadOptions) => Promise<R>,
  signal: AbortSignal,
): Promise<Versioned<R>> {
  let etag: string | null = null;
  const onResponse = ({ headers }: Response) => {
    etag = headers.get('etag');
  };
  const record = await read({ signal, onResponse });
  return { record, etag };
}

/** The query of a record that may be changed. */
export const versionedQuery = <R, Key extends QueryKey>(
  queryKey: Key,
  read: (options: ReadOptions) => Promise<R>,
) => queryOptions({ queryKey, queryFn: ({ signal }) => readWithEtag(read, signal) });

type IfMatch = { readonly ifMatch?: string };
export const ifMatchOf = (etag: string | null): IfMatch => (etag === null ? {} : { ifMatch: etag });

type Change<R, Key extends QueryKey, Answer> = {
  readonly query: FetchQueryOptions<Versioned<R>, Error, Versioned<R>, Key>;
  /** The part of the record that the change is about. */
  readonly partOf: (record: R) => unknown;
  readonly send: (options: IfMatch) => Promise<Answer>;
};

/**
 * Sends a change with the `ETag` of the version that it starts from. If others have changed the record since, reads it
 * again. If they have not changed the part that this change is about, sends it again: signing in changes the record of
 * a user, and time the status of a contract.
 */
async function sendChange<R, Key extends QueryKey, Answer>(
  queryClient: QueryClient,
  from: Versioned<R>,
  { query, partOf, send }: Change<R, Key, Answer>,
): Promise<Answer> {
  try {
    return await send(ifMatchOf(from.etag));
  } catch (error) {
    if (!isProblem(error, 'precondition_failed')) throw error;
    const stored = await queryClient.fetchQuery({ ...query, staleTime: 0 });
    if (!isSameInput(partOf(stored.record), partOf(from.record))) throw error;
    return send(ifMatchOf(stored.etag));
  }
}

type Handlers<Answer> = {
  readonly onSuccess: (answer: Answer) => unknown;
  readonly onSettled: () => unknown;
};

/** A mutation whose variable is the version that the change starts from. Null for a new record. */
export function useChange<R, Key extends QueryKey, Answer>(
  change: Change<R, Key, Answer>,
  handlers: Handlers<Answer>,
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (from: Versioned<R> | null) =>
      from === null ? change.send({}) : sendChange(queryClient, from, change),
    ...handlers,
  });
}
