import { type Endpoint, EVENT_TYPE_NAMES, type EventType, type eventEndpoints } from '@saldo/api';
import type { FastifyRequest } from 'fastify';
import { monotonicNow } from '../platform/clock.ts';
import type { Primary } from '../platform/db/database.ts';
import type { Position } from '../platform/http/cursor.ts';
import type { FindPrincipal } from '../platform/http/guard.ts';
import type { PageRequest } from '../platform/http/paging.ts';
import { problem, validationProblem } from '../platform/http/problem.ts';
import type { RequestQueue } from '../platform/http/request-queue.ts';
import { type Call, getOwner, type Route, route } from '../platform/http/routes.ts';
import { type EventIds, isPlaceForm } from './ids.ts';
import { numberEvents } from './numbers.ts';
import type { EventPoller, WaitFilter } from './poller.ts';
import { findEvent, listEvents, readHorizon, type StoredEvent, type Tenant, tenantsOf } from './store.ts';
import { eventJson } from './wire.ts';

type FeedEndpoint<E extends Endpoint> = Omit<E, 'path'> & { readonly path: string };
type ListEndpoint = FeedEndpoint<typeof eventEndpoints.listEvents>;
type GetEndpoint = FeedEndpoint<typeof eventEndpoints.getEvent>;

export type Feed = {
  readonly poller: EventPoller;
  /** A waiting reader gives its place in the queue back. */
  readonly queue: RequestQueue;
  /** Finds the caller again after it has waited. */
  readonly findPrincipal: FindPrincipal;
  readonly ids: EventIds;
};

/** The feed of one API. */
export const eventRoutes = (db: Primary, list: ListEndpoint, get: GetEndpoint, feed: Feed): Route[] => [
  route(list, (call) => answerEvents(db, call, feed), placeOf),
  route(get, async (call) => {
    const tenants = tenantsOf(getOwner(call));
    const place = feed.ids.placeOf(tenants[0], (call.params as { event_id: string }).event_id);
    const found = place === null ? null : await findEvent(db, tenants, place.sequence);
    if (found === null || found.occurredAt !== place?.occurredAt) throw problem('event_not_found');
    const [row] = await numberEvents(db, tenants, [found]);
    return eventJson(feed.ids, tenants[0], row!);
  }),
];

const LATEST = 'latest';

/** Cursors of a feed are not those of lists: whether they belong to the reader is decided later, in one way for all. */
const placeOf = (after: string): Position | null => (after === LATEST || isPlaceForm(after) ? [after] : null);

type Reader = { readonly tenants: readonly [Tenant, ...Tenant[]]; readonly ids: EventIds };

/** The place in the log that `after` names; null for `latest`. Cursors of earlier versions are numbers. */
function sequenceOf([place = 0]: Position, { tenants, ids }: Reader): number | null {
  if (place === LATEST) return null;
  const sequence = typeof place === 'number' ? place : ids.placeOf(tenants[0], place)?.sequence;
  if (sequence === undefined) throw expired();
  return sequence;
}

async function answerEvents(db: Primary, call: Call<ListEndpoint>, feed: Feed): Promise<string> {
  const { query, page } = call;
  const types = query.types ? typesIn(query.types) : null;
  const filter = { tenants: tenantsOf(getOwner(call)), types, ids: feed.ids };
  if (query.order === 'newest_first') return answerNewestFirst(db, call, filter);
  const endsAt = monotonicNow() + (query.wait ?? 0) * 1000;
  const { last, horizon } = await readHorizon(db);
  const after = sequenceOf(page.after ?? [], filter) ?? horizon;
  if (after > last) throw expired();
  let seenTo = Math.max(after, horizon);
  const read = async () => {
    const range = { order: 'oldest_first', after, upTo: seenTo, count: page.limit + 1 } as const;
    const found = await listEvents(db, filter, range);
    if (page.after !== null && after < found.deletedTo) throw expired();
    return found;
  };
  let { events, readTo } = await read();
  while (events.length === 0 && readTo === seenTo && monotonicNow() < endsAt) {
    const woken = await waitForEvent(call, feed, filter, seenTo, endsAt - monotonicNow());
    if (woken === null) break;
    // The horizon goes back when a writer takes its lock long after it has read the bound. What was seen stays complete.
    seenTo = Math.max(seenTo, woken);
    ({ events, readTo } = await read());
  }
  const isFull = events.length > page.limit;
  const shown = isFull ? events.slice(0, page.limit) : events;
  const next = isFull ? shown.at(-1)!.sequence : readTo;
  return pageJson(db, filter, page, { shown, next, hasMore: isFull || readTo < seenTo });
}

