import { CUSTOMER_STATUSES } from '@saldo/core/enums.ts';
import Type, { type Static } from 'typebox';
import { Choice, LIMITS, MetadataUpdate, Name, Page, paginationExample, Sort, Strict } from '../common.ts';
import {
  BalanceGroupUpdate,
  CUSTOMER_UPDATE_PROBLEMS,
  Customer,
  customerEndpoints,
  customerExample,
  customerFilters,
  customerPreviewExample,
  previewOf,
} from '../customers.ts';
import { endpoint, endpoints } from '../endpoint.ts';

export const OperatorCustomer = Type.Object(
  { ...Customer.properties, brp_id: Type.String({ description: 'The BRP that it is assigned to.' }) },
  { title: 'OperatorCustomer' },
);
export type OperatorCustomer = Static<typeof OperatorCustomer>;

const example: OperatorCustomer = { ...customerExample, brp_id: 'brp_01jhm3vq8ne0grs4f5c3hxkz2b' };
const pendingExample: OperatorCustomer = { ...example, status: 'pending', activated_at: null };

export const OperatorCustomerCreate = Strict(
  {
    brp_id: Type.String({ description: 'The BRP that it is assigned to.', examples: [example.brp_id] }),
    name: Name('Display name.', example.name),
    balance_group: Type.Optional(BalanceGroupUpdate),
    metadata: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        ...MetadataUpdate,
        additionalProperties: { type: 'string', maxLength: LIMITS.metadata.valueLength, format: 'text' },
        description: 'Free-form key-value pairs.',
        examples: [{ cost_center: '4711' }],
      }),
    ),
    status: Type.Optional(
      Choice(['pending', 'active'], {
        description: '`pending` (default) until its BRP activates it, or `active` from the start.',
        examples: ['pending'],
      }),
    ),
  },
  { title: 'OperatorCustomerCreate' },
);

export const OperatorCustomerUpdate = Strict(
  {
    name: Type.Optional(Name('Display name.', example.name)),
    brp_id: Type.Optional(
      Type.String({
        description:
          'Assigns it to another BRP, with a new `assigned_at`. Needs a `balance_group` of that BRP if it has contracts that deliver.',
        examples: [example.brp_id],
      }),
    ),
    status: Type.Optional(
      Choice(CUSTOMER_STATUSES, { description: 'The new status.', examples: ['active'] }),
    ),
    balance_group: Type.Optional(BalanceGroupUpdate),
    metadata: Type.Optional(MetadataUpdate),
  },
  { title: 'OperatorCustomerUpdate', 'x-read-only': ['id', 'assigned_at', 'activated_at', 'created_at'] },
);
export type OperatorCustomerUpdate = Static<typeof OperatorCustomerUpdate>;

const path = '/operator/v1/customers';

export const CUSTOMER_SORTS = ['name', '-name'] as const;
export type CustomerSort = (typeof CUSTOMER_SORTS)[number];

export const operatorCustomerEndpoints = endpoints('Customers', {
  operatorCreateCustomer: endpoint({
    method: 'POST',
    path,
    summary: 'Assign a customer to a BRP',
    description:
      'The customer is `pending` until its BRP activates it, or `active` from the start if `status` is `active`.',
    scopes: ['parties:write'],
    status: 201,
    body: OperatorCustomerCreate,
    response: OperatorCustomer,
    problems: ['balance_group_tso_not_enabled'],
    example: { request: { brp_id: example.brp_id, name: example.name }, response: pendingExample },
  }),
  operatorListCustomers: endpoint({
    method: 'GET',
    path,
    summary: 'List customers',
    description: 'The customers of all BRPs, oldest first unless sorted.',
    scopes: ['read'],
    query: Strict({
      brp_id: Type.Optional(Type.String({ description: 'Only this BRP’s.', examples: [example.brp_id] })),
      sort: Sort(CUSTOMER_SORTS),
      ...customerFilters,
    }),
    response: Page('customers', OperatorCustomer, 'OperatorCustomerList'),
    example: { response: { customers: [example], pagination: paginationExample } },
  }),
  operatorGetCustomer: endpoint({
    method: 'GET',
    path: `${path}/{customer_id}`,
    summary: 'Read a customer',
    description: 'One customer of any BRP. The answer has an `ETag`; `If-None-Match` is supported.',
    scopes: ['read'],
    response: OperatorCustomer,
    problems: ['customer_not_found'],
    example: { response: example },
    conditional: true,
  }),
  operatorUpdateCustomer: endpoint({
    method: 'PATCH',
    path: `${path}/{customer_id}`,
    summary: 'Change a customer',
    description:
      'The fields that its BRP may change, and its name and BRP. With the BRP, balance group and metadata are removed. `If-Match` is supported.',
    scopes: ['parties:write'],
    body: OperatorCustomerUpdate,
    response: OperatorCustomer,
    problems: CUSTOMER_UPDATE_PROBLEMS,
    example: { request: { name: example.name }, response: example },
    conditional: true,
  }),
  operatorPreviewCustomer: endpoint({
    method: 'POST',
    path: `${path}/{customer_id}/preview`,
    summary: 'Preview a change of a customer',
    description:
      'Checks a change like PATCH, with the same problems, and answers what it would do. Nothing is changed.',
    scopes: ['parties:write'],
    body: OperatorCustomerUpdate,
    response: previewOf(OperatorCustomer, 'OperatorCustomerPreview'),
    problems: CUSTOMER_UPDATE_PROBLEMS,
    ignoresIdempotencyKey: true,
    example: {
      request: { balance_group: { eic: '11XSWVIERNAU---D', tso: 'DE_AMPRION' } },
      response: { ...customerPreviewExample, customer: example },
    },
  }),
  operatorListPlacements: endpoint({
    ...customerEndpoints.listPlacements,
    path: `${path}/{customer_id}/placements`,
    scopes: ['read'],
  }),
});
