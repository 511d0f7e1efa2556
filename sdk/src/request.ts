import type { Endpoint } from '@saldo/api';
import { POSITION_HEADER } from './position.ts';
import { problemOf, SaldoConnectionError, SaldoProblem } from './problem.ts';
import { type Attempt, retryAfterMs } from './retry.ts';

export type AnyInput = { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown };

type RequestSettings = {
  /** Null: the browser sends the session cookie. */
  readonly apiKey: string | null;
  readonly language: string | null;
  readonly idempotencyKey?: string;
  readonly ifMatch?: string;
  readonly listVersion?: string;
  /** The state that the answer must include: see `PositionMemory`. */
  readonly position: string | null;
  readonly upload: { readonly mediaType: string; readonly isGzip?: boolean } | null;
};

/** A request that can be sent any number of times. `isSafe`: sending it again has no further effect. */
export type PreparedRequest = {
  readonly target: string;
  readonly init: RequestInit;
  readonly isSafe: boolean;
};

export function requestOf(endpoint: Endpoint, input: AnyInput, settings: RequestSettings): PreparedRequest {
  const { params = {}, query = {}, body } = input;
  const accept = Object.keys(endpoint.documents ?? { 'application/json': '' }).join(', ');
  const headers: Record<string, string> = { accept };
  if (settings.apiKey !== null) headers['x-api-key'] = settings.apiKey;
  if (settings.language !== null) headers['accept-language'] = settings.language;
  if (settings.upload?.isGzip) headers['content-encoding'] = 'gzip';
  if (settings.upload) headers['content-type'] = settings.upload.mediaType;
  else if (body !== undefined) headers['content-type'] = 'application/json';
  if (settings.ifMatch !== undefined) headers['if-match'] = settings.ifMatch;
  if (settings.listVersion !== undefined) headers['x-list-version'] = settings.listVersion;
  if (settings.position !== null) headers[POSITION_HEADER] = settings.position;
  const isChange = endpoint.method === 'POST' && !isRead(endpoint);
  if (isChange) headers['idempotency-key'] = settings.idempotencyKey ?? newIdempotencyKey();
  return {
    target: pathOf(endpoint.path, params) + queryOf(query),
    init: {
      method: endpoint.method,
      headers,
      // A redirect must not receive the key. A cookie is sent to the page's own origin only, and never with a key,
      // because the request would then have two callers.
      redirect: 'manual',
      credentials: settings.apiKey === null ? 'same-origin' : 'omit',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
    // A PATCH may be a transition (such as activate) that fails when repeated, unless `If-Match` names its start state.
    isSafe: endpoint.method !== 'PATCH' || settings.ifMatch !== undefined,
  };
}

/** Bulk reads are POSTs that change nothing, as their scopes show. The package has no functions of the API. */
const isRead = ({ scopes }: Endpoint) =>
  scopes.length > 0 && scopes.every((scope) => scope === 'read' || scope.endsWith(':read'));

/** 128 random bits. `crypto.randomUUID` is missing in pages that were loaded over plain http. */
const newIdempotencyKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

function pathOf(pattern: string, params: Record<string, string>): string {
  return pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? '';
    // These values would change the path: to the list instead of the record, or to another resource.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name} must not be ${JSON.stringify(value)}`);
    return encodeURIComponent(value);
  });
}

function queryOf(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/** Statuses of temporary failures of the server or a proxy. */
const RETRYABLE_STATUSES = new Set([429, 502, 503, 504]);

/** The parsed response: a document as text, everything else as the value of its JSON. */
export async function readAnswer(
  { documents }: Pick<Endpoint, 'documents'>,
  response: Response,
  now: number,
): Promise<Attempt<unknown>> {
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    const address = response.headers.get('location');
    const message = `The server redirects to another address${address === null ? '' : `, at ${address}`}; set that as baseUrl.`;
    throw new SaldoConnectionError('redirect', message);
  }
  const text = await response.text();
  if (response.ok) {
    if (documents !== undefined) return { done: text };
    // 204 No Content, after a deletion for example.
    if (text === '') return { done: null };
    try {
      return { done: JSON.parse(text) as unknown };
    } catch (error) {
      throw new SaldoConnectionError('network', 'The answer is not JSON, so it is not from the API.', error);
    }
  }
  return {
    failed: new SaldoProblem(problemOf(response.status, text), response.headers.get('x-request-id')),
    again: RETRYABLE_STATUSES.has(response.status),
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), now),
  };
}
