import { hash } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedEncoding, type Encoding } from './compression.ts';
import { isFresh } from './preconditions.ts';

/** A response that is the same for every caller and stays in memory. */
export type StaticFile = { send(request: FastifyRequest, reply: FastifyReply): Promise<void> };

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.tgz': 'application/gzip',
  '.py': 'text/x-python; charset=utf-8',
};

/** Formats that are already compressed or too small to benefit. */
const PACKED = new Set(['.png', '.ico', '.woff2', '.tgz']);

/** From this length on, maximum compression would delay the first response: 4 s of CPU time for 1.7 MB, for 9 % less. */
const LARGE_BYTES = 512 * 1024;

const brotliParams = ({ length }: Buffer) => ({
  [constants.BROTLI_PARAM_QUALITY]: length < LARGE_BYTES ? constants.BROTLI_MAX_QUALITY : 9,
  [constants.BROTLI_PARAM_SIZE_HINT]: length,
});

/** Maximum compression, because each file is compressed only once, at its first request. */
const compressors: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  br: (body) => promisify(brotliCompress)(body, { params: brotliParams(body) }),
  gzip: (body) => promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION }),
};

/** By encoding and content, because the listeners and platforms of a process serve the same files. */
const compressed = new Map<string, Promise<Buffer>>();

const compress = (encoding: Encoding, etag: string, body: Buffer): Promise<Buffer> =>
  compressed.getOrInsertComputed(`${encoding} ${etag}`, () => compressors[encoding](body));

/** `name` decides the media type by its extension. The caller gives the caching rule with the other headers. */
export function staticFile(name: string, body: Buffer, given: Readonly<Record<string, string>>): StaticFile {
  const extension = path.extname(name);
  const etag = `"${hash('sha256', body, 'hex').slice(0, 24)}"`;
  const headers = { ...given, etag, 'content-type': TYPES[extension] ?? 'application/octet-stream' };
  return {
    async send(request, reply) {
      reply.headers(headers);
      if (isFresh(request.headers['if-none-match'], etag)) return void reply.code(304).send();
      const encoding = PACKED.has(extension) ? null : acceptedEncoding(request.headers['accept-encoding']);
      if (encoding === null) return void reply.send(body);
      reply.header('content-encoding', encoding).send(await compress(encoding, etag, body));
    },
  };
}
