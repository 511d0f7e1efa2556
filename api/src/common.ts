import { DECIMAL_MARKS, TSOS } from '@saldo/core/enums.ts';
import Type, {
  type Static,
  type TArray,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnsafe,
} from 'typebox';

/** All limits of the API. */
export const LIMITS = {
  pageSize: { minimum: 1, maximum: 100, default: 10 },
  /** Up to this value every integer is exact as a JavaScript number. */
  pageNumber: { minimum: 1, maximum: 2 ** 53, default: 1 },
  bulkIds: { minimum: 1, maximum: 100 },
  slotNumber: { minimum: 1, maximum: 100 },
  metadata: { keys: 50, keyLength: 40, valueLength: 500 },
  searchLength: 200,
  nameLength: 200,
  /** The longest valid email address. */
  emailLength: 254,
  password: { minimum: 12, maximum: 128 },
  /** Passkeys per user. */
  passkeys: 20,
  /** In base64url: WebAuthn allows 1023 bytes. */
  credentialIdLength: 1364,
  /** More and longer than those of WebAuthn. */
  transports: { count: 10, length: 20 },
  /** Longer than any code of a second factor, with the spaces and hyphens that people type. */
  factorCodeLength: 40,
  externalIdLength: 100,
  /** Inquiries of account holders and the answers, and how many of an account may be open. */
  inquiryLength: 2000,
  openInquiries: 50,
  /** Sessions of a user that are listed. */
  sessions: 100,
  /** Longer ones are cut: a client may send any. */
  userAgentLength: 300,
  /** Addresses and networks from which an API key may be used. */
  allowedAddresses: { minimum: 1, maximum: 50, length: 43 },
  reasonLength: 500,
  idempotencyKeyLength: 200,
  /** One terawatt: more than any plant has, and still exact in kW. */
  powerMw: 1_000_000,
  /** The production of a plant of that power in a leap year. */
  annualMwh: 8_784_000_000,
  contractYears: { minimum: 1, maximum: 50 },
  priceEurPerMwh: { minimum: 0, maximum: 100_000 },
  additionalInfoLength: 5000,
  urlLength: 2000,
  /** Webhook endpoints per owner. */
  webhookEndpoints: 10,
  /** Events that one request replays. */
  replayEvents: 10_000,
  /** Limits of a cover image. */
  cover: { bytes: 5 * 1024 * 1024, sidePixels: 8192 },
  /** How many publications and withdrawals old a requested list version may be. */
  listVersions: 100_000,
  /** Maximum of one slot: a cell is a 32-bit number of kWh. */
  slotMwh: 2_147_483.647,
  /** One month in which both the old and the new key work. */
  keyGraceS: 31 * 24 * 3600,
  profileDays: 62,
  /** Maximum number of nominations that the preview of a change lists; all of them are counted. */
  previewedNominations: 100,
  /** Delivery days of a comparison of forecast and meter. */
  deviationDays: 366,
  /** Delivery days of an export, and exports at once of a key or user. */
  exports: { days: 366, atOnce: 4 },
  /** Maximum number of faulty import lines in a response; all of them are counted. */
  rejectedLines: 1000,
  /** Maximum number of incomplete days in the response of an import; all of them are counted. */
  incompleteDays: 20,
  /** Maximum number of changed days that the audit event of an import names; all of them are counted. */
  auditedDays: 100,
  /** Maximum length of an import line; a whole day is a few kilobytes. */
  importLineBytes: 64 * 1024,
  /** Default maximum size of a TSO message; the largest realistic one has half of it. */
  messageMb: { minimum: 1, maximum: 512, default: 64 },
  /** Maximum size of a schedule to check: about 1,200 series as CSV. */
  scheduleBytes: 16 * 1024 * 1024,
  /** Maximum number of findings of a check. A file of small faulty series has thousands. */
  scheduleFindings: 1000,
  /** Three digits. */
  messageVersion: { minimum: 1, maximum: 999 },
  /** Maximum number of field errors in a response. It bounds the cost of a request that is built to cause many. */
  fieldErrors: 1000,
  /** Maximum waiting time of a long poll. */
  eventWaitS: { minimum: 0, maximum: 30, default: 0 },
  eventTypes: 50,
  /** What the log of requests keeps of a path with its query. */
  loggedPathLength: 1000,
  bodyBytes: 1024 * 1024,
  headerBytes: 16 * 1024,
} as const;

