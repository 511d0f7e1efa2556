import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { AuditAction, Endpoint, operatorVolumeEndpoints, QueryOf } from '@saldo/api';
import { formatMessage } from '@saldo/core/messages/message.ts';
import type { FastifyRequest } from 'fastify';
import { recordAudit } from '../audit/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { withSmallHeap } from '../platform/heap.ts';
import { languageOf } from '../platform/http/accept.ts';
import { concurrencyLimiter } from '../platform/http/concurrency-limiter.ts';
import { answerLong, type LongOperation } from '../platform/http/idempotency.ts';
import { decimalOfCsvOnly, validationProblem } from '../platform/http/problem.ts';
import type { Call } from '../platform/http/routes.ts';
import {
  chunksOf,
  contentCoding,
  disconnectSilent,
  gunzipped,
  mediaTypeOf,
} from '../platform/http/streams.ts';
import {
  type ImportOptions,
  type ImportReport,
  type ImportSubject,
  newImportReport,
  runImport,
} from './import-run.ts';

/** Imported lines since the start, without those of dry runs. */
export type ImportCounts = { rows: number; rejected: number };

/** An operation that imports a file, and its audit events. */
export type ImportOperation = {
  readonly endpoint: Endpoint;
  readonly subject: ImportSubject;
  readonly imported: AuditAction;
  readonly brokenOff: AuditAction;
};

/** All imports have the same parameters. */
type ImportCall = Omit<Call<Endpoint>, 'query'> & {
  readonly query: QueryOf<typeof operatorVolumeEndpoints.importVolumes>;
};

/** Each import holds up to two database connections. Further imports wait unread, so that other requests get one. */
const IMPORTS_AT_ONCE = 3;

const inTurn = concurrencyLimiter({ atOnce: IMPORTS_AT_ONCE });

/**
 * Answers an import. When its `Idempotency-Key` is known, the body is read and compared by hash, but not imported
 * again. A client that sends nothing for `silenceMs` is disconnected.
 */
export function answerImport(
  db: Database,
  operation: ImportOperation,
  call: ImportCall,
  clock: Clock,
  { silenceMs, counts }: { silenceMs: number; counts: ImportCounts },
): Promise<object | string> {
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
    clock,
  };
  const answer = async () => {
    try {
      disconnectSilent(request, reply, silenceMs);
      const hash = request.headers['idempotency-key'] === undefined ? null : createHash('sha256');
      return await answerLong(
        { db, request, reply, endpoint: operation.endpoint },
        {
          content: () => JSON.stringify([type, query, hash?.copy().digest('hex')]),
          async skip() {
            for await (const _chunk of bytesOf(body, hash)) continue;
          },
        },
        longImport(db, operation, call, decoded(request, bytesOf(body, hash)), options, counts),
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

/** The answer, in the language of the call. */
function answerOf(
  report: ImportReport,
  { columns }: ImportSubject,
  call: ImportCall,
  isDryRun: boolean,
): object {
  const { incompleteDays, changedDays: _audited, ...listed } = report;
  const language = languageOf(call);
  return {
    ...listed,
    rejected: report.rejected.map((line) => ({ ...line, message: formatMessage(line.message, language) })),
    incomplete_days: {
      count: incompleteDays.count,
      days: incompleteDays.days.map(({ subject, day, missing }) => ({
        [columns.subject]: subject,
        delivery_date: day,
        missing,
      })),
    },
    dry_run: isDryRun,
  };
}

/**
 * Importing is idempotent, so a retry may repeat values that are stored already. A stream that breaks off leaves
 * committed batches, which are audited too.
 */
function longImport(
  db: Database,
  { subject, imported, brokenOff }: ImportOperation,
  call: ImportCall,
  source: AsyncIterable<Buffer>,
  options: ImportOptions,
  counts: ImportCounts,
): LongOperation<object> {
  const report = newImportReport();
  const record = async (tx: Tx, action: AuditAction) => {
    const { rejected: _listed, incompleteDays, changedDays, ...counted } = report;
    const after = {
      ...counted,
      incomplete_days: incompleteDays.count,
      ...(changedDays.count > 0 && { changed_days: changedDays }),
    };
    await recordAudit(tx, call, { action, subject: call.request.id, after }, options.clock.now());
  };
  return {
    async work() {
      try {
        await runImport(db, subject, source, options, report);
      } catch (error) {
        const hasChanged = !options.isDryRun && report.created + report.corrected > 0;
        if (hasChanged) await db.transaction((tx) => record(tx, brokenOff));
        throw error;
      } finally {
        if (!options.isDryRun) {
          counts.rows += report.rows;
          counts.rejected += report.rejected_lines;
        }
      }
      return answerOf(report, subject, call, options.isDryRun);
    },
    async record(tx) {
      if (!options.isDryRun) await record(tx, imported);
    },
  };
}
