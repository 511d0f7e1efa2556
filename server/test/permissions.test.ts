import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  brpEndpoints,
  demoEndpoints,
  type Endpoint,
  marketEndpoints,
  OPERATOR_SCOPES,
  operatorEndpoints,
  portalEndpoints,
  SCOPES,
  sandboxEndpoints,
  simulationEndpoints,
  USER_PERMISSIONS,
  type UserPermissions,
} from '@saldo/api';
import type { Owner } from '../src/platform/auth/principal.ts';
import { signedIn } from './browser.ts';
import { demoEnvironment } from './demo-users.ts';
import { type Answer, type Client, client, problemOf, startTestPlatform } from './harness.ts';

/**
 * Who may call what, written down here a second time: a new operation fails the first test until someone has decided who
 * may call it. Every request has an unknown query parameter, so that an allowed one is answered with 400 and changes
 * nothing.
 */
const platform = await startTestPlatform({ environment: { ...(await demoEnvironment()), SANDBOX: 'on' } });
const { world } = platform;

const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');
/** The scopes of operations, from a table of the operations of each combination of scopes. */
const scopesById = (table: Record<string, string>) =>
  new Map(
    Object.entries(table).flatMap(([scopes, ids]) => words(ids).map((id) => [id, words(scopes)] as const)),
  );

const OPERATOR = scopesById({
  '': 'operatorGetLedgerKey operatorListSeals operatorGetConsistency',
  read: `
    listBrps getBrp listBalanceGroups getBalanceGroup listAccounts listApiKeys listUsers getUser
    operatorListCustomers operatorGetCustomer operatorListPlacements listAssets getAsset listDemands getDemand listInquiries
    operatorListContracts operatorGetContract listSeries getSeries getSeriesValues getSeriesDeviation
    listInterchanges getInterchange getInterchangeRaw operatorListTransactions
    operatorListNominations listLate exportLate operatorGetNomination operatorGetNominationHistory
    operatorExplainNomination operatorGetNominationCauses operatorExportTransactions operatorExportNominations
    operatorGetExportManifest getExchangeBoard listMismatches listUnsent listMessages getMessage getMessageRaw listAlarms
    operatorListEvents operatorGetEvent
    operatorListWebhookEndpoints operatorGetWebhookEndpoint operatorListWebhookDeliveries
    operatorGetTransactionProof operatorGetNominationProof
    getHealth operatorGetDeliveryDay listAudit getClock`,
  'parties:write': `
    createBrp createBalanceGroup updateBalanceGroup createAccount
    operatorCreateCustomer operatorUpdateCustomer operatorPreviewCustomer`,
  'market:write': 'createAsset updateAsset uploadCover createDemand updateDemand deleteDemand answerInquiry',
  'contracts:write': 'createContract updateContract',
  'series:write': 'createSeries updateSeries putSeriesDay importValues',
  'volumes:write': 'putContractDay importVolumes invalidateTransaction runProfiles',
  'exchange:write': `
    runNominations sendSchedules requestStatus receiveMessage acknowledgeAlarm simulateAnswer`,
  'platform:write': 'setClock',
  'users:write': 'createUser updateUser inviteUser endUserSessions resetFactors',
  'requests:read': 'operatorListRequests operatorGetRequest',
  'keys:write': 'createApiKey revokeApiKey rotateApiKey',
  'read webhooks:write': `
    operatorCreateWebhookEndpoint operatorUpdateWebhookEndpoint operatorDeleteWebhookEndpoint
    operatorRotateWebhookSecret operatorTestWebhookEndpoint operatorReplayWebhookEvents operatorRetryWebhookDelivery`,
});

const BRP = scopesById({
  // A manifest needs the scope of its export: see export-manifest.test.ts.
  '': 'getDeliveryDay getLedgerKey listSeals getConsistency getExportManifest',
  'contracts:read': 'listContracts getContract',
  'contracts:read transactions:read': 'listContractTransactions',
  'transactions:read': `
    listTransactions getTransaction getTransactionHistory getTransactionsBulk postTransactionsBulk exportTransactions
    getTransactionProof`,
  'nominations:read': `
    listNominations getNomination getNominationHistory getNominationsBulk postNominationsBulk exportNominations
    getNominationSchedule getDaySchedule reconcileNomination checkSchedule listOwnSchedules getNominationProof`,
  'nominations:read transactions:read': 'explainNomination getNominationCauses',
  'schedules:write': 'markSchedules',
  'customers:read': 'listCustomers getCustomer listPlacements',
  'customers:write': 'updateCustomer previewCustomer',
  'balance_groups:read': 'listOwnBalanceGroups getOwnBalanceGroup',
  'balance_groups:write': 'updateOwnBalanceGroup',
  'events:read': 'listEvents getEvent',
  'requests:read': 'listRequests getRequest',
  'webhooks:write': `
    createWebhookEndpoint listWebhookEndpoints getWebhookEndpoint updateWebhookEndpoint deleteWebhookEndpoint
    rotateWebhookSecret testWebhookEndpoint replayWebhookEvents listWebhookDeliveries retryWebhookDelivery`,
});

