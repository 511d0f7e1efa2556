import {
  brpEndpoints,
  brpWebhooks,
  marketEndpoints,
  marketWebhooks,
  operatorEndpoints,
  operatorWebhooks,
  portalEndpoints,
} from '@saldo/api';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { operatorAuditRoutes } from '../audit/operator-routes.ts';
import { calendarRoutes, operatorCalendarRoutes } from '../calendar/routes.ts';
import { changesRoutes } from '../changes/portal-routes.ts';
import { operatorContractRoutes } from '../contracts/operator-routes.ts';
import { contractRoutes, portalContractRoutes } from '../contracts/routes.ts';
import { lastChangeRoutes } from '../customer-changes/last-change.ts';
import { customerChangeRoutes, operatorCustomerChangeRoutes } from '../customer-changes/routes.ts';
import { operatorCustomerRoutes } from '../customers/operator-routes.ts';
import { customerRoutes, portalCustomerRoutes } from '../customers/routes.ts';
import { createDemoSignIn, demoSignInRoutes } from '../demo/sign-in.ts';
import { simulationRoutes } from '../demo/simulated-answers.ts';
import { DOCS_PATHS, mountDocs } from '../docs/routes.ts';
import type { Site } from '../docs/site.ts';
import type { EventIds } from '../events/ids.ts';
import type { EventPoller } from '../events/poller.ts';
import { eventRoutes, type Feed } from '../events/routes.ts';
import { countOpenAlarms } from '../exchange/alarms.ts';
import { operatorExchangeRoutes } from '../exchange/operator-routes.ts';
import { ownScheduleRoutes } from '../exchange/own-schedules.ts';
import { scheduleRoutes } from '../exchange/routes.ts';
import { exportRoutes } from '../exports/routes.ts';
import { healthRoutes } from '../health/operator-routes.ts';
import { ledgerRoutes, operatorLedgerRoutes } from '../ledger/routes.ts';
import { operatorInquiryRoutes, portalInquiryRoutes } from '../market/inquiry-routes.ts';
import { operatorMarketRoutes } from '../market/operator-routes.ts';
import { marketRoutes, mountCovers } from '../market/routes.ts';
import { nominationProofRoutes } from '../nominations/proof.ts';
import { nominationRoutes, operatorNominationRoutes } from '../nominations/routes.ts';
import { operatorPartyRoutes } from '../parties/operator-routes.ts';
import { ownPartyRoutes } from '../parties/portal-routes.ts';
import { balanceGroupRoutes } from '../parties/routes.ts';
import type { KeyKind } from '../platform/auth/api-key.ts';
import type { CredentialCache } from '../platform/auth/credential-cache.ts';
import { keyCredentials } from '../platform/auth/key-credentials.ts';
import type { LastUsed } from '../platform/auth/last-used.ts';
import type { Sealer } from '../platform/auth/sealed-secrets.ts';
import { sessionCredentials } from '../platform/auth/session-credentials.ts';
import { type MovableClock, monotonicNow } from '../platform/clock.ts';
import type { OpenDatabase } from '../platform/db/database.ts';
import { type AsOfReads, asOfReads } from '../platform/http/as-of.ts';
import { clientAddress } from '../platform/http/client-address.ts';
import { cursorSealer } from '../platform/http/cursor.ts';
import { deviceCookie } from '../platform/http/device-cookie.ts';
import {
  apiGuard,
  type Guard,
  openGuard,
  type PortalRule,
  principalFinder,
  type SessionAuth,
  sessionGuard,
  unroutedCounter,
} from '../platform/http/guard.ts';
import type { Portal } from '../platform/http/portal-files.ts';
import { positionTracker } from '../platform/http/positions.ts';
import type { RateLimiter } from '../platform/http/rate-limit.ts';
import type { CountRefusal } from '../platform/http/refusals.ts';
import { rejectionLog } from '../platform/http/rejection-log.ts';
import type { RequestQueue } from '../platform/http/request-queue.ts';
import { type Mounting, methodFinder, mountRoutes } from '../platform/http/routes.ts';
import { createServer, originOf } from '../platform/http/server.ts';
import { sessionCookie } from '../platform/http/session-cookie.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import { requestLog } from '../platform/telemetry/request-log.ts';
import type { Tracer } from '../platform/telemetry/tracer.ts';
import type { OwnerRequestLog } from '../requests/log.ts';
import { operatorRequestRoutes, portalRequestRoutes, requestRoutes } from '../requests/routes.ts';
import { sandboxRoutes } from '../sandbox/operator-routes.ts';
import { operatorSeriesRoutes } from '../series/operator-routes.ts';
import { valueImportRoutes } from '../sources/import-routes.ts';
import { interchangeRoutes } from '../sources/interchange-routes.ts';
import { operatorContractChangeRoutes } from '../sources/operator-contracts.ts';
import { operatorSourceRoutes } from '../sources/operator-routes.ts';
import type { ImportCounts } from '../transactions/import-request.ts';
import { operatorTransactionRoutes } from '../transactions/operator-routes.ts';
import { operatorVolumeRoutes } from '../transactions/operator-volumes.ts';
import { transactionProofRoutes } from '../transactions/proof.ts';
import { transactionRoutes } from '../transactions/routes.ts';
import { factorRoutes, pendingFactorRoutes } from '../users/factor-routes.ts';
import { createIdentityProviders } from '../users/identity-providers.ts';
import { operatorUserRoutes } from '../users/operator-routes.ts';
import { ownUserRoutes } from '../users/own-routes.ts';
import { passkeyRoutes, passkeySignInRoutes, pendingPasskeyRoutes } from '../users/passkey-routes.ts';
import { pendingSessionRoutes, sessionRoutes, signInRoutes } from '../users/portal-routes.ts';
import { providerLinkRoutes, providerSignInRoutes } from '../users/provider-routes.ts';
import { needsSecondFactor } from '../users/session-start.ts';
import { signInCounter } from '../users/sign-in-record.ts';
import { type WebhookSettings, webhookRoutes } from '../webhooks/routes.ts';
import type { Config } from './config.ts';
import {
  type Addresses,
  brpDocument,
  brpIndex,
  customerDocument,
  customerIndex,
  operatorDocument,
  operatorIndex,
  operatorTable,
  portalDocument,
  portalTable,
} from './documentation.ts';
import { exchangeOf } from './exchange-settings.ts';
import { isTrial, readDemoAccess } from './first-start.ts';

