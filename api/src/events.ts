import Type, { type TUnsafe } from 'typebox';
import { Choice, DateTime, LIMITS, OneOf, Order, Pagination, pageQuery, Strict } from './common.ts';
import { endpoint, endpoints } from './endpoint.ts';
import {
  EVENT_TYPES,
  EVENT_TYPES_OF,
  type EventData,
  type EventReader,
  type EventType,
} from './event-types.ts';
import type { Scope } from './scopes.ts';

/** What selects types of events: exact names, or a subject such as `nomination.*` for all its types. */
export function eventPatternsOf(reader: EventReader): string[] {
  const types = EVENT_TYPES_OF[reader];
  return [...types, ...new Set(types.map((type) => `${type.slice(0, type.indexOf('.'))}.*`))];
}

/** The types to select, in a list. */
export const eventTypesSchema = (reader: EventReader) =>
  Type.Array(Choice(eventPatternsOf(reader)), {
    minItems: 1,
    maxItems: LIMITS.eventTypes,
    description: 'Types of events. A subject and `.*` stand for all types of that subject.',
    examples: [[`${EVENT_TYPES_OF[reader][0]?.split('.', 1)[0]}.*`]],
  });

/** One of the types with its data. A union, so that `type` determines `data`. */
export type SaldoEvent = {
  [T in EventType]: { id: string; type: T; occurred_at: string; sequence: number; data: EventData<T> };
}[EventType];

/** The name of a type's schema: `NominationCreatedEvent`. */
export const eventTitleOf = (type: EventType) =>
  `${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;

const eventSchema = (reader: EventReader) =>
  OneOf(
    'type',
    EVENT_TYPES_OF[reader].map((type) =>
      Type.Object(
        {
          id: Type.String({ examples: ['evt_01m7fmt31rf7krgde08br5b6y1'] }),
          type: Type.Literal(type),
          occurred_at: DateTime('When the change was made.', '2026-11-15T13:02:11Z'),
          sequence: Type.Integer({ description: 'Counts your events, from the oldest to the newest.' }),
          data: EVENT_TYPES[type].data,
        },
        { title: eventTitleOf(type), description: EVENT_TYPES[type].description },
      ),
    ),
    {
      title: 'Event',
      description:
        'A change, without the content of the changed record: read the record with your own key. Ignore types that you do not know.',
    },
  ) as TUnsafe<SaldoEvent>;

const example = (type: string, data: object) => ({
  id: 'evt_01m7fmt31rf7krgde08br5b6y1',
  type,
  occurred_at: '2026-11-15T13:02:11Z',
  sequence: 1204,
  data,
});
const nomination = {
  object: 'nomination',
  id: 'nom_01jhm52x6yf6rbkm2s8hq3j5zd',
  eic: '11XNORDWIND----J',
  tso: 'DE_50HERTZ',
  direction: 'out',
  delivery_date: '2026-11-16',
  version: 2,
  previous_nomination_id: 'nom_01jhm51v3ze7kb2m9s0hq4j6wd',
};
const EXAMPLES: Readonly<Record<EventReader, object>> = {
  brp: example('nomination.created', nomination),
  operator: example('nomination.sent', nomination),
  account: example('asset.published', { object: 'asset', id: 'ast_01jhm3w8v5e2ntq0v9bgr4kx7c' }),
};

const EventPagination = Type.Object(
  {
    ...Pagination.properties,
    next_cursor: Type.String({ description: 'Never null: send it as `after` to go on from here.' }),
  },
  { title: 'EventPagination' },
);

const query = (reader: EventReader) =>
  Strict({
    types: Type.Optional(eventTypesSchema(reader)),
    order: Order,
    limit: pageQuery.limit,
    after: Type.Optional(
      Type.String({
        description:
          'The place to go on from: `pagination.next_cursor` of the previous answer, which stays valid when `types` change, or the id of an event. `latest`: only what happens from now on. Absent: from the oldest event that is kept, or with `newest_first` from the newest.',
        examples: ['feed_0000000000f3evxf1wpgfffb0g'],
      }),
    ),
    wait: Type.Optional(
      Type.Integer({
        ...LIMITS.eventWaitS,
        description:
          'Long poll: without new events, the answer waits up to this number of seconds for the first one. Not with `newest_first`.',
        examples: [30],
      }),
    ),
  });

const tag = 'Events';

const list = <const Path extends string>(path: Path, reader: EventReader, scopes: Scope[]) =>
  endpoint({
    method: 'GET',
    path,
    summary: 'Follow events',
    description:
      'The changes of your records in the order in which they were made. Every later event comes after `next_cursor`: a client that always goes on from there misses no event and reads none twice.',
    scopes,
    query: query(reader),
    response: Type.Object(
      { events: Type.Array(eventSchema(reader)), pagination: EventPagination },
      { title: 'EventList' },
    ),
    problems: ['events_expired'],
    example: {
      response: {
        events: [EXAMPLES[reader]],
        pagination: { limit: 10, has_more: false, next_cursor: 'feed_0000000000f3evxf1wpgfffb0g' },
      },
    },
  });

const get = <const Path extends string>(path: Path, reader: EventReader, scopes: Scope[]) =>
  endpoint({
    method: 'GET',
    path,
    summary: 'Read an event',
    description: 'One event, while it is kept.',
    scopes,
    response: eventSchema(reader),
    problems: ['event_not_found'],
    example: { response: EXAMPLES[reader] },
  });

/** The feed is the same in all three APIs. Its JSON is in snake case in the customer API too. */
export const eventEndpoints = endpoints(tag, {
  listEvents: list('/v1/events', 'brp', ['events:read']),
  getEvent: get('/v1/events/{event_id}', 'brp', ['events:read']),
});
export const operatorEventEndpoints = endpoints(tag, {
  operatorListEvents: list('/operator/v1/events', 'operator', ['read']),
  operatorGetEvent: get('/operator/v1/events/{event_id}', 'operator', ['read']),
});
export const marketEventEndpoints = endpoints(tag, {
  listMarketEvents: list('/v1/events', 'account', []),
  getMarketEvent: get('/v1/events/{event_id}', 'account', []),
});
