import { PROFILE_KINDS } from '@saldo/core/enums.ts';
import Type, { type Static } from 'typebox';
import {
  Choice,
  DateTime,
  LIMITS,
  Name,
  Nullable,
  OneOf,
  ordered,
  Page,
  paginationExample,
  Sort,
  Strict,
} from '../common.ts';
import {
  assetExample,
  CONTRACT_TYPES,
  contractExample,
  contractFilters,
  contractSearch,
  DayAheadContract,
  IntradayContract,
  PPA_TYPES,
  PpaContract,
} from '../contracts.ts';
import { endpoint, endpoints } from '../endpoint.ts';

const power = (description: string, example: number) =>
  Type.Number({ minimum: 0, maximum: LIMITS.powerMw, description, examples: [example] });

/**
 * Profile of a contract whose volumes the platform generates. Power is in MW, in steps of 0.004 MW: whole kWh per slot.
 * The kind is the contract's `ppa_type`; repeating it here is allowed, and an indexed contract has to state it.
 */
export const Profile = Strict(
  {
    kind: Type.Optional(
      Choice(PROFILE_KINDS, {
        description: 'The same as `ppa_type`; required if that is `indexed`.',
        examples: ['baseload'],
      }),
    ),
    power: Type.Union(
      [
        power('MW: in every slot of `baseload`, Monday to Friday from 8 to 20 o’clock of `peakload`.', 5),
        Type.Array(Type.Array(power('MW in this hour.', 5), { minItems: 24, maxItems: 24 }), {
          minItems: 12,
          maxItems: 12,
          description: 'For `shaped`: MW per month and local hour of the day.',
        }),
      ],
      { examples: [5] },
    ),
  },
  { title: 'Profile' },
);
export type Profile = Static<typeof Profile>;

/** Where the volumes of a contract come from, if the platform computes them from series. */
export const Source = Strict(
  {
    forecast: Nullable(
      Type.String({
        description: 'Id of a series of forecasts.',
        examples: ['ser_01k9x3w8v5e2ntq0v9bgr4kx7c'],
      }),
    ),
    meter: Nullable(
      Type.String({
        description: 'Id of a series of a meter.',
        examples: ['ser_01k9x3w8v5e2ntq0v9bgr4kx7d'],
      }),
    ),
    share: Type.Number({
      description: 'Share of the energy, above 0 and up to 1, with at most 6 decimals.',
      examples: [0.5],
    }),
    max_power_mw: Nullable(power('The volumes are cut at this power; at most 3 decimals.', 20)),
  },
  { title: 'Source' },
);
export type Source = Static<typeof Source>;
const SourceInput = Strict(
  {
    ...Source.properties,
    forecast: Type.Optional(Source.properties.forecast),
    meter: Type.Optional(Source.properties.meter),
    max_power_mw: Type.Optional(Source.properties.max_power_mw),
  },
  { title: 'SourceInput' },
);
export type SourceInput = Static<typeof SourceInput>;

/** What only the operator sees of a contract. */
export const OperatorContract = OneOf(
  'type',
  [
    Type.Object(
      {
        ...PpaContract.properties,
        source: Nullable(Source),
      },
      {
        title: 'OperatorPpaContract',
        description: 'A PPA. `source` is null if its volumes come from a profile or an import.',
      },
    ),
    DayAheadContract,
    IntradayContract,
  ],
  { title: 'OperatorContract' },
);
export type OperatorContract = Static<typeof OperatorContract>;

export const OperatorContractCreate = Strict(
  {
    external_id: Type.String({
      minLength: 1,
      maxLength: LIMITS.externalIdLength,
      format: 'text',
      description: 'External reference, used once.',
      examples: [contractExample.external_id],
    }),
    type: Choice(CONTRACT_TYPES, { description: 'Only `ppa` contracts accept volumes.', examples: ['ppa'] }),
    seller_customer_id: Type.String({ examples: ['cust_01jhm3vz1he1tr8kc5g7w2m0qp'] }),
    buyer_customer_id: Type.String({ examples: ['cust_01jhm3vz8xe2mr7ka1g4w9n5tq'] }),
    delivery_start: Type.Optional(Nullable(DateTime('A local midnight.', '2025-12-31T23:00:00Z'))),
    delivery_end: Type.Optional(Nullable(DateTime('A local midnight.', '2030-12-31T23:00:00Z'))),
    ppa_type: Type.Optional(
      Nullable(Choice(PPA_TYPES, { description: 'For `ppa` only.', examples: ['produced'] })),
    ),
    period: Type.Optional(Nullable(Name('Display name of the period; for `ppa` only.', '2026–2030'))),
    delivery_profile: Type.Optional(Nullable(Name('Name of the profile; for `ppa` only.', 'as produced'))),
    asset_id: Type.Optional(
      Nullable(Type.String({ description: 'For `ppa` only.', examples: [assetExample.id] })),
    ),
    profile: Type.Optional(Nullable(Profile)),
    source: Type.Optional(Nullable(SourceInput)),
  },
  { title: 'OperatorContractCreate', ...ordered(['delivery_start', 'delivery_end']) },
);
export type OperatorContractCreate = Static<typeof OperatorContractCreate>;

