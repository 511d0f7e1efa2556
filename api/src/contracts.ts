import { CONTRACT_STATUSES } from '@saldo/core/enums.ts';
import Type, { type Static, type TProperties } from 'typebox';
import {
  Choice,
  DateTime,
  Day,
  deliveryQuery,
  Eic,
  Nullable,
  OneOf,
  ordered,
  Page,
  pageQuery,
  paginationExample,
  Search,
  Strict,
  TsoSchema,
} from './common.ts';
import { endpoint, endpoints } from './endpoint.ts';

export const CONTRACT_TYPES = ['ppa', 'day_ahead', 'intraday'] as const;
export type ContractType = (typeof CONTRACT_TYPES)[number];
export const PPA_TYPES = [
  'forecasted',
  'produced',
  'consumed',
  'baseload',
  'shaped',
  'peakload',
  'indexed',
] as const;
export const TECHNOLOGIES = ['solar', 'wind_onshore', 'wind_offshore'] as const;

export const Counterparty = Type.Object(
  {
    name: Type.String({ description: 'Company or entity.' }),
    eic: Eic('EIC code of the balance group.'),
    tso: TsoSchema,
  },
  { title: 'Counterparty' },
);
export type Counterparty = Static<typeof Counterparty>;

export const Asset = Type.Object(
  {
    id: Type.String({ examples: ['ast_01jhm3w8v5e2ntq0v9bgr4kx7c'] }),
    name: Type.String({ description: 'Display name.' }),
    nominal_power: Type.Number({ description: 'MW.' }),
    technology: Choice(TECHNOLOGIES),
    tso: TsoSchema,
  },
  { title: 'Asset' },
);
export type Asset = Static<typeof Asset>;

const contractOf = <T extends ContractType, P extends TProperties>(
  type: T,
  ofType: P,
  about: { title: string; description: string },
) =>
  Type.Object(
    {
      id: Type.String({ description: 'Internal id.' }),
      external_id: Type.String({ description: 'External reference.' }),
      type: Type.Literal(type, { description: 'Determines which other members a contract has.' }),
      status: Choice(CONTRACT_STATUSES, { description: 'Status, by the time of delivery.' }),
      delivery_start: Nullable(DateTime('Start of delivery, UTC.')),
      delivery_end: Nullable(DateTime('End of delivery, UTC.')),
      seller: Counterparty,
      buyer: Counterparty,
      ...ofType,
      created_at: Nullable(DateTime('Creation, UTC.')),
    },
    about,
  );

export const PpaContract = contractOf(
  'ppa',
  {
    ppa_type: Type.Optional(Nullable(Choice(PPA_TYPES, { description: 'How the volumes are determined.' }))),
    period: Type.Optional(Nullable(Type.String({ description: 'Display name of the period.' }))),
    delivery_profile: Type.Optional(Nullable(Type.String({ description: 'Name of the profile.' }))),
    asset: Type.Optional(Asset),
  },
  { title: 'PpaContract', description: 'A power purchase agreement. `asset` is absent if none is assigned.' },
);
export type PpaContract = Static<typeof PpaContract>;
export const DayAheadContract = contractOf(
  'day_ahead',
  {},
  { title: 'DayAheadContract', description: 'A trade on the day-ahead market.' },
);
export const IntradayContract = contractOf(
  'intraday',
  {},
  { title: 'IntradayContract', description: 'A trade on the intraday market.' },
);

export const Contract = OneOf('type', [PpaContract, DayAheadContract, IntradayContract], {
  title: 'Contract',
  description: 'An energy agreement between a seller and a buyer. Its members depend on `type`.',
});
export type Contract = Static<typeof Contract>;

export const ContractList = Page('contracts', Contract, 'ContractList');

export const assetExample: Asset = {
  id: 'ast_01jhm3w8v5e2ntq0v9bgr4kx7c',
  name: 'Windpark Uckermark Nord',
  nominal_power: 48.3,
  technology: 'wind_onshore',
  tso: 'DE_50HERTZ',
};

export const contractExample: PpaContract = {
  id: 'con_01jhm3wa2fe5h8x2z6tdq9vn4m',
  external_id: 'PPA-2026-0017',
  type: 'ppa',
  status: 'in_progress',
  delivery_start: '2025-12-31T23:00:00Z',
  delivery_end: '2030-12-31T23:00:00Z',
  seller: { name: 'Windpark Uckermark Nord GmbH', eic: '11XNORDWIND----J', tso: 'DE_50HERTZ' },
  buyer: { name: 'Stadtwerke Viernau', eic: '11XSWVIERNAU---D', tso: 'DE_AMPRION' },
  ppa_type: 'produced',
  period: '2026–2030',
  delivery_profile: 'as produced',
  asset: assetExample,
  created_at: '2025-11-03T09:12:44Z',
};

/** Filters of contract lists, the same for all viewers. */
export const contractFilters = {
  status: Type.Optional(
    Choice(CONTRACT_STATUSES, {
      description: 'Only contracts of this status.',
      examples: ['in_progress'],
    }),
  ),
  type: Type.Optional(
    Choice(CONTRACT_TYPES, { description: 'Only contracts of this type.', examples: ['ppa'] }),
  ),
  eic: Type.Optional(Eic('EIC of the seller or the buyer.')),
  delivery_start: deliveryQuery.delivery_start,
  delivery_end: deliveryQuery.delivery_end,
  active_on: Type.Optional(
    Day('A German delivery day that the delivery period overlaps; without an end it is open-ended.'),
  ),
  ...pageQuery,
};

/** Not a parameter of the BRP API, whose specification lists the parameters of its lists. */
export const contractSearch = Search(
  'Part of the reference, or of the name or EIC of a party, in upper or lower case.',
  'PPA-2026',
);

export const contractEndpoints = endpoints('Contracts', {
  listContracts: endpoint({
    method: 'GET',
    path: '/v1/contracts',
    summary: 'List contracts',
    description: 'The contracts in which the seller’s or the buyer’s balance group is yours, oldest first.',
    scopes: ['contracts:read'],
    query: Strict(contractFilters, ordered(['delivery_start', 'delivery_end'])),
    response: ContractList,
    example: { response: { contracts: [contractExample], pagination: paginationExample } },
  }),
  getContract: endpoint({
    method: 'GET',
    path: '/v1/contracts/{contract_id}',
    summary: 'Read a contract',
    description: 'One contract.',
    scopes: ['contracts:read'],
    response: Contract,
    problems: ['contract_not_found'],
    example: { response: contractExample },
  }),
});
