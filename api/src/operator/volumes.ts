import { REJECTION_CODES, SERIES_KINDS } from '@saldo/core/enums.ts';
import Type, { type Static, type TInteger, type TString } from 'typebox';
import { Choice, Decimal, Flag, LIMITS, Nullable, Strict } from '../common.ts';
import { endpoint, endpoints } from '../endpoint.ts';
import {
  Transaction,
  TransactionList,
  transactionEndpoints,
  transactionExample,
  transactionListExample,
} from '../transactions.ts';

export const OperatorTransaction = Type.Object(
  {
    ...Transaction.properties,
    invalid_reason: Nullable(
      Type.String({
        description:
          'Why it is invalid: `customer_deactivated`, or the words of the operator. Null unless the status is `invalid`.',
      }),
    ),
    source: Nullable(
      Choice(SERIES_KINDS, {
        description: 'The series that the volume follows from; null for volumes of a profile or an import.',
      }),
    ),
  },
  { title: 'OperatorTransaction' },
);
export type OperatorTransaction = Static<typeof OperatorTransaction>;
const operatorTransactionExample: OperatorTransaction = {
  ...transactionExample,
  invalid_reason: null,
  source: null,
};

export const DayResult = Type.Object(
  {
    created: Type.Integer({ description: 'New cells.' }),
    corrected: Type.Integer({ description: 'Cells with a new version.' }),
    unchanged: Type.Integer({ description: 'Cells with an unchanged volume.' }),
    revision: Nullable(Type.Integer({ description: 'The day’s newest revision; null when there is none.' })),
  },
  { title: 'DayResult' },
);
export type DayResult = Static<typeof DayResult>;

/** The days that a file leaves with gaps, by contract or by series. */
export const incompleteDays = <const Subject extends string>(
  subject: Subject,
  { missing, description }: { missing: string; description: string },
) =>
  Type.Object(
    {
      count: Type.Integer({ description: 'Number of these days.' }),
      days: Type.Array(
        Type.Object({
          [subject]: Type.String({ description: `The ${subject} as the file names it.` }),
          delivery_date: Type.String({ format: 'date', description: 'The German delivery day.' }),
          missing: Type.Integer({ description: missing }),
        } as Record<Subject, TString> & { delivery_date: TString; missing: TInteger }),
        { description: `The first ${LIMITS.incompleteDays} of them, in the order of the file.` },
      ),
    },
    { description },
  );

export const ImportResult = Type.Object(
  {
    rows: Type.Integer({ description: 'Data lines, rejected ones included.' }),
    created: Type.Integer(),
    corrected: Type.Integer(),
    unchanged: Type.Integer(),
    rejected: Type.Array(
      Type.Object({
        line: Type.Integer({ description: 'Counted from 1, the header included.' }),
        code: Type.Enum([...REJECTION_CODES], { type: 'string' }),
        message: Type.String(),
      }),
      { description: `The faulty lines; at most ${LIMITS.rejectedLines} are listed.` },
    ),
    rejected_lines: Type.Integer({ description: 'Number of faulty lines.' }),
    rejected_days: Type.Integer({ description: 'Number of contract-days rejected because of them.' }),
    incomplete_days: incompleteDays('contract', {
      missing: 'Number of slots without a volume.',
      description:
        'The contract-days of the file that have slots without a volume after the import, rejected ones included. Days that take no volumes are not counted.',
    }),
    dry_run: Type.Boolean({ description: 'Whether this was a dry run.' }),
  },
  { title: 'ImportResult' },
);
export type ImportResult = Static<typeof ImportResult>;

/** MWh of one slot; null leaves the slot unchanged. */
const Volume = Type.Unsafe<number | null>({
  type: ['number', 'null'],
  minimum: 0,
  maximum: LIMITS.slotMwh,
  'x-mwh': true,
});

const resultExample: DayResult = { created: 96, corrected: 0, unchanged: 0, revision: 1 };

