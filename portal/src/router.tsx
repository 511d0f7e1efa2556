import type { UserRole } from '@saldo/api';
import type { QueryClient } from '@tanstack/react-query';
import {
  type AnyRoute,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router';
import { readActivitySearch } from './activity/filters.ts';
import { readAuditFilters } from './audit/filters.ts';
import { readBrpContractFilters, readContractFilters } from './contracts/filters.ts';
import { readBrpCustomerFilters, readCustomerFilters } from './customers/filters.ts';
import { readMessageFilters, readMismatchSearch, readUnsentFilters } from './exchange/filters.ts';
import { HomeOfRole } from './homes.tsx';
import { readKeyFilters, readOwnKeyFilters } from './keys/filters.ts';
import { readCompareSearch, readDemandFilters, readOfferFilters } from './market/filters.ts';
import {
  readAssetFilters,
  readInquiryFilters,
  readDemandFilters as readOperatorDemandFilters,
} from './market/operator-filters.ts';
import { readLateFilters, readMonthSearch } from './nominations/filters.ts';
import { readBrpGroupFilters, readGroupFilters, readPartyFilters } from './parties/filters.ts';
import {
  readContractSearch,
  readNominationFilters,
  readNominationSearch,
  readOperatorNominationFilters,
  readSeriesSearch,
} from './references/filters.ts';
import { readRequestFilters } from './requests/filters.ts';
import { readSeriesFilters } from './series/filters.ts';
import { loadPart } from './session/connection.ts';
import { sessionQuery } from './session/session.ts';
import { AppShell } from './shell.tsx';
import { NotFoundPage, RouteError, RoutePending } from './ui/route-states.tsx';
import {
  matching,
  oneOf,
  parseSearch,
  type RawSearch,
  searchReader,
  stringifySearch,
} from './ui/search-parameters.ts';
import { readOwnUserSearch, readUserSearch } from './users/filters.ts';
import { readWebhookSearch } from './webhooks/filters.ts';

/** A page in a file of its own. Without a connection its skeleton stays until the file has been loaded. */
const lazy: typeof lazyRouteComponent = (importer, exportName) =>
  lazyRouteComponent(() => loadPart(importer), exportName);

const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
});

/** Accepts paths of this server only, to prevent an open redirect after sign-in. */
const isOwnPath = (path: string): boolean => /^\/(?![/\\])/.test(path);

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: searchReader({ next: matching(isOwnPath), ended: oneOf(['true']) }),
  component: lazy(() => import('./users/sign-in.tsx'), 'SignInPage'),
});

/** A constant: inline, its type would not be inferred beside `beforeLoad`. */
const readSecondFactorSearch = searchReader({ next: matching(isOwnPath) });

/** The second step of a sign-in. */
const secondFactorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/second-factor',
  validateSearch: readSecondFactorSearch,
  beforeLoad: async ({ context }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (!session) throw redirect({ to: '/sign-in' });
    if (session.pending === null) throw redirect({ to: '/' });
    return { session };
  },
  component: lazy(() => import('./users/second-factor.tsx'), 'SecondFactorPage'),
});

const providerReturnRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in/return/$providerId',
  // The server reads them: each provider has its own.
  validateSearch: (raw: RawSearch) => raw,
  component: lazy(() => import('./users/provider-return.tsx'), 'ProviderReturnPage'),
});

const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazy(() => import('./users/invitation.tsx'), 'InvitationPage'),
});

/** All pages that require a session. */
const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'app',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session?.pending === null) return { session };
    const search = location.href === '/' ? {} : { next: location.href };
    throw redirect({ to: session ? '/second-factor' : '/sign-in', search });
  },
  component: AppShell,
});

const homeRoute = createRoute({ getParentRoute: () => appRoute, path: '/', component: HomeOfRole });

const profileRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/profile',
  component: lazy(() => import('./users/profile.tsx'), 'ProfilePage'),
});

