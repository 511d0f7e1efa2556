import Type, { type Static } from 'typebox';
import {
  Choice,
  DateTime,
  LIMITS,
  Nullable,
  Order,
  Page,
  pageQuery,
  paginationExample,
  Strict,
} from './common.ts';
import { endpoint, endpoints } from './endpoint.ts';
import type { EventReader } from './event-types.ts';
import { eventPatternsOf } from './events.ts';
import type { Scope } from './scopes.ts';

export const WEBHOOK_STATUSES = ['enabled', 'disabled'] as const;
/** Why an endpoint is disabled: by its owner, because it answered 410, or after five days of failures only. */
export const WEBHOOK_DISABLED_REASONS = ['owner', 'gone', 'failing'] as const;
export type WebhookDisabledReason = (typeof WEBHOOK_DISABLED_REASONS)[number];
export const DELIVERY_STATES = ['pending', 'succeeded', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

const fields = {
  id: Type.String({ examples: ['whe_01k9x3w8v5e2ntq0v9bgr4kx7c'] }),
  url: Type.String({ description: 'Where events are sent.' }),
  types: Type.Array(Type.String(), { description: 'The types of events that are sent.' }),
  description: Nullable(Type.String()),
  status: Choice(WEBHOOK_STATUSES, { description: 'A disabled endpoint gets no events.' }),
  disabled_reason: Nullable(
    Choice(WEBHOOK_DISABLED_REASONS, {
      description:
        '`owner`: disabled by a request. `gone`: it answered 410. `failing`: five days of failures only.',
    }),
  ),
  disabled_at: Nullable(DateTime('When it was disabled.')),
  failing_since: Nullable(DateTime('The first failure since the last success.')),
  previous_secret_ends_at: Nullable(
    DateTime('Until then the previous secret signs as well; null without a rotation in the last 24 hours.'),
  ),
  created_at: DateTime('Creation, UTC.'),
};

export const WebhookEndpoint = Type.Object(fields, { title: 'WebhookEndpoint' });
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

export const NewWebhookSecret = Type.Object(
  { ...fields, secret: Type.String({ description: 'The secret that signs, only in this answer.' }) },
  { title: 'NewWebhookSecret' },
);
export type NewWebhookSecret = Static<typeof NewWebhookSecret>;

const attemptFields = {
  status_code: Nullable(
    Type.Integer({
      description: 'HTTP status of the last answer; null when there was none.',
      examples: [204],
    }),
  ),
  duration_ms: Nullable(Type.Integer({ description: 'Duration of the last try.', examples: [87] })),
  response: Nullable(Type.String({ description: 'The first kilobyte of the last answer.' })),
  error: Nullable(Type.String({ description: 'Why the last try failed; null when it succeeded.' })),
};

export const WebhookDelivery = Type.Object(
  {
    id: Type.String({ examples: ['whd_01k9x41m8qf4t9v6q3w7x1y0zk'] }),
    event_id: Type.String({ description: 'Also the `webhook-id` header.' }),
    event_type: Type.String(),
    state: Choice(DELIVERY_STATES, {
      description: '`pending`: a try is due or planned. `failed`: the last planned try has failed.',
    }),
    attempts: Type.Integer({ description: 'Number of tries so far.', examples: [1] }),
    next_attempt_at: Nullable(DateTime('When it is tried next; null when no try is planned.')),
    last_attempt_at: Nullable(DateTime('When it was tried last.')),
    ...attemptFields,
    created_at: DateTime('Creation, UTC.'),
  },
  { title: 'WebhookDelivery' },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const WebhookTest = Type.Object(
  {
    event_id: Type.String({ description: 'Id of the event that was sent. It is not in the feed.' }),
    succeeded: Type.Boolean({ description: 'Whether the answer had a status from 200 to 299 in time.' }),
    ...attemptFields,
  },
  { title: 'WebhookTest' },
);
export type WebhookTest = Static<typeof WebhookTest>;

export const WebhookReplay = Type.Object(
  {
    deliveries: Type.Integer({ description: 'Number of deliveries that were created.', examples: [250] }),
    next_after: Nullable(
      Type.String({
        description: `At most ${LIMITS.replayEvents} events are replayed at once. Send this as \`after\` for the next ones; null when there are none.`,
      }),
    ),
  },
  { title: 'WebhookReplay' },
);
export type WebhookReplay = Static<typeof WebhookReplay>;

const example: WebhookEndpoint = {
  id: 'whe_01k9x3w8v5e2ntq0v9bgr4kx7c',
  url: 'https://hooks.nordwind.example/saldo',
  types: ['*'],
  description: 'Dispatch system',
  status: 'enabled',
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  previous_secret_ends_at: null,
  created_at: '2026-11-15T13:00:00Z',
};
const secretExample: NewWebhookSecret = { ...example, secret: 'whsec_…' };
const deliveryExample: WebhookDelivery = {
  id: 'whd_01k9x41m8qf4t9v6q3w7x1y0zk',
  event_id: 'evt_01k9x41m8qf4t9v6q3w7x1y0zk',
  event_type: 'nomination.created',
  state: 'pending',
  attempts: 1,
  next_attempt_at: '2026-11-15T13:02:16Z',
  last_attempt_at: '2026-11-15T13:02:11Z',
  status_code: 500,
  duration_ms: 87,
  response: 'Internal Server Error',
  error: 'Status 500.',
  created_at: '2026-11-15T13:02:11Z',
};

const Url = Type.String({
  minLength: 1,
  maxLength: LIMITS.urlLength,
  format: 'text',
  description: 'An https URL without credentials, on a public address.',
  examples: [example.url],
});
const typesSchema = (reader: EventReader, description: string) =>
  Type.Array(Choice(['*', ...eventPatternsOf(reader)]), {
    minItems: 1,
    uniqueItems: true,
    description: `${description} A subject and \`.*\` stand for all types of that subject, and \`*\` for all types.`,
    examples: [[`${eventPatternsOf(reader)[0]}`]],
  });
const Description = Nullable(
  Type.String({
    maxLength: LIMITS.reasonLength,
    format: 'text',
    description: 'What the endpoint is for.',
    examples: ['Dispatch system'],
  }),
);
const Point = (description: string) =>
  Type.Optional(Nullable(Type.String({ description, examples: ['2026-11-15T13:00:00Z'] })));

const tag = 'Webhooks';
const notFound = 'webhook_endpoint_not_found';

/** The same operations for the three kinds of owners, below the base path of their API. */
function webhookOperations<const Base extends string>(
  base: Base,
  reader: EventReader,
  scopes: { readonly reads: readonly Scope[]; readonly changes: readonly Scope[] },
) {
  const Types = typesSchema(reader, 'Types of events, by default all, also future ones.');
  const list = `${base}/webhook-endpoints` as const;
  const one = `${list}/{webhook_endpoint_id}` as const;
  const deliveries = `${one}/deliveries` as const;
  return {
    createWebhookEndpoint: endpoint({
      scopes: scopes.changes,
      method: 'POST',
      path: list,
      summary: 'Create a webhook endpoint',
      description: `Events that are committed from now on are sent to it. The secret is only in this answer. At most ${LIMITS.webhookEndpoints} endpoints.`,
      status: 201,
      body: Strict(
        { url: Url, types: Type.Optional(Types), description: Type.Optional(Description) },
        { title: 'WebhookEndpointCreate' },
      ),
      response: NewWebhookSecret,
      problems: ['too_many_endpoints'],
      example: {
        request: { url: example.url, types: example.types, description: example.description },
        response: secretExample,
      },
    }),
    listWebhookEndpoints: endpoint({
      scopes: scopes.reads,
      method: 'GET',
      path: list,
      summary: 'List webhook endpoints',
      description: 'Your endpoints, oldest first, without their secrets.',
      query: Strict(pageQuery),
      response: Page('webhook_endpoints', WebhookEndpoint, 'WebhookEndpointList'),
      example: { response: { webhook_endpoints: [example], pagination: paginationExample } },
    }),
    getWebhookEndpoint: endpoint({
      scopes: scopes.reads,
      method: 'GET',
      path: one,
      summary: 'Read a webhook endpoint',
      description: 'One endpoint, without its secret.',
      response: WebhookEndpoint,
      problems: [notFound],
      example: { response: example },
    }),
    updateWebhookEndpoint: endpoint({
      scopes: scopes.changes,
      method: 'PATCH',
      path: one,
      summary: 'Change a webhook endpoint',
      description:
        'A disabled endpoint gets no events. Once enabled, it gets later events, and the deliveries that were pending; replay the others.',
      body: Strict(
        {
          url: Type.Optional(Url),
          types: Type.Optional(Types),
          description: Type.Optional(Description),
          status: Type.Optional(Choice(WEBHOOK_STATUSES, { examples: ['disabled'] })),
        },
        {
          title: 'WebhookEndpointUpdate',
          'x-read-only': [
            'id',
            'disabled_reason',
            'disabled_at',
            'failing_since',
            'previous_secret_ends_at',
            'created_at',
            'secret',
          ],
        },
      ),
      response: WebhookEndpoint,
      problems: [notFound],
      example: {
        request: { status: 'disabled' },
        response: {
          ...example,
          status: 'disabled',
          disabled_reason: 'owner',
          disabled_at: '2026-11-16T08:00:00Z',
        },
      },
    }),
    deleteWebhookEndpoint: endpoint({
      scopes: scopes.changes,
      method: 'DELETE',
      path: one,
      summary: 'Delete a webhook endpoint',
      description: 'Its deliveries are deleted too.',
      status: 204,
      response: Type.Null(),
      problems: [notFound],
      example: { response: null },
    }),
    rotateWebhookSecret: endpoint({
      scopes: scopes.changes,
      method: 'POST',
      path: `${one}/rotate-secret`,
      summary: 'Rotate the secret of a webhook endpoint',
      description: 'The new secret is only in this answer. Both secrets sign for 24 hours.',
      body: Strict({}, { title: 'WebhookSecretRotate' }),
      response: NewWebhookSecret,
      problems: [notFound],
      example: {
        request: {},
        response: { ...secretExample, previous_secret_ends_at: '2026-11-17T08:00:00Z' },
      },
    }),
    testWebhookEndpoint: endpoint({
      scopes: scopes.changes,
      method: 'POST',
      path: `${one}/test`,
      summary: 'Test a webhook endpoint',
      description:
        'Sends an event of type `webhook.test` now, also to a disabled endpoint, and returns what came back.',
      body: Strict({}, { title: 'WebhookTestRequest' }),
      response: WebhookTest,
      problems: [notFound],
      example: {
        request: {},
        response: {
          event_id: deliveryExample.event_id,
          succeeded: true,
          status_code: 204,
          duration_ms: 87,
          response: '',
          error: null,
        },
      },
    }),
    replayWebhookEvents: endpoint({
      scopes: scopes.changes,
      method: 'POST',
      path: `${one}/replay`,
      summary: 'Replay events to a webhook endpoint',
      description:
        'Sends events of the feed again, oldest first. Both limits are event ids or date-times, and exclusive.',
      body: Strict(
        {
          after: Point('Only events after this event or time; by default from the oldest that is kept.'),
          before: Point('Only events before this event or time; by default up to the newest.'),
          types: Type.Optional(typesSchema(reader, 'Types of events, by default those of the endpoint.')),
        },
        { title: 'WebhookReplayRequest' },
      ),
      response: WebhookReplay,
      problems: [notFound, 'webhook_endpoint_disabled'],
      example: {
        request: { after: '2026-11-14T13:00:00Z' },
        response: { deliveries: 250, next_after: null },
      },
    }),
    listWebhookDeliveries: endpoint({
      scopes: scopes.reads,
      method: 'GET',
      path: deliveries,
      summary: 'List deliveries of a webhook endpoint',
      description:
        'One record per event that is or was sent to the endpoint, with the outcome of the last try.',
      query: Strict({
        state: Type.Optional(
          Choice(DELIVERY_STATES, { description: 'Only this state.', examples: ['failed'] }),
        ),
        order: Order,
        ...pageQuery,
      }),
      response: Page('deliveries', WebhookDelivery, 'WebhookDeliveryList'),
      problems: [notFound],
      example: { response: { deliveries: [deliveryExample], pagination: paginationExample } },
    }),
    retryWebhookDelivery: endpoint({
      scopes: scopes.changes,
      method: 'POST',
      path: `${deliveries}/{webhook_delivery_id}/retry`,
      summary: 'Retry a delivery',
      description: 'The next try is made now, also of a delivery that has failed or succeeded.',
      body: Strict({}, { title: 'WebhookDeliveryRetry' }),
      response: WebhookDelivery,
      problems: [notFound, 'webhook_delivery_not_found', 'webhook_endpoint_disabled'],
      example: {
        request: {},
        response: { ...deliveryExample, next_attempt_at: '2026-11-15T13:02:14Z' },
      },
    }),
  };
}

type Prefixed<Prefix extends string, Name extends string> = `${Prefix}${Capitalize<Name>}`;

const prefixed = <const Prefix extends string, Name extends string>(prefix: Prefix, name: Name) =>
  `${prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}` as Prefixed<Prefix, Name>;

type ById<Prefix extends string, T> = { [Name in keyof T & string as Prefixed<Prefix, Name>]: T[Name] };

/** The table of an API has the ids of its operations as keys. */
const byId = <const Prefix extends string, T extends object>(
  prefix: Prefix,
  operations: T,
): ById<Prefix, T> =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [prefixed(prefix, name), operation as unknown]),
  ) as ById<Prefix, T>;

const write: Scope[] = ['webhooks:write'];
export const brpWebhooks = endpoints(tag, webhookOperations('/v1', 'brp', { reads: write, changes: write }));
export const operatorWebhooks = endpoints(
  tag,
  // Webhooks deliver what `read` lets read.
  webhookOperations('/operator/v1', 'operator', { reads: ['read'], changes: ['read', ...write] }),
  (name) => prefixed('operator', name),
);
/** On the customer listener. Names are in snake case as in the other APIs, because an event is the same everywhere. */
export const marketWebhooks = endpoints(
  tag,
  webhookOperations('/v1', 'account', { reads: [], changes: [] }),
  (name) => prefixed('market', name),
);

/** The operations of any of the APIs. Their types differ only in the path. */
export type WebhookOperations = typeof brpWebhooks | typeof operatorWebhooks;

export const operatorWebhookEndpoints = byId('operator', operatorWebhooks);
export const marketWebhookEndpoints = byId('market', marketWebhooks);