export type AppDependencies = {
  readonly config: Config;
  readonly db: OpenDatabase;
  readonly clock: MovableClock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly countRefusal: CountRefusal;
  /** Null unless telemetry is exported. */
  readonly tracer: Tracer | null;
  readonly limiter: RateLimiter;
  readonly lastUsed: LastUsed;
  /** Null with `REQUEST_LOG_DAYS=0`. */
  readonly requests: OwnerRequestLog | null;
  /** Seals cursors and positions, and signs the cookie of a device. */
  readonly secret: Uint8Array;
  /** Seals the secrets that the database stores. */
  readonly sealer: Sealer;
  readonly queue: RequestQueue;
  readonly poller: EventPoller;
  readonly eventIds: EventIds;
  readonly webhooks: WebhookSettings;
  readonly importCounts: ImportCounts;
  readonly site: Site;
};

const asReads = (paths: readonly string[]) => paths.map((path) => ({ method: 'GET' as const, path }));

/** Paths without authentication. The paths of the APIs are in their tables of endpoints. */
const OPEN_PATHS = asReads([
  '/v1',
  '/operator/v1',
  '/openapi.json',
  '/operator/openapi.json',
  '/portal/openapi.json',
  ...DOCS_PATHS,
]);

type Listener = {
  readonly app: FastifyInstance;
  readonly addresses: Addresses;
  /** The key caches of this listener. Mounting the routes of an API adds its cache. */
  readonly keys: CredentialCache[];
};

type Methods = Parameters<typeof methodFinder>[0];

/** Creates a listener without routes. `table` lists the routes that will be mounted, to choose between 404 and 405. */
async function createListener(
  { config, logger, metrics, countRefusal, tracer, limiter, queue, requests }: AppDependencies,
  table: Methods,
  baseUrl: string | null,
  portal: Portal | null,
): Promise<Listener> {
  const keys: CredentialCache[] = [];
  const addresses = { base: baseUrl ?? '', errors: config.errorBase ?? baseUrl ?? '' };
  const logRequest = requestLog(logger, clientAddress);
  const app = await createServer({
    logger,
    tls: config.tls,
    trustProxy: config.trustProxy,
    addressForm: config.addressForm,
    corsOrigins: config.corsOrigins,
    isSecure: config.tls !== null || baseUrl?.startsWith('https:') === true,
    queue,
    requestTimeoutMs: config.requestTimeoutS * 1000,
    portal,
    errorBase: () => addresses.errors,
    methodsOf: methodFinder(table),
    onAnswer: (request, status, seconds) => {
      const { url } = request.routeOptions;
      const route = url ?? 'unknown';
      metrics.observeRequest(request.method, route, status, seconds);
      countRefusal(request, status);
      requests?.add(request, url, status, seconds);
      const log = () => logRequest(request, status, seconds);
      if (tracer === null) log();
      else tracer.answered(request, route, status, seconds, log);
    },
    onReject: rejectionLog(config.requestsAtOnce, logger, metrics),
    countUnrouted: unroutedCounter(keys, limiter),
  });
  tracer?.observe(app);
  // Without a configured public URL, use the address that the server listens on.
  app.addHook('onListen', async () => {
    addresses.base ||= originOf(app);
    addresses.errors ||= addresses.base;
  });
  return { app, addresses, keys };
}

