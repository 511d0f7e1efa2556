import Type, { type Static } from 'typebox';
import { asOfQuery, Choice, DateTime, deliveryDaysAtMost, LIMITS, Nullable, Strict } from './common.ts';
import { endpoint, endpoints } from './endpoint.ts';
import { Seal, sealExample } from './ledger.ts';
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
  `The records are those of \`as_of\`, without it of the beginning of the export; the header \`X-Saldo-As-Of\` has the instant, and \`X-Saldo-Export-Id\` the id of the manifest. One export counts as one request; a key may have ${LIMITS.exports.atOnce} at once.`;

export const EXPORTS_TAG = 'Exports';

export const transactionExport = {
  method: 'GET',
  summary: 'Export transactions',
  query: Strict({ format, ...transactionFilters, ...asOfQuery }, { ...transactionFilterOrder, ...days }),
  response: Type.String(),
  isExport: true,
  documents: {
    [EXPORT_MEDIA_TYPES.csv]: transactionsCsv,
    [EXPORT_MEDIA_TYPES.ndjson]: `${JSON.stringify(transactionExample)}\n`,
    [EXPORT_MEDIA_TYPES.parquet]: parquetExample,
  },
  problems: ['too_many_exports', 'clock_moved_back'],
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

export const ExportManifest = Type.Object(
  {
    rows: Type.Integer({
      minimum: 0,
      description: 'Lines of NDJSON, rows of Parquet, lines of CSV without the header.',
    }),
    sha256: Type.String({
      description: 'SHA-256 of the file in lower-case hex, before any content encoding.',
    }),
    as_of: DateTime('The instant of the records, UTC, with milliseconds.', '2026-01-14T14:25:00.000Z'),
    /** The first seal of the ledger that has every change up to `as_of`; null until there is one. */
    seal: Nullable(Seal),
  },
  { title: 'ExportManifest' },
);
export type ExportManifest = Static<typeof ExportManifest>;

export const exportManifest = {
  method: 'GET',
  summary: 'Read the manifest of an export',
  description:
    'Number of rows and hash of the file, for a caller with the scopes of the export. The file is made again as of its instant, so that the manifest takes as long as the export, and counts as one while it is made.',
  response: ExportManifest,
  problems: ['export_not_found', 'too_many_exports', 'clock_moved_back'],
  isExport: true,
  example: {
    response: {
      rows: 2976,
      sha256: '5df6e0e2761359d30a8275058e299fcc0381534545f55cf43e41983f5d4c9456',
      as_of: '2026-01-14T14:25:00.000Z',
      seal: { ...sealExample, sealed_at: '2026-01-14T14:25:31.042Z' },
    },
  },
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
  /** The scope is that of the export. */
  getExportManifest: endpoint({ ...exportManifest, path: '/v1/exports/{export_id}/manifest' }),
});
