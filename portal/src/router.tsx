import type { UserRole } from '@saldo/api';
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent as lazyComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { readDemandFilters as readAccountDemandFilters, readOfferFilters } from './market/filters.ts';
import { readActivitySearch } from './activity/filters.ts';
import {
  readContractFilters,
  readContractSearch,
  readCustomerFilters,
  readGroupFilters,
  readKeySearch,
  readMonthSearch,
  readNominationFilters,
  readNominationSearch,
} from './brp/filters.ts';
import { matching, oneOf, parseSearch, searchReader, stringifySearch } from './ui/search-parameters.ts';
import { HomeOfRole } from './homes.tsx';
import {
  readAssetFilters,
  readAuditFilters,
  readDemandFilters,
  readKeyFilters,
  readLateFilters,
  readMessageFilters,
  readMismatchSearch,
  readContractFilters as readOperatorContractFilters,
  readCustomerFilters as readOperatorCustomerFilters,
  readGroupFilters as readOperatorGroupFilters,
  readNominationFilters as readOperatorNominationFilters,
  readPartyFilters,
  readUnsentFilters,
  readUserSearch,
} from './operator/filters.ts';
import { loadPart } from './session/connection.ts';
import { sessionQuery } from './session/session.ts';
import { AppShell } from './shell.tsx';
import { NotFoundPage, RouteError, RoutePending } from './ui/route-states.tsx';
import { readWebhookSearch } from './webhooks/filters.ts';

/** A page in a file of its own. Without a connection its skeleton stays until the file has been loaded. */
const lazyRouteComponent: typeof lazyComponent = (importer, exportName) =>
  lazyComponent(() => loadPart(importer), exportName);

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
  component: lazyRouteComponent(() => import('./users/sign-in.tsx'), 'SignInPage'),
});

const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./users/invitation.tsx'), 'InvitationPage'),
});

/** All pages that require a session. */
const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'app',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session) return { session };
    throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } });
  },
  component: AppShell,
});

const homeRoute = createRoute({ getParentRoute: () => appRoute, path: '/', component: HomeOfRole });

const profileRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/profile',
  component: lazyRouteComponent(() => import('./users/profile.tsx'), 'ProfilePage'),
});

/** Pages of some roles. Other roles are redirected to their home page; the server enforces access in any case. */
const onlyFor =
  (...roles: readonly UserRole[]) =>
  ({ context }: { context: { session: { user: { role: UserRole } } } }) => {
    if (!roles.includes(context.session.user.role)) throw redirect({ to: '/' });
  };

const brpRoute = createRoute({ getParentRoute: () => appRoute, id: 'brp', beforeLoad: onlyFor('brp') });

const brpRoutes = [
  createRoute({
    getParentRoute: () => brpRoute,
    path: '/contracts',
    validateSearch: readContractFilters,
    component: lazyRouteComponent(() => import('./contracts/contracts.tsx'), 'ContractsPage'),
  }),
  createRoute({
    getParentRoute: () => brpRoute,
    path: '/contracts/$contractId',
    validateSearch: readContractSearch,
    component: lazyRouteComponent(() => import('./contracts/contract.tsx'), 'ContractPage'),
  }),
  createRoute({
    getParentRoute: () => brpRoute,
    path: '/nominations',
    validateSearch: readNominationFilters,
    component: lazyRouteComponent(() => import('./nominations/nominations.tsx'), 'NominationsPage'),
  }),
  createRoute({
    getParentRoute: () => brpRoute,
    path: '/nominations/$nominationId',
    validateSearch: readNominationSearch,
    component: lazyRouteComponent(() => import('./nominations/nomination.tsx'), 'NominationPage'),
  }),
  createRoute({
    getParentRoute: () => brpRoute,
    path: '/check',
    component: lazyRouteComponent(() => import('./exchange/check.tsx'), 'CheckPage'),
  }),
  createRoute({
    getParentRoute: () => brpRoute,
    path: '/month',
    validateSearch: readMonthSearch,
    component: lazyRouteComponent(() => import('./nominations/month.tsx'), 'MonthPage'),
  }),
  createRoute({
    getParentRoute: () => brpRoute,
    path: '/customers',
    validateSearch: readCustomerFilters,
    component: lazyRouteComponent(() => import('./customers/customers.tsx'), 'CustomersPage'),
  }),
  createRoute({
    getParentRoute: () => brpRoute,
    path: '/customers/$customerId',
    component: lazyRouteComponent(() => import('./customers/customer.tsx'), 'CustomerPage'),
  }),
  createRoute({
    getParentRoute: () => brpRoute,
    path: '/balance-groups',
    validateSearch: readGroupFilters,
    component: lazyRouteComponent(() => import('./parties/balance-groups.tsx'), 'BalanceGroupsPage'),
  }),
  createRoute({
    getParentRoute: () => brpRoute,
    path: '/activity',
    validateSearch: readActivitySearch,
    component: lazyRouteComponent(() => import('./activity/brp-page.tsx'), 'ActivityPage'),
  }),
  createRoute({
    getParentRoute: () => brpRoute,
    path: '/webhooks',
    validateSearch: readWebhookSearch,
    component: lazyRouteComponent(() => import('./webhooks/page.tsx'), 'BrpWebhooksPage'),
  }),
] as const;

