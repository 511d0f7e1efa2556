import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip, gunzip } from 'node:zlib';
import type { Endpoint } from '@saldo/api';
import type { Message } from '@saldo/core/messages/message.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
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

/** Content codings are case-insensitive. */
export const contentCoding = (headers: IncomingHttpHeaders): string =>
  (headers['content-encoding'] ?? 'identity').toLowerCase();

type StreamedEndpoint = Pick<Endpoint, 'stream' | 'maxBytes' | 'gzip'>;

function mediaTypeFault(
  { headers }: FastifyRequest,
  { stream: types = [], gzip }: StreamedEndpoint,
): ProblemError | null {
  const mediaType = mediaTypeOf(headers['content-type']);
  const fail = (detail: Message) => problem('unsupported_media_type', detail);
  if (!types.includes(mediaType.type)) return fail({ key: 'problem.unsupported_media_type', types });
  if (!isUtf8(mediaType)) return fail({ key: 'problem.charset' });
  const encoding = contentCoding(headers);
  if (encoding === 'identity' || (gzip && encoding === 'gzip')) return null;
  return fail({ key: gzip ? 'problem.only_gzip' : 'problem.no_encoding' });
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
 * Idle timeout of a body. Start it when the body gets its turn: a queued body is not read and cannot progress.
 * On the response: once the request is complete, Node ignores its listeners and closes the connection.
 */
export function disconnectSilent({ raw }: FastifyRequest, reply: FastifyReply, silenceMs: number): void {
  reply.raw.setTimeout(silenceMs, () => {
    if (!raw.complete) raw.destroy();
  });
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
  if (contentCoding(headers) !== 'gzip') return whole;
  try {
    return await promisify(gunzip)(whole, { maxOutputLength: limitBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limitBytes);
    throw gzipProblem(error);
  }
}

/** CSV expands 10 times, constant volumes as NDJSON 180 times, and a file that is made to exhaust a server 1,000 times. */
const EXPANSION = { ratio: 500, freeBytes: 64 * 1024 * 1024 };

/** Decompresses a body of any size. Its memory is bounded by the buffers of the streams. */
export async function* gunzipped(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let received = 0;
  let expanded = 0;
  async function* counted() {
    for await (const chunk of body) {
      received += chunk.length;
      yield chunk;
    }
  }
  const decompressor = createGunzip();
  // Every failure also destroys the decompressor with its error, so that the iteration below throws it.
  pipeline(counted, decompressor).catch(() => {});
  try {
    for await (const chunk of decompressor as AsyncIterable<Buffer>) {
      expanded += chunk.length;
      if (expanded > EXPANSION.freeBytes && expanded > received * EXPANSION.ratio) {
        const { ratio } = EXPANSION;
        throw problem('payload_too_large', { key: 'problem.expands_too_much', ratio });
      }
      yield chunk;
    }
  } catch (error) {
    throw isZlibError(error) ? gzipProblem(error) : error;
  }
}

const isZlibError = (error: unknown) => String((error as NodeJS.ErrnoException).code).startsWith('Z_');

const gzipProblem = (error: unknown) => {
  const isTruncated = (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
  const key = isTruncated ? 'request.gzip_cut_off' : 'request.not_gzip';
  return validationProblem([{ code: 'invalid_format', message: { key } }]);
};

const tooLarge = (limitBytes: number) =>
  problem('payload_too_large', { key: 'problem.payload_too_large', max: limitBytes });
