import type { SaldoEvent } from '@saldo/api';
import { bodyOf, type Client } from './harness.ts';

/** Reads a feed from where the last call ended. The first call returns what happens after `followed`. */
export async function followed(ask: Client, path = '/v1/events') {
  type Page = { events: SaldoEvent[]; pagination: { has_more: boolean; next_cursor: string } };
  const read = (query: string): Promise<Page> => bodyOf(ask(`${path}?limit=100&${query}`));
  let after = (await read('after=latest')).pagination.next_cursor;
  return async (query = ''): Promise<SaldoEvent[]> => {
    const events: SaldoEvent[] = [];
    for (;;) {
      const page = await read(`after=${after}&${query}`);
      after = page.pagination.next_cursor;
      events.push(...page.events);
      if (!page.pagination.has_more) return events;
    }
  };
}

/** Types and data of events, in order. */
export const contentOf = (events: readonly SaldoEvent[]) => events.map(({ type, data }) => [type, data]);
