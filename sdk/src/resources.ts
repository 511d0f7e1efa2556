import type { BodyOf, Endpoint, QueryOf, ResponseOf } from '@saldo/api';
import { LIMITS } from '@saldo/api';
import type { Client, Input } from './client.ts';
import type { CallOptions } from './options.ts';
import type { AnyInput } from './request.ts';

/** The query of an endpoint with its flags as booleans. Their text is accepted too, as a form or an address has it. */
export type SentQuery<E extends Endpoint, Q = QueryOf<E>> = {
  [K in keyof Q]: 'true' | 'false' extends Q[K] ? Q[K] | boolean : Q[K];
};

type PathArguments<Path extends string> = Path extends `${string}{${string}}${infer Rest}`
  ? Rest extends `${string}{${string}}${string}`
    ? [id: string, date: string]
    : [id: string]
  : [];

type Payload<E extends Endpoint> =
  BodyOf<E> extends undefined
    ? keyof QueryOf<E> extends never
      ? []
      : object extends QueryOf<E>
        ? [query?: SentQuery<E>]
        : [query: SentQuery<E>]
    : object extends BodyOf<E>
      ? [body?: BodyOf<E>]
      : [body: BodyOf<E>];

/** An endpoint as a function: path parameters first, then body or query, then options. */
export type Method<E extends Endpoint> = (
  ...input: [...PathArguments<E['path']>, ...Payload<E>, options?: CallOptions]
) => Promise<ResponseOf<E>>;

/** The member of a list response that holds the records: the required one besides `pagination`. */
type RecordsMember<Page> = {
  [Name in keyof Page]-?: Name extends 'pagination' ? never : object extends Pick<Page, Name> ? never : Name;
}[keyof Page];
export type RecordOf<E extends Endpoint> = ResponseOf<E>[RecordsMember<ResponseOf<E>> &
  keyof ResponseOf<E>] extends readonly (infer Item)[]
  ? Item
  : never;

/** The filters of a list, without the paging parameters, which the SDK sets itself. */
export type Filter<E extends Endpoint> = Omit<SentQuery<E>, 'limit' | 'after' | 'page'>;

type Walk<E extends Endpoint, Item> = (
  ...input: [...PathArguments<E['path']>, filter?: Filter<E>, options?: CallOptions]
) => AsyncGenerator<Item, void, undefined>;

/** Methods of a list: one page, all records, or all pages (which may contain more than the records). */
export type ListMethods<E extends Endpoint> = {
  list: Method<E>;
  each: Walk<E, RecordOf<E>>;
  pages: Walk<E, ResponseOf<E>>;
};

type AnyPage = { pagination: { next_cursor: string | null } } & Record<string, unknown>;

/** Creates the methods of a client from the endpoint descriptions. */
export function methodsOf(client: Client) {
  function method<E extends Endpoint>(endpoint: E): Method<E> {
    const read = argumentsOf(endpoint);
    const call = (...input: unknown[]) => {
      const { params, payload, options } = read(input);
      const sent = endpoint.body === null ? { params, query: payload } : { params, body: payload ?? {} };
      return client.call(endpoint, sent as Input<E>, options);
    };
    return Object.assign(call, { endpointId: endpoint.id });
  }

  function pages<E extends Endpoint>(endpoint: E): Walk<E, ResponseOf<E>> {
    const read = argumentsOf(endpoint);
    return async function* walkPages(...input: unknown[]) {
      const { params, payload, options } = read(input);
      let after: string | undefined;
      do {
        const page: AnyInput = { params, query: { limit: LIMITS.pageSize.maximum, ...payload, after } };
        const answer = await client.call(endpoint, page as Input<E>, options);
        yield answer;
        after = (answer as AnyPage).pagination.next_cursor ?? undefined;
      } while (after !== undefined);
    };
  }

  /** Numbered pages, all at the list version of the first one: no remaining record is skipped or repeated. */
  function numberedPages<E extends Endpoint>(endpoint: E): Walk<E, ResponseOf<E>> {
    const read = argumentsOf(endpoint);
    return async function* walkNumberedPages(...input: unknown[]) {
      const { params, payload, options } = read(input);
      let [version, links] = [options?.listVersion ?? null, ''];
      const onResponse = (response: Response) => {
        version ??= response.headers.get('x-list-version');
        links = response.headers.get('link') ?? '';
        options?.onResponse?.(response);
      };
      for (let page = 1; page === 1 || /; *rel="next"/.test(links); page++) {
        const asked: AnyInput = { params, query: { limit: LIMITS.pageSize.maximum, ...payload, page } };
        const listVersion = version === null ? {} : { listVersion: version };
        yield await client.call(endpoint, asked as Input<E>, { ...options, ...listVersion, onResponse });
      }
    };
  }

  function list<E extends Endpoint>(endpoint: E): ListMethods<E> {
    const member = recordsMember(endpoint);
    const walkPages = endpoint.numberedPages ? numberedPages(endpoint) : pages(endpoint);
    const untyped = walkPages as (...input: unknown[]) => AsyncGenerator<AnyPage, void, undefined>;
    const each = async function* walkRecords(...input: unknown[]) {
      for await (const page of untyped(...input)) yield* page[member] as RecordOf<E>[];
    } as Walk<E, RecordOf<E>>;
    const walks = { walks: endpoint.id };
    return {
      list: method(endpoint),
      each: Object.assign(each, walks),
      pages: Object.assign(walkPages, walks, { yields: 'pages' }),
    };
  }

  return { method, list };
}

/** Splits positional arguments into path parameters, body or query, and options. */
function argumentsOf(endpoint: Endpoint) {
  const names = Array.from(endpoint.path.matchAll(/\{(\w+)\}/g), ([, name]) => String(name));
  const { properties } = endpoint.query as { properties?: object };
  const hasPayload = endpoint.body !== null || Object.keys(properties ?? {}).length > 0;
  return (input: readonly unknown[]) => {
    const params = Object.fromEntries(names.map((name, index) => [name, input[index] as string]));
    const rest = input.slice(names.length);
    const payload = (hasPayload ? rest.shift() : undefined) as AnyInput['query'];
    return { params, payload, options: rest[0] as CallOptions | undefined };
  };
}

function recordsMember(endpoint: Endpoint): string {
  const { required = [] } = endpoint.response as { required?: string[] };
  const member = required.find((name) => name !== 'pagination');
  if (member === undefined) throw new Error(`${endpoint.id} is not a list`);
  return member;
}