/** An object that rejects unknown members. */
export const Strict = <P extends TProperties>(properties: P, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

type MemberOf<T> = T extends unknown ? keyof T : never;
/** A union of objects whose members can be read before it is narrowed: those of the other objects are absent. */
type Exclusive<T, All extends PropertyKey = MemberOf<T>> = T extends unknown
  ? T & { [K in Exclude<All, keyof T>]?: never }
  : never;

/**
 * One of several objects, which differ in the constant value of a member. Every choice needs a title. Another API may have
 * more members in each: it makes its choices from `oneOf`.
 */
export const OneOf = <T extends TObject>(member: string, choices: readonly T[], options: object = {}) =>
  Type.Unsafe<Exclusive<Static<T>>>({
    ...options,
    oneOf: choices,
    discriminator: { propertyName: member },
  }) as TUnsafe<Exclusive<Static<T>>> & { readonly oneOf: readonly T[] };

/** A string enum. `type` is set as well because client generators look for it. */
export const Choice = <const V extends string>(values: readonly V[], options: object = {}) =>
  Type.Enum([...values], { type: 'string', ...options });

export const TsoSchema = Choice(TSOS, {
  title: 'Tso',
  description: 'Transmission system operator.',
  examples: ['DE_AMPRION'],
});

/** Text that a person enters and that is displayed again. */
export const Name = (description: string, example: string) =>
  Type.String({
    minLength: 1,
    maxLength: LIMITS.nameLength,
    format: 'name',
    description,
    examples: [example],
  });

export const Metadata = (description: string) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    description,
    additionalProperties: { type: 'string' },
    examples: [{ cost_center: '4711' }],
  });

/** A metadata patch: null removes a key. */
export const MetadataUpdate = Type.Unsafe<Record<string, string | null>>({
  type: 'object',
  description: 'Merged into the existing metadata; a key set to null is removed.',
  propertyNames: { minLength: 1, maxLength: LIMITS.metadata.keyLength, format: 'text' },
  additionalProperties: {
    type: ['string', 'null'],
    maxLength: LIMITS.metadata.valueLength,
    format: 'text',
  },
  examples: [{ cost_center: '4711', old_key: null }],
});

export const DateTime = (description: string, example = '2026-01-15T14:00:00Z') =>
  Type.String({ format: 'date-time', description, examples: [example] });

export const Day = (description: string) =>
  Type.String({ format: 'date', description, examples: ['2026-10-25'] });

export const Eic = (description: string) => Type.String({ description, examples: ['11XNORDWIND----J'] });

export const MwhSchema = (description: string) => Type.Number({ description, examples: [1.25] });

export const SlotNumber = (description: string) =>
  Type.Integer({ ...LIMITS.slotNumber, description, examples: [61] });

/** Answers the question of a CSV file whose numbers have two readings. */
export const Decimal = Type.Optional(
  Choice(DECIMAL_MARKS, {
    description:
      'The decimal mark of a CSV file. Needed only if the file does not show it: with semicolons as delimiter, `1.234` may be 1.234 or 1234.',
    examples: ['comma'],
  }),
);

/** A boolean query parameter, described as the two strings that it accepts. */
export const Flag = (description: string) =>
  Type.Optional(Choice(['true', 'false'], { default: 'false', description, examples: ['true'] }));

export const Pagination = Type.Object(
  {
    limit: Type.Integer({ description: 'Items per page.', examples: [10] }),
    has_more: Type.Boolean({
      description: 'Whether more records exist after the last one returned.',
      examples: [true],
    }),
    next_cursor: Nullable(
      Type.String({ description: 'Send as `after` for the next page; null when there is none.' }),
    ),
  },
  { title: 'Pagination' },
);
export type Pagination = Static<typeof Pagination>;

/** A page of a list: the records under their name, and where the list goes on. */
export const Page = <const Name extends string, T extends TSchema>(name: Name, record: T, title: string) =>
  Type.Object(
    { [name]: Type.Array(record), pagination: Pagination } as Record<Name, TArray<T>> & {
      pagination: typeof Pagination;
    },
    { title },
  );

/** Pagination of a list that fits on one page. */
export const paginationExample: Pagination = { limit: 10, has_more: false, next_cursor: null };

export const LIST_ORDERS = ['oldest_first', 'newest_first'] as const;
export type ListOrder = (typeof LIST_ORDERS)[number];

/** The query parameter `sort` of a list. Every order has an index. */
export const Sort = <const S extends string>(sorts: readonly S[]) =>
  Type.Optional(
    Choice(sorts, {
      description:
        'The order, instead of that of creation; `-` for descending. Texts are compared without regard to upper case and accents.',
      examples: [sorts[0]],
    }),
  );

