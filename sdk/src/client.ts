import type { BodyOf, Endpoint, ParamsOf, QueryOf, ResponseOf } from '@saldo/api';
import { type Download, downloadOf } from './download.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { PositionMemory } from './position.ts';
import { SaldoConnectionError } from './problem.ts';
import { type AnyInput, readAnswer, requestOf } from './request.ts';
import {
  type Attempt,
  DEFAULT_RETRY,
  type Dependencies,
  REAL_DEPENDENCIES,
  withRetries,
  withTimeout,
} from './retry.ts';
import { isRepeatable, sendUpload, type UploadSource } from './upload.ts';
import type { UploadProgress } from './xhr.ts';

/** The arguments of an endpoint: exactly the parameters that it has. */
export type Input<E extends Endpoint> = (keyof ParamsOf<E> extends never ? object : { params: ParamsOf<E> }) &
  (object extends QueryOf<E> ? { query?: QueryOf<E> } : { query: QueryOf<E> }) &
  (BodyOf<E> extends undefined ? object : { body: BodyOf<E> });

/** A file instead of a JSON body. */
export type Upload = {
  readonly source: UploadSource;
  readonly mediaType: string;
  readonly isGzip?: boolean;
  readonly onProgress?: (progress: UploadProgress) => void;
};

/** A file as the body of the request, or as the response. */
type Files = { readonly upload?: Upload; readonly isDownload?: boolean };

export type Client = {
  readonly call: <E extends Endpoint>(
    endpoint: E,
    input: Input<E>,
    options?: CallOptions,
  ) => Promise<ResponseOf<E>>;
  readonly upload: <E extends Endpoint>(
    endpoint: E,
    input: Input<E>,
    upload: Upload,
    options?: CallOptions,
  ) => Promise<ResponseOf<E>>;
  /** Resolves with the first bytes of a file, which is then read at the caller's speed. */
  readonly download: <E extends Endpoint>(
    endpoint: E,
    input: Input<E>,
    options?: CallOptions,
  ) => Promise<Download>;
};

export const DEFAULT_TIMEOUT_MS = 30_000;

/** Calls endpoints by their description, fully typed. */
export function createClient(options: ClientOptions): Client {
  const baseUrl = checkedBaseUrl(options.baseUrl);
  checkAccess(options);
  const dependencies: Dependencies = {
    fetch: options.fetch ?? REAL_DEPENDENCIES.fetch,
    sleep: options.sleep ?? REAL_DEPENDENCIES.sleep,
    random: options.random ?? REAL_DEPENDENCIES.random,
    now: options.now ?? REAL_DEPENDENCIES.now,
  };

  const positions = new PositionMemory(dependencies.now);

  async function send(endpoint: Endpoint, input: AnyInput, call: CallOptions, files: Files = {}) {
    const { upload = null, isDownload = false } = files;
    const { apiKey = null, language = null } = options;
    const position = positions.current();
    const request = requestOf(endpoint, input, { ...call, apiKey, language, upload, position });
    const isSafe = request.isSafe && (upload === null || isRepeatable(upload.source));
    const retry = { ...DEFAULT_RETRY, ...options.retry, ...call.retry };
    const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const signals = [options.signal, call.signal].filter((signal) => signal !== undefined);
    const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];

    const attempt = async (inner: AbortSignal, touch: () => void): Promise<Attempt<unknown>> => {
      const onProgress = (progress: UploadProgress) => {
        touch();
        upload?.onProgress?.(progress);
      };
      const response =
        upload === null
          ? await dependencies.fetch(baseUrl + request.target, { ...request.init, signal: inner })
          : await sendUpload(dependencies.fetch, baseUrl + request.target, {
              init: { ...request.init, signal: inner },
              source: upload.source,
              onProgress,
            });
      positions.note(response);
      options.onResponse?.(response);
      call.onResponse?.(response);
      if (isDownload && response.ok) {
        const fail = (error: unknown) => connectionError(error, baseUrl);
        return { done: downloadOf(response, { timeoutMs, dependencies, signal, fail }) };
      }
      const answer = await readAnswer(endpoint, response, dependencies.now());
      if ('done' in answer) return answer;
      // 429: the server did not perform the request, so it may always be repeated.
      const again = answer.again && (isSafe || (response.status === 429 && upload === null));
      return { ...answer, again };
    };
    const attemptOnce = async (): Promise<Attempt<unknown>> => {
      try {
        return await withTimeout(timeoutMs, dependencies, signal, attempt);
      } catch (error) {
        // An aborted call rejects with the caller's own abort reason.
        signal?.throwIfAborted();
        const failed = connectionError(error, baseUrl);
        return { failed, again: isSafe && failed.kind !== 'redirect', retryAfterMs: null };
      }
    };
    return withRetries(attemptOnce, retry, dependencies, signal);
  }

  return {
    call: async (endpoint, input, call = {}) => send(endpoint, input, call),
    upload: async (endpoint, input, upload, call = {}) => send(endpoint, input, call, { upload }),
    download: async (endpoint, input, call = {}) => send(endpoint, input, call, { isDownload: true }),
  } as Client;
}

function checkedBaseUrl(given: string): string {
  const baseUrl = given === '' && typeof location === 'object' ? location.origin : given;
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new TypeError(
      `baseUrl must be an http or https address without a query, not ${JSON.stringify(baseUrl)}`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

/** A key that is missing, for example in the environment, is an error at once and not at the first request. */
function checkAccess({ apiKey, credentials }: ClientOptions): void {
  if (credentials === 'session' && apiKey === undefined) return;
  if (typeof apiKey === 'string' && /^[!-~]+$/.test(apiKey)) return;
  const remedy = "In a page of the portal, pass credentials: 'session' instead.";
  throw new TypeError(
    apiKey === undefined || apiKey === ''
      ? `apiKey is missing: pass the API key. ${remedy}`
      : 'apiKey must consist of printable characters without spaces',
  );
}

function connectionError(error: unknown, baseUrl: string): SaldoConnectionError {
  if (error instanceof SaldoConnectionError) return error;
  return new SaldoConnectionError('network', `${baseUrl} cannot be reached: ${innermost(error)}.`, error);
}

/** `fetch` only reports "fetch failed"; the reason is in `cause`. */
function innermost(error: unknown): string {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  if (!(deepest instanceof Error)) return String(deepest);
  // An AggregateError of several addresses has no message, but a code.
  return deepest.message || ('code' in deepest ? String(deepest.code) : deepest.name);
}
