import { TRANSACTION_STATUSES } from '@saldo/core/enums.ts';
import Type, { type Static } from 'typebox';
import {
  asOfQuery,
  BulkIds,
  bulkQuery,
  Choice,
  DateTime,
  deliveryQuery,
  Eic,
  Flag,
  MwhSchema,
  Nullable,
  ordered,
  Pagination,
  pageQuery,
  paginationExample,
  SlotNumber,
  Strict,
  slotQuery,
  TsoSchema,
} from './common.ts';
import { Asset, assetExample } from './contracts.ts';
import { endpoint, endpoints } from './endpoint.ts';

export const Transaction = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal('ppa'),
    contract_id: Type.String({ description: 'The contract it belongs to.' }),
    status: Choice(TRANSACTION_STATUSES),
    version: Type.Integer({ minimum: 1, description: 'Starts at 1, increments on correction.' }),
    previous_transaction_id: Type.Optional(
      Nullable(Type.String({ description: 'The version that this one supersedes.' })),
    ),
    sender: Type.Object(
      {
        eic: Eic('Balance group that delivers.'),
        asset_id: Nullable(
          Type.String({ description: 'Details are in `assets` with `include_assets=true`.' }),
        ),
        tso: TsoSchema,
      },
      { title: 'TransactionSender' },
    ),
    receiver: Type.Object(
      { eic: Eic('Balance group that receives.'), tso: TsoSchema },
      { title: 'TransactionReceiver' },
    ),
    delivery_start: DateTime('Start of the quarter-hour, UTC.'),
    delivery_end: DateTime('End of the quarter-hour, UTC.'),
    slot_number: SlotNumber(
      'Quarter-hour within the German delivery day: 1..96, up to 92 or 100 when the clock changes.',
    ),
    volume: MwhSchema('MWh, 3 decimal places.'),
    created_at: DateTime('When this version was created, UTC.'),
  },
  {
    title: 'Transaction',
    description: 'A contractual volume of one quarter-hour. Immutable; a correction is a new version.',
  },
);
export type Transaction = Static<typeof Transaction>;

const assets = Type.Optional(
  Type.Array(Asset, { description: 'Each asset of the transactions once; only with `include_assets=true`.' }),
);
export const TransactionList = Type.Object(
  { transactions: Type.Array(Transaction), pagination: Pagination, assets },
  { title: 'TransactionList' },
);
export const TransactionHistoryList = Type.Object(
  { transactions: Type.Array(Transaction, { description: 'Newest to oldest.' }), assets },
  { title: 'TransactionHistoryList' },
);
export const BulkTransactionList = Type.Object(
  { transactions: Type.Array(Transaction), assets },
  { title: 'BulkTransactionList' },
);
export const BulkTransactionIdsRequest = Strict(
  {
    ids: BulkIds('txn_01jhm4q7sqe8h9w3tb5k2x0rax'),
    include_assets: Type.Optional(
      Type.Boolean({ default: false, description: 'Adds the deduplicated `assets`.', examples: [true] }),
    ),
    ...asOfQuery,
  },
  { title: 'BulkTransactionIdsRequest' },
);

export const transactionExample: Transaction = {
  id: 'txn_01jhm4q7sqe8h9w3tb5k2x0rax',
  type: 'ppa',
  contract_id: 'con_01jhm3wa2fe5h8x2z6tdq9vn4m',
  status: 'valid',
  version: 2,
  previous_transaction_id: 'txn_01jhkv1m6ce0tsr4wbz9e71gax',
  sender: { eic: '11XNORDWIND----J', asset_id: 'ast_01jhm3w8v5e2ntq0v9bgr4kx7c', tso: 'DE_50HERTZ' },
  receiver: { eic: '11XSWVIERNAU---D', tso: 'DE_AMPRION' },
  delivery_start: '2026-01-15T14:00:00Z',
  delivery_end: '2026-01-15T14:15:00Z',
  slot_number: 61,
  volume: 7.125,
  created_at: '2026-01-14T10:02:31Z',
};
const supersededExample: Transaction = {
  ...transactionExample,
  id: 'txn_01jhkv1m6ce0tsr4wbz9e71gax',
  status: 'superseded',
  version: 1,
  previous_transaction_id: null,
  volume: 6.9,
  created_at: '2026-01-14T06:30:00Z',
};