/** Programs read a list from its beginning; people look at its end. */
export const Order = Type.Optional(
  Choice(LIST_ORDERS, {
    default: 'oldest_first',
    description: 'From which end it is read.',
    examples: ['newest_first'],
  }),
);

export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({ ...LIMITS.pageSize, description: 'Number of records per page.', examples: [100] }),
  ),
  after: Type.Optional(
    Type.String({
      description:
        '`pagination.next_cursor` of the previous page. It is bound to this list and these filters.',
      examples: ['WyIyMDI2LTAxLTE1Iiw0MiwxNCwxXQ.k7Jr0WcP2dQx'],
    }),
  ),
};

export const Search = (description: string, example: string) =>
  Type.Optional(Type.String({ maxLength: LIMITS.searchLength, description, examples: [example] }));

/** Descriptions of the operation groups, by tag. */
export const TAGS: Readonly<Record<string, string>> = {
  Contracts: 'Energy agreements in which the seller’s or the buyer’s balance group is yours.',
  Transactions: 'The quarter-hour volumes of your contracts, with all their versions.',
  Nominations: 'Nominations of your balance groups to the TSO: the net saldo of their valid transactions.',
  Exports: 'Whole lists as one file: CSV, NDJSON or Parquet.',
  Ledger: 'Seals of the ledger of all changes, and proofs that records are in it.',
  Customers: 'Consumers and producers that are assigned to you.',
  'Balance groups': 'Your balance groups, and the control areas in which each is enabled.',
  Events: 'Changes of your records, as a feed that can be read again from any place.',
  Webhooks: 'Endpoints of yours that events are sent to, and the deliveries.',
  Requests: 'The log of your requests: of your keys, and of your users in the portal.',
  'Delivery days': 'The calendar: slots and gates of a German delivery day.',
  Parties: 'BRPs, their balance groups, accounts, and keys.',
  Assets: 'Plants that contracts deliver from, and their offers in the customer API.',
  Demands: 'Demands of buyers in the customer API.',
  Inquiries: 'Questions of account holders about offers and demands.',
  Series: 'Forecasts and meters of plants and customers, and their values.',
  Volumes: 'Import of quarter-hour volumes.',
  Exchange: 'Schedules sent to the TSOs, and their answers.',
  Users: 'Users of the portal.',
  Platform: 'The platform’s health, the audit trail, and the clock of a sandbox.',
};

/** The same for the operator, who owns no records and sees all of them. */
export const OPERATOR_TAGS: Readonly<Record<string, string>> = {
  ...TAGS,
  Contracts: 'Energy agreements between two customers, of any BRPs.',
  Nominations: 'Nominations of all balance groups: the net saldo of their valid transactions.',
  Customers: 'Consumers and producers, each assigned to a BRP.',
  Events: 'Changes that concern the operator, as a feed that can be read again from any place.',
};

/** Descriptions of the tags of the portal API. */
export const PORTAL_TAGS: Readonly<Record<string, string>> = {
  Session: 'Sign-in, invitations and passwords of users.',
  Passkeys: 'Sign-in with passkeys (WebAuthn), and the passkeys of the user.',
  'Second factor': 'One-time codes and recovery codes of users.',
  'Own records': 'API keys and contracts of the BRP or account that the user works for.',
  Market: 'The lists of the customer API, for users of an account.',
  Changes: 'Which records have changed, for open pages.',
  Requests: TAGS['Requests'] ?? '',
};

