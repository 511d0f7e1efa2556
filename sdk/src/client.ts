import type { BodyOf, Endpoint, ParamsOf, Problem, QueryOf, ResponseOf } from '@saldo/api';
import { SaldoProblem } from './problem.ts';

export type ClientOptions = {
  /** The address of the API without its version: `https://api.example.org`. */
  readonly baseUrl: string;
  readonly apiKey: string;
};

/** What an endpoint is called with: only what it takes, and what it needs. */
export type Input<E extends Endpoint> = (keyof ParamsOf<E> extends never ? object : { params: ParamsOf<E> }) &
  (object extends QueryOf<E> ? { query?: QueryOf<E> } : { query: QueryOf<E> }) &
  (BodyOf<E> extends undefined ? object : { body: BodyOf<E> });

export type Client = { call<E extends Endpoint>(endpoint: E, input: Input<E>): Promise<ResponseOf<E>> };

type AnyInput = { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown };

/** Calls endpoints by their description, with their types. */
export function createClient({ baseUrl, apiKey }: ClientOptions): Client {
  return {
    async call<E extends Endpoint>(endpoint: E, input: Input<E>) {
      const { params = {}, query = {}, body } = input as AnyInput;
      const response = await fetch(baseUrl + pathOf(endpoint.path, params) + queryOf(query), {
        method: endpoint.method,
        headers: {
          'x-api-key': apiKey,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer: unknown = await response.json();
      if (!response.ok) throw new SaldoProblem(answer as Problem, response.headers.get('x-request-id'));
      return answer as ResponseOf<E>;
    },
  };
}

const pathOf = (pattern: string, params: Record<string, string>) =>
  pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

function queryOf(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}