/** The place of a reader from the newest event is the sequence before which it goes on. */
async function answerNewestFirst(
  db: Primary,
  { query, page }: Call<ListEndpoint>,
  filter: Reader & { readonly types: readonly EventType[] | null },
): Promise<string> {
  if (query.wait) throw validationProblem([WAIT_REFUSED]);
  const { horizon } = await readHorizon(db);
  const before = sequenceOf(page.after ?? [LATEST], filter);
  const upTo = before === null ? horizon : Math.min(horizon, before - 1);
  const range = { order: 'newest_first', after: 0, upTo, count: page.limit + 1 } as const;
  const { events, readTo } = await listEvents(db, filter, range);
  const isFull = events.length > page.limit;
  const shown = isFull ? events.slice(0, page.limit) : events;
  const next = isFull ? shown.at(-1)!.sequence : readTo + 1;
  return pageJson(db, filter, page, { shown, next, hasMore: isFull || readTo > 0 });
}

const WAIT_REFUSED = {
  field: 'wait',
  code: 'validation_failed',
  message: { key: 'field.oldest_first' },
} as const;

async function pageJson(
  db: Primary,
  { tenants, ids }: Reader,
  { limit }: PageRequest,
  { shown, next, hasMore }: { shown: readonly StoredEvent[]; next: number; hasMore: boolean },
): Promise<string> {
  const [reader] = tenants;
  const events = (await numberEvents(db, tenants, shown)).map((event) => eventJson(ids, reader, event));
  const cursor = ids.cursorOf(reader, next);
  return `{"events":[${events.join(',')}],"pagination":{"limit":${limit},"has_more":${hasMore},"next_cursor":"${cursor}"}}`;
}

/** The same for a forged place, for one of another reader, and for one whose later events have been deleted. */
const expired = () => problem('events_expired');

/** Types by their exact names. */
const typesIn = (wanted: readonly string[]): EventType[] =>
  EVENT_TYPE_NAMES.filter((type) =>
    wanted.some((one) => (one.endsWith('*') ? type.startsWith(one.slice(0, -1)) : type === one)),
  );

/** Returns the horizon that includes the event; null when the waiting ends without one. */
export async function waitForEvent(
  { request, reply }: Pick<Call<Endpoint>, 'request' | 'reply'>,
  { poller, queue, findPrincipal }: Feed,
  filter: WaitFilter,
  seenTo: number,
  ms: number,
): Promise<number | null> {
  queue.leave(reply.raw);
  const gone = new AbortController();
  const leave = () => gone.abort();
  reply.raw.once('close', leave);
  // The reader may have left before.
  if (reply.raw.closed) leave();
  const horizon = await poller.wait(filter, seenTo, ms, gone.signal);
  reply.raw.off('close', leave);
  await refuseRevoked(request, findPrincipal);
  return horizon;
}

/** The key may have been revoked, or the session ended, while the request was waiting. */
async function refuseRevoked(request: FastifyRequest, findPrincipal: FindPrincipal): Promise<void> {
  const found = await findPrincipal(request);
  if (found?.actor === request.principal?.actor) return;
  if (request.principal?.session)
    throw problem(
      'invalid_session',
      { key: 'problem.session_ended_waiting' },
      { 'www-authenticate': 'Session' },
    );
  throw problem('invalid_api_key', { key: 'problem.key_revoked' }, { 'www-authenticate': 'ApiKey' });
}
