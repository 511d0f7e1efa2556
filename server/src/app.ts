import {
  brpEndpoints,
  OPERATOR_TAGS,
  operatorEndpoints,
  portalEndpoints,
  sandboxEndpoints,
  TAGS,
} from '@saldo/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { KeyKind } from './auth/api-key.ts';
import { keyRing } from './auth/key-ring.ts';
import { sessionRing } from './auth/session-ring.ts';
import { type MovableClock, monotonicNow } from './clock.ts';
import type { Config } from './config.ts';
import { type Database, statement } from './db/database.ts';
import { DEFAULT_GATE_RULES } from './domain/gates.ts';
import { operatorAuditRoutes } from './features/audit/operator-routes.ts';
import { calendarRoutes, operatorCalendarRoutes } from './features/calendar/routes.ts';
import { operatorContractRoutes } from './features/contracts/operator-routes.ts';
import { contractRoutes } from './features/contracts/routes.ts';
import { operatorCustomerRoutes } from './features/customers/operator-routes.ts';
import { customerRoutes } from './features/customers/routes.ts';
import { healthRoutes } from './features/health/operator-routes.ts';
import { operatorMarketRoutes } from './features/market/operator-routes.ts';
import { nominationRoutes, operatorNominationRoutes } from './features/nominations/routes.ts';
import { operatorPartyRoutes } from './features/parties/operator-routes.ts';
import { ownPartyRoutes } from './features/parties/portal-routes.ts';
import { sandboxRoutes } from './features/sandbox/operator-routes.ts';
import { operatorTransactionRoutes } from './features/transactions/operator-routes.ts';
import { operatorVolumeRoutes } from './features/transactions/operator-volumes.ts';
import { transactionRoutes } from './features/transactions/routes.ts';
import { operatorUserRoutes } from './features/users/operator-routes.ts';
import { doorRoutes, sessionRoutes } from './features/users/portal-routes.ts';
import { type CursorSealer, cursorSealer } from './http/cursor.ts';
import { mountDocs, type OfferedDocument } from './http/docs.ts';
import { ERROR_PAGE_POLICY, errorPage, isProblemCode } from './http/error-pages.ts';
import { apiGuard, openGuard, type SessionDoor, sessionGuard } from './http/guard.ts';
import { openApiDocument } from './http/openapi.ts';
import type { Portal } from './http/portal-files.ts';
import { problem } from './http/problem.ts';
import { memoryRateLimiter, type RateLimiter, redisRateLimiter } from './http/rate-limit.ts';
import { methodFinder, mountRoutes } from './http/routes.ts';
import { createServer, originOf } from './http/server.ts';
import { sessionCookie } from './http/session-cookie.ts';
import type { Metrics } from './metrics.ts';

export type Parts = {
  readonly config: Config;
  readonly db: Database;
  readonly clock: MovableClock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Null where none is built: the APIs do without it. */
  readonly portal: Portal | null;
};

/** Paths that are there for everybody; those of the API are in its table of endpoints. */
const OPEN_PATHS = ['/openapi.json', '/operator/openapi.json', '/docs', '/docs/{file}', '/errors/{code}'].map(
  (path) => ({
    method: 'GET' as const,
    path,
  }),
);

const READ_CURSOR_SECRET = statement('read_cursor_secret', "select value from secret where name = 'cursor'");

/** The operator's operations; those of the clock are only there in a sandbox. */
const operatorTable = (config: Config) => [
  ...Object.values(operatorEndpoints),
  ...(config.sandbox ? Object.values(sandboxEndpoints) : []),
];

/** The BRP listener: what is mounted, in order. */
export async function createApp({
  config,
  db,
  clock,
  logger,
  metrics,
  portal,
}: Parts): Promise<FastifyInstance> {
  const endpoints = Object.values(brpEndpoints);
  const addresses = { base: config.baseUrl ?? '', errors: config.errorBase ?? config.baseUrl ?? '' };

  const app = await createServer({
    logger,
    tls: config.tls,
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    portal,
    errorBase: () => addresses.errors,
    methodsOf: methodFinder([
      ...endpoints,
      ...operatorTable(config),
      ...Object.values(portalEndpoints),
      ...OPEN_PATHS,
      ...(portal === null ? [] : [{ method: 'GET' as const, path: '/' }]),
    ]),
    onAnswer: (request, status, seconds) => {
      const route = request.routeOptions.url ?? 'unknown';
      metrics.observeRequest(request.method, route, status, seconds);
      logger.info(
        {
          request_id: request.id,
          ...callerOf(request),
          method: request.method,
          url: loggedUrl(request),
          status,
          ms: Math.round(seconds * 1e6) / 1000,
        },
        'request',
      );
    },
  });
  // Without a name for the outside, the server is named by the address that it got.
  app.addHook('onListen', async () => {
    addresses.base ||= originOf(app);
    addresses.errors ||= addresses.base;
  });

  const [secret] = await db.query<{ value: Buffer }>(READ_CURSOR_SECRET);
  if (!secret) throw new Error('the migrations make the cursor secret');
  const limiter = rateLimiter(config, logger, app);
  const sessions = sessionRing(db, () => clock.machineNow(), monotonicNow);
  const isSecure = config.baseUrl?.startsWith('https:') ?? config.tls !== null;
  const door = { sessions, cookie: sessionCookie(isSecure), baseUrl: () => addresses.base };
  const guardOf = (kind: KeyKind) =>
    apiGuard(
      kind,
      keyRing(kind, db, () => clock.now(), monotonicNow),
      door,
      limiter,
    );
  const cursors = cursorSealer(secret.value);
  const brpRoutes = [
    ...contractRoutes(db, clock),
    ...transactionRoutes(db),
    ...nominationRoutes(db, config.operator),
    ...customerRoutes(db, clock),
    ...calendarRoutes(clock, DEFAULT_GATE_RULES),
  ];
  mountRoutes(app, brpRoutes, { db, guard: guardOf('brp'), cursors });
  const operatorSide = [...operatorRoutes(config, db, clock), ...operatorUserRoutes({ db, clock, ...door })];
  mountRoutes(app, operatorSide, { db, guard: guardOf('operator'), cursors });
  mountPortalApi(app, { db, clock, cursors, door, limiter });
  mountOpenPages(app, documentation(config, addresses));
  return app;
}

