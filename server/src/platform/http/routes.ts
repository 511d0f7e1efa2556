import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BodyOf, Endpoint, ParamsOf, QueryOf } from '@saldo/api';
import { LIMITS } from '@saldo/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Owner, ownerKey } from '../auth/principal.ts';
import type { Viewer } from '../auth/viewer.ts';
import type { Database, Db, Tx } from '../db/database.ts';
import { bindingOf, type CursorSealer, type Position } from './cursor.ts';
import type { Guard } from './guard.ts';
import { answerInTransaction, answerLong, type LongOperation } from './idempotency.ts';
import type { PageRequest } from './paging.ts';
import type { PositionTracker } from './positions.ts';
import { type FieldError, problem, validationProblem } from './problem.ts';
import { takeFiles } from './streams.ts';
import { compile, compileQuery } from './validation.ts';

/** An authorised and validated request. */
export type Call<E extends Endpoint> = {
  readonly viewer: Viewer;
  /** The party that the caller acts for. Null for a request without credentials. */
  readonly owner: Owner | null;
  /** The caller's id in the audit trail. */
  readonly actor: string;
  readonly params: ParamsOf<E>;
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
  readonly page: PageRequest;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

/** The owner of a caller on a route whose guard lets only owners of keys and users pass. */
export function getOwner({ owner }: Pick<Call<Endpoint>, 'owner'>): Owner {
  if (owner === null) throw new Error('a guard lets only owners of keys and users pass');
  return owner;
}

/** Returns an object, serialised JSON, or a document whose content type the handler has set on the reply. */
export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<object | string>;

/** A handler that reads only from `db`, which is a replica or the primary. */
export type ReplicaHandler<E extends Endpoint> = (call: Call<E>, db: Db) => Promise<object | string>;

/** A handler that changes data. All its writes belong to the transaction `tx`. */
export type WriteHandler<E extends Endpoint> = (call: Call<E>, tx: Tx) => Promise<object | string>;

/** Validation beyond the schemas. The body is not validated yet and may have any type. */
export type FormCheck<E extends Endpoint> = (params: ParamsOf<E>, body: unknown) => FieldError[];

/** Opens a value of `after` that is not a cursor. Null if it is none of the list's places. */
export type OpenPlace = (after: string) => Position | null;

export type Route = {
  readonly endpoint: Endpoint;
  readonly check?: FormCheck<Endpoint>;
  readonly openPlace?: OpenPlace;
} & (
  | { readonly handle: Handler<Endpoint> }
  | { readonly read: ReplicaHandler<Endpoint> }
  | { readonly write: WriteHandler<Endpoint> }
  | { readonly operation: (call: Call<Endpoint>) => LongOperation<object> }
);

// A `Route` erases the endpoint's type parameter. Validation guarantees that the handler gets the declared types.
export const route = <E extends Endpoint>(
  endpoint: E,
  handle: Handler<E>,
  openPlace: OpenPlace = () => null,
): Route => ({ endpoint, handle, openPlace });

/** A read whose answer may lack the newest changes of other callers, so that a replica may give it. */
export const replicaRoute = <E extends Endpoint>(endpoint: E, read: ReplicaHandler<E>): Route => ({
  endpoint,
  read,
});

/** An operation that changes data. If it is repeatable, it supports `Idempotency-Key`. */
export const writeRoute = <E extends Endpoint>(
  endpoint: E,
  write: WriteHandler<E>,
  check: FormCheck<E> = () => [],
): Route => ({ endpoint, write, check });

/** An operation that opens its own transactions. Its audit event is stored afterwards. */
export const longRoute = <E extends Endpoint, A extends object>(
  endpoint: E,
  operation: (call: Call<E>) => LongOperation<A>,
): Route => ({ endpoint, operation });

export type Mounting = {
  readonly db: Database;
  readonly guard: Guard;
  readonly cursors: CursorSealer;
  /** Null without read replicas. */
  readonly positions: PositionTracker | null;
};

export function mountRoutes(app: FastifyInstance, routes: readonly Route[], mounting: Mounting): void {
  const { db, guard, cursors, positions } = mounting;
  for (const route of routes) {
    const { endpoint } = route;
    const check = requestCheck(route, cursors);
    const answer = (call: Call<Endpoint>) =>
      positions === null
        ? answerRoute(db, db, route, call)
        : positions(call.request, call.reply, 'read' in route, (reads) =>
            answerRoute(db, reads, route, call),
          );
    const mount = (scope: FastifyInstance) =>
      scope.route({
        method: endpoint.method,
        url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
        config: {
          endpointId: endpoint.id,
          isChange: 'write' in route || 'operation' in route,
          isStreamed: endpoint.stream !== undefined && endpoint.maxBytes === undefined,
          isExport: endpoint.isExport === true,
        },
        bodyLimit: endpoint.maxBytes ?? LIMITS.bodyBytes,
        onRequest: admission(endpoint, guard),
        async handler(request, reply) {
          const body = await answer(check(request, reply));
          // The handler may have sent the response itself, for example a 304.
          if (reply.sent) return reply;
          if (endpoint.status === 204) return reply.code(204).send();
          if (endpoint.status !== undefined) reply.code(endpoint.status);
          if (endpoint.documents === undefined)
            reply.header('content-type', 'application/json; charset=utf-8');
          const isSerialised = typeof body === 'string' || Buffer.isBuffer(body) || body instanceof Readable;
          return reply.send(isSerialised ? body : JSON.stringify(body));
        },
      });
    if (endpoint.stream === undefined) mount(app);
    else takeFiles(app, endpoint, mount);
  }
}

function answerRoute(db: Database, reads: Db, route: Route, call: Call<Endpoint>): Promise<object | string> {
  if ('handle' in route) return route.handle(call);
  if ('read' in route) return route.read(call, reads);
  const { endpoint } = route;
  const { request, reply } = call;
  const context = { db, request, reply, endpoint };
  const content = () => {
    // A file can be large, so its hash stands for its content.
    const body = Buffer.isBuffer(request.body) ? hash('sha256', request.body) : call.body;
    return JSON.stringify([call.params, call.query, body]);
  };
  return 'write' in route
    ? answerInTransaction(context, content, (tx) => route.write(call, tx))
    : answerLong(context, { content, skip: async () => {} }, route.operation(call));
}

/**
 * The router matches `/v1/contracts/` as a contract with an empty id. Such a path does not exist and gets 404. Stays
 * synchronous when the guard does.
 */
function admission(endpoint: Endpoint, guard: Guard) {
  const authorize = guard(endpoint);
  const hasParameters = endpoint.path.includes('{');
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    if (hasParameters && Object.values(request.params as Record<string, string>).includes('')) {
      return done(problem('not_found', { key: 'problem.not_found', path: pathOf(request) }));
    }
    let waiting: void | Promise<void>;
    try {
      waiting = authorize(request, reply);
    } catch (refusal) {
      return done(refusal as Error);
    }
    return waiting === undefined ? done() : void waiting.then(() => done(), done);
  };
}