/** Creates the guards and cursors that the routes of a listener share. */
function mountingOf(
  { config, db, clock, limiter, lastUsed, secret, poller, eventIds: ids, queue }: AppDependencies,
  { addresses, keys: known }: Listener,
) {
  const cursors = cursorSealer(secret);
  const isSecure = config.baseUrl?.startsWith('https:') ?? config.tls !== null;
  const sessionAuth: SessionAuth = {
    sessions: sessionCredentials(
      db,
      () => clock.machineNow(),
      monotonicNow,
      (role) => needsSecondFactor(config.mfa, role),
    ),
    sessionUsed: (id) => lastUsed.sessionUsed(id, clock.machineNow()),
    cookie: sessionCookie(isSecure),
    device: deviceCookie(isSecure, secret),
    baseUrl: () => addresses.base,
  };
  const { replication } = db;
  const positions = replication && positionTracker(replication, secret, monotonicNow);
  const behind = (guard: Guard): Mounting => ({ db, guard, cursors, positions });
  const forOwners = (kind: KeyKind): Mounting & { feed: Feed } => {
    const keys = keyCredentials(kind, db, lastUsed, () => clock.now(), monotonicNow);
    known.push(keys);
    const feed = { poller, queue, ids, findPrincipal: principalFinder(keys, sessionAuth) };
    return { ...behind(apiGuard(kind, keys, sessionAuth, limiter)), feed };
  };
  const challengeCookie = sessionCookie(isSecure, 'saldo_passkey');
  const stepCookie = sessionCookie(isSecure, 'saldo_sign_in');
  return { sessionAuth, challengeCookie, stepCookie, behind, forOwners };
}

type MainAppDependencies = AppDependencies & {
  readonly customerUrl: string;
  /** Null if the portal is not built. The APIs work without it. */
  readonly portal: Portal | null;
};