const operatorRoutes = (config: Config, db: Database, clock: MovableClock) => [
  ...healthRoutes(db, clock),
  ...operatorCalendarRoutes(clock, DEFAULT_GATE_RULES),
  ...operatorAuditRoutes(db),
  ...operatorPartyRoutes(db, clock),
  ...operatorMarketRoutes(db, clock),
  ...operatorCustomerRoutes(db, clock),
  ...operatorContractRoutes(db, clock),
  ...operatorTransactionRoutes(db, clock),
  ...operatorVolumeRoutes(db, clock, config.profileDays),
  ...operatorNominationRoutes(db, clock, DEFAULT_GATE_RULES, config.operator),
  ...(config.sandbox ? sandboxRoutes(db, clock) : []),
];

type PortalParts = {
  readonly db: Database;
  readonly clock: MovableClock;
  readonly cursors: CursorSealer;
  readonly door: SessionDoor;
  readonly limiter: RateLimiter;
};

/** What pages need besides the two APIs. An account holder's lists will stand beside what is their own. */
function mountPortalApi(app: FastifyInstance, { db, clock, cursors, door, limiter }: PortalParts): void {
  const everybody = { roles: ['operator', 'brp', 'account'], isManaged: false } as const;
  const owners = { roles: ['brp', 'account'], isManaged: true } as const;
  const parts = { db, clock, ...door };
  mountRoutes(app, doorRoutes(parts), { db, guard: openGuard(door, limiter), cursors });
  mountRoutes(app, sessionRoutes(parts), { db, guard: sessionGuard(everybody, door, limiter), cursors });
  mountRoutes(app, ownPartyRoutes(db, clock), { db, guard: sessionGuard(owners, door, limiter), cursors });
}

function callerOf({ principal }: FastifyRequest): { key_id?: string; user_id?: string } {
  if (principal === null || principal.owner === null) return {};
  return principal.session === null ? { key_id: principal.actor } : { user_id: principal.actor };
}

/** An invitation's token opens a door until it is used: it is in no log. */
const loggedUrl = ({ url }: FastifyRequest) => url.replace(/(\/invitations\/)[^/?]+/, '$1…');

function rateLimiter(config: Config, logger: Logger, app: FastifyInstance): RateLimiter {
  const rule = { limit: config.rateLimit, windowS: config.rateWindowS };
  const inMemory = memoryRateLimiter(rule, monotonicNow);
  if (config.redisUrl === null) return inMemory;
  const redis = new Redis(config.redisUrl, { maxRetriesPerRequest: 1, enableOfflineQueue: false });
  redis.on('error', (error) => logger.warn({ err: error }, 'redis is not reachable'));
  app.addHook('onClose', async () => {
    redis.disconnect();
  });
  // Told when the connection is lost and when it is there again, not at every request in between.
  let isTold = false;
  redis.on('ready', () => {
    isTold = false;
  });
  return redisRateLimiter(rule, redis, inMemory, (error) => {
    if (!isTold) logger.warn({ err: error }, 'counting rate limits in memory');
    isTold = true;
  });
}

type Documentation = OfferedDocument & { readonly make: () => object };

/** Every API has a document of its own. How the outside names the server may be known only when it is asked for. */
function documentation(config: Config, addresses: { base: string; errors: string }): Documentation[] {
  const named = () => ({ version: '1.0.0', baseUrl: addresses.base, errorBase: addresses.errors });
  const ofBrp = {
    title: 'Saldo BRP API',
    description: 'Contracts, transactions, nominations and customers of a balancing responsible party.',
    tags: TAGS,
  };
  const ofOperator = {
    title: 'Saldo Operator API',
    description: 'How the platform operator puts the data there and runs the daily business.',
    tags: OPERATOR_TAGS,
  };
  return [
    {
      name: 'BRP API',
      url: '/openapi.json',
      make: () => openApiDocument({ ...ofBrp, ...named() }, Object.values(brpEndpoints)),
    },
    {
      name: 'Operator API',
      url: '/operator/openapi.json',
      make: () => openApiDocument({ ...ofOperator, ...named() }, operatorTable(config)),
    },
  ];
}

/** Pages that need no key: the documentation, and what problems mean. */
function mountOpenPages(app: FastifyInstance, documents: readonly Documentation[]): void {
  for (const { url, make } of documents) {
    let document: string | null = null;
    app.get(url, async (_request, reply) => {
      document ??= JSON.stringify(make());
      return reply.type('application/json; charset=utf-8').send(document);
    });
  }
  app.get<{ Params: { code: string } }>('/errors/:code', async (request, reply) => {
    const { code } = request.params;
    if (!isProblemCode(code)) throw problem('not_found', `There is no problem called ${code}.`);
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', ERROR_PAGE_POLICY)
      .send(errorPage(code));
  });
  mountDocs(
    app,
    documents.map(({ name, url }) => ({ name, url })),
  );
}
