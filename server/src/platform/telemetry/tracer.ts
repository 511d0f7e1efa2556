import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Db, OpenDatabase, Queries, Tx } from '../db/database.ts';
import type { Statement } from '../db/statement.ts';
import { OtlpExporter, type OtlpTarget } from './otlp-exporter.ts';
import { type LogRecord, logsMessage, type Span, tracesMessage } from './otlp-messages.ts';

export type TelemetrySettings = {
  /** Null: the signal is not exported. */
  readonly traces: OtlpTarget | null;
  readonly logs: OtlpTarget | null;
  /** Attributes of the process: `service.name` and others. */
  readonly resource: Readonly<Record<string, string>>;
  /** The part of the traces that begin here and are recorded, from 0 to 1. */
  readonly ratio: number;
};

/** The trace of a request. */
export type Trace = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly isSampled: boolean;
  databaseCalls: number;
  databaseMs: number;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined unless telemetry is exported. */
    trace?: Trace;
  }
}

/** Spans of database calls per request; further calls are only counted. */
const CALL_SPANS = 100;
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

const newId = (bytes: number) => randomBytes(bytes).toString('hex');
const wallMs = () => performance.timeOrigin + performance.now();

/** Continues the trace of the caller (W3C Trace Context), or begins one. */
function traceOf(header: unknown, ratio: number): Trace {
  const counts = { databaseCalls: 0, databaseMs: 0 };
  const given = typeof header === 'string' ? TRACEPARENT.exec(header) : null;
  const [, traceId = '', parentSpanId = '', flags = ''] = given ?? [];
  const isValid = given !== null && !String(header).startsWith('ff') && !/^0+$/.test(traceId);
  if (isValid && !/^0+$/.test(parentSpanId)) {
    const isSampled = (Number.parseInt(flags, 16) & 1) === 1;
    return { traceId, spanId: newId(8), parentSpanId, isSampled, ...counts };
  }
  const isSampled = Math.random() < ratio;
  return { traceId: newId(16), spanId: newId(8), parentSpanId: null, isSampled, ...counts };
}

/** Records requests, their database calls and log lines, and exports them. Exists only if telemetry is configured. */
export class Tracer {
  readonly #scope = new AsyncLocalStorage<Trace>();
  readonly #spans: OtlpExporter<Span> | null;
  readonly #logs: OtlpExporter<LogRecord> | null;
  readonly #ratio: number;

  constructor({ traces, logs, resource, ratio }: TelemetrySettings, logger: Logger) {
    this.#ratio = ratio;
    this.#spans = traces && new OtlpExporter(traces, (spans) => tracesMessage(resource, spans), logger);
    this.#logs = logs && new OtlpExporter(logs, (lines) => logsMessage(resource, lines), logger);
    if (this.#logs !== null) this.#copyLines(logger, this.#logs);
  }

  get dropped(): Record<'traces' | 'logs', number> {
    return { traces: this.#spans?.dropped ?? 0, logs: this.#logs?.dropped ?? 0 };
  }

  async stop(): Promise<void> {
    await Promise.all([this.#spans?.stop(), this.#logs?.stop()]);
  }

  /** Exports a copy of every line, with the trace of the request that wrote it. */
  #copyLines(logger: Logger, logs: OtlpExporter<LogRecord>): void {
    const owner = logger as unknown as Record<symbol, DestinationStream>;
    const destination = owner[pino.symbols.streamSym]!;
    owner[pino.symbols.streamSym] = {
      write: (line) => {
        destination.write(line);
        const trace = this.#scope.getStore();
        logs.add({ line, traceId: trace?.traceId ?? null, spanId: trace?.spanId ?? null });
      },
    };
  }

  /** Runs the hooks and the handler of every request in the scope of its trace. */
  observe(app: FastifyInstance): void {
    app.addHook('onRequest', (request, _reply, done) => {
      request.trace = traceOf(request.headers['traceparent'], this.#ratio);
      this.#scope.run(request.trace, done);
    });
    // The body arrives outside of the scope.
    app.addHook('preValidation', (request, _reply, done) => {
      if (request.trace === undefined) done();
      else this.#scope.run(request.trace, done);
    });
  }

  /** Ends the span of a request. `log` runs in its scope. */
  answered(request: FastifyRequest, route: string, status: number, seconds: number, log: () => void): void {
    const { trace, method } = request;
    if (trace === undefined) return log();
    this.#scope.run(trace, log);
    if (!trace.isSampled || this.#spans === null) return;
    const endMs = wallMs();
    this.#spans.add({
      traceId: trace.traceId,
      spanId: trace.spanId,
      parentSpanId: trace.parentSpanId,
      name: `${method} ${route}`,
      kind: 'server',
      startMs: endMs - seconds * 1000,
      endMs,
      isError: status >= 500,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'saldo.request_id': request.id,
        'saldo.database.calls': trace.databaseCalls,
        'saldo.database.ms': Math.round(trace.databaseMs * 1000) / 1000,
      },
    });
  }

  /** The same database, whose calls are spans of the request that makes them. */
  traceDatabase(db: OpenDatabase): OpenDatabase {
    const { replication } = db;
    return {
      ...db,
      ...this.#queries(db),
      replication: replication && {
        ...replication,
        readsAfter: async (after, caller) => {
          const reads = await replication.readsAfter(after, caller);
          return { ...reads, db: this.#queries(reads.db) };
        },
      },
      transaction: (work) =>
        this.#timed('transaction', () => db.transaction((tx) => work(this.#inTransaction(tx)))),
      rolledBack: (work) =>
        this.#timed('transaction', () => db.rolledBack((tx) => work(this.#inTransaction(tx)))),
    };
  }

  #inTransaction(tx: Tx): Tx {
    return {
      ...this.#queries(tx),
      isPrimary: true,
      inTransaction: true,
      copy: (text, rows) => tx.copy(text, rows),
      beforeCommit: (work) => tx.beforeCommit(work),
    };
  }

  #queries(db: Db): Db {
    return { ...this.#timedQueries(db), hot: this.#timedQueries(db.hot) };
  }

  #timedQueries<S extends Statement>(queries: Queries<S>): Queries<S> {
    return {
      query: (statement, values) => this.#timed(statement.name, () => queries.query(statement, values)),
      arrays: (statement, values) => this.#timed(statement.name, () => queries.arrays(statement, values)),
    };
  }

  async #timed<T>(name: string, call: () => Promise<T>): Promise<T> {
    const trace = this.#scope.getStore();
    if (trace === undefined || !trace.isSampled || this.#spans === null) return call();
    const startMs = wallMs();
    let isError = true;
    try {
      const result = await call();
      isError = false;
      return result;
    } finally {
      const endMs = wallMs();
      // A transaction contains its statements.
      if (name !== 'transaction') trace.databaseMs += endMs - startMs;
      if (++trace.databaseCalls <= CALL_SPANS) {
        const { traceId, spanId: parentSpanId } = trace;
        const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': name };
        this.#spans.add({
          ...{ traceId, parentSpanId, name, startMs, endMs, isError, attributes },
          spanId: newId(8),
          kind: 'client',
        });
      }
    }
  }
}