/** The BRP listener: BRP API, operator API, portal and documentation. */
export async function createApp(dependencies: MainAppDependencies): Promise<FastifyInstance> {
  const { config, db, clock, metrics, limiter, sealer, webhooks, customerUrl, portal, site } = dependencies;
  const table = [
    ...Object.values(brpEndpoints),
    ...operatorTable(config),
    ...portalTable(config),
    ...OPEN_PATHS,
    ...(portal === null ? [] : [{ method: 'GET' as const, path: '/' }]),
  ];
  const listener = await createListener(dependencies, table, config.baseUrl, portal);
  const { app, addresses } = listener;
  const { sessionAuth, challengeCookie, stepCookie, behind, forOwners } = mountingOf(dependencies, listener);
  const [forOperators, forBrps] = [forOwners('operator'), forOwners('brp')];
  const readsAsOf = asOfReads(db, clock);
  const exports = exportRoutes({
    db,
    clock,
    readsAsOf,
    sealer: cursorSealer(dependencies.secret),
    operator: config.operator,
    silenceS: config.exportSilenceS,
  });
  const transactionProofs = transactionProofRoutes(db, readsAsOf);
  const nominationProofs = nominationProofRoutes(db, readsAsOf);
  const operatorProofs = [
    ...operatorLedgerRoutes(db),
    ...transactionProofs.operator,
    ...nominationProofs.operator,
  ];
  const brpRoutes = [
    ...contractRoutes(clock),
    ...transactionRoutes(readsAsOf),
    ...nominationRoutes(config.marketRules, config.operator, readsAsOf),
    ...scheduleRoutes(db, clock, { operatorEic: config.operator.eic, rules: config.marketRules }),
    ...ownScheduleRoutes(clock),
    ...exports.brp,
    ...customerRoutes(),
    ...customerChangeRoutes(db, { clock, rules: config.marketRules }),
    ...balanceGroupRoutes(clock),
    ...webhookRoutes(brpWebhooks, db, clock, webhooks),
    ...calendarRoutes(clock, config.marketRules),
    ...eventRoutes(db, brpEndpoints.listEvents, brpEndpoints.getEvent, forBrps.feed),
    ...requestRoutes(),
    ...ledgerRoutes(db),
    ...transactionProofs.brp,
    ...nominationProofs.brp,
  ];
  const demo = await readDemoAccess(config);
  const { demoSignIn: allows } = config;
  const demoSignIn =
    demo === null || allows === 'off' ? null : createDemoSignIn(demo, allows, sessionAuth.baseUrl);
  const countSignIn = signInCounter(metrics);
  const users = {
    db,
    clock,
    sealer,
    mfa: config.mfa,
    issuer: config.operator.name,
    ...sessionAuth,
    challengeCookie,
    stepCookie,
    providers: createIdentityProviders(config.identityProviders, monotonicNow),
    customerUrl,
    isDemo: demo !== null,
    demoRolesFor: demoSignIn?.rolesFor ?? (() => []),
    countSignIn,
  };
  const { operatorListEvents, operatorGetEvent } = operatorEndpoints;
  mountRoutes(app, brpRoutes, forBrps);
  mountRoutes(app, operatorRoutes(dependencies, customerUrl, readsAsOf), forOperators);
  mountRoutes(app, exports.operator, forOperators);
  mountRoutes(app, operatorProofs, forOperators);
  mountRoutes(app, operatorUserRoutes(users), forOperators);
  mountRoutes(app, eventRoutes(db, operatorListEvents, operatorGetEvent, forOperators.feed), forOperators);
  mountRoutes(app, webhookRoutes(operatorWebhooks, db, clock, webhooks), forOperators);
  // Endpoints that only the portal uses.
  const signingIn = [
    ...signInRoutes(users),
    ...passkeySignInRoutes(users),
    ...providerSignInRoutes(users),
    ...(demoSignIn === null ? [] : demoSignInRoutes(users, demoSignIn)),
  ];
  mountRoutes(app, signingIn, behind(openGuard(sessionAuth, limiter)));
  const forUsers = behind(sessionGuard(ALL_ROLES, sessionAuth, limiter));
  const completing = [
    ...pendingSessionRoutes(users),
    ...pendingFactorRoutes(users),
    ...pendingPasskeyRoutes(users),
  ];
  mountRoutes(app, completing, behind(sessionGuard(SIGNING_IN, sessionAuth, limiter)));
  const ofUser = [
    ...sessionRoutes(users),
    ...factorRoutes(users),
    ...passkeyRoutes(users),
    ...providerLinkRoutes(users),
  ];
  mountRoutes(app, ofUser, forUsers);
  mountRoutes(app, changesRoutes(db, clock, forBrps.feed), forUsers);
  mountRoutes(app, portalRequestRoutes(), forUsers);
  mountRoutes(app, lastChangeRoutes(db), behind(sessionGuard(VIEWERS, sessionAuth, limiter)));
  mountRoutes(app, ownPartyRoutes(db, clock), behind(sessionGuard(OWNERS, sessionAuth, limiter)));
  mountRoutes(app, ownUserRoutes(users), behind(sessionGuard(OWN_ADMINISTRATORS, sessionAuth, limiter)));
  const forBrpUsers = behind(sessionGuard(BRPS, sessionAuth, limiter));
  mountRoutes(app, portalContractRoutes(clock), forBrpUsers);
  mountRoutes(app, portalCustomerRoutes(), forBrpUsers);
  const browsing = {
    assets: portalEndpoints.browseAssets,
    demands: portalEndpoints.browseDemands,
    baseUrl: () => addresses.base,
    customerUrl: () => customerUrl,
  };
  const forAccountUsers = behind(sessionGuard(ACCOUNTS, sessionAuth, limiter));
  mountRoutes(app, marketRoutes(db, browsing), forAccountUsers);
  mountRoutes(app, portalInquiryRoutes(db, clock), forAccountUsers);
  mountOpenPages(app, site, [
    { url: '/v1', make: () => brpIndex(addresses) },
    { url: '/operator/v1', make: () => operatorIndex(addresses) },
    { url: '/openapi.json', make: () => brpDocument(config, addresses) },
    { url: '/operator/openapi.json', make: () => operatorDocument(config, addresses) },
    { url: '/portal/openapi.json', make: () => portalDocument(config, addresses, sessionAuth.cookie) },
  ]);
  return app;
}

