import { ALARM_KINDS, ALARM_SEVERITIES, DIRECTIONS } from '@saldo/core/enums.ts';
import Type, { type Static, type TObject } from 'typebox';
import { Choice, DateTime, Day, Eic, Nullable, TsoSchema } from './common.ts';

/** Minutes before the day-ahead gate at which `nomination.gate_closing` is appended. */
export const GATE_REMINDER_MINUTES = [60, 15] as const;
/** Days before the expiry of a key at which `api_key.expiring` is appended. */
export const KEY_REMINDER_DAYS = [14, 1] as const;

const Id = (example: string) => Type.String({ examples: [example] });
const Changed = Type.Array(Type.String(), {
  description: 'Names of the changed members.',
  examples: [['status']],
});

const nomination = {
  object: Type.Literal('nomination'),
  id: Id('nom_01jhm52x6yf6rbkm2s8hq3j5zd'),
  eic: Eic('The balance group.'),
  tso: TsoSchema,
  direction: Choice(DIRECTIONS, { description: 'From the balance group’s perspective.' }),
  delivery_date: Day('The German delivery day.'),
  version: Type.Integer({ minimum: 1, examples: [2] }),
  previous_nomination_id: Nullable(Type.String({ description: 'The version that this one supersedes.' })),
};
const NominationChange = Type.Object(nomination);
const NominationConfirmed = Type.Object({
  ...nomination,
  is_final: Type.Boolean({ description: 'Whether the confirmation is final.' }),
});

const TransactionsOfDay = Type.Object({
  object: Type.Literal('transactions'),
  contract_id: Id('con_01jhm3wa2fe5h8x2z6tdq9vn4m'),
  delivery_date: Day('The German delivery day.'),
  slots: Type.Integer({ minimum: 1, description: 'Number of quarter-hours.', examples: [96] }),
});

const contract = { object: Type.Literal('contract'), id: Id('con_01jhm3wa2fe5h8x2z6tdq9vn4m') };
const customer = { object: Type.Literal('customer'), id: Id('cust_01jhm3vz1he1tr8kc5g7w2m0qp') };
const AssetChange = Type.Object({ object: Type.Literal('asset'), id: Id('ast_01jhm3w8v5e2ntq0v9bgr4kx7c') });
const DemandChange = Type.Object({
  object: Type.Literal('demand'),
  id: Id('dem_01jhm3wc4re8zs7k1y5vn2dq9f'),
});
const AlarmChange = Type.Object({
  object: Type.Literal('alarm'),
  id: Id('alm_01jhm5b2m8f4t9v6q3w7x1y0zk'),
  kind: Choice(ALARM_KINDS),
  severity: Choice(ALARM_SEVERITIES),
  tso: Nullable(TsoSchema),
  delivery_date: Nullable(Day('The German delivery day that it concerns.')),
  contract_id: Nullable(Type.String({ description: 'Id of the contract whose values are missing.' })),
});

/** The APIs whose feeds have events of a type. */
export type EventReader = 'brp' | 'operator' | 'account';
const OF_BRP: readonly EventReader[] = ['brp'];
const OF_OPERATOR: readonly EventReader[] = ['operator'];
const OF_BRP_AND_OPERATOR: readonly EventReader[] = ['brp', 'operator'];
const OF_ACCOUNTS: readonly EventReader[] = ['account'];
const OF_ALL: readonly EventReader[] = ['brp', 'operator', 'account'];

/** The readers of its events, what happened, and the members of `data`. */
const type = <D extends TObject>(readers: readonly EventReader[], description: string, data: D) => ({
  readers,
  description,
  data,
});