const includeAssets = { include_assets: Flag('Adds a deduplicated `assets` array to the answer.') };
/** Filters of a contract's list, without paging. */
const filters = {
  status: Type.Optional(
    Choice(TRANSACTION_STATUSES, {
      description: 'Only transactions of this status.',
      examples: ['valid'],
    }),
  ),
  sender_eic: Type.Optional(Eic('EIC of the sender.')),
  receiver_eic: Type.Optional(Eic('EIC of the receiver.')),
  ...deliveryQuery,
  ...slotQuery,
};
/** Filters of all transactions, in lists and in exports. */
export const transactionFilters = {
  contract_id: Type.Optional(
    Type.String({
      description: 'Only transactions of this contract.',
      examples: ['con_01jhm3wa2fe5h8x2z6tdq9vn4m'],
    }),
  ),
  type: Type.Optional(Type.Literal('ppa', { description: 'The only supported type.', examples: ['ppa'] })),
  ...filters,
};
export const transactionFilterOrder = ordered(
  ['delivery_start', 'delivery_end'],
  ['slot_number_from', 'slot_number_to'],
);
export const transactionListExample = {
  transactions: [transactionExample],
  pagination: paginationExample,
  assets: [assetExample],
};

export const transactionEndpoints = endpoints('Transactions', {
  listContractTransactions: endpoint({
    method: 'GET',
    path: '/v1/contracts/{contract_id}/transactions',
    summary: 'List a contract’s transactions',
    description: 'All versions of the contract’s transactions, by delivery day, slot and version.',
    scopes: ['contracts:read', 'transactions:read'],
    query: Strict({ ...filters, ...includeAssets, ...asOfQuery, ...pageQuery }, transactionFilterOrder),
    response: TransactionList,
    problems: ['contract_not_found', 'clock_moved_back'],
    example: { response: transactionListExample },
  }),
  listTransactions: endpoint({
    method: 'GET',
    path: '/v1/transactions',
    summary: 'List transactions',
    description: 'Every transaction that you send or receive, by delivery day, contract, slot and version.',
    scopes: ['transactions:read'],
    query: Strict(
      { ...transactionFilters, ...includeAssets, ...asOfQuery, ...pageQuery },
      transactionFilterOrder,
    ),
    response: TransactionList,
    problems: ['clock_moved_back'],
    example: { response: transactionListExample },
  }),
  getTransaction: endpoint({
    method: 'GET',
    path: '/v1/transactions/{transaction_id}',
    summary: 'Read a transaction',
    description: 'One version of a transaction.',
    scopes: ['transactions:read'],
    query: Strict(asOfQuery),
    response: Transaction,
    problems: ['transaction_not_found', 'clock_moved_back'],
    example: { response: transactionExample },
  }),
  getTransactionHistory: endpoint({
    method: 'GET',
    path: '/v1/transactions/{transaction_id}/history',
    summary: 'Read a transaction’s versions',
    description: 'The whole chain of versions, newest first, from the id of any of them.',
    scopes: ['transactions:read'],
    query: Strict({ ...includeAssets, ...asOfQuery }),
    response: TransactionHistoryList,
    problems: ['transaction_not_found', 'clock_moved_back'],
    example: { response: { transactions: [transactionExample, supersededExample] } },
  }),
  getTransactionsBulk: endpoint({
    method: 'GET',
    path: '/v1/transactions/bulk',
    summary: 'Read transactions by id',
    description: 'Several transactions in the order of the ids, each once.',
    scopes: ['transactions:read'],
    query: Strict({ ...bulkQuery('txn_01jhm4q7sqe8h9w3tb5k2x0rax'), ...includeAssets, ...asOfQuery }),
    response: BulkTransactionList,
    problems: ['clock_moved_back'],
    example: { response: { transactions: [transactionExample] } },
  }),
  postTransactionsBulk: endpoint({
    method: 'POST',
    path: '/v1/transactions/bulk',
    summary: 'Read transactions by id, ids in the body',
    description: 'For id sets too large for a query string.',
    scopes: ['transactions:read'],
    body: BulkTransactionIdsRequest,
    response: BulkTransactionList,
    problems: ['clock_moved_back'],
    example: {
      request: { ids: ['txn_01jhm4q7sqe8h9w3tb5k2x0rax'], include_assets: true },
      response: { transactions: [transactionExample], assets: [assetExample] },
    },
  }),
});