const BODY_MISSING = { code: 'required', message: { key: 'request.json_required' } } as const;

function requestCheck({ endpoint, check, openPlace }: Route, cursors: CursorSealer) {
  const readQuery = compileQuery(endpoint.query);
  const validateBody = endpoint.body && compile(endpoint.body);
  // A POST whose schema has no required member may omit its body.
  const mayOmitBody = () => endpoint.method === 'POST' && validateBody?.({}).length === 0;

  return (request: FastifyRequest, reply: FastifyReply): Call<Endpoint> => {
    const { principal } = request;
    const body = request.body === undefined && mayOmitBody() ? {} : request.body;
    if (principal === null) throw new Error('a route was reached without a principal');
    const raw = request.query as Record<string, unknown>;
    const { query, errors } = readQuery(raw);

    let after: Position | null = null;
    let bound: string | null = null;
    const binding = () => {
      bound ??= bindingOf(ownerKey(principal.owner), pathOf(request), raw);
      return bound;
    };
    if (typeof query['after'] === 'string' && !errors.some(({ field }) => field === 'after')) {
      after = cursors.open(binding(), query['after']) ?? openPlace?.(query['after']) ?? null;
      if (after === null) errors.push(CURSOR_REFUSED);
    }
    if (validateBody) errors.push(...(body === undefined ? [BODY_MISSING] : validateBody(body)));
    errors.push(...(check?.(request.params as Record<string, string>, body) ?? []));
    if (errors.length > 0) throw validationProblem(errors);

    const limit = (query['limit'] as number | undefined) ?? LIMITS.pageSize.default;
    return {
      viewer: principal.viewer,
      owner: principal.owner,
      actor: principal.actor,
      params: request.params as Record<string, string>,
      query,
      body,
      page: { limit, after, seal: (position) => cursors.seal(binding(), position) },
      request,
      reply,
    } as Call<Endpoint>;
  };
}

const CURSOR_REFUSED = {
  field: 'after',
  code: 'invalid_format',
  message: { key: 'field.cursor' },
} as const;

const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0] ?? '';

/** Lists the methods of a path, to choose between 404 and 405. */
export function methodFinder(
  endpoints: readonly Pick<Endpoint, 'method' | 'path'>[],
): (path: string) => string[] {
  const patterns = endpoints.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));
  return (path) => {
    const methods = patterns
      .filter(({ pattern }) => pattern.test(path))
      .map(({ method }) => method as string);
    if (methods.length === 0) return [];
    return [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])];
  };
}
