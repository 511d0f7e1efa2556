import { CUSTOMER_STATUSES, DIRECTIONS } from '@saldo/core/enums.ts';
import Type, { type Static } from 'typebox';
import {
  Choice,
  DateTime,
  Day,
  Eic,
  LIMITS,
  Metadata,
  MetadataUpdate,
  MwhSchema,
  Nullable,
  Page,
  pageQuery,
  paginationExample,
  Search,
  Strict,
  TsoSchema,
} from './common.ts';
import { endpoint, endpoints } from './endpoint.ts';

export const BalanceGroup = Type.Object(
  { eic: Eic('EIC code of the balance group.'), tso: TsoSchema },
  { title: 'BalanceGroup' },
);
export type BalanceGroup = Static<typeof BalanceGroup>;

export const Customer = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: 'Display name.' }),
    status: Choice(CUSTOMER_STATUSES),
    balance_group: Nullable(BalanceGroup),
    metadata: Metadata('Free-form key-value pairs, defined by you.'),
    assigned_at: DateTime('When the customer was assigned to you, UTC.'),
    activated_at: Type.Optional(Nullable(DateTime('When the customer was last activated, UTC.'))),
    created_at: DateTime('Creation, UTC.'),
  },
  { title: 'Customer' },
);
export type Customer = Static<typeof Customer>;

export const CustomerList = Page('customers', Customer, 'CustomerList');

/** Fields of a customer that a PATCH must not contain; sending one gives `read_only_field`, not `unknown_field`. */
export const CUSTOMER_READ_ONLY_FIELDS = ['id', 'name', 'assigned_at', 'activated_at', 'created_at'] as const;

export const BalanceGroupUpdate = Strict(
  {
    eic: Type.String({
      format: 'eic',
      description: 'One of your balance groups.',
      examples: ['11XRHEINSTROM--O'],
    }),
    tso: TsoSchema,
  },
  { title: 'BalanceGroupUpdate' },
);

export const CustomerUpdate = Strict(
  {
    status: Type.Optional(
      Choice(CUSTOMER_STATUSES, { description: 'The new status.', examples: ['active'] }),
    ),
    balance_group: Type.Optional(BalanceGroupUpdate),
    metadata: Type.Optional(MetadataUpdate),
  },
  { title: 'CustomerUpdate', 'x-read-only': CUSTOMER_READ_ONLY_FIELDS },
);
export type CustomerUpdate = Static<typeof CustomerUpdate>;

export const customerExample: Customer = {
  id: 'cust_01jhm3vz1he1tr8kc5g7w2m0qp',
  name: 'Stadtwerke Viernau',
  status: 'active',
  balance_group: { eic: '11XSWVIERNAU---D', tso: 'DE_AMPRION' },
  metadata: { cost_center: '4711' },
  assigned_at: '2025-10-20T08:00:00Z',
  activated_at: '2025-10-21T09:30:00Z',
  created_at: '2025-10-20T08:00:00Z',
};

export const Placement = Type.Object(
  {
    balance_group: BalanceGroup,
    first_day: Nullable(Day('First delivery day; null for the first placement, which has no beginning.')),
    last_day: Nullable(Day('Last delivery day; null for the newest placement, which has no end.')),
  },
  { title: 'Placement' },
);
export type Placement = Static<typeof Placement>;

export const PlacementList = Type.Object({ placements: Type.Array(Placement) }, { title: 'PlacementList' });

/** What a change would do. `record` is the customer as the caller sees it. */
export const previewOf = <T extends typeof Customer>(record: T, title: string) =>
  Type.Object(
    {
      effective_day: Day('The first delivery day that the change would apply to.'),
      customer: record,
      contracts: Type.Integer({
        description: 'Number of contracts that would change and deliver from then on.',
      }),
      transactions: Type.Integer({ description: 'Number of transactions that would change.' }),
      nominations: Type.Array(
        Type.Object({
          eic: Eic('EIC of the balance group.'),
          tso: TsoSchema,
          delivery_date: Day('The delivery day.'),
          direction: Choice(DIRECTIONS),
        }),
        {
          description: `The nominations that would get a new version, the first ${LIMITS.previewedNominations} by delivery day.`,
        },
      ),
      nominations_total: Type.Integer({ description: 'Number of all of them.' }),
      energy: Type.Array(
        Type.Object({
          eic: Eic('EIC of the balance group.'),
          tso: TsoSchema,
          direction: Choice(DIRECTIONS),
          before: MwhSchema('Energy of these nominations today, MWh.'),
          after: MwhSchema('Their energy after the change, MWh.'),
        }),
        {
          description: `The energy of all these nominations per balance group, TSO and direction, the first ${LIMITS.previewedNominations}. BRPs see only their own.`,
        },
      ),
    },
    { title },
  );