/** Every type of event: subject, a dot, and what happened to it. */
export const EVENT_TYPES = {
  'nomination.created': type(
    OF_BRP,
    'A version of a nomination was created: the first one, or a correction.',
    NominationChange,
  ),
  'nomination.sent': type(
    OF_BRP_AND_OPERATOR,
    'A schedule with the nomination was sent to the TSO.',
    NominationChange,
  ),
  'nomination.rejected': type(
    OF_BRP_AND_OPERATOR,
    'The TSO rejected the schedule with the nomination.',
    Type.Object({
      ...nomination,
      reasons: Type.Array(Type.String(), {
        description:
          'Codes of the reasons that the TSO gave, with its words about the series of this nomination after a space.',
      }),
    }),
  ),
  'nomination.matched': type(
    OF_BRP_AND_OPERATOR,
    'A confirmation of the TSO has set the status `match`.',
    NominationConfirmed,
  ),
  'nomination.mismatched': type(
    OF_BRP_AND_OPERATOR,
    'A confirmation of the TSO has set the status `partial_match`.',
    NominationConfirmed,
  ),
  'nomination.gate_closing': type(
    OF_BRP_AND_OPERATOR,
    'The day-ahead gate closes in 60 or in 15 minutes, and the nomination is not sent, or the TSO has reported a difference.',
    Type.Object({
      ...nomination,
      gate_closure: DateTime('The day-ahead gate.'),
      minutes_left: Type.Integer({ description: '60 or 15.', examples: [60] }),
      reason: Choice(['not_sent', 'differs'], { description: 'What is left to do.' }),
    }),
  ),
  'transactions.created': type(
    OF_BRP,
    'Volumes of a contract and a delivery day were added.',
    TransactionsOfDay,
  ),
  'transactions.corrected': type(
    OF_BRP,
    'Volumes of a contract and a delivery day were corrected, or valid again.',
    TransactionsOfDay,
  ),
  'transactions.invalidated': type(
    OF_BRP,
    'Transactions of a contract and a delivery day were invalidated.',
    TransactionsOfDay,
  ),
  'contract.created': type(OF_BRP, 'A contract was created.', Type.Object(contract)),
  'contract.updated': type(OF_BRP, 'A contract was changed.', Type.Object({ ...contract, changed: Changed })),
  'customer.assigned': type(OF_BRP, 'A customer was assigned to the BRP.', Type.Object(customer)),
  'customer.updated': type(
    OF_BRP,
    'A customer was changed. `brp_id` is a changed member if it was assigned to another BRP.',
    Type.Object({ ...customer, changed: Changed }),
  ),
  'balance_group.updated': type(
    OF_BRP,
    'The settings of a balance group were changed.',
    Type.Object({ object: Type.Literal('balance_group'), eic: Eic('The balance group.'), changed: Changed }),
  ),
  'api_key.expiring': type(
    OF_ALL,
    'An API key expires in 14 days or in 1 day.',
    Type.Object({
      object: Type.Literal('api_key'),
      id: Id('key_01jhm3w0ave6p8mxk2r5t7zj4h'),
      expires_at: DateTime('When it expires.'),
      days_left: Type.Integer({ description: '14 or 1.', examples: [14] }),
    }),
  ),
  'asset.published': type(OF_ACCOUNTS, 'An asset was offered on the market.', AssetChange),
  'asset.withdrawn': type(OF_ACCOUNTS, 'An asset is no longer offered on the market.', AssetChange),
  'demand.published': type(OF_ACCOUNTS, 'A demand was published on the market.', DemandChange),
  'demand.withdrawn': type(OF_ACCOUNTS, 'A demand was withdrawn from the market.', DemandChange),
  'exchange.alarm': type(
    OF_OPERATOR,
    'An alarm of the exchange has begun, or an open one has become critical.',
    AlarmChange,
  ),
  'exchange.alarm_resolved': type(
    OF_OPERATOR,
    'An alarm of the exchange has ended or was acknowledged.',
    AlarmChange,
  ),
  'series.updated': type(
    OF_OPERATOR,
    'Values of a series and a delivery day were added or corrected.',
    Type.Object({
      object: Type.Literal('series'),
      id: Id('ser_01k9x3w8v5e2ntq0v9bgr4kx7c'),
      delivery_date: Day('The German delivery day.'),
      slots: Type.Integer({ minimum: 1, description: 'Number of changed quarter-hours.', examples: [96] }),
    }),
  ),
  'webhook.disabled': type(
    OF_ALL,
    'A webhook endpoint was disabled, because it answered 410 or after five days of failures only.',
    Type.Object({
      object: Type.Literal('webhook_endpoint'),
      id: Id('whe_01k9x3w8v5e2ntq0v9bgr4kx7c'),
      reason: Choice(['gone', 'failing']),
    }),
  ),
} as const;

export type EventType = keyof typeof EVENT_TYPES;
export const EVENT_TYPE_NAMES = Object.keys(EVENT_TYPES) as EventType[];
const typesOf = (reader: EventReader) =>
  EVENT_TYPE_NAMES.filter((name) => EVENT_TYPES[name].readers.includes(reader));
export const EVENT_TYPES_OF: Readonly<Record<EventReader, readonly EventType[]>> = {
  brp: typesOf('brp'),
  operator: typesOf('operator'),
  account: typesOf('account'),
};

/** `data` of an event of the type. */
export type EventData<T extends EventType = EventType> = Static<(typeof EVENT_TYPES)[T]['data']>;