export const operatorVolumeEndpoints = endpoints('Volumes', {
  putContractDay: endpoint({
    method: 'PUT',
    path: '/operator/v1/contracts/{contract_id}/days/{delivery_date}',
    summary: 'Write a contract’s day',
    description:
      'The whole day, idempotent: new cells are version 1, changed ones a correction, equal ones unchanged, and null is skipped.',
    scopes: ['volumes:write'],
    body: Strict(
      {
        volumes: Type.Array(Volume, {
          description: 'MWh with at most 3 decimals, or null; 92, 96 or 100 of them.',
          examples: [[1.25, 1.3, null]],
        }),
      },
      { title: 'ContractDay' },
    ),
    response: DayResult,
    problems: [
      'contract_not_found',
      'contract_without_volumes',
      'contract_has_source',
      'customer_not_active',
    ],
    example: { request: { volumes: [1.25, 1.3, null] }, response: resultExample },
  }),
  importVolumes: endpoint({
    method: 'POST',
    path: '/operator/v1/volumes',
    summary: 'Import volumes',
    description:
      'CSV with a header line (`contract,delivery_date,slot,volume`, columns in any order; delimiter comma, or semicolon or tab with a decimal comma) or NDJSON with one slot (`slot`, `volume`) or one day (`volumes`) a line; contracts by id or external id. `power_mw` or `power_kw` may take the place of `volume`: the energy of a block is rounded half up to whole kWh over its sum. `delivery_start` may take the place of `delivery_date` and `slot`. Streamed, any size. Consecutive lines of the same contract and day form one contract-day, which is stored completely or not at all. A line that cannot be read rejects the contract-day of the lines around it; between two contract-days it is rejected alone. The body may be sent with `Content-Encoding: gzip`.',
    scopes: ['volumes:write'],
    query: Strict({
      dry_run: Flag('Dry run: report the result without storing anything.'),
      decimal: Decimal,
    }),
    stream: ['text/csv', 'application/x-ndjson'],
    gzip: true,
    response: ImportResult,
    problems: ['unsupported_media_type', 'payload_too_large'],
    example: {
      request: 'contract,delivery_date,slot,volume\nPPA-2026-0017,2026-10-25,1,1.25\n',
      response: {
        rows: 1,
        created: 1,
        corrected: 0,
        unchanged: 0,
        rejected: [],
        rejected_lines: 0,
        rejected_days: 0,
        incomplete_days: {
          count: 1,
          days: [{ contract: 'PPA-2026-0017', delivery_date: '2026-10-25', missing: 99 }],
        },
        dry_run: false,
      },
    },
  }),
  operatorListTransactions: endpoint({
    method: 'GET',
    path: '/operator/v1/transactions',
    summary: 'List transactions',
    description: 'The transactions of all BRPs, by delivery day, contract, slot and version.',
    scopes: ['read'],
    query: transactionEndpoints.listTransactions.query,
    problems: transactionEndpoints.listTransactions.problems,
    response: Type.Object(
      {
        ...TransactionList.properties,
        transactions: Type.Array(OperatorTransaction),
      },
      { title: 'OperatorTransactionList' },
    ),
    example: { response: { ...transactionListExample, transactions: [operatorTransactionExample] } },
  }),
  invalidateTransaction: endpoint({
    method: 'POST',
    path: '/operator/v1/transactions/{transaction_id}/invalidate',
    summary: 'Invalidate a transaction',
    description: 'The transaction no longer counts in any saldo. A later correction of it is valid again.',
    scopes: ['volumes:write'],
    body: Strict(
      {
        reason: Type.String({
          minLength: 1,
          maxLength: LIMITS.reasonLength,
          format: 'text',
          description: 'Why it must not be delivered.',
          examples: ['meter replaced'],
        }),
      },
      { title: 'Invalidation' },
    ),
    response: OperatorTransaction,
    problems: ['transaction_not_found', 'invalid_status_transition'],
    example: {
      request: { reason: 'meter replaced' },
      response: { ...operatorTransactionExample, status: 'invalid', invalid_reason: 'meter replaced' },
    },
  }),
  runProfiles: endpoint({
    method: 'POST',
    path: '/operator/v1/profiles/run',
    summary: 'Generate the volumes of profile contracts',
    description:
      'For the coming days; a day that has volumes is never overwritten. A job does the same in the background.',
    scopes: ['volumes:write'],
    body: Strict(
      {
        days: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: LIMITS.profileDays,
            description: 'Number of days ahead.',
            examples: [7],
          }),
        ),
      },
      { title: 'ProfileRun' },
    ),
    response: Type.Object(
      { contracts: Type.Integer(), days: Type.Integer(), created: Type.Integer() },
      { title: 'ProfileRunResult' },
    ),
    example: { request: { days: 7 }, response: { contracts: 2, days: 14, created: 1344 } },
  }),
});