/** Descriptions of the path parameters; a malformed id gives 404. */
export const PATH_PARAMETERS: Record<string, { readonly description: string; readonly example: string }> = {
  contract_id: { description: 'Id of the contract.', example: 'con_01jhm3wa2fe5h8x2z6tdq9vn4m' },
  transaction_id: {
    description: 'Id of any version of the transaction.',
    example: 'txn_01jhm4q7sqe8h9w3tb5k2x0rax',
  },
  nomination_id: {
    description: 'Id of any version of the nomination.',
    example: 'nom_01jhm52x6yf6rbkm2s8hq3j5zd',
  },
  export_id: {
    description: 'Id of the export, from its header `X-Saldo-Export-Id`.',
    example: 'WyJub21pbmF0aW9ucyIsImNzdiIsMTc2ODQwMDcwMDAwMCwie30iXQ.Zm9vYmFyYmF6cXV4',
  },
  inquiry_id: { description: 'Id of the inquiry.', example: 'inq_01jhm3wc4re8zs7k1y5vn2dq9f' },
  customer_id: { description: 'Id of the customer.', example: 'cust_01jhm3vz1he1tr8kc5g7w2m0qp' },
  brp_id: { description: 'Id of the BRP.', example: 'brp_01jhm3vq8ne0grs4f5c3hxkz2b' },
  key_id: { description: 'Id of the API key.', example: 'key_01jhm3w0ave6p8mxk2r5t7zj4h' },
  session_id: { description: 'Id of the session.', example: 'ses_01jhm3w8c4e6rv9q2d5n7k1x3b' },
  user_id: { description: 'Id of the user.', example: 'user_01jhm3w4t9e3rvbq6d8n2k5x7c' },
  provider_id: { description: 'Id of the identity provider.', example: 'nordwind' },
  token: { description: 'The text after the `#` of an invitation’s link.', example: 'k3…' },
  passkey_id: { description: 'Id of the passkey.', example: 'pkey_01jhm3w4t9e3rvbq6d8n2k5x7c' },
  asset_id: { description: 'Id of the asset.', example: 'ast_01jhm3w8v5e2ntq0v9bgr4kx7c' },
  demand_id: { description: 'Id of the demand.', example: 'dem_01jhm3wc4re8zs7k1y5vn2dq9f' },
  record_id: {
    description: 'Id of the customer, or EIC of the balance group.',
    example: 'cust_01jhm3vz1he1tr8kc5g7w2m0qp',
  },
  series_id: { description: 'Id of the series.', example: 'ser_01k9x3w8v5e2ntq0v9bgr4kx7c' },
  interchange_id: {
    description: 'Id of the interchange.',
    example: 'icg_01k9x41m8qf4t9v6q3w7x1y0zk',
  },
  message_id: { description: 'Id of the message.', example: 'msg_01jhm55t4kfdgv3y8n2c6q1w9r' },
  eic: { description: 'EIC of the balance group.', example: '11XNORDWIND----J' },
  webhook_endpoint_id: {
    description: 'Id of the webhook endpoint.',
    example: 'whe_01k9x3w8v5e2ntq0v9bgr4kx7c',
  },
  webhook_delivery_id: { description: 'Id of the delivery.', example: 'whd_01k9x41m8qf4t9v6q3w7x1y0zk' },
  alarm_id: { description: 'Id of the alarm.', example: 'alm_01jhm5b2m8f4t9v6q3w7x1y0zk' },
  event_id: { description: 'Id of the event.', example: 'evt_01m7fmt31rf7krgde08br5b6y1' },
  request_id: {
    description: 'The `X-Request-Id` of the answer.',
    example: 'req_0f9d3c1f5e0b4a8f9c54f8f3a6f0d2b7',
  },
  delivery_date: { description: 'A German delivery day.', example: '2026-10-25' },
  date: { description: 'A German delivery day.', example: '2026-10-25' },
};

/** Pairs of query parameters that form a range: the second of each pair must not be before the first. */
export const ordered = (...pairs: [string, string][]) => ({ 'x-ordered': pairs });

/** The query must limit the delivery time, to at most this many delivery days. */
export const deliveryDaysAtMost = (days: number) => ({ 'x-delivery-days': days });

export const deliveryQuery = {
  delivery_date: Type.Optional(
    Day('The German delivery day, local midnight to local midnight: shorthand for the full-day range.'),
  ),
  delivery_start: Type.Optional(DateTime('Delivery starts at or after this time.', '2026-10-24T22:00:00Z')),
  delivery_end: Type.Optional(DateTime('Delivery ends at or before this time.', '2026-10-25T23:00:00Z')),
};

/** The instant of a read of transactions and nominations. A POST has it in its body. */
export const asOfQuery = {
  as_of: Type.Optional(
    DateTime('The records as they were at this instant, which is not in the future.', '2026-01-14T14:25:00Z'),
  ),
};

export const slotQuery = {
  slot_number_from: Type.Optional(SlotNumber('The first slot number to return.')),
  slot_number_to: Type.Optional(SlotNumber('The last slot number to return.')),
};

export const BulkIds = (example: string, what = 'Ids') =>
  Type.Array(Type.String(), {
    minItems: LIMITS.bulkIds.minimum,
    maxItems: LIMITS.bulkIds.maximum,
    description: `${what} to read. Unknown and inaccessible ones are omitted.`,
    examples: [[example]],
  });

/** The GET variant of a bulk read takes the ids in the query. */
export const bulkQuery = (example: string) => ({ ids: BulkIds(example, 'Comma-separated or repeated ids') });
