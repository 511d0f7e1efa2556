import { MARKET_TAGS, marketEndpoints } from '@saldo/api';
import type { FastifyInstance } from 'fastify';
import { createListener, mountingOf, mountOpenPages, type Parts } from './app.ts';
import { marketRoutes, mountCovers } from './features/market/routes.ts';
import { openApiDocument } from './http/openapi.ts';
import { mountRoutes } from './http/routes.ts';

/** Paths that are there for everybody; those of the API are in its table of endpoints. */
const OPEN_PATHS = ['/openapi.json', '/docs', '/docs/{file}', '/errors/{code}', '/covers/{name}'].map(
  (path) => ({
    method: 'GET' as const,
    path,
  }),
);

const ABOUT = {
  title: 'Saldo Customer API',
  description: 'Green energy assets on offer and demands, for account holders.',
  version: '1.0.0',
  tags: MARKET_TAGS,
};

/** The customer listener: what is mounted, in order. */
export async function createCustomerApp(parts: Parts): Promise<FastifyInstance> {
  const { config, db } = parts;
  const endpoints = Object.values(marketEndpoints);
  const table = [...endpoints, ...OPEN_PATHS];
  const { app, addresses } = await createListener(parts, table, config.customerBaseUrl);
  const mounting = await mountingOf(parts);
  mountRoutes(
    app,
    marketRoutes(db, () => addresses.base),
    mounting('account'),
  );
  mountCovers(app, db);
  const make = () =>
    openApiDocument({ ...ABOUT, baseUrl: addresses.base, errorBase: addresses.errors }, endpoints);
  mountOpenPages(app, [{ name: 'Customer API', url: '/openapi.json', make }]);
  return app;
}
