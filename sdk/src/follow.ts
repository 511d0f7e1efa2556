import type { eventEndpoints, SaldoEvent } from '@saldo/api';
import { LIMITS } from '@saldo/api';
import { type Client, DEFAULT_TIMEOUT_MS } from './client.ts';
import type { CallOptions, ClientOptions, FollowOptions } from './options.ts';
import { methodsOf } from './resources.ts';

type FeedEndpoint = Omit<typeof eventEndpoints.listEvents, 'path'> & { readonly path: string };
type GetEndpoint = typeof eventEndpoints.getEvent;

/** Below the idle timeout of most proxies. */
const WAIT_S = 25;
/** A feed is followed for as long as the process runs, so an outage of any length is waited for. */
const RETRY = {
  maxAttempts: Number.POSITIVE_INFINITY,
  maxElapsedMs: Number.POSITIVE_INFINITY,
  maxDelayMs: 30_000,
};

/** The methods of an API's feed. */
export function feedOf<G extends Omit<GetEndpoint, 'path'> & { readonly path: string }>(
  client: Client,
  { timeoutMs = DEFAULT_TIMEOUT_MS }: ClientOptions,
  list: FeedEndpoint,
  get: G,
) {
  const { method } = methodsOf(client);
  const call: CallOptions = { retry: RETRY, timeoutMs: timeoutMs === 0 ? 0 : timeoutMs + WAIT_S * 1000 };

  /**
   * Yields the events in order, and waits for new ones. Continues after connection errors, so no event is missed or
   * repeated. A later run continues after the `id` of the last event that it processed.
   */
  async function* follow({ types, after, signal }: FollowOptions = {}): AsyncGenerator<SaldoEvent, void> {
    const filter = types === undefined ? {} : { types };
    const options = signal === undefined ? call : { ...call, signal };
    for (let place = after; ; ) {
      const from = place === undefined ? {} : { after: place };
      const query = { ...filter, ...from, limit: LIMITS.pageSize.maximum, wait: WAIT_S };
      try {
        const page = await client.call(list, { query }, options);
        yield* page.events;
        place = page.pagination.next_cursor;
      } catch (error) {
        if (signal?.aborted) return;
        throw error;
      }
    }
  }

  return { list: method(list), get: method(get), follow };
}
