import Type, { type Static } from 'typebox';
import { DateTime, Nullable, Page, pageQuery, paginationExample, Sort, Strict } from '../common.ts';
import { endpoint, endpoints } from '../endpoint.ts';
import { AdditionalInfo, AnnualMwh, CountryCode, State, Years } from './market-members.ts';

const demandMembers = {
  contract_period: Years('Years.'),
  delivery_volume: AnnualMwh('MWh a year, at most 3 decimals.', 24_000),
  additional_info: AdditionalInfo,
  country: CountryCode,
  state: State,
  delivery_start: Nullable(DateTime('Requested start of delivery.', '2027-01-01T00:00:00Z')),
};

const DEMAND_ID = 'dem_01jhm3wc4re8zs7k1y5vn2dq9f';
const DEMAND_READ_ONLY = { 'x-read-only': ['id', 'published_at'] };

export const DemandCreate = Strict(
  {
    ...demandMembers,
    additional_info: Type.Optional(demandMembers.additional_info),
    state: Type.Optional(demandMembers.state),
    delivery_start: Type.Optional(demandMembers.delivery_start),
  },
  { title: 'DemandCreate', ...DEMAND_READ_ONLY },
);
export type DemandCreate = Static<typeof DemandCreate>;

export const DemandUpdate = Strict(
  {
    ...DemandCreate.properties,
    contract_period: Type.Optional(demandMembers.contract_period),
    delivery_volume: Type.Optional(demandMembers.delivery_volume),
    country: Type.Optional(demandMembers.country),
  },
  { title: 'DemandUpdate', ...DEMAND_READ_ONLY },
);
export type DemandUpdate = Static<typeof DemandUpdate>;

export const Demand = Type.Object(
  {
    id: Type.String({ examples: [DEMAND_ID] }),
    ...demandMembers,
    published_at: DateTime('When it was published.'),
  },
  { title: 'Demand' },
);
export type Demand = Static<typeof Demand>;

const newDemandExample = {
  contract_period: 10,
  delivery_volume: 24_000,
  additional_info: 'Baseload for a foundry; guarantees of origin wanted.',
  country: 'DE',
  state: 'Hessen',
  delivery_start: '2027-01-01T00:00:00Z',
};
const demandExample = {
  id: DEMAND_ID,
  ...newDemandExample,
  published_at: '2026-10-20T08:00:00Z',
};

export const DEMAND_SORTS = ['published_at', '-published_at'] as const;
export type DemandSort = (typeof DEMAND_SORTS)[number];

export const operatorDemandEndpoints = endpoints('Demands', {
  createDemand: endpoint({
    method: 'POST',
    path: '/operator/v1/demands',
    summary: 'Publish a demand',
    description: 'A demand is listed in the customer API until it is deleted.',
    scopes: ['market:write'],
    status: 201,
    body: DemandCreate,
    response: Demand,
    example: { request: newDemandExample, response: demandExample },
  }),
  listDemands: endpoint({
    method: 'GET',
    path: '/operator/v1/demands',
    summary: 'List demands',
    description: 'All demands, oldest first unless sorted.',
    scopes: ['read'],
    query: Strict({
      country: Type.Optional(Type.String({ description: 'Only of this country.', examples: ['DE'] })),
      sort: Sort(DEMAND_SORTS),
      ...pageQuery,
    }),
    response: Page('demands', Demand, 'OperatorDemandList'),
    example: { response: { demands: [demandExample], pagination: paginationExample } },
  }),
  getDemand: endpoint({
    method: 'GET',
    path: '/operator/v1/demands/{demand_id}',
    summary: 'Read a demand',
    description: 'One demand, by its id. The answer has an `ETag`; `If-None-Match` is supported.',
    scopes: ['read'],
    response: Demand,
    problems: ['demand_not_found'],
    conditional: true,
    example: { response: demandExample },
  }),
  updateDemand: endpoint({
    method: 'PATCH',
    path: '/operator/v1/demands/{demand_id}',
    summary: 'Change a demand',
    description:
      'Changes the given members; the demand keeps its place in the list. `If-Match` is supported.',
    scopes: ['market:write'],
    body: DemandUpdate,
    response: Demand,
    problems: ['demand_not_found', 'precondition_failed'],
    conditional: true,
    example: { request: { delivery_volume: 24_000 }, response: demandExample },
  }),
  deleteDemand: endpoint({
    method: 'DELETE',
    path: '/operator/v1/demands/{demand_id}',
    summary: 'Withdraw a demand',
    description:
      'Removes it from the customer API at once. The audit trail keeps its last state. `If-Match` is supported.',
    scopes: ['market:write'],
    status: 204,
    response: Type.Null(),
    problems: ['demand_not_found', 'precondition_failed'],
    conditional: true,
    example: { response: null },
  }),
});