/** Pages that BRPs and account holders share. */
const ownRoute = createRoute({
  getParentRoute: () => appRoute,
  id: 'own',
  beforeLoad: onlyFor('brp', 'account'),
});

const ownRoutes = [
  createRoute({
    getParentRoute: () => ownRoute,
    path: '/keys',
    validateSearch: readKeySearch,
    component: lazyRouteComponent(() => import('./keys/keys.tsx'), 'KeysPage'),
  }),
] as const;

const accountRoute = createRoute({
  getParentRoute: () => appRoute,
  id: 'account',
  beforeLoad: onlyFor('account'),
});

const accountRoutes = [
  createRoute({
    getParentRoute: () => accountRoute,
    path: '/offers',
    validateSearch: readOfferFilters,
    component: lazyRouteComponent(() => import('./market/offers.tsx'), 'OffersPage'),
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: '/offers/$assetId',
    component: lazyRouteComponent(() => import('./market/offer.tsx'), 'OfferPage'),
  }),
  createRoute({
    getParentRoute: () => accountRoute,
    path: '/demands',
    validateSearch: readAccountDemandFilters,
    component: lazyRouteComponent(() => import('./market/demands.tsx'), 'DemandsPage'),
  }),
] as const;

const operatorRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/operator',
  beforeLoad: onlyFor('operator'),
});

const operatorRoutes = [
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/nominations',
    validateSearch: readOperatorNominationFilters,
    component: lazyRouteComponent(() => import('./nominations/operator-nominations.tsx'), 'NominationsPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/nominations/$nominationId',
    validateSearch: readNominationSearch,
    component: lazyRouteComponent(() => import('./nominations/operator-nomination.tsx'), 'NominationPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/contracts',
    validateSearch: readOperatorContractFilters,
    component: lazyRouteComponent(() => import('./contracts/operator-contracts.tsx'), 'ContractsPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/contracts/new',
    component: lazyRouteComponent(() => import('./contracts/new-contract.tsx'), 'NewContractPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/contracts/$contractId',
    validateSearch: readContractSearch,
    component: lazyRouteComponent(() => import('./contracts/operator-contract.tsx'), 'ContractPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/import',
    component: lazyRouteComponent(() => import('./transactions/import.tsx'), 'ImportPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/exchange',
    validateSearch: readUnsentFilters,
    component: lazyRouteComponent(() => import('./exchange/exchange.tsx'), 'ExchangePage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/mismatches',
    validateSearch: readMismatchSearch,
    component: lazyRouteComponent(() => import('./exchange/mismatches.tsx'), 'MismatchesPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/late',
    validateSearch: readLateFilters,
    component: lazyRouteComponent(() => import('./nominations/late.tsx'), 'LatePage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/messages',
    validateSearch: readMessageFilters,
    component: lazyRouteComponent(() => import('./exchange/messages.tsx'), 'MessagesPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/messages/$messageId',
    component: lazyRouteComponent(() => import('./exchange/message.tsx'), 'MessagePage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/assets',
    validateSearch: readAssetFilters,
    component: lazyRouteComponent(() => import('./market/assets.tsx'), 'AssetsPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/assets/$assetId',
    component: lazyRouteComponent(() => import('./market/asset.tsx'), 'AssetPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/demands',
    validateSearch: readDemandFilters,
    component: lazyRouteComponent(() => import('./market/operator-demands.tsx'), 'DemandsPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/brps',
    validateSearch: readPartyFilters,
    component: lazyRouteComponent(() => import('./parties/brps.tsx'), 'BrpsPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/brps/$brpId',
    component: lazyRouteComponent(() => import('./parties/brp.tsx'), 'BrpPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/balance-groups',
    validateSearch: readOperatorGroupFilters,
    component: lazyRouteComponent(() => import('./parties/operator-balance-groups.tsx'), 'GroupsPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/customers',
    validateSearch: readOperatorCustomerFilters,
    component: lazyRouteComponent(() => import('./customers/operator-customers.tsx'), 'CustomersPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/customers/$customerId',
    component: lazyRouteComponent(() => import('./customers/operator-customer.tsx'), 'CustomerPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/accounts',
    validateSearch: readPartyFilters,
    component: lazyRouteComponent(() => import('./parties/accounts.tsx'), 'AccountsPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/accounts/$accountId',
    component: lazyRouteComponent(() => import('./parties/account.tsx'), 'AccountPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/users',
    validateSearch: readUserSearch,
    component: lazyRouteComponent(() => import('./users/users.tsx'), 'UsersPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/keys',
    validateSearch: readKeyFilters,
    component: lazyRouteComponent(() => import('./keys/operator-keys.tsx'), 'KeysPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/activity',
    validateSearch: readActivitySearch,
    component: lazyRouteComponent(() => import('./activity/operator-page.tsx'), 'ActivityPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/webhooks',
    validateSearch: readWebhookSearch,
    component: lazyRouteComponent(() => import('./webhooks/page.tsx'), 'OperatorWebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/audit',
    validateSearch: readAuditFilters,
    component: lazyRouteComponent(() => import('./audit/audit.tsx'), 'AuditPage'),
  }),
] as const;

const routeTree = rootRoute.addChildren([
  signInRoute,
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
  interface Register {
    router: ReturnType<typeof createPortalRouter>;
  }
}
