import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Endpoint } from '@saldo/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BODY_LIMITS, enforceBodyTimeout } from './body-arrivals.ts';
import { type ProblemError, problem, validationProblem } from './problem.ts';

export function mediaTypeOf(header: string | undefined): { type: string; charset: string | null } {
  const [type = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return { type, charset: charset?.slice('charset='.length).replaceAll('"', '') ?? null };
}

export const isUtf8 = ({ charset }: { readonly charset: string | null }): boolean =>
  charset === null || charset === 'utf-8' || charset === 'utf8';

export const announcesBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

type StreamedEndpoint = Pick<Endpoint, 'stream' | 'maxBytes' | 'gzip'>;

const ALTERNATIVES = new Intl.ListFormat('en-GB', { type: 'disjunction' });

function mediaTypeFault(
  { headers }: FastifyRequest,
  { stream: types = [], gzip }: StreamedEndpoint,
): ProblemError | null {
  const mediaType = mediaTypeOf(headers['content-type']);
  const fail = (detail: string) => problem('unsupported_media_type', detail);
  if (!types.includes(mediaType.type))
    return fail(`The body must be sent with Content-Type: ${ALTERNATIVES.format(types)}.`);
  if (!isUtf8(mediaType)) return fail('The body must be UTF-8.');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity' || (gzip && encoding === 'gzip')) return null;
  return fail(`The body must be sent without a Content-Encoding${gzip ? ', or with gzip' : ''}.`);
}

const hasBody = (request: FastifyRequest) =>
  request.headers['content-type'] !== undefined || announcesBody(request);

/** Makes a route accept bodies of the endpoint's media types only, as a stream or as a buffer. */
export function takeFiles(
  app: FastifyInstance,
  endpoint: StreamedEndpoint,
  mount: (scope: FastifyInstance) => void,
): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Check before reading, so that a body of an unsupported type is not received.
    scope.addHook('preParsing', (request, _reply, _payload, done) => {
      done((hasBody(request) ? mediaTypeFault(request, endpoint) : null) ?? undefined);
    });
    if (endpoint.maxBytes === undefined)
      scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    else
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body);
    mount(scope);
  });
}

/** Leaving the iteration early must not destroy the socket, which still has to carry the response. */
export function chunksOf(body: Readable): AsyncIterable<Buffer> {
  return body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
}

async function readWhole(body: Readable, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunksOf(body)) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw tooLarge(limitBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Reads the whole body, decompressed. The limit is for both sizes. The time limit starts here, because a body that
 * waits for its turn is not read and so cannot progress.
 */
export async function readDecoded(
  { headers, raw }: FastifyRequest,
  body: Readable,
  limitBytes: number,
): Promise<Buffer> {
  if (!raw.complete) enforceBodyTimeout(raw, BODY_LIMITS.uploadMs, () => raw.destroy());
  const whole = await readWhole(body, limitBytes);
  if (headers['content-encoding'] !== 'gzip') return whole;
  try {
    return await promisify(gunzip)(whole, { maxOutputLength: limitBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limitBytes);
    throw validationProblem([{ code: 'invalid_format', message: 'the body is not in gzip format' }]);
  }
}

const tooLarge = (limitBytes: number) =>
  problem('payload_too_large', `The body is larger than ${limitBytes} bytes.`);
