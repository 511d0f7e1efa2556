import Type from 'typebox';
import { Choice, DateTime, LIMITS, Pagination, pageQuery, Strict } from './common.ts';
import { endpoint } from './endpoint.ts';
import { EVENT_TYPE_NAMES, EVENT_TYPES, type EventData, type EventType } from './event-types.ts';
import type { Scope } from './scopes.ts';

/** A subject such as `nomination.*`: all its types, and those that later versions add. */
export const EVENT_SUBJECTS = [
  ...new Set(EVENT_TYPE_NAMES.map((type) => `${type.slice(0, type.indexOf('.'))}.*` as const)),
];

/** The types to select, in a list: exact names, or a subject and `.*`. */
export const EventTypes = Type.Array(Choice([...EVENT_TYPE_NAMES, ...EVENT_SUBJECTS]), {
  minItems: 1,
  maxItems: LIMITS.eventTypes,
  description: `Comma-separated types of events; \`nomination.*\` stands for all types of that subject. All of them when it is absent.`,
  examples: [['nomination.*', 'contract.created']],
});

/** One of the types with its data. A union, so that `type` determines `data`. */
export type SaldoEvent = {
  [T in EventType]: { id: string; type: T; occurred_at: string; sequence: number; data: EventData<T> };
}[EventType];

const titleOf = (type: EventType) =>
  `${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;

export const SaldoEvent = Type.Unsafe<SaldoEvent>({
  title: 'Event',
  description:
    'A change, without the content of the changed record: read the record with your own key. Ignore types that you do not know.',
  anyOf: EVENT_TYPE_NAMES.map((type) =>
    Type.Object(
      {
        id: Type.String({ examples: ['evt_01m7fmt31re008000000001f2k'] }),
        type: Type.Literal(type),
        occurred_at: DateTime('When the change was made.', '2026-11-15T13:02:11Z'),
        sequence: Type.Integer({ description: 'Rises from event to event; it may have gaps.' }),
        data: EVENT_TYPES[type].data,
      },
      { title: titleOf(type), description: EVENT_TYPES[type].description },
    ),
  ),
});

const eventExample: SaldoEvent = {
  id: 'evt_01m7fmt31re008000000001f2k',
  type: 'nomination.created',
  occurred_at: '2026-11-15T13:02:11Z',
  sequence: 48211,
  data: {
    object: 'nomination',
    id: 'nom_01jhm52x6yf6rbkm2s8hq3j5zd',
    eic: '11XNORDWIND----J',
    tso: 'DE_50HERTZ',
    direction: 'out',
    delivery_date: '2026-11-16',
    version: 2,
    previous_nomination_id: 'nom_01jhm51v3ze7kb2m9s0hq4j6wd',
  },
};

const EventList = Type.Object(
  {
    events: Type.Array(SaldoEvent),
    pagination: Type.Object(
      {
        ...Pagination.properties,
        next_cursor: Type.String({ description: 'Never null: send it as `after` to go on from here.' }),
      },
      { title: 'EventPagination' },
    ),
  },
  { title: 'EventList' },
);

const query = Strict({
  types: Type.Optional(EventTypes),
  limit: pageQuery.limit,
  after: Type.Optional(
    Type.String({
      description:
        'The place to go on from: `pagination.next_cursor` of the previous answer, which is valid for all `types`, or the id of an event. `latest`: only what happens from now on. Absent: from the oldest event that is kept.',
      examples: ['WzQ4MjExXQ.k7Jr0WcP2dQx1mZt'],
    }),
  ),
  wait: Type.Optional(
    Type.Integer({
      ...LIMITS.eventWaitS,
      description:
        'Long poll: without new events, the answer waits up to this number of seconds for the first one.',
      examples: [30],
    }),
  ),
});

const tag = 'Events';

const list = <const Path extends string>(id: string, path: Path, scopes: Scope[]) =>
  endpoint({
    id,
    method: 'GET',
    path,
    tag,
    summary: 'Follow events',
    description:
      'The changes of your records in the order in which they were made. Every later event comes after `next_cursor`: a client that always goes on from there misses no event and reads none twice.',
    scopes,
    query,
    body: null,
    response: EventList,
    problems: ['events_expired'],
    example: {
      response: {
        events: [eventExample],
        pagination: { limit: 10, has_more: false, next_cursor: 'WzQ4MjExXQ.k7Jr0WcP2dQx1mZt' },
      },
    },
  });

const get = <const Path extends string>(id: string, path: Path, scopes: Scope[]) =>
  endpoint({
    id,
    method: 'GET',
    path,
    tag,
    summary: 'Read an event',
    description: 'One event, while it is kept.',
    scopes,
    query: Strict({}),
    body: null,
    response: SaldoEvent,
    problems: ['event_not_found'],
    example: { response: eventExample },
  });

/** The feed is the same in all three APIs. Its JSON is in snake case in the customer API too. */
export const eventEndpoints = {
  listEvents: list('listEvents', '/v1/events', ['events:read']),
  getEvent: get('getEvent', '/v1/events/{event_id}', ['events:read']),
};
export const operatorEventEndpoints = {
  operatorListEvents: list('operatorListEvents', '/operator/v1/events', []),
  operatorGetEvent: get('operatorGetEvent', '/operator/v1/events/{event_id}', []),
};
export const marketEventEndpoints = {
  listMarketEvents: list('listMarketEvents', '/v1/events', []),
  getMarketEvent: get('getMarketEvent', '/v1/events/{event_id}', []),
};