const operatorContractExample = { ...contractExample, source: null };

const creation = {
  external_id: contractExample.external_id,
  type: 'ppa',
  seller_customer_id: 'cust_01jhm3vz1he1tr8kc5g7w2m0qp',
  buyer_customer_id: 'cust_01jhm3vz8xe2mr7ka1g4w9n5tq',
  delivery_start: contractExample.delivery_start,
  delivery_end: contractExample.delivery_end,
  ppa_type: 'produced',
};

/** Orders of the operator's contracts that an index serves. */
export const CONTRACT_SORTS = ['external_id', '-external_id', 'delivery_start', '-delivery_start'] as const;
export type ContractSort = (typeof CONTRACT_SORTS)[number];

export const operatorContractEndpoints = endpoints('Contracts', {
  createContract: endpoint({
    method: 'POST',
    path: '/operator/v1/contracts',
    summary: 'Sign a contract',
    description:
      'Both customers need a balance group; the contract keeps their names, EICs and TSOs as of now. With a `profile` the platform generates the volumes.',
    scopes: ['contracts:write'],
    status: 201,
    body: OperatorContractCreate,
    response: OperatorContract,
    problems: ['already_exists', 'shares_exceeded'],
    example: { request: creation, response: operatorContractExample },
  }),
  operatorListContracts: endpoint({
    method: 'GET',
    path: '/operator/v1/contracts',
    summary: 'List contracts',
    description: 'All contracts, oldest first unless sorted.',
    scopes: ['read'],
    query: Strict(
      {
        external_id: Type.Optional(
          Type.String({ description: 'Only the contract with this reference.', examples: ['PPA-2026-0017'] }),
        ),
        search: contractSearch,
        sort: Sort(CONTRACT_SORTS),
        ...contractFilters,
      },
      ordered(['delivery_start', 'delivery_end']),
    ),
    response: Page('contracts', OperatorContract, 'OperatorContractList'),
    example: { response: { contracts: [operatorContractExample], pagination: paginationExample } },
  }),
  operatorGetContract: endpoint({
    method: 'GET',
    path: '/operator/v1/contracts/{contract_id}',
    summary: 'Read a contract',
    description: 'One contract, of any BRP. The answer has an `ETag`; `If-None-Match` is supported.',
    scopes: ['read'],
    response: OperatorContract,
    problems: ['contract_not_found'],
    conditional: true,
    example: { response: operatorContractExample },
  }),
  updateContract: endpoint({
    method: 'PATCH',
    path: '/operator/v1/contracts/{contract_id}',
    summary: 'End a contract early, set its dates, or change its source',
    description:
      'An earlier `delivery_end` invalidates all transactions from then on. A later one makes those valid again that an earlier end or a deactivation had invalidated. Dates that were null can be set once. A source holds from the next delivery day on that can still change; null ends it. `If-Match` is supported.',
    scopes: ['contracts:write'],
    body: Strict(
      {
        delivery_start: Type.Optional(
          DateTime('A local midnight; only where it was null.', '2025-12-31T23:00:00Z'),
        ),
        delivery_end: Type.Optional(DateTime('A local midnight.', '2027-12-31T23:00:00Z')),
        source: Type.Optional(Nullable(SourceInput)),
      },
      {
        title: 'OperatorContractUpdate',
        'x-read-only': ['id', 'external_id', 'type', 'status', 'seller', 'buyer', 'created_at'],
        ...ordered(['delivery_start', 'delivery_end']),
      },
    ),
    response: OperatorContract,
    problems: ['contract_not_found', 'shares_exceeded', 'precondition_failed'],
    conditional: true,
    example: { request: { delivery_end: '2027-12-31T23:00:00Z' }, response: operatorContractExample },
  }),
});
