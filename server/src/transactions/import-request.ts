import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type AuditAction, type ImportResult, operatorVolumeEndpoints } from '@saldo/api';
import { formatMessage } from '@saldo/core/messages/message.ts';
import type { FastifyRequest } from 'fastify';
import { recordAudit } from '../audit/store.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { withSmallHeap } from '../platform/heap.ts';
import { languageOf } from '../platform/http/accept.ts';
import { concurrencyLimiter } from '../platform/http/concurrency-limiter.ts';
import { answerLong, type LongOperation } from '../platform/http/idempotency.ts';
import { decimalOfCsvOnly, validationProblem } from '../platform/http/problem.ts';
import type { Call } from '../platform/http/routes.ts';
import { chunksOf, contentCoding, gunzipped, mediaTypeOf } from '../platform/http/streams.ts';
import { type ImportOptions, type ImportReport, importVolumes, newImportReport } from './import.ts';

/** Imported lines since the start, without those of dry runs. */
export type ImportCounts = { rows: number; rejected: number };

type ImportCall = Call<typeof operatorVolumeEndpoints.importVolumes>;

/** Each import holds up to two database connections. Further imports wait unread, so that other requests get one. */
const IMPORTS_AT_ONCE = 3;

const inTurn = concurrencyLimiter({ atOnce: IMPORTS_AT_ONCE });

/**
 * Answers an import. When its `Idempotency-Key` is known, the body is read and compared by hash, but not imported
 * again. A client that sends nothing for `silenceMs` is disconnected.
 */
export function answerImport(
  db: Database,
  call: ImportCall,
  now: number,
  silenceMs: number,
  counts: ImportCounts,
): Promise<ImportResult | string> {
  const { request, reply, query } = call;
  const body = request.body as Readable | undefined;
  if (body === undefined) {
    throw validationProblem([{ code: 'required', message: { key: 'import.required' } }]);
  }
  const { type } = mediaTypeOf(request.headers['content-type']);
  if (query.decimal !== undefined && type !== 'text/csv') throw decimalOfCsvOnly();
  const options: ImportOptions = {
    format: type === 'text/csv' ? 'csv' : 'ndjson',
    decimal: query.decimal ?? null,
    isDryRun: query.dry_run === 'true',
    now,
  };
  const answer = async () => {
    try {
      // The idle timeout starts here, because the body of a waiting import is not read and so cannot progress.
      // On the response: once the request is complete, Node ignores its listeners and closes the connection.
      reply.raw.setTimeout(silenceMs, () => {
        if (!request.raw.complete) request.raw.destroy();
      });
      const hash = request.headers['idempotency-key'] === undefined ? null : createHash('sha256');
      return await answerLong(
        { db, request, reply, endpoint: operatorVolumeEndpoints.importVolumes },
        {
          content: () => JSON.stringify([type, query, hash?.copy().digest('hex')]),
          async skip() {
            for await (const _chunk of bytesOf(body, hash)) continue;
          },
        },
        importOperation(db, call, decoded(request, bytesOf(body, hash)), options, counts),
      );
    } finally {
      // Drain the rest of the body so that the client can read our error.
      body.resume();
    }
  };
  return inTurn(() => withSmallHeap(answer));
}

async function* bytesOf(body: Readable, hash: Hash | null): AsyncGenerator<Buffer> {
  for await (const chunk of chunksOf(body)) {
    hash?.update(chunk);
    yield chunk;
  }
}

const decoded = ({ headers }: FastifyRequest, bytes: AsyncIterable<Buffer>) =>
  contentCoding(headers) === 'gzip' ? gunzipped(bytes) : bytes;

/**
 * Importing is idempotent, so a retry may repeat volumes that are stored already. A stream that breaks off leaves
 * committed batches, which are audited too.
 */
function importOperation(
  db: Database,
  call: ImportCall,
  source: AsyncIterable<Buffer>,
  options: ImportOptions,
  counts: ImportCounts,
): LongOperation<ImportResult> {
  const record = async (tx: Tx, action: AuditAction, result: ImportReport | ImportResult) => {
    const { rejected: _listed, dry_run: _never, incomplete_days: incomplete, ...counted } = result;
    const after = { ...counted, incomplete_days: incomplete.count };
    await recordAudit(tx, call, { action, subject: call.request.id, after }, options.now);
  };
  return {
    async work() {
      const result = newImportReport(options.isDryRun);
      try {
        await importVolumes(db, source, options, result);
      } catch (error) {
        const hasChanged = !options.isDryRun && result.created + result.corrected > 0;
        if (hasChanged) await db.transaction((tx) => record(tx, 'volumes.import_broken_off', result));
        throw error;
      } finally {
        if (!options.isDryRun) {
          counts.rows += result.rows;
          counts.rejected += result.rejected_lines;
        }
      }
      const language = languageOf(call);
      const rejected = result.rejected.map((line) => ({
        ...line,
        message: formatMessage(line.message, language),
      }));
      return { ...result, rejected };
    },
    async record(tx, result) {
      if (!options.isDryRun) await record(tx, 'volumes.imported', result);
    },
  };
}