export const CustomerPreview = previewOf(Customer, 'CustomerPreview');
export type CustomerPreview = Static<typeof CustomerPreview>;

export const placementListExample: Static<typeof PlacementList> = {
  placements: [
    {
      balance_group: { eic: '11XSWVIERNAU---D', tso: 'DE_AMPRION' },
      first_day: '2026-03-01',
      last_day: null,
    },
    {
      balance_group: { eic: '11XRHEINSTROM--O', tso: 'DE_AMPRION' },
      first_day: null,
      last_day: '2026-02-28',
    },
  ],
};
export const customerPreviewExample: CustomerPreview = {
  effective_day: '2026-03-01',
  customer: customerExample,
  contracts: 1,
  transactions: 96,
  nominations: [
    { eic: '11XRHEINSTROM--O', tso: 'DE_AMPRION', delivery_date: '2026-03-01', direction: 'in' },
    { eic: '11XSWVIERNAU---D', tso: 'DE_AMPRION', delivery_date: '2026-03-01', direction: 'in' },
  ],
  nominations_total: 2,
  energy: [
    { eic: '11XRHEINSTROM--O', tso: 'DE_AMPRION', direction: 'in', before: 24, after: 0 },
    { eic: '11XSWVIERNAU---D', tso: 'DE_AMPRION', direction: 'in', before: 0, after: 24 },
  ],
};

/** Problems of a change of a customer, and of its preview. */
export const CUSTOMER_UPDATE_PROBLEMS = [
  'balance_group_tso_not_enabled',
  'customer_not_found',
  'already_active',
  'invalid_status_transition',
  'precondition_failed',
] as const;

/** Filters of customer lists, the same for all viewers. */
export const customerFilters = {
  status: Type.Optional(
    Choice(CUSTOMER_STATUSES, {
      description: 'Only customers of this status.',
      examples: ['active'],
    }),
  ),
  eic: Type.Optional(Eic('EIC of the customer’s balance group.')),
  tso: Type.Optional(TsoSchema),
  search: Search('Part of the name or of a metadata value, in upper or lower case.', 'stadtwerke'),
  ...pageQuery,
};

export const customerEndpoints = endpoints('Customers', {
  listCustomers: endpoint({
    method: 'GET',
    path: '/v1/customers',
    summary: 'List customers',
    description: 'The customers assigned to you, oldest first.',
    scopes: ['customers:read'],
    query: Strict(customerFilters),
    response: CustomerList,
    example: { response: { customers: [customerExample], pagination: paginationExample } },
  }),
  getCustomer: endpoint({
    method: 'GET',
    path: '/v1/customers/{customer_id}',
    summary: 'Read a customer',
    description: 'One customer. The answer has an `ETag`; `If-None-Match` is supported.',
    scopes: ['customers:read'],
    response: Customer,
    problems: ['customer_not_found'],
    example: { response: customerExample },
    conditional: true,
  }),
  updateCustomer: endpoint({
    method: 'PATCH',
    path: '/v1/customers/{customer_id}',
    summary: 'Update a customer',
    description:
      'Activates or deactivates a customer, changes its balance group, or manages its metadata, all or nothing. Status and balance group apply from the next delivery day on whose day-ahead gate is open; transactions of that day and later that are stored already are corrected in the same step, and their nominations follow. `If-Match` is supported.',
    scopes: ['customers:write'],
    body: CustomerUpdate,
    response: Customer,
    problems: CUSTOMER_UPDATE_PROBLEMS,
    example: {
      request: { status: 'active', metadata: { cost_center: '4711' } },
      response: customerExample,
    },
    conditional: true,
  }),
  previewCustomer: endpoint({
    method: 'POST',
    path: '/v1/customers/{customer_id}/preview',
    summary: 'Preview an update of a customer',
    description:
      'Checks an update like PATCH, with the same problems, and answers what it would do. Nothing is changed.',
    scopes: ['customers:write'],
    body: CustomerUpdate,
    response: CustomerPreview,
    problems: CUSTOMER_UPDATE_PROBLEMS,
    ignoresIdempotencyKey: true,
    example: {
      request: { balance_group: { eic: '11XSWVIERNAU---D', tso: 'DE_AMPRION' } },
      response: customerPreviewExample,
    },
  }),
  listPlacements: endpoint({
    method: 'GET',
    path: '/v1/customers/{customer_id}/placements',
    summary: 'Read the placements of a customer',
    description:
      'The balance groups of a customer by delivery day, newest first. Volumes use the one of their day.',
    scopes: ['customers:read'],
    response: PlacementList,
    problems: ['customer_not_found'],
    example: { response: placementListExample },
  }),
});
