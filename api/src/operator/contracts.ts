import Type from 'typebox';
import { DateTime, ordered, Sort, Strict } from '../common.ts';
import {
  Contract,
  ContractList,
  contractExample,
  contractFilters,
  contractSearch,
  OperatorContractCreate,
} from '../contracts.ts';
import { endpoint } from '../endpoint.ts';

const tag = 'Contracts';
const lastPage = { limit: 10, has_more: false, next_cursor: null };
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

export const operatorContractEndpoints = {
  createContract: endpoint({
    id: 'createContract',
    method: 'POST',
    path: '/operator/v1/contracts',
    tag,
    summary: 'Sign a contract',
    description:
      'Both customers need a balance group; the contract keeps their names, EICs and TSOs as of now. With a `profile` the platform generates the volumes.',
    scopes: [],
    status: 201,
    query: Strict({}),
    body: OperatorContractCreate,
    response: Contract,
    problems: ['already_exists'],
    example: { request: creation, response: contractExample },
  }),
  operatorListContracts: endpoint({
    id: 'operatorListContracts',
    method: 'GET',
    path: '/operator/v1/contracts',
    tag,
    summary: 'List contracts',
    description: 'All contracts, oldest first unless sorted.',
    scopes: [],
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
    body: null,
    response: ContractList,
    problems: [],
    example: { response: { contracts: [contractExample], pagination: lastPage } },
  }),
  operatorGetContract: endpoint({
    id: 'operatorGetContract',
    method: 'GET',
    path: '/operator/v1/contracts/{contract_id}',
    tag,
    summary: 'Read a contract',
    description: 'One contract, of any BRP. The answer has an `ETag`; `If-None-Match` is supported.',
    scopes: [],
    query: Strict({}),
    body: null,
    response: Contract,
    problems: ['contract_not_found'],
    conditional: true,
    example: { response: contractExample },
  }),
  updateContract: endpoint({
    id: 'updateContract',
    method: 'PATCH',
    path: '/operator/v1/contracts/{contract_id}',
    tag,
    summary: 'End a contract early, or set its dates',
    description:
      'An earlier `delivery_end` invalidates all transactions from then on. Dates that were null can be set once. `If-Match` is supported.',
    scopes: [],
    query: Strict({}),
    body: Strict(
      {
        delivery_start: Type.Optional(
          DateTime('A local midnight; only where it was null.', '2025-12-31T23:00:00Z'),
        ),
        delivery_end: Type.Optional(DateTime('A local midnight.', '2027-12-31T23:00:00Z')),
      },
      {
        title: 'OperatorContractUpdate',
        'x-read-only': ['id', 'external_id', 'type', 'status', 'seller', 'buyer', 'created_at'],
        ...ordered(['delivery_start', 'delivery_end']),
      },
    ),
    response: Contract,
    problems: ['contract_not_found', 'precondition_failed'],
    conditional: true,
    example: { request: { delivery_end: '2027-12-31T23:00:00Z' }, response: contractExample },
  }),
};
