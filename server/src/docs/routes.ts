import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { prefersPage } from '../platform/http/accept.ts';
import { problem } from '../platform/http/problem.ts';
import type { Site } from './site.ts';

/** Paths of the documentation, for the choice between 404 and 405. */
export const DOCS_PATHS = [
  '/docs',
  '/docs/{page}',
  '/docs/{folder}/{page}',
  '/docs/{folder}/{folder}/{page}',
  '/errors',
  '/errors/{code}',
  '/errors.md',
  '/llms.txt',
  '/packages/{name}',
];

/** Serves the documentation and the packages of clients, without a key and without the database. */
export function mountDocs(app: FastifyInstance, site: Site): void {
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    const url = request.url.split('?', 1)[0] ?? '';
    const found = await site.find(url);
    if (found) {
      await found.send(request, reply);
      return reply;
    }
    const withoutSlash = url.replace(/\/$/, '');
    if (withoutSlash !== url && (await site.find(withoutSlash))) return reply.redirect(withoutSlash, 308);
    if (!prefersPage(request)) throw problem('not_found', { key: 'problem.page_not_found', path: url });
    await (await site.notFound()).send(request, reply.code(404));
    return reply;
  };
  for (const path of ['/docs', '/docs/*', '/errors', '/errors/*', '/errors.md', '/llms.txt', '/packages/*'])
    app.get(path, serve);
}
