import type { Static, TSchema } from 'typebox';
import { Strict } from './common.ts';
import type { ProblemCode } from './problems.ts';
import { isReadScope, type Scope } from './scopes.ts';

type Operation<
  Path extends string,
  Query extends TSchema,
  Body extends TSchema | null,
  Response extends TSchema,
> = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Parameters are in braces: `/v1/contracts/{contract_id}`. */
  readonly path: Path;
  readonly summary: string;
  readonly description: string;
  /** The caller needs all of them; default none. */
  readonly scopes?: readonly Scope[];
  /** Status of a successful response; default 200. A 204 has no body. */
  readonly status?: 201 | 204;
  /** Default: no parameters. */
  readonly query?: Query;
  /** Default: null, no body. */
  readonly body?: Body;
  /** Media types of a body that is read as a stream, without a size limit. */
  readonly stream?: readonly string[];
  /** Whether the streamed body may be sent with `Content-Encoding: gzip`. */
  readonly gzip?: true;
  /** If set, a body of those media types is read into memory, up to this size. */
  readonly maxBytes?: number;
  readonly response: Response;
  /** For a response that is a document, not JSON: its media types, the default first, each with an example. */
  readonly documents?: Readonly<Record<string, string>>;
  /** The document is sent as a stream of any length, at the reader's speed. */
  readonly isExport?: true;
  /** Problems specific to this operation; the documentation adds those that every operation has. */
  readonly problems?: readonly ProblemCode[];
  readonly example: {
    readonly request?: unknown;
    /** The same as XML, if a streamed body may be XML or something else. */
    readonly xmlRequest?: string;
    readonly response: unknown;
  };
  /** Responses with a body carry an `ETag`: a read supports `If-None-Match`, a change with 412 supports `If-Match`. */
  readonly conditional?: true;
  /** A list with numbered pages: carries `Link` and `X-Total-Count`, and supports `listVersion` and `X-List-Version`. */
  readonly numberedPages?: true;
  /** A POST that changes nothing, or has no authenticated caller whose answer could be stored. */
  readonly ignoresIdempotencyKey?: true;
};

type Described<Query, Body> = {
  readonly scopes: readonly Scope[];
  readonly query: Query;
  readonly body: Body;
  readonly problems: readonly ProblemCode[];
};

type Named = { readonly id: string; readonly tag: string };

/**
 * One operation of the API: how it is called, its input and its response. Routing, validation, the OpenAPI document and
 * the clients all use this description.
 */
export type Endpoint<
  Path extends string = string,
  Query extends TSchema = TSchema,
  Body extends TSchema | null = TSchema | null,
  Response extends TSchema = TSchema,
> = Operation<Path, Query, Body, Response> & Described<Query, Body> & Named;

const NO_QUERY = Strict({});
const DEFAULTS = { scopes: [], query: NO_QUERY, body: null, problems: [] };

export const endpoint = <
  const Path extends string,
  Response extends TSchema,
  Query extends TSchema = typeof NO_QUERY,
  Body extends TSchema | null = null,
>(
  operation: Operation<Path, Query, Body, Response>,
) => ({ ...DEFAULTS, ...operation }) as Operation<Path, Query, Body, Response> & Described<Query, Body>;

/** Operations with a tag, by their ids. */
export const endpoints = <T extends Readonly<Record<string, object>>>(
  tag: string,
  operations: T,
  idOf: (name: string) => string = (name) => name,
) =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [name, { ...operation, id: idOf(name), tag }]),
  ) as { [Name in keyof T]: T[Name] & Named };

/** Whether the operation changes nothing. Bulk reads are POSTs, as their scopes show. */
const isRead = ({ method, scopes }: Pick<Endpoint, 'method' | 'scopes'>): boolean =>
  method === 'GET' || (scopes.length > 0 && scopes.every(isReadScope));

/** Whether a request repeated with its `Idempotency-Key` gets the stored answer of the first one. */
export const isRepeatable = (endpoint: Endpoint): boolean =>
  endpoint.method === 'POST' && !isRead(endpoint) && endpoint.ignoresIdempotencyKey !== true;

type PathParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameterNames<Rest>
  : never;

export type ParamsOf<E extends Endpoint> = Record<PathParameterNames<E['path']>, string>;
export type QueryOf<E extends Endpoint> = Static<E['query']>;
export type BodyOf<E extends Endpoint> = E['body'] extends TSchema ? Static<E['body']> : undefined;
export type ResponseOf<E extends Endpoint> = Static<E['response']>;
