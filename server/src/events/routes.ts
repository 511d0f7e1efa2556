import { type Endpoint, EVENT_TYPE_NAMES, type EventType, type eventEndpoints } from '@saldo/api';
import type { FastifyRequest } from 'fastify';
import { monotonicNow } from '../platform/clock.ts';
import type { PrimaryDb } from '../platform/db/database.ts';
import type { Position } from '../platform/http/cursor.ts';
import type { FindPrincipal } from '../platform/http/guard.ts';
import type { PageRequest } from '../platform/http/paging.ts';
import { problem, validationProblem } from '../platform/http/problem.ts';
import type { RequestQueue } from '../platform/http/request-queue.ts';
import { type Call, getOwner, type Route, route } from '../platform/http/routes.ts';
import type { EventPoller, WaitFilter } from './poller.ts';
import { type EventFilter, type EventRow, findEvent, listEvents, readHorizon, tenantsOf } from './store.ts';
import { eventJson, sequenceOfEventId, wireEventId } from './wire.ts';

type FeedEndpoint<E extends Endpoint> = Omit<E, 'path'> & { readonly path: string };
type ListEndpoint = FeedEndpoint<typeof eventEndpoints.listEvents>;
type GetEndpoint = FeedEndpoint<typeof eventEndpoints.getEvent>;

export type Feed = {
  readonly poller: EventPoller;
  /** A waiting reader gives its place in the queue back. */
  readonly queue: RequestQueue;
  /** Finds the caller again after it has waited. */
  readonly findPrincipal: FindPrincipal;
};

/** The feed of one API. */
export const eventRoutes = (db: PrimaryDb, list: ListEndpoint, get: GetEndpoint, feed: Feed): Route[] => [
  route(list, (call) => answerEvents(db, call, feed), placeOf),
  route(get, async ({ owner, params }) => {
    const id = (params as { event_id: string }).event_id;
    const sequence = sequenceOfEventId(id);
    const tenants = owner === null ? [] : tenantsOf(owner);
    const row = sequence === null ? null : await findEvent(db, tenants, sequence);
    if (row === null || wireEventId(row) !== id) throw problem('event_not_found', 'There is no such event.');
    return eventJson(row);
  }),
];

const LATEST = 'latest';

/** The values of `after` that are not cursors. */
function placeOf(after: string): Position | null {
  if (after === LATEST) return [LATEST];
  const sequence = sequenceOfEventId(after);
  return sequence === null ? null : [sequence];
}

async function answerEvents(db: PrimaryDb, call: Call<ListEndpoint>, feed: Feed): Promise<string> {
  const { query, page } = call;
  const types = query.types ? typesIn(query.types) : null;
  const filter: EventFilter = { tenants: tenantsOf(getOwner(call)), types };
  if (query.order === 'newest_first') return answerNewestFirst(db, call, filter);
  const endsAt = monotonicNow() + (query.wait ?? 0) * 1000;
  const { last, horizon } = await readHorizon(db);
  const [place = 0] = page.after ?? [];
  const after = place === LATEST ? horizon : Number(place);
  if (after > last) throw expired('The place in `after` is unknown: the log was restored from a backup.');
  let seenTo = Math.max(after, horizon);
  const read = async () => {
    const range = { order: 'oldest_first', after, upTo: seenTo, count: page.limit + 1 } as const;
    const found = await listEvents(db, filter, range);
    if (page.after !== null && after < found.deletedTo)
      throw expired('Events after the place in `after` have been deleted.');
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
  return pageJson(page, shown, next, isFull || readTo < seenTo);
}

/** The place of a reader from the newest event is the sequence before which it goes on. */
async function answerNewestFirst(
  db: PrimaryDb,
  { query, page }: Call<ListEndpoint>,
  filter: EventFilter,
): Promise<string> {
  if (query.wait) throw validationProblem([WAIT_REFUSED]);
  const { horizon } = await readHorizon(db);
  const [place = LATEST] = page.after ?? [];
  const upTo = place === LATEST ? horizon : Math.min(horizon, Number(place) - 1);
  const range = { order: 'newest_first', after: 0, upTo, count: page.limit + 1 } as const;
  const { events, readTo } = await listEvents(db, filter, range);
  const isFull = events.length > page.limit;
  const shown = isFull ? events.slice(0, page.limit) : events;
  const next = isFull ? shown.at(-1)!.sequence : readTo + 1;
  return pageJson(page, shown, next, isFull || readTo > 0);
}

const WAIT_REFUSED = {
  field: 'wait',
  code: 'validation_failed',
  message: 'needs the order oldest_first: new events are at the other end',
} as const;

const pageJson = (page: PageRequest, events: readonly EventRow[], next: number, hasMore: boolean): string =>
  `{"events":[${events.map(eventJson).join(',')}],` +
  `"pagination":{"limit":${page.limit},"has_more":${hasMore},"next_cursor":"${page.seal([next])}"}}`;

const expired = (detail: string) => problem('events_expired', detail);

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
    throw problem('invalid_session', 'The session ended while the request was waiting.', {
      'www-authenticate': 'Session',
    });
  throw problem('invalid_api_key', 'The API key was revoked while the request was waiting.', {
    'www-authenticate': 'ApiKey',
  });
}