const ALL_ROLES: PortalRule = {
  roles: ['operator', 'brp', 'account'],
  reads: 'viewer',
  changes: 'viewer',
};
/** Endpoints that end or complete a sign-in. */
const SIGNING_IN: PortalRule = { ...ALL_ROLES, isForPending: true };
const VIEWERS: PortalRule = { roles: ['operator', 'brp'], reads: 'viewer', changes: 'member' };
const OWNERS: PortalRule = { roles: ['brp', 'account'], reads: 'viewer', changes: 'admin' };
const OWN_ADMINISTRATORS: PortalRule = { roles: ['brp', 'account'], reads: 'admin', changes: 'admin' };
const BRPS: PortalRule = { roles: ['brp'], reads: 'viewer', changes: 'member' };
const ACCOUNTS: PortalRule = { roles: ['account'], reads: 'viewer', changes: 'member' };

const operatorRoutes = (
  { config, db, clock, importCounts }: AppDependencies,
  customerUrl: string,
  readsAsOf: AsOfReads,
) => [
  ...healthRoutes(db, clock, countOpenAlarms, isTrial(config)),
  ...operatorCalendarRoutes(clock, config.marketRules),
  ...operatorAuditRoutes(),
  ...operatorRequestRoutes(),
  ...operatorPartyRoutes(db, clock, config.operator.eic),
  ...operatorInquiryRoutes(db, clock),
  ...operatorMarketRoutes(db, clock, customerUrl),
  ...operatorCustomerRoutes(clock),
  ...operatorCustomerChangeRoutes(db, { clock, rules: config.marketRules }),
  ...operatorSeriesRoutes(),
  ...operatorContractRoutes(clock),
  ...operatorContractChangeRoutes({ clock, rules: config.marketRules }),
  ...operatorTransactionRoutes(clock, readsAsOf),
  ...operatorVolumeRoutes(db, clock, config, importCounts),
  ...valueImportRoutes(db, clock, config, importCounts),
  ...operatorSourceRoutes(clock),
  ...interchangeRoutes(db),
  ...operatorNominationRoutes(db, clock, config.marketRules, config.operator, readsAsOf),
  ...operatorExchangeRoutes(db, clock, exchangeOf(config), config.importSilenceS),
  ...(config.sandbox ? sandboxRoutes(db, clock) : []),
  ...(isTrial(config) ? simulationRoutes(db, clock, exchangeOf(config)) : []),
];

/** An index or OpenAPI document of an API, generated at its first request: the public URL may be unknown before the server listens. */
type Document = { readonly url: string; readonly make: () => object };

/** Pages of every listener that need no key: the documentation, and the indexes and OpenAPI documents of the APIs. */
function mountOpenPages(app: FastifyInstance, site: Site, documents: readonly Document[]): void {
  for (const { url, make } of documents) {
    let document: string | null = null;
    app.get(url, async (_request, reply) => {
      document ??= JSON.stringify(make());
      return reply.type('application/json; charset=utf-8').send(document);
    });
  }
  mountDocs(app, site);
}

/** Paths of the customer listener without authentication. */
const CUSTOMER_OPEN_PATHS = asReads(['/v1', '/openapi.json', '/covers/{name}', ...DOCS_PATHS]);

/** The customer listener: customer API, covers and documentation. */
export async function createCustomerApp(dependencies: AppDependencies): Promise<FastifyInstance> {
  const { config, db, clock, webhooks, site } = dependencies;
  const table = [...Object.values(marketEndpoints), ...CUSTOMER_OPEN_PATHS];
  const listener = await createListener(dependencies, table, config.customerBaseUrl, null);
  const { app, addresses } = listener;
  const { forOwners } = mountingOf(dependencies, listener);
  const listing = {
    assets: marketEndpoints.listMarketAssets,
    demands: marketEndpoints.listMarketDemands,
    baseUrl: () => addresses.base,
    customerUrl: () => addresses.base,
  };
  const forAccounts = forOwners('account');
  const { listMarketEvents, getMarketEvent } = marketEndpoints;
  mountRoutes(app, marketRoutes(db, listing), forAccounts);
  mountRoutes(app, eventRoutes(db, listMarketEvents, getMarketEvent, forAccounts.feed), forAccounts);
  mountRoutes(app, webhookRoutes(marketWebhooks, db, clock, webhooks), forAccounts);
  mountCovers(app, db);
  const make = () => customerDocument(config, addresses);
  mountOpenPages(app, site, [
    { url: '/v1', make: () => customerIndex(addresses) },
    { url: '/openapi.json', make },
  ]);
  return app;
}
