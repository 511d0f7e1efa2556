import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedEncoding, type Encoding } from './compression.ts';

type Page = { send(request: FastifyRequest, reply: FastifyReply): Promise<void> };

/** `find` returns null for paths outside the portal. */
export type Portal = { find(request: FastifyRequest): Page | null };

/**
 * Same origin only, except for cover pictures. The customer API serves them, either over plain http from its own origin
 * or over https from any host. Inline scripts and styles are forbidden.
 */
const policyWith = (coversOrigin: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' https: ${coversOrigin}`,
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

type Headers = Readonly<Record<string, string>>;

const pageHeaders = (customerUrl: string): Headers => ({
  'content-security-policy': policyWith(new URL(customerUrl).origin),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
});

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

/** Formats that are already compressed or too small to benefit. */
const PACKED = new Set(['.png', '.ico', '.woff2']);

/** File names contain a content hash, so browsers never need to revalidate. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
const ASSETS = '/assets/';

/** Paths of the APIs and of the documentation. An unknown path below them is a 404 problem, never the portal's page. */
const NOT_PAGES =
  /^\/(?:v\d+|operator\/v\d+|portal\/v\d+|docs|errors|assets|openapi\.json|operator\/openapi\.json)(?:\/|$)/;

/** Maximum compression, because each file is compressed only once, at its first request. */
const compressors: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  br: (body) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: body.length } }),
  gzip: (body) => promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION }),
};

/** By encoding and content, because the listeners and platforms of a process serve the same files. */
const compressed = new Map<string, Promise<Buffer>>();

function compress(encoding: Encoding, etag: string, body: Buffer): Promise<Buffer> {
  const key = `${encoding} ${etag}`;
  const bytes = compressed.get(key) ?? compressors[encoding](body);
  compressed.set(key, bytes);
  return bytes;
}

function pageOf(url: string, body: Buffer, everywhere: Headers): Page {
  const extension = path.extname(url);
  const etag = `"${hash('sha256', body, 'hex').slice(0, 24)}"`;
  const headers = {
    ...everywhere,
    etag,
    'content-type': TYPES[extension] ?? 'application/octet-stream',
    'cache-control': url.startsWith(ASSETS) ? IMMUTABLE : 'no-cache',
  };
  return {
    async send(request, reply) {
      reply.headers(headers);
      if (request.headers['if-none-match'] === etag) return void reply.code(304).send();
      const encoding = PACKED.has(extension) ? null : acceptedEncoding(request.headers['accept-encoding']);
      if (encoding === null) return void reply.send(body);
      reply.header('content-encoding', encoding).send(await compress(encoding, etag, body));
    },
  };
}

/**
 * Reads the built portal into memory. The portal is small, and path traversal is impossible without file access per
 * request. `customerUrl` is the public URL of the customer API.
 */
export async function loadPortal(folder: string, customerUrl: string): Promise<Portal> {
  const headers = pageHeaders(customerUrl);
  const pages = new Map<string, Page>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const url = `/${path.relative(folder, file).replaceAll(path.sep, '/')}`;
    pages.set(url, pageOf(url, await readFile(file), headers));
  }
  const index = pages.get('/index.html');
  if (!index) throw new Error(`there is no index.html in ${folder}`);
  pages.set('/', index);
  return {
    find(request) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return null;
      const url = request.url.split('?', 1)[0] ?? '';
      const file = pages.get(url);
      if (file) return file;
      // Client-side routing: any other page URL gets index.html.
      const wantsPage = request.headers.accept?.includes('text/html') === true;
      return wantsPage && !NOT_PAGES.test(url) ? index : null;
    },
  };
}
