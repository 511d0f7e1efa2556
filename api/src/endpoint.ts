import type { Static, TSchema } from 'typebox';
import type { ProblemCode } from './problems.ts';
import type { Scope } from './scopes.ts';

/**
 * One operation of the wire: how it is called, what it takes and what it answers. Routing, validation, the OpenAPI
 * document and the clients all read this one description.
 */
export type Endpoint<
  Path extends string = string,
  Query extends TSchema = TSchema,
  Body extends TSchema | null = TSchema | null,
  Response extends TSchema = TSchema,
> = {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** With parameters in braces: `/v1/contracts/{contract_id}`. */
  readonly path: Path;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** All of them are required. */
  readonly scopes: readonly Scope[];
  /** What a success is answered with; 200 unless it says otherwise. 204 has no body. */
  readonly status?: 201 | 204;
  readonly query: Query;
  readonly body: Body;
  /** Media types of a body that is read as a stream, of any size. */
  readonly stream?: readonly string[];
  /** A body of those media types is instead read as a whole, up to this size. */
  readonly maxBytes?: number;
  readonly response: Response;
  /** For an answer that is a document and not JSON: its media types, the usual one first, each with an example. */
  readonly documents?: Readonly<Record<string, string>>;
  /** Problems that only this operation has; those that every operation has are added where they are documented. */
  readonly problems: readonly ProblemCode[];
  readonly example: { readonly request?: unknown; readonly response: unknown };
  /** Its answers carry an `ETag`: a read honours `If-None-Match`, a change honours `If-Match`. */
  readonly conditional?: true;
  /** A list with numbered pages: its answers carry `Link`, `X-Total-Count` and the `X-List-Version` that it honours. */
  readonly numberedPages?: true;
};

export const endpoint = <
  const Path extends string,
  Query extends TSchema,
  Body extends TSchema | null,
  Response extends TSchema,
>(
  definition: Endpoint<Path, Query, Body, Response>,
): Endpoint<Path, Query, Body, Response> => definition;

type PathParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameterNames<Rest>
  : never;

export type ParamsOf<E extends Endpoint> = Record<PathParameterNames<E['path']>, string>;
export type QueryOf<E extends Endpoint> = Static<E['query']>;
export type BodyOf<E extends Endpoint> = E['body'] extends TSchema ? Static<E['body']> : undefined;
export type ResponseOf<E extends Endpoint> = Static<E['response']>;
