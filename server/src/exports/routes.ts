import { finished, Readable } from 'node:stream';
import {
  EXPORT_FORMATS,
  EXPORT_MEDIA_TYPES,
  type ExportFormat,
  exportEndpoints,
  LIMITS,
  NOMINATION_COLUMNS,
  operatorExportEndpoints,
  type QueryOf,
  TRANSACTION_COLUMNS,
} from '@saldo/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nominationFilter } from '../nominations/routes.ts';
import { nominationWriter, type Operator } from '../nominations/wire.ts';
import type { Viewer } from '../platform/auth/viewer.ts';
import type { Db } from '../platform/db/database.ts';
import { preferredFormat, varyBy } from '../platform/http/accept.ts';
import { attachment } from '../platform/http/answer-headers.ts';
import { compressStream } from '../platform/http/compression.ts';
import { problem } from '../platform/http/problem.ts';
import { type Route, replicaRoute } from '../platform/http/routes.ts';
import { deliveryRange, touchedDays } from '../platform/http/time-filter.ts';
import { transactionFilter } from '../transactions/routes.ts';
import { transactionCsvLines, transactionJsonLines } from '../transactions/wire.ts';
import { nominationTable, parquetChunks, transactionTable } from './parquet.ts';
import { eachNominationBatch, eachTransactionBatch } from './rows.ts';

type TransactionQuery = QueryOf<typeof exportEndpoints.exportTransactions>;
type NominationQuery = QueryOf<typeof exportEndpoints.exportNominations>;

type ExportCall<Query> = {
  readonly viewer: Viewer;
  readonly actor: string;
  readonly query: Query;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

/** Exports of the BRP API and of the operator API, which share their limits. The viewer restricts the rows. */
export function exportRoutes(operator: Operator, silenceS: number): { brp: Route[]; operator: Route[] } {
  const send = exportSender(silenceS * 1000);
  const transactions = (call: ExportCall<TransactionQuery>, db: Db) =>
    send(call, 'transactions', (format) => transactionChunks(db, call, format));
  const nominations = (call: ExportCall<NominationQuery>, db: Db) =>
    send(call, 'nominations', (format) => nominationChunks(db, call, format, operator));
  return {
    brp: [
      replicaRoute(exportEndpoints.exportTransactions, transactions),
      replicaRoute(exportEndpoints.exportNominations, nominations),
    ],
    operator: [
      replicaRoute(operatorExportEndpoints.operatorExportTransactions, transactions),
      replicaRoute(operatorExportEndpoints.operatorExportNominations, nominations),
    ],
  };
}

type Chunks = AsyncGenerator<Buffer>;

function transactionChunks(
  db: Db,
  { viewer, query }: ExportCall<TransactionQuery>,
  format: ExportFormat,
): Chunks {
  const batches = eachTransactionBatch(db, viewer, transactionFilter(query), format);
  if (format === 'parquet') return parquetChunks(batches, transactionTable());
  return format === 'csv'
    ? lineChunks(`${TRANSACTION_COLUMNS}\n`, batches, transactionCsvLines)
    : lineChunks('', batches, transactionJsonLines);
}

function nominationChunks(
  db: Db,
  { viewer, query }: ExportCall<NominationQuery>,
  format: ExportFormat,
  operator: Operator,
): Chunks {
  const { filter, range } = nominationFilter(query);
  const batches = eachNominationBatch(db, viewer, filter);
  if (format === 'parquet') return parquetChunks(batches, nominationTable(operator.eic, range));
  const write = nominationWriter(operator);
  return format === 'csv'
    ? lineChunks(`${NOMINATION_COLUMNS}\n`, batches, (rows) => write.csvLines(rows, range))
    : lineChunks('', batches, (rows) => write.jsonLines(rows, range));
}

/** About 200 KB of JSON: the response and the stream in front of it hold one chunk each of a reader that has stopped. */
const CHUNK_RECORDS = 480;

/** The header follows the first query, whose failure is not yet a failure of the file. */
async function* lineChunks<T>(
  header: string,
  batches: AsyncIterable<readonly T[]>,
  write: (batch: readonly T[]) => Buffer,
): Chunks {
  let isFirst = true;
  for await (const batch of batches) {
    if (isFirst && header !== '') yield Buffer.from(header);
    isFirst = false;
    for (let from = 0; from < batch.length; from += CHUNK_RECORDS) {
      yield write(batch.slice(from, from + CHUNK_RECORDS));
    }
  }
}

const FORMAT_BY_TYPE = Object.fromEntries(
  EXPORT_FORMATS.map((format) => [EXPORT_MEDIA_TYPES[format], format]),
);

const RETRY_AFTER_S = '5';

/**
 * Sends files at the reader's speed, a limited number at once per key or user and process. A reader that takes nothing
 * for `silenceMs` is disconnected.
 */
function exportSender(silenceMs: number) {
  const inProgress = new Map<string, number>();

  function enter(actor: string): () => void {
    const count = inProgress.get(actor) ?? 0;
    if (count >= LIMITS.exports.atOnce) {
      const detail = { key: 'problem.too_many_exports', count } as const;
      throw problem('too_many_exports', detail, { 'retry-after': RETRY_AFTER_S });
    }
    inProgress.set(actor, count + 1);
    return () => {
      const left = (inProgress.get(actor) ?? 1) - 1;
      if (left === 0) inProgress.delete(actor);
      else inProgress.set(actor, left);
    };
  }

  return async function send(
    call: ExportCall<TransactionQuery | NominationQuery>,
    name: string,
    chunksOf: (format: ExportFormat) => Chunks,
  ): Promise<Readable> {
    const { actor, query, request, reply } = call;
    const format = query.format ?? preferredFormat(request.headers.accept, FORMAT_BY_TYPE);
    const isHead = request.method === 'HEAD';
    if (!isHead) {
      finished(reply.raw, enter(actor));
      // With nothing to take, the reader waits for the database. The next write starts the timeout again.
      reply.raw.setTimeout(silenceMs, () => {
        if (reply.raw.writableLength > 0) reply.raw.destroy();
      });
    }
    // HEAD reads the first batch too, which decides the status. NDJSON needs no other batch for its first chunk.
    const chunks = chunksOf(isHead ? 'ndjson' : format);
    // A failure of the first query is still answered with a problem, which must not have the headers of a file.
    const first = await chunks.next();
    if (query.format === undefined) varyBy(reply, 'Accept');
    reply.headers({
      'content-type': EXPORT_MEDIA_TYPES[format] + (format === 'parquet' ? '' : '; charset=utf-8'),
      ...attachment(`${name}_${daysText(query)}.${format}`),
    });
    // Fastify reads the stream of a HEAD to its end.
    const file = isHead ? [] : startingWith(first, chunks);
    const source = Readable.from(file, { objectMode: false });
    return format === 'parquet' ? source : compressStream(request, reply, source);
  };
}

async function* startingWith(first: IteratorResult<Buffer>, rest: Chunks): Chunks {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

function daysText(query: TransactionQuery | NominationQuery): string {
  const { first, last } = touchedDays(deliveryRange(query));
  return first >= last ? first : `${first}_${last}`;
}