/** Keys of accounts have no scopes. Users need at least these permissions. */
const MARKET = scopesById({
  viewer: `
    listMarketAssets listMarketDemands listMarketEvents getMarketEvent
    marketListWebhookEndpoints marketGetWebhookEndpoint marketListWebhookDeliveries`,
  admin: `
    marketCreateWebhookEndpoint marketUpdateWebhookEndpoint marketDeleteWebhookEndpoint marketRotateWebhookSecret
    marketTestWebhookEndpoint marketReplayWebhookEvents marketRetryWebhookDelivery`,
});

/** How the user signs in. */
const OWN_FACTORS = `
  getFactors completeSignIn beginOneTimeCode confirmOneTimeCode removeOneTimeCode renewRecoveryCodes
  listPasskeys startPasskeyRegistration addPasskey renamePasskey removePasskey startPasskeyStep completeWithPasskey`;

/** The users of the portal's own operations: their roles and at least these permissions. No keys. */
const PORTAL = scopesById({
  anybody: `
    signIn enterDemo getInvitation acceptInvitation startPasskeySignIn signInWithPasskey
    listSignInProviders startProviderSignIn completeProviderSignIn`,
  'viewer operator brp account': `
    getSession signOut signOutElsewhere changePassword listChanges listSessions endSession listOwnRequests getOwnRequest
    ${OWN_FACTORS} listProviderLinks removeProviderLink`,
  'viewer operator brp': 'getLastChange',
  'viewer brp': 'searchOwnContracts listOwnCustomers',
  'viewer account': 'browseAssets browseDemands listOwnInquiries listWatchedOffers',
  'member account': 'createInquiry closeInquiry watchOffer unwatchOffer',
  'viewer brp account': 'listOwnApiKeys',
  'admin brp account': `
    createOwnApiKey revokeOwnApiKey rotateOwnApiKey
    listOwnUsers createOwnUser getOwnUser updateOwnUser inviteOwnUser`,
});

/** What a viewer may call besides reads: bulk reads and checks, and what concerns the own sessions and sign-in only. */
const CHANGES_OF_VIEWERS = words(`
  postTransactionsBulk postNominationsBulk checkSchedule
  signIn enterDemo acceptInvitation startPasskeySignIn signInWithPasskey startProviderSignIn completeProviderSignIn
  signOut signOutElsewhere endSession changePassword removeProviderLink ${OWN_FACTORS}`);

const MEMBERS_OF: Record<string, string[]> = {
  viewer: ['viewer', 'member', 'admin'],
  member: ['member', 'admin'],
  admin: ['admin'],
};

type Role = Owner['type'];
const SCOPES_OF_USERS: Record<'operator' | 'brp', Record<UserPermissions, readonly string[]>> = {
  operator: {
    viewer: words('read requests:read'),
    member: words(`
      read requests:read parties:write market:write contracts:write series:write volumes:write exchange:write
      platform:write`),
    admin: OPERATOR_SCOPES,
  },
  brp: {
    viewer: words(`
      contracts:read transactions:read nominations:read customers:read balance_groups:read events:read requests:read`),
    member: words(`
      contracts:read transactions:read nominations:read customers:read balance_groups:read events:read requests:read
      customers:write balance_groups:write schedules:write`),
    admin: SCOPES,
  },
};

const APIS = {
  operator: {
    url: platform.baseUrl,
    endpoints: Object.values<Endpoint>({ ...operatorEndpoints, ...sandboxEndpoints, ...simulationEndpoints }),
    expected: OPERATOR,
  },
  brp: { url: platform.baseUrl, endpoints: Object.values<Endpoint>(brpEndpoints), expected: BRP },
  account: {
    url: platform.customerUrl,
    endpoints: Object.values<Endpoint>(marketEndpoints),
    expected: MARKET,
  },
  portal: {
    url: platform.baseUrl,
    endpoints: Object.values<Endpoint>({ ...portalEndpoints, ...demoEndpoints }),
    expected: PORTAL,
  },
};
type Api = (typeof APIS)[keyof typeof APIS];

/** An unknown record, an unknown parameter and no body. */
const send = (request: Client, { method, path }: Endpoint, headers: Record<string, string> = {}) =>
  request(`${path.replaceAll(/\{\w+\}/g, 'unknown')}?unknown=1`, { method, headers });

const ALLOWED = '400 validation';
const outcome = (answer: Answer) => `${answer.status} ${problemOf(answer).code}`;

