import { finished, Readable } from 'node:stream';
import {
  EXPORT_FORMATS,
  EXPORT_MEDIA_TYPES,
  exportEndpoints,
  LIMITS,
  operatorExportEndpoints,
} from '@saldo/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findSealAfter } from '../ledger/store.ts';
import type { Operator } from '../nominations/wire.ts';
import type { Owner } from '../platform/auth/principal.ts';
import type { Viewer } from '../platform/auth/viewer.ts';
import type { MovableClock } from '../platform/clock.ts';
import type { Db, Primary } from '../platform/db/database.ts';
import { preferredFormat, varyBy } from '../platform/http/accept.ts';
import { attachment } from '../platform/http/answer-headers.ts';
import type { AsOfReads } from '../platform/http/as-of.ts';
import { compressStream } from '../platform/http/compression.ts';
import type { CursorSealer } from '../platform/http/cursor.ts';
import { refuseMissingScopes } from '../platform/http/guard.ts';
import { ProblemError, problem } from '../platform/http/problem.ts';
import { getOwner, type Route, replicaRoute, route } from '../platform/http/routes.ts';
import { deliveryRange, touchedDays } from '../platform/http/time-filter.ts';
import { type Exported, type ExportFile, fileChunks } from './files.ts';
import { type DatedFile, digestOf, exportIds } from './manifest.ts';
import type { Chunks } from './parquet.ts';

