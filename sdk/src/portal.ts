import { demoEndpoints, portalEndpoints } from '@saldo/api';
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
      enterDemo: method(demoEndpoints.enterDemo),
      get: method(api.getSession),
      signOut: method(api.signOut),
      signOutElsewhere: method(api.signOutElsewhere),
      changePassword: method(api.changePassword),
    },
    passkeys: {
      startSignIn: method(api.startPasskeySignIn),
      signIn: method(api.signInWithPasskey),
      startStep: method(api.startPasskeyStep),
      complete: method(api.completeWithPasskey),
      list: method(api.listPasskeys),
      start: method(api.startPasskeyRegistration),
      add: method(api.addPasskey),
      rename: method(api.renamePasskey),
      remove: method(api.removePasskey),
    },
    sessions: { list: method(api.listSessions), end: method(api.endSession) },
    /** The second factors of the user. */
    factors: {
      get: method(api.getFactors),
      complete: method(api.completeSignIn),
      beginOneTimeCode: method(api.beginOneTimeCode),
      confirmOneTimeCode: method(api.confirmOneTimeCode),
      removeOneTimeCode: method(api.removeOneTimeCode),
      renewRecoveryCodes: method(api.renewRecoveryCodes),
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
    /** Users of the own party, for its administrators. */
    users: {
      ...list(api.listOwnUsers),
      create: method(api.createOwnUser),
      get: method(api.getOwnUser),
      update: method(api.updateOwnUser),
      invite: method(api.inviteOwnUser),
    },
    /** What has changed, for open pages. */
    changes: { list: method(api.listChanges) },
    /** Who changed a record last. */
    lastChange: { get: method(api.getLastChange) },
    /** The log of the requests of the user’s party. */
    requests: { ...list(api.listOwnRequests), get: method(api.getOwnRequest) },
    /** The contracts of a BRP, with a search. */
    contracts: list(api.searchOwnContracts),
    /** The customers of a BRP, with an order. */
    customers: list(api.listOwnCustomers),
    /** The market, for users of an account. */
    assets: list(api.browseAssets),
    demands: list(api.browseDemands),
    /** What the account asks about the market. */
    inquiries: {
      ...list(api.listOwnInquiries),
      create: method(api.createInquiry),
      close: method(api.closeInquiry),
    },
    watchedOffers: {
      list: method(api.listWatchedOffers),
      add: method(api.watchOffer),
      remove: method(api.unwatchOffer),
    },
    /** Calls any endpoint by its description, including endpoints without a method here. */
    call: client.call,
  };
}
