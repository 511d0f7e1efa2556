import { isProblem } from '@saldo/sdk';
import {
  type FetchQueryOptions,
  type QueryClient,
  type QueryKey,
  queryOptions,
  useMutation,
} from '@tanstack/react-query';
import { isSameInput } from './input.ts';

/** A record, and the `ETag` that a change has to send. Null if its API has none. */
export type Versioned<R> = { readonly record: R; readonly etag: string | null };

export type ReadOptions = { signal: AbortSignal; onResponse: (response: Response) => void };

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

type VersionedChange<R, Key extends QueryKey, Answer> = {
  readonly query: FetchQueryOptions<Versioned<R>, Error, Versioned<R>, Key>;
  /** The version that the change starts from. Null for a new record. */
  readonly from: Versioned<R> | null;
  /** The part of the record that the change is about. */
  readonly partOf: (record: R) => unknown;
  readonly send: (options: IfMatch) => Promise<Answer>;
};

/** A change of a record, with all that it sends. */
type Change<Answer> = (queryClient: QueryClient) => Promise<Answer>;

/**
 * Sends a change with the `ETag` of the version that it starts from. If others have changed the record since, reads it
 * again. If they have not changed the part that this change is about, sends it again: signing in changes the record of
 * a user, and time the status of a contract.
 */
export const changeOf =
  <R, Key extends QueryKey, Answer>({
    query,
    from,
    partOf,
    send,
  }: VersionedChange<R, Key, Answer>): Change<Answer> =>
  async (queryClient) => {
    try {
      return await send(ifMatchOf(from?.etag ?? null));
    } catch (error) {
      if (from === null || !isProblem(error, 'precondition_failed')) throw error;
      const stored = await queryClient.fetchQuery({ ...query, staleTime: 0 });
      if (!isSameInput(partOf(stored.record), partOf(from.record))) throw error;
      return send(ifMatchOf(stored.etag));
    }
  };

type Handlers<Answer> = {
  readonly onSuccess: (answer: Answer) => unknown;
  readonly onSettled: () => unknown;
};

/** A mutation whose variable is the change: what it sends is what the form shows when it is submitted. */
export const useChange = <Answer>(handlers: Handlers<Answer>) =>
  useMutation({ mutationFn: (change: Change<Answer>, { client }) => change(client), ...handlers });
