/** Measures how long after its commit a tenant's event is visible, while the operator imports volumes of all others. */
import { setTimeout as delay } from 'node:timers/promises';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { GOALS } from './goals.ts';
import { FORMATS, importing, operatorKey } from './imports.ts';
import { count, digits, type Row, valueRow } from './measure.ts';
import { quantilesOf } from './quantiles.ts';
import type { Run } from './run.ts';
import type { BenchServer } from './servers.ts';
import { type BenchBrp, createWorld } from './world.ts';

const CHANGE_EVERY_MS = 20;
/** Imports, one after the other: one alone is too short for a p99. */
const IMPORTS = 5;

export async function* measureEventLag({ sizes, databases, processes }: Run): AsyncGenerator<Row> {
  const { contracts } = sizes;
  const url = await databases.create('event_lag');
  const world = await createWorld(url, { contracts, days: 0 });
  const key = await operatorKey(url);
  const server = await processes.product('product with events', url);
  const own = importing(server, key, contracts, '2027-01-01', FORMATS.days);
  const feed = followChanges(server, world.brps.at(-1)!, CHANGE_EVERY_MS);
  for (let at = 0; at < IMPORTS; at++) {
    await own.prepare?.();
    await own.round();
  }
  const lags = await feed.stop();
  await processes.end(server);
  const quantile = quantilesOf(lags);
  const what = `p99 from a commit to its event, during ${IMPORTS} imports of ${count(contracts * 96)} rows`;
  const others = `p50 ${quantile(0.5).toFixed(0)} ms of ${lags.length} events`;
  yield valueRow(what, quantile(0.99), digits(0, 'ms'), GOALS.eventLagP99Ms, others);
}

type EventPage = { events: unknown[]; pagination: { next_cursor: string } };

/** Changes a customer of the BRP at fixed times and reads its feed. */
export function followChanges({ port }: BenchServer, brp: BenchBrp, everyMs: number) {
  const [committedAt, seenAt]: [number[], number[]] = [[], []];
  const ask = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const headers = { 'x-api-key': brp.key, 'content-type': 'application/json' };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers });
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const customer = `/v1/customers/${encodeId(ID_PREFIX.customer, brp.positions[0]!.customerId)}`;
  const stopping = new AbortController();
  const write = async () => {
    for (let dueAt = performance.now(); !stopping.signal.aborted; dueAt += everyMs) {
      await delay(Math.max(0, dueAt - performance.now()));
      const body = JSON.stringify({ metadata: { change: String(committedAt.length) } });
      await ask(customer, { method: 'PATCH', body });
      committedAt.push(performance.now());
    }
  };
  const page = (after: string) =>
    ask<EventPage>(`/v1/events?types=customer.updated&wait=1&after=${encodeURIComponent(after)}`);
  const read = async ({ pagination }: EventPage) => {
    while (!stopping.signal.aborted || seenAt.length < committedAt.length) {
      const next = await page(pagination.next_cursor);
      seenAt.push(...next.events.map(() => performance.now()));
      pagination = next.pagination;
    }
  };
  const ended = page('latest').then((latest) =>
    Promise.all([write(), read(latest)]).finally(() => stopping.abort()),
  );
  // `stop` throws the failure. Without this handler Node would report it as unhandled first.
  ended.catch(() => {});
  /** Milliseconds of the events since the last call. An event may be seen before the answer to its change. */
  const takeLags = () => {
    const committed = committedAt.splice(0, Math.min(committedAt.length, seenAt.length));
    return seenAt.splice(0, committed.length).map((seen, at) => Math.max(0, seen - committed[at]!));
  };
  return {
    /** Fails with the first request that fails. */
    ended,
    takeLags,
    async stop(): Promise<number[]> {
      stopping.abort();
      await ended;
      return takeLags();
    },
  };
}
