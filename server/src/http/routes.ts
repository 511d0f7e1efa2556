import type { BodyOf, Endpoint, ParamsOf, QueryOf } from '@saldo/api';
import { LIMITS } from '@saldo/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Viewer } from '../auth/principal.ts';
import { bindingOf, type CursorSealer, type Position } from './cursor.ts';
import type { Guard } from './guard.ts';
import type { PageRequest } from './paging.ts';
import { problem, validationProblem } from './problem.ts';
import { compile, compileQuery } from './validation.ts';

/** A request that was let in and is well-formed. */
export type Call<E extends Endpoint> = {
  readonly viewer: Viewer;
  readonly params: ParamsOf<E>;
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
  readonly page: PageRequest;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

/** Answers with an object, or with JSON that is written already. */
export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<object | string>;

export type Route = { readonly endpoint: Endpoint; readonly handle: Handler<Endpoint> };

export const route = <E extends Endpoint>(endpoint: E, handle: Handler<E>): Route => ({
  endpoint,
  // Validation makes a request into what the endpoint describes; from here on its type is only known by name.
  handle,
});

export function mountRoutes(
  app: FastifyInstance,
  routes: readonly Route[],
  guard: Guard,
  cursors: CursorSealer,
): void {
  for (const { endpoint, handle } of routes) {
    const check = requestCheck(endpoint, cursors);
    app.route({
      method: endpoint.method,
      url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { endpointId: endpoint.id },
      onRequest: endpoint.path.includes('{') ? [refuseEmptyParameters, guard(endpoint)] : guard(endpoint),
      async handler(request, reply) {
        const answer = await handle(check(request, reply));
        // A handler that has answered by itself, with 304 for example, has nothing left to say.
        if (reply.sent) return reply;
        reply.header('content-type', 'application/json; charset=utf-8');
        return reply.send(typeof answer === 'string' ? answer : JSON.stringify(answer));
      },
    });
  }
}

/** The router takes `/v1/contracts/` for a contract without an id; it is a path that nobody has. */
function refuseEmptyParameters(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) {
  const isEmpty = Object.values(request.params as Record<string, string>).includes('');
  done(isEmpty ? problem('not_found', `There is nothing at ${pathOf(request)}.`) : undefined);
}

const BODY_MISSING = { code: 'required', message: 'a JSON body is required' } as const;

function requestCheck(endpoint: Endpoint, cursors: CursorSealer) {
  const readQuery = compileQuery(endpoint.query);
  const validateBody = endpoint.body && compile(endpoint.body);

  return (request: FastifyRequest, reply: FastifyReply): Call<Endpoint> => {
    const { principal, body } = request;
    if (principal === null) throw new Error('a route was reached without a principal');
    const raw = request.query as Record<string, unknown>;
    const { query, errors } = readQuery(raw);

    let after: Position | null = null;
    let bound: string | null = null;
    const binding = () => {
      bound ??= bindingOf(String(principal.viewer.brpNo), pathOf(request), raw);
      return bound;
    };
    if (typeof query['after'] === 'string' && !errors.some(({ field }) => field === 'after')) {
      after = cursors.open(binding(), query['after']);
      if (after === null) errors.push(CURSOR_REFUSED);
    }
    if (validateBody) errors.push(...(body === undefined ? [BODY_MISSING] : validateBody(body)));
    if (errors.length > 0) throw validationProblem(errors);

    const limit = (query['limit'] as number | undefined) ?? LIMITS.pageSize.default;
    return {
      viewer: principal.viewer,
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
  message: 'is not a cursor of this list with these filters; start again without it',
} as const;

const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0] ?? '';

/** Tells which methods a path has, for requests that found no route. */
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