/** Pages of some roles. Other roles are redirected to their home page; the server enforces access in any case. */
const onlyFor =
  (...roles: readonly UserRole[]) =>
  ({ context }: { context: { session: { user: { role: UserRole } } } }) => {
    if (!roles.includes(context.session.user.role)) throw redirect({ to: '/' });
  };

/** A page of a role: its path, its component and the URL parameters that it accepts. */
const pageOf =
  <Parent extends AnyRoute>(parent: Parent) =>
  <const Path extends string, Search extends object>(
    path: Path,
    component: RouteComponent,
    validateSearch: (raw: RawSearch) => Search,
  ) =>
    createRoute({ getParentRoute: () => parent, path, component, validateSearch });

/** The URL of a page without parameters. */
const readNone = searchReader({});

const brpRoute = createRoute({ getParentRoute: () => appRoute, id: 'brp', beforeLoad: onlyFor('brp') });
const brpPage = pageOf(brpRoute);

/** Pages that BRPs and account holders share. */
const ownRoute = createRoute({
  getParentRoute: () => appRoute,
  id: 'own',
  beforeLoad: onlyFor('brp', 'account'),
});

const accountRoute = createRoute({
  getParentRoute: () => appRoute,
  id: 'account',
  beforeLoad: onlyFor('account'),
});
const accountPage = pageOf(accountRoute);

const operatorRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/operator',
  beforeLoad: onlyFor('operator'),
});
const operatorPage = pageOf(operatorRoute);

const brpRoutes = [
  brpPage(
    '/contracts',
    lazy(() => import('./contracts/contracts.tsx'), 'ContractsPage'),
    readBrpContractFilters,
  ),
  brpPage(
    '/contracts/$contractId',
    lazy(() => import('./contracts/contract.tsx'), 'BrpContractPage'),
    readContractSearch,
  ),
  brpPage(
    '/nominations',
    lazy(() => import('./nominations/brp-nominations.tsx'), 'BrpNominationsPage'),
    readNominationFilters,
  ),
  brpPage(
    '/nominations/$nominationId',
    lazy(() => import('./nominations/nomination.tsx'), 'NominationPage'),
    readNominationSearch,
  ),
  brpPage(
    '/check',
    lazy(() => import('./exchange/check.tsx'), 'CheckPage'),
    readNone,
  ),
  brpPage(
    '/month',
    lazy(() => import('./nominations/month.tsx'), 'MonthPage'),
    readMonthSearch,
  ),
  brpPage(
    '/customers',
    lazy(() => import('./customers/customers.tsx'), 'BrpCustomersPage'),
    readBrpCustomerFilters,
  ),
  brpPage(
    '/customers/$customerId',
    lazy(() => import('./customers/customer.tsx'), 'BrpCustomerPage'),
    readNone,
  ),
  brpPage(
    '/balance-groups',
    lazy(() => import('./parties/balance-groups.tsx'), 'BrpBalanceGroupsPage'),
    readBrpGroupFilters,
  ),
  brpPage(
    '/activity',
    lazy(() => import('./activity/activity.tsx'), 'BrpActivityPage'),
    readActivitySearch,
  ),
  brpPage(
    '/webhooks',
    lazy(() => import('./webhooks/page.tsx'), 'WebhooksPage'),
    readWebhookSearch,
  ),
] as const;

const ownRoutes = [
  pageOf(ownRoute)(
    '/users',
    lazy(() => import('./users/own-users.tsx'), 'OwnUsersPage'),
    readOwnUserSearch,
  ),
  pageOf(ownRoute)(
    '/keys',
    lazy(() => import('./keys/keys.tsx'), 'KeysPage'),
    readOwnKeyFilters,
  ),
  pageOf(ownRoute)(
    '/requests',
    lazy(() => import('./requests/requests.tsx'), 'RequestsPage'),
    readRequestFilters,
  ),
  pageOf(ownRoute)(
    '/requests/$requestId',
    lazy(() => import('./requests/request.tsx'), 'RequestPage'),
    readNone,
  ),
] as const;

