import { portalEndpoints } from '@saldo/api';
import { createClient } from './client.ts';
import type { ClientOptions } from './options.ts';
import { methodsOf } from './resources.ts';

export type PortalClient = ReturnType<typeof createPortalClient>;

/** Operations that only pages of the portal need: the session, and records of the user's own party. */
export function createPortalClient(options: ClientOptions) {
  const client = createClient(options);
  const { method, list } = methodsOf(client);
  const api = portalEndpoints;
  return {
    session: {
      signIn: method(api.signIn),
      get: method(api.getSession),
      signOut: method(api.signOut),
      signOutElsewhere: method(api.signOutElsewhere),
      changePassword: method(api.changePassword),
    },
    providers: {
      list: method(api.listSignInProviders),
      start: method(api.startProviderSignIn),
      complete: method(api.completeProviderSignIn),
      links: method(api.listProviderLinks),
      unlink: method(api.removeProviderLink),
    },
    invitations: { get: method(api.getInvitation), accept: method(api.acceptInvitation) },
    apiKeys: {
      ...list(api.listOwnApiKeys),
      create: method(api.createOwnApiKey),
      revoke: method(api.revokeOwnApiKey),
      rotate: method(api.rotateOwnApiKey),
    },
    /** What has changed, for open pages. */
    changes: { list: method(api.listChanges) },
    /** Who changed a record last. */
    lastChange: { get: method(api.getLastChange) },
    /** The contracts of a BRP, with a search. */
    contracts: list(api.searchOwnContracts),
    /** The customers of a BRP, with an order. */
    customers: list(api.listOwnCustomers),
    /** The market, for users of an account. */
    assets: list(api.browseAssets),
    demands: list(api.browseDemands),
    /** Calls any endpoint by its description, including endpoints without a method here. */
    call: client.call,
  };
}