type ExportCall = {
  readonly viewer: Viewer;
  readonly owner: Owner | null;
  readonly actor: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

export type ExportSettings = {
  readonly db: Primary;
  readonly clock: MovableClock;
  readonly readsAsOf: AsOfReads;
  /** Signs the ids of exports. */
  readonly sealer: CursorSealer;
  readonly operator: Operator;
  /** Seconds in which a reader may take nothing. */
  readonly silenceS: number;
};

/** Exports of the BRP API and of the operator API, which share their limits. The viewer restricts the rows. */
export function exportRoutes(settings: ExportSettings): { brp: Route[]; operator: Route[] } {
  const enter = exportLimiter();
  const send = exportSender(settings, enter);
  const manifest = manifestReads(settings, enter);
  const { operatorExportTransactions, operatorExportNominations, operatorGetExportManifest } =
    operatorExportEndpoints;
  return {
    brp: [
      replicaRoute(exportEndpoints.exportTransactions, (call, db) =>
        send(call, { subject: 'transactions', query: call.query }, db),
      ),
      replicaRoute(exportEndpoints.exportNominations, (call, db) =>
        send(call, { subject: 'nominations', query: call.query }, db),
      ),
      route(exportEndpoints.getExportManifest, manifest),
    ],
    operator: [
      replicaRoute(operatorExportTransactions, (call, db) =>
        send(call, { subject: 'transactions', query: call.query }, db),
      ),
      replicaRoute(operatorExportNominations, (call, db) =>
        send(call, { subject: 'nominations', query: call.query }, db),
      ),
      route(operatorGetExportManifest, manifest),
    ],
  };
}

const FORMAT_BY_TYPE = Object.fromEntries(
  EXPORT_FORMATS.map((format) => [EXPORT_MEDIA_TYPES[format], format]),
);

const RETRY_AFTER_S = '5';

/** Counts an export of a key or user; the result ends it. */
type EnterExport = (actor: string) => () => void;

/** Allows a limited number of exports at once per key or user and process. */
function exportLimiter(): EnterExport {
  const inProgress = new Map<string, number>();
  return (actor) => {
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
  };
}

/** Sends files at the reader's speed. A reader that takes nothing for `silenceS` is disconnected. */
function exportSender({ clock, readsAsOf, sealer, operator, silenceS }: ExportSettings, enter: EnterExport) {
  const ids = exportIds(sealer);

  /**
   * Without `as_of` an export is as of now. It has no instant, and does not fail, if instants say nothing after a clock was
   * moved back, or if a change lasts too long to wait for it.
   */
  async function readsOf(given: Db, asOf: string | undefined): ReturnType<AsOfReads> {
    if (asOf !== undefined) return readsAsOf(given, asOf);
    if (clock.wasMovedBack()) return { db: given, asOf: null };
    return readsAsOf(given, new Date(clock.now()).toISOString()).catch((error: unknown) => {
      if (error instanceof ProblemError && error.code === 'unavailable') return { db: given, asOf: null };
      throw error;
    });
  }

  return async function send(call: ExportCall, exported: Exported, given: Db): Promise<Readable> {
    const { viewer, actor, request, reply } = call;
    const { query } = exported;
    const format = query.format ?? preferredFormat(request.headers.accept, FORMAT_BY_TYPE);
    const isHead = request.method === 'HEAD';
    if (!isHead) {
      finished(reply.raw, enter(actor));
      // With nothing to take, the reader waits for the database. The next write starts the timeout again.
      reply.raw.setTimeout(silenceS * 1000, () => {
        if (reply.raw.writableLength > 0) reply.raw.destroy();
      });
    }
    const { db, asOf } = await readsOf(given, query.as_of);
    const file: ExportFile = { ...exported, format, asOf };
    // HEAD reads the first batch too, which decides the status. NDJSON needs no other batch for its first chunk.
    const chunks = fileChunks(db, viewer, isHead ? { ...file, format: 'ndjson' } : file, operator);
    // A failure of the first query is still answered with a problem, which must not have the headers of a file.
    const first = await chunks.next();
    if (query.format === undefined) varyBy(reply, 'Accept');
    reply.headers({
      'content-type': EXPORT_MEDIA_TYPES[format] + (format === 'parquet' ? '' : '; charset=utf-8'),
      ...attachment(`${exported.subject}_${daysText(query)}.${format}`),
      ...(asOf === null
        ? {}
        : evidenceHeaders({ ...file, asOf }, ids.seal({ ...file, asOf }, getOwner(call)))),
    });
    // Fastify reads the stream of a HEAD to its end.
    const parts = isHead ? [] : startingWith(first, chunks);
    const source = Readable.from(parts, { objectMode: false });
    return format === 'parquet' ? source : compressStream(request, reply, source);
  };
}

const evidenceHeaders = ({ asOf }: DatedFile, id: string) => ({
  'x-saldo-as-of': new Date(asOf).toISOString(),
  'x-saldo-export-id': id,
});

async function* startingWith(first: IteratorResult<Buffer, number>, rest: Chunks): AsyncGenerator<Buffer> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

/** A manifest needs the scopes of its export. */
const ENDPOINTS = {
  transactions: {
    brp: exportEndpoints.exportTransactions,
    operator: operatorExportEndpoints.operatorExportTransactions,
  },
  nominations: {
    brp: exportEndpoints.exportNominations,
    operator: operatorExportEndpoints.operatorExportNominations,
  },
};

/** Makes the file of an export again, as of its instant, for its number of rows and its hash. */
function manifestReads({ db, readsAsOf, sealer, operator }: ExportSettings, enter: EnterExport) {
  const ids = exportIds(sealer);
  return async (call: ExportCall & { readonly params: { readonly export_id: string } }) => {
    const { viewer, actor, request, reply } = call;
    const file = ids.open(call.params.export_id, getOwner(call));
    if (file === null) throw problem('export_not_found');
    refuseMissingScopes(ENDPOINTS[file.subject][viewer.kind], request.principal!);
    const as_of = new Date(file.asOf).toISOString();
    await readsAsOf(db, as_of);
    finished(reply.raw, enter(actor));
    const digest = await digestOf(fileChunks(db, viewer, file, operator), () => reply.raw.destroyed);
    if (digest === null) throw new Error('the reader of a manifest has disconnected');
    return { ...digest, as_of, seal: await findSealAfter(db, file.asOf) };
  };
}

function daysText(query: Exported['query']): string {
  const { first, last } = touchedDays(deliveryRange(query));
  return first >= last ? first : `${first}_${last}`;
}
