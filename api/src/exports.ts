import Type from 'typebox';
import { Choice, deliveryDaysAtMost, LIMITS, Strict } from './common.ts';
import { endpoint, endpoints } from './endpoint.ts';
import { nominationExample, nominationFilterOrder, nominationFilters } from './nominations.ts';
import { transactionExample, transactionFilterOrder, transactionFilters } from './transactions.ts';

export const EXPORT_FORMATS = ['csv', 'ndjson', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const EXPORT_MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
};

const format = Type.Optional(
  Choice(EXPORT_FORMATS, {
    description: 'Format of the file. Without it, the `Accept` header decides; the default is CSV.',
    examples: ['parquet'],
  }),
);

const days = deliveryDaysAtMost(LIMITS.exports.days);

/** The columns of CSV and Parquet, in this order. */
export const TRANSACTION_COLUMNS =
  'id,type,contract_id,status,version,previous_transaction_id,sender_eic,sender_asset_id,sender_tso,receiver_eic,receiver_tso,delivery_date,delivery_start,delivery_end,slot_number,volume,created_at';
export const NOMINATION_COLUMNS =
  'id,status,version,previous_nomination_id,gate_closure,confirmed_at,direction,eic,tso,sent_at,counterparty_eic,delivery_date,delivery_start,delivery_end,slot_number,amount,matched_amount,created_at';

const parquetExample = 'PAR1…PAR1';

const transactionsCsv = `${TRANSACTION_COLUMNS}
txn_01jhm4q7sqe8h9w3tb5k2x0rax,ppa,con_01jhm3wa2fe5h8x2z6tdq9vn4m,valid,2,txn_01jhkv1m6ce0tsr4wbz9e71gax,11XNORDWIND----J,ast_01jhm3w8v5e2ntq0v9bgr4kx7c,DE_50HERTZ,11XSWVIERNAU---D,DE_AMPRION,2026-01-15,2026-01-15T14:00:00Z,2026-01-15T14:15:00Z,61,7.125,2026-01-14T10:02:31Z
`;
const nominationsCsv = `${NOMINATION_COLUMNS}
nom_01jhm52x6yf6rbkm2s8hq3j5zd,match,1,,2026-01-14T13:30:00Z,2026-01-14T15:04:10Z,out,11XNORDWIND----J,DE_50HERTZ,2026-01-14T12:58:00Z,11XSALDO-------Z,2026-01-15,2026-01-15T14:00:00Z,2026-01-15T14:15:00Z,61,7.125,7.125,2026-01-14T12:31:07Z
`;

const PROMISE =
  `At most ${LIMITS.exports.days} delivery days. Volumes are in MWh, in Parquet as exact decimals. The file is sent at your speed, in the order of the list; a failure breaks the connection, so that a truncated file cannot be taken for a complete one. ` +
  `Records that change meanwhile are read as by a walk of the list. One export counts as one request; a key may have ${LIMITS.exports.atOnce} at once.`;

export const EXPORTS_TAG = 'Exports';

export const transactionExport = {
  method: 'GET',
  summary: 'Export transactions',
  query: Strict({ format, ...transactionFilters }, { ...transactionFilterOrder, ...days }),
  response: Type.String(),
  isExport: true,
  documents: {
    [EXPORT_MEDIA_TYPES.csv]: transactionsCsv,
    [EXPORT_MEDIA_TYPES.ndjson]: `${JSON.stringify(transactionExample)}\n`,
    [EXPORT_MEDIA_TYPES.parquet]: parquetExample,
  },
  problems: ['too_many_exports'],
  example: { response: transactionsCsv },
} as const;

export const nominationExport = {
  ...transactionExport,
  summary: 'Export nominations',
  query: Strict({ format, ...nominationFilters }, { ...nominationFilterOrder, ...days }),
  documents: {
    [EXPORT_MEDIA_TYPES.csv]: nominationsCsv,
    [EXPORT_MEDIA_TYPES.ndjson]: `${JSON.stringify(nominationExample)}\n`,
    [EXPORT_MEDIA_TYPES.parquet]: parquetExample,
  },
  example: { response: nominationsCsv },
} as const;

export const describeExport = (records: string) =>
  `${records} NDJSON has a line per record, as in the list; CSV and Parquet have a row per quarter-hour. ${PROMISE}`;

export const exportEndpoints = endpoints(EXPORTS_TAG, {
  exportTransactions: endpoint({
    ...transactionExport,
    path: '/v1/exports/transactions',
    description: describeExport('Every transaction that you send or receive and that matches the filters.'),
    scopes: ['transactions:read'],
  }),
  exportNominations: endpoint({
    ...nominationExport,
    path: '/v1/exports/nominations',
    description: describeExport('All versions of your balance groups’ nominations that match the filters.'),
    scopes: ['nominations:read'],
  }),
});