/** Calls every operation of an API, compares the outcomes with the expectation, and returns the allowed operations. */
async function assertOutcomes(
  api: Api,
  caller: string,
  request: Client,
  expectation: (needs: readonly string[]) => string,
  headers: Record<string, string> = {},
): Promise<Endpoint[]> {
  const found: Record<string, string> = {};
  const expected: Record<string, string> = {};
  for (const endpoint of api.endpoints) {
    const { id } = endpoint;
    found[id] = outcome(await send(request, endpoint, headers));
    expected[id] = expectation(api.expected.get(id) ?? assert.fail(`${id} has no expectation`));
  }
  assert.deepEqual(found, expected, caller);
  return api.endpoints.filter(({ id }) => found[id] === ALLOWED);
}

const brp = await world.brp();
const keyOf = {
  operator: (scopes: readonly string[]) => world.operatorKey(scopes as typeof OPERATOR_SCOPES),
  brp: async (scopes: readonly string[]) => (await world.key(brp, scopes as typeof SCOPES)).secret,
};

const OWNERS: Record<Role, Owner> = {
  operator: { type: 'operator' },
  brp: { type: 'brp', brpNo: brp.no },
  account: { type: 'account', accountNo: (await world.account()).no },
};

test('every operation has an expectation, and every expectation is an operation', () => {
  for (const { endpoints, expected } of Object.values(APIS))
    assert.deepEqual([...expected.keys()].toSorted(), endpoints.map(({ id }) => id).toSorted());
});

for (const [kind, all] of [
  ['operator', OPERATOR_SCOPES],
  ['brp', SCOPES],
] as const) {
  test(`a key of the ${kind} can do exactly what its scopes allow`, async () => {
    const assertKey = async (scopes: readonly string[]) => {
      const request = client(APIS[kind].url, await keyOf[kind](scopes));
      await assertOutcomes(APIS[kind], `${kind} with ${scopes.join(' ')}`, request, (needs) =>
        needs.every((scope) => scopes.includes(scope)) ? ALLOWED : '403 insufficient_scopes',
      );
    };
    for (const scope of all) {
      await assertKey([scope]);
      await assertKey(all.filter((other) => other !== scope));
    }
    await assertKey(all);
    await assertKey([]);
  });
}

test('a key works in the API of its owner only, and the portal’s own operations accept none', async () => {
  const keys = {
    operator: await keyOf.operator(OPERATOR_SCOPES),
    brp: brp.key,
    account: await world.accountKey(),
    unknown: 'saldo_brp_unknown',
  };
  for (const [owner, key] of Object.entries(keys)) {
    for (const [name, api] of Object.entries(APIS)) {
      const headers = { origin: api.url };
      const refusal = name === 'portal' ? '401 invalid_session' : '401 invalid_api_key';
      const expectation = (needs: readonly string[]) =>
        owner === name || needs.includes('anybody') ? ALLOWED : refusal;
      await assertOutcomes(api, `key of ${owner} in ${name}`, client(api.url, key), expectation, headers);
    }
  }
});

for (const [role, owner] of Object.entries(OWNERS) as [Role, Owner][]) {
  for (const permissions of USER_PERMISSIONS) {
    test(`a user of the role ${role} can do exactly what ${permissions} allows`, async () => {
      const { cookie } = (await signedIn(platform, owner, permissions)).browser;
      const includes = (needed = '') => MEMBERS_OF[needed]?.includes(permissions);
      const expectations: Record<keyof typeof APIS, (needs: readonly string[]) => string> = {
        operator: (needs) => expectScopes('operator', needs),
        brp: (needs) => expectScopes('brp', needs),
        account: ([needed]) => {
          if (role !== 'account') return '401 invalid_api_key';
          return includes(needed) ? ALLOWED : '403 insufficient_permissions';
        },
        portal: ([needed, ...roles]) => {
          if (needed === 'anybody') return ALLOWED;
          return roles.includes(role) && includes(needed) ? ALLOWED : '403 insufficient_permissions';
        },
      };
      const expectScopes = (api: 'operator' | 'brp', needs: readonly string[]) => {
        if (role !== api) return '401 invalid_api_key';
        const own = SCOPES_OF_USERS[api][permissions];
        return needs.every((scope) => own.includes(scope)) ? ALLOWED : '403 insufficient_scopes';
      };
      for (const [name, api] of Object.entries(APIS) as [keyof typeof APIS, Api][]) {
        const headers = { cookie, origin: api.url };
        const caller = `${role} ${permissions}`;
        const allowed = await assertOutcomes(api, caller, client(api.url), expectations[name], headers);
        if (permissions !== 'viewer') continue;
        const changes = allowed.filter(({ method }) => method !== 'GET').map(({ id }) => id);
        assert.deepEqual(
          changes.filter((id) => !CHANGES_OF_VIEWERS.includes(id)),
          [],
          caller,
        );
      }
    });
  }
}

test('without a key and a session only the sign-in is open', async () => {
  for (const [name, api] of Object.entries(APIS)) {
    const refusal = name === 'portal' ? '401 invalid_session' : '401 invalid_api_key';
    await assertOutcomes(
      api,
      `nobody in ${name}`,
      client(api.url),
      (needs) => (needs.includes('anybody') ? ALLOWED : refusal),
      { origin: api.url },
    );
  }
});
