import {
  type ExportFormat,
  type exportEndpoints,
  NOMINATION_COLUMNS,
  type QueryOf,
  TRANSACTION_COLUMNS,
} from '@saldo/api';
import { nominationFilter } from '../nominations/routes.ts';
import type { NominationRow } from '../nominations/store.ts';
import { nominationWriter, type Operator, type SlotRange } from '../nominations/wire.ts';
import type { Viewer } from '../platform/auth/viewer.ts';
import type { Db } from '../platform/db/database.ts';
import type { AsOf } from '../platform/http/as-of.ts';
import { transactionFilter } from '../transactions/routes.ts';
import { transactionCsvLines, transactionJsonLines } from '../transactions/wire.ts';
import { type Chunks, nominationTable, parquetChunks, transactionTable } from './parquet.ts';
import { eachNominationBatch, eachTransactionBatch } from './rows.ts';

type TransactionQuery = QueryOf<typeof exportEndpoints.exportTransactions>;
type NominationQuery = QueryOf<typeof exportEndpoints.exportNominations>;

/** The records of an export. */
export type Exported =
  | { readonly subject: 'transactions'; readonly query: TransactionQuery }
  | { readonly subject: 'nominations'; readonly query: NominationQuery };

/** The content of a file: as of an instant, its bytes are always the same. */
export type ExportFile = Exported & { readonly format: ExportFormat; readonly asOf: AsOf };

export function fileChunks(db: Db, viewer: Viewer, file: ExportFile, operator: Operator): Chunks {
  return file.subject === 'transactions'
    ? transactionChunks(db, viewer, file)
    : nominationChunks(db, viewer, file, operator);
}

type FileOf<Subject> = ExportFile & { readonly subject: Subject };

function transactionChunks(db: Db, viewer: Viewer, { query, format, asOf }: FileOf<'transactions'>): Chunks {
  const batches = eachTransactionBatch(db, viewer, transactionFilter(query), format, asOf);
  if (format === 'parquet') return parquetChunks(batches, transactionTable());
  const lines = format === 'csv' ? transactionCsvLines : transactionJsonLines;
  return lineChunks(format === 'csv' ? `${TRANSACTION_COLUMNS}\n` : '', batches, lines, () => 1);
}

function nominationChunks(
  db: Db,
  viewer: Viewer,
  { query, format, asOf }: FileOf<'nominations'>,
  operator: Operator,
): Chunks {
  const { filter, range } = nominationFilter(query);
  const batches = eachNominationBatch(db, viewer, filter, asOf);
  if (format === 'parquet') return parquetChunks(batches, nominationTable(operator.eic, range));
  const write = nominationWriter(operator);
  return format === 'csv'
    ? lineChunks(
        `${NOMINATION_COLUMNS}\n`,
        batches,
        (rows) => write.csvLines(rows, range),
        (row) => slotsIn(row, range),
      )
    : lineChunks(
        '',
        batches,
        (rows) => write.jsonLines(rows, range),
        () => 1,
      );
}

const slotsIn = ({ amounts = [] }: NominationRow, { from, to }: SlotRange) =>
  Math.max(0, Math.min(to, amounts.length) - from + 1);

/** About 200 KB of JSON: the response and the stream in front of it hold one chunk each of a reader that has stopped. */
const CHUNK_RECORDS = 480;

/** The header follows the first query, whose failure is not yet a failure of the file. */
async function* lineChunks<T>(
  header: string,
  batches: AsyncIterable<readonly T[]>,
  write: (batch: readonly T[]) => Buffer,
  linesOf: (record: T) => number,
): Chunks {
  let isFirst = true;
  let rows = 0;
  for await (const batch of batches) {
    if (isFirst && header !== '') yield Buffer.from(header);
    isFirst = false;
    for (let from = 0; from < batch.length; from += CHUNK_RECORDS) {
      yield write(batch.slice(from, from + CHUNK_RECORDS));
    }
    for (const record of batch) rows += linesOf(record);
  }
  return rows;
}
