import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyRequest } from 'fastify';
import { prefersPage } from './accept.ts';
import { type StaticFile, staticFile } from './static-file.ts';

/** `find` returns null for paths outside the portal. */
export type Portal = { find(request: FastifyRequest): StaticFile | null };

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

/** File names contain a content hash, so browsers never need to revalidate. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
const ASSETS = '/assets/';

/** Paths of the APIs and of the documentation. An unknown path below them is a 404 problem, never the portal's page. */
const NOT_PAGES =
  /^\/(?:v\d+|operator\/v\d+|portal\/v\d+|docs|errors|packages|assets|openapi\.json|operator\/openapi\.json)(?:\/|$)/;

/**
 * Reads the built portal into memory. The portal is small, and path traversal is impossible without file access per
 * request. `customerUrl` is the public URL of the customer API.
 */
export async function loadPortal(folder: string, customerUrl: string): Promise<Portal> {
  const headers = pageHeaders(customerUrl);
  const pages = new Map<string, StaticFile>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const url = `/${path.relative(folder, file).replaceAll(path.sep, '/')}`;
    const caching = { 'cache-control': url.startsWith(ASSETS) ? IMMUTABLE : 'no-cache' };
    pages.set(url, staticFile(url, await readFile(file), { ...headers, ...caching }));
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
      return prefersPage(request) && !NOT_PAGES.test(url) ? index : null;
    },
  };
}