const accountRoutes = [
  accountPage(
    '/offers',
    lazy(() => import('./market/offers.tsx'), 'OffersPage'),
    readOfferFilters,
  ),
  accountPage(
    '/offers/$assetId',
    lazy(() => import('./market/offer.tsx'), 'OfferPage'),
    readNone,
  ),
  accountPage(
    '/compare',
    lazy(() => import('./market/compare.tsx'), 'ComparePage'),
    readCompareSearch,
  ),
  accountPage(
    '/inquiries',
    lazy(() => import('./market/inquiries.tsx'), 'InquiriesPage'),
    readNone,
  ),
  accountPage(
    '/demands',
    lazy(() => import('./market/demands.tsx'), 'DemandsPage'),
    readDemandFilters,
  ),
] as const;

const operatorRoutes = [
  operatorPage(
    '/nominations',
    lazy(() => import('./nominations/operator-nominations.tsx'), 'OperatorNominationsPage'),
    readOperatorNominationFilters,
  ),
  operatorPage(
    '/nominations/$nominationId',
    lazy(() => import('./nominations/nomination.tsx'), 'NominationPage'),
    readNominationSearch,
  ),
  operatorPage(
    '/contracts',
    lazy(() => import('./contracts/operator-contracts.tsx'), 'OperatorContractsPage'),
    readContractFilters,
  ),
  operatorPage(
    '/contracts/new',
    lazy(() => import('./contracts/new-contract.tsx'), 'NewContractPage'),
    readNone,
  ),
  operatorPage(
    '/contracts/$contractId',
    lazy(() => import('./contracts/operator-contract.tsx'), 'OperatorContractPage'),
    readContractSearch,
  ),
  operatorPage(
    '/import',
    lazy(() => import('./transactions/import.tsx'), 'ImportPage'),
    readNone,
  ),
  operatorPage(
    '/exchange',
    lazy(() => import('./exchange/exchange.tsx'), 'ExchangePage'),
    readUnsentFilters,
  ),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/board',
    component: lazy(() => import('./exchange/board-wall.tsx'), 'BoardWallPage'),
    validateSearch: readNone,
    staticData: { isBare: true },
  }),
  operatorPage(
    '/mismatches',
    lazy(() => import('./exchange/mismatches.tsx'), 'MismatchesPage'),
    readMismatchSearch,
  ),
  operatorPage(
    '/late',
    lazy(() => import('./nominations/late.tsx'), 'LatePage'),
    readLateFilters,
  ),
  operatorPage(
    '/messages',
    lazy(() => import('./exchange/messages.tsx'), 'MessagesPage'),
    readMessageFilters,
  ),
  operatorPage(
    '/messages/$messageId',
    lazy(() => import('./exchange/message.tsx'), 'MessagePage'),
    readNone,
  ),
  operatorPage(
    '/assets',
    lazy(() => import('./market/assets.tsx'), 'AssetsPage'),
    readAssetFilters,
  ),
  operatorPage(
    '/assets/$assetId',
    lazy(() => import('./market/asset.tsx'), 'AssetPage'),
    readSeriesSearch,
  ),
  operatorPage(
    '/series',
    lazy(() => import('./series/series-list.tsx'), 'SeriesListPage'),
    readSeriesFilters,
  ),
  operatorPage(
    '/series/import',
    lazy(() => import('./series/values-import.tsx'), 'ValuesImportPage'),
    readNone,
  ),
  operatorPage(
    '/series/interchanges',
    lazy(() => import('./series/interchanges.tsx'), 'InterchangesPage'),
    readNone,
  ),
  operatorPage(
    '/series/interchanges/$interchangeId',
    lazy(() => import('./series/interchange.tsx'), 'InterchangePage'),
    readNone,
  ),
  operatorPage(
    '/series/$seriesId',
    lazy(() => import('./series/series.tsx'), 'SeriesPage'),
    readSeriesSearch,
  ),
  operatorPage(
    '/demands',
    lazy(() => import('./market/operator-demands.tsx'), 'OperatorDemandsPage'),
    readOperatorDemandFilters,
  ),
  operatorPage(
    '/inquiries',
    lazy(() => import('./market/operator-inquiries.tsx'), 'OperatorInquiriesPage'),
    readInquiryFilters,
  ),
  operatorPage(
    '/brps',
    lazy(() => import('./parties/brps.tsx'), 'BrpsPage'),
    readPartyFilters,
  ),
  operatorPage(
    '/brps/$brpId',
    lazy(() => import('./parties/brp.tsx'), 'BrpPage'),
    readNone,
  ),
  operatorPage(
    '/balance-groups',
    lazy(() => import('./parties/operator-balance-groups.tsx'), 'OperatorBalanceGroupsPage'),
    readGroupFilters,
  ),
  operatorPage(
    '/customers',
    lazy(() => import('./customers/operator-customers.tsx'), 'OperatorCustomersPage'),
    readCustomerFilters,
  ),
  operatorPage(
    '/customers/$customerId',
    lazy(() => import('./customers/operator-customer.tsx'), 'OperatorCustomerPage'),
    readSeriesSearch,
  ),
  operatorPage(
    '/accounts',
    lazy(() => import('./parties/accounts.tsx'), 'AccountsPage'),
    readPartyFilters,
  ),
  operatorPage(
    '/accounts/$accountId',
    lazy(() => import('./parties/account.tsx'), 'AccountPage'),
    readNone,
  ),
  operatorPage(
    '/users',
    lazy(() => import('./users/users.tsx'), 'UsersPage'),
    readUserSearch,
  ),
  operatorPage(
    '/keys',
    lazy(() => import('./keys/operator-keys.tsx'), 'OperatorKeysPage'),
    readKeyFilters,
  ),
  operatorPage(
    '/activity',
    lazy(() => import('./activity/activity.tsx'), 'OperatorActivityPage'),
    readActivitySearch,
  ),
  operatorPage(
    '/webhooks',
    lazy(() => import('./webhooks/page.tsx'), 'WebhooksPage'),
    readWebhookSearch,
  ),
  operatorPage(
    '/requests',
    lazy(() => import('./requests/requests.tsx'), 'RequestsPage'),
    readRequestFilters,
  ),
  operatorPage(
    '/requests/$requestId',
    lazy(() => import('./requests/request.tsx'), 'RequestPage'),
    readNone,
  ),
  operatorPage(
    '/audit',
    lazy(() => import('./audit/audit.tsx'), 'AuditPage'),
    readAuditFilters,
  ),
] as const;

const routeTree = rootRoute.addChildren([
  signInRoute,
  secondFactorRoute,
  providerReturnRoute,
  invitationRoute,
  appRoute.addChildren([
    homeRoute,
    profileRoute,
    brpRoute.addChildren(brpRoutes),
    ownRoute.addChildren(ownRoutes),
    accountRoute.addChildren(accountRoutes),
    operatorRoute.addChildren(operatorRoutes),
  ]),
]);

export const createPortalRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree,
    context: { queryClient },
    parseSearch,
    stringifySearch,
    // Removes unknown and invalid parameters from the URL; otherwise the page would receive them.
    search: { strict: true },
    defaultPreload: 'intent',
    scrollRestoration: true,
    // Another record is another page: what was typed or chosen for the one must not be saved for the other.
    defaultRemountDeps: ({ params }) => params,
    defaultErrorComponent: RouteError,
    defaultPendingComponent: RoutePending,
  });

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The page fills the window: without navigation and search. */
    isBare?: boolean;
  }
  interface Register {
    router: ReturnType<typeof createPortalRouter>;
  }
}
