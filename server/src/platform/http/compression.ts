import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { weightedEntries } from './accept.ts';

/** A smaller body fits into one network packet anyway. */
const COMPRESS_FROM_BYTES = 1024;
/** Brotli's default quality takes a hundred times as long and saves only a few percent. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const encoders = {
  br: (body: Buffer | string) => promisify(brotliCompress)(body, BROTLI),
  gzip: (body: Buffer | string) => promisify(gzip)(body),
};
export type Encoding = keyof typeof encoders;

/** The best encoding that the client accepts. Null when it accepts none or prefers `identity`. */
export function acceptedEncoding(header: string | undefined): Encoding | null {
  if (header === undefined) return null;
  const weights = new Map(weightedEntries(header).map(({ name, weight }) => [name, weight]));
  const weightOf = (encoding: Encoding) => weights.get(encoding) ?? weights.get('*') ?? 0;
  const best = weightOf('br') >= weightOf('gzip') ? 'br' : 'gzip';
  return weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : null;
}

/**
 * Compresses a response body in the thread pool, because a large one would block the event loop. Null when compression
 * is not possible or not worthwhile.
 */
export function compressAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  body: unknown,
): Promise<Buffer> | null {
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return null;
  if (body.length < COMPRESS_FROM_BYTES || reply.hasHeader('content-encoding')) return null;
  // Images and archives are compressed already.
  if (/^(?:image\/|application\/gzip)/.test(String(reply.getHeader('content-type')))) return null;
  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  if (encoding === null) return null;
  reply.header('content-encoding', encoding).removeHeader('content-length');
  return encoders[encoding](body);
}

/** An export is 20 times smaller at the lowest level, in a fifth of the time of the default. */
const streamEncoders = {
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  gzip: () => createGzip({ level: 1 }),
};

/** Compresses a streamed response if the client asks for it. A failure of the source breaks the connection. */
export function compressStream(request: FastifyRequest, reply: FastifyReply, source: Readable): Readable {
  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  if (encoding === null) return source;
  reply.header('content-encoding', encoding);
  // The error reaches the response through the last stream, whose error Fastify handles.
  return pipeline(source, streamEncoders[encoding](), () => {});
}
