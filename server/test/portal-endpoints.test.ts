import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Endpoint, portalEndpoints } from '@saldo/api';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { createUser, inviteUser } from '../src/users/actions.ts';
import { afterPassword, codeOf, userWithCodes } from './authenticator.ts';
import { type Browser, newUser, openBrowser, signedIn } from './browser.ts';
import { client, problemOf, startTestPlatform, withMethods } from './harness.ts';
import { DOMAINS, prepareProviders, reachCallback } from './oidc-provider.ts';
import { createAuthenticator } from './passkey-authenticator.ts';
import { pngImage } from './png.ts';
import { sendRepeatedly } from './repetition.ts';
import { until } from './until.ts';
import { OFFER } from './world.ts';

/** A successful request for each operation, which can be sent once. A missing operation fails the first test. */
type Case = { path: string; body?: unknown; from?: Browser };

const providers = await prepareProviders();
const platform = await startTestPlatform({
  now: new Date().toISOString(),
  environment: { OIDC_FILE: providers.file },
});
await providers.start(platform);
const { world } = platform;
const { seller: brp } = await world.pair();
const OF_BRP = { type: 'brp', brpNo: brp.no } as const;
const { browser, user } = await signedIn(platform, OF_BRP);
const invited = await newUser(platform, OF_BRP);
const { token } = await platform.db.transaction((tx) =>
  inviteUser(tx, 'all', encodeId(ID_PREFIX.user, invited.id), platform.clock.now()),
);
const colleague = encodeId(ID_PREFIX.user, (await newUser(platform, OF_BRP, 'member')).id);
const holder = await world.account();
const { browser: ofAccount } = await signedIn(platform, { type: 'account', accountNo: holder.no });
const changed = await world.customer(brp);
await client(platform.baseUrl, brp.key).patch(`/v1/customers/${changed.id}`, { metadata: { site: 'Harz' } });
const newKeyId = async () => (await browser.request.post('/portal/v1/api-keys', { name: 'case' })).body.id;

async function newSessionId(): Promise<string> {
  await openBrowser(platform).signIn(user.email, user.password);
  return (await browser.request('/portal/v1/sessions')).body.sessions[0].id;
}

/** Users with one-time codes: each operation that needs a code uses up one of another user. */
const withCodes = await Promise.all(
  ['completeSignIn', 'removeOneTimeCode', 'renewRecoveryCodes'].map(async (id) => {
    const own = await userWithCodes(platform, OF_BRP);
    const from = id === 'completeSignIn' ? await afterPassword(platform, own.user) : own.browser;
    return [id, { from, code: own.recovery[0] }] as const;
  }),
);
const factorUsers = new Map(withCodes);
const codeFor = (id: string) => ({ code: factorUsers.get(id)?.code });
const { browser: settingUp, user: settingUpUser } = await signedIn(platform, OF_BRP);
const begun = (await settingUp.request.post('/portal/v1/one-time-code', { password: settingUpUser.password }))
  .body;

/** A browser that comes back from an identity provider. */
const returning = openBrowser(platform);
const atCallback = await platform.db.transaction(async (tx) => {
  const email = `person@${DOMAINS.plain}`;
  await createUser(tx, { email, name: 'Person', owner: OF_BRP, permissions: 'admin' }, platform.clock.now());
  return { email, verified: 'yes' };
});

const OFFERED = {
  ...{ name: 'Windpark', nominal_power: 12, technology: 'wind_onshore', tso: 'DE_50HERTZ' },
  offer: {
    ...{ ppa_type: 'PAY_AS_PRODUCED', average_annual_power: 24_000, delivery_start: '2027-01-01T00:00:00Z' },
    ...{
      additional_info: null,
      state: null,
      country: 'DE',
      cover_url: null,
      pricing: [{ years: 5, price: 60 }],
    },
  },
};
const PASSWORD = 'nine gulls over the jetty';
const base = '/portal/v1';

const newAuthenticator = () => createAuthenticator(platform.baseUrl.replace('127.0.0.1', 'localhost'));
const authenticator = newAuthenticator();
const { browser: ofKeyHolder, user: keyHolder } = await signedIn(platform, OF_BRP);
const challengeOf = async (from: Browser, path: string) =>
  (await from.request.post(`${base}/${path}/challenge`)).body.public_key;
const addPasskey = async (from: Browser, { create } = authenticator) =>
  ({ name: 'Laptop', credential: create(await challengeOf(from, 'passkeys')) }) as const;
const { id: passkeyId } = (await ofKeyHolder.request.post(`${base}/passkeys`, await addPasskey(ofKeyHolder)))
  .body;
const { browser: ofNewKeyHolder } = await signedIn(platform, OF_BRP);
const SECOND_STEP = 'session/second-factor/passkey';
/** A browser in which the second step of a sign-in is missing. */
const pending = async () => {
  const from = openBrowser(platform);
  await from.signIn(keyHolder.email, keyHolder.password);
  return from;
};
const [signingIn, atSecondStep] = [openBrowser(platform), await pending()];
const answered = async (from: Browser, path: string) => ({
  credential: authenticator.get(await challengeOf(from, path)),
});

const requestId = (await browser.request(`${base}/session`)).headers.get('x-request-id') ?? '';
await until(async () => {
  await platform.flush();
  return (await browser.request(`${base}/requests/${requestId}`)).status === 200;
});
const asOperator = client(platform.baseUrl, await platform.world.operatorKey());
const newDemand = { contract_period: 10, delivery_volume: 24_000, country: 'AT' };
const demand = (await asOperator.post('/operator/v1/demands', newDemand)).body;
const offered = (await asOperator.post('/operator/v1/assets', OFFERED)).body;
const question = { demand_id: demand.id, message: 'How much?' };
const inquiry = (await ofAccount.request.post(`${base}/inquiries`, question)).body;
const cases: Record<string, Case> = {
  getSession: { path: `${base}/session` },
  listSessions: { path: `${base}/sessions` },
  endSession: { path: `${base}/sessions/${await newSessionId()}` },
  completeSignIn: { path: `${base}/session/second-factor`, body: codeFor('completeSignIn') },
  getFactors: { path: `${base}/factors` },
  beginOneTimeCode: { path: `${base}/one-time-code`, body: { password: user.password } },
  confirmOneTimeCode: {
    path: `${base}/one-time-code`,
    body: { token: begun.token, code: codeOf(platform, begun.secret) },
  },
  removeOneTimeCode: { path: `${base}/one-time-code/remove`, body: codeFor('removeOneTimeCode') },
  renewRecoveryCodes: { path: `${base}/recovery-codes`, body: codeFor('renewRecoveryCodes') },
  signOutElsewhere: { path: `${base}/session/others` },
  changePassword: { path: `${base}/password`, body: { current: user.password, new: PASSWORD } },
  listOwnApiKeys: { path: `${base}/api-keys` },
  createOwnApiKey: { path: `${base}/api-keys`, body: { name: 'New' } },
  revokeOwnApiKey: { path: `${base}/api-keys/${await newKeyId()}` },
  rotateOwnApiKey: { path: `${base}/api-keys/${await newKeyId()}/rotate`, body: { grace_s: 60 } },
  listOwnUsers: { path: `${base}/users` },
  createOwnUser: {
    path: `${base}/users`,
    body: { email: 'case@saldo.example', name: 'Case', permissions: 'member' },
  },
  getOwnUser: { path: `${base}/users/${colleague}` },
  updateOwnUser: { path: `${base}/users/${colleague}`, body: { permissions: 'viewer' } },
  inviteOwnUser: { path: `${base}/users/${colleague}/invitation` },
  searchOwnContracts: { path: `${base}/contracts` },
  listOwnCustomers: { path: `${base}/customers` },
  browseAssets: { path: `${base}/assets` },
  browseDemands: { path: `${base}/demands` },
  createInquiry: { path: `${base}/inquiries`, body: question },
  listOwnInquiries: { path: `${base}/inquiries` },
  closeInquiry: { path: `${base}/inquiries/${inquiry.id}/close` },
  listWatchedOffers: { path: `${base}/watched-offers` },
  watchOffer: { path: `${base}/watched-offers/${offered.id}` },
  unwatchOffer: { path: `${base}/watched-offers/${offered.id}` },
  listChanges: { path: `${base}/changes` },
  listOwnRequests: { path: `${base}/requests` },
  getOwnRequest: { path: `${base}/requests/${requestId}` },
  getLastChange: { path: `${base}/records/${changed.id}/last-change` },
  listPasskeys: { path: `${base}/passkeys` },
  startPasskeyRegistration: { path: `${base}/passkeys/challenge` },
  addPasskey: {
    path: `${base}/passkeys`,
    body: await addPasskey(ofNewKeyHolder, newAuthenticator()),
    from: ofNewKeyHolder,
  },
  startPasskeySignIn: { path: `${base}/sign-in/passkey/challenge` },
  signInWithPasskey: {
    path: `${base}/sign-in/passkey`,
    body: await answered(signingIn, 'sign-in/passkey'),
    from: signingIn,
  },
  startPasskeyStep: { path: `${base}/${SECOND_STEP}/challenge`, from: await pending() },
  completeWithPasskey: {
    path: `${base}/${SECOND_STEP}`,
    body: await answered(atSecondStep, SECOND_STEP),
    from: atSecondStep,
  },
  renamePasskey: { path: `${base}/passkeys/${passkeyId}`, body: { name: 'Phone' }, from: ofKeyHolder },
  removePasskey: { path: `${base}/passkeys/${passkeyId}`, from: ofKeyHolder },
  listSignInProviders: { path: `${base}/sign-in/providers` },
  startProviderSignIn: { path: `${base}/sign-in/providers/nordwind`, body: {} },
  completeProviderSignIn: {
    path: `${base}/sign-in/providers/nordwind/callback`,
    body: { query: await reachCallback(returning, atCallback) },
    from: returning,
  },
  listProviderLinks: { path: `${base}/provider-links` },
  removeProviderLink: { path: `${base}/provider-links?issuer=https%3A%2F%2Fnowhere.example` },
  getInvitation: { path: `${base}/invitations/${token}` },
  acceptInvitation: { path: `${base}/invitations/${token}`, body: { password: PASSWORD } },
  signIn: { path: `${base}/session`, body: { email: invited.email, password: PASSWORD } },
  signOut: { path: `${base}/session` },
};
/** Operations without a session. */
const DOORS = [
  'signIn',
  'getInvitation',
  'acceptInvitation',
  'startPasskeySignIn',
  'signInWithPasskey',
  'listSignInProviders',
  'startProviderSignIn',
  'completeProviderSignIn',
];
/** The cookies that an operation sets. Signing out expires them. */
const COOKIES: Record<string, string[]> = {
  signIn: ['saldo_session', 'saldo_device'],
  acceptInvitation: ['saldo_session', 'saldo_device'],
  startPasskeyRegistration: ['saldo_passkey'],
  startPasskeySignIn: ['saldo_passkey'],
  startPasskeyStep: ['saldo_passkey'],
  signInWithPasskey: ['saldo_session', 'saldo_device'],
  completeWithPasskey: ['saldo_session', 'saldo_device'],
  completeSignIn: ['saldo_session', 'saldo_device'],
  startProviderSignIn: ['saldo_sign_in'],
  completeProviderSignIn: ['saldo_session', 'saldo_device'],
  changePassword: ['saldo_device'],
  signOut: ['saldo_session'],
};
/** Operations for users of an account only. */
const OF_ACCOUNTS = [
  ...['browseAssets', 'browseDemands', 'createInquiry', 'listOwnInquiries', 'closeInquiry'],
  ...['listWatchedOffers', 'watchOffer', 'unwatchOffer'],
];
const userOf = (id: string) => {
  if (id === 'confirmOneTimeCode') return settingUp;
  return factorUsers.get(id)?.from ?? (OF_ACCOUNTS.includes(id) ? ofAccount : browser);
};

const endpointOf = (id: string): Endpoint =>
  Object.values(portalEndpoints).find((known) => known.id === id) ?? assert.fail(`${id} is no operation`);

const call = (
  id: string,
  from: Pick<typeof browser, 'request'>,
  query = '',
  headers: Record<string, string> = {},
) => {
  const { path, body } = cases[id] ?? assert.fail(`${id} has no case`);
  const { method } = endpointOf(id);
  return from.request(path.includes('?') ? path + query.replace('?', '&') : path + query, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
};

test('every operation has a case, and every case is an operation', () => {
  const ids = Object.values(portalEndpoints).map(({ id }) => id);
  assert.deepEqual(Object.keys(cases).toSorted(), ids.toSorted());
});

test('without a session only the sign-in operations are accessible, whatever key is sent', async () => {
  const operatorKey = await world.operatorKey();
  for (const id of Object.keys(cases).filter((other) => !DOORS.includes(other))) {
    for (const key of [null, brp.key, operatorKey]) {
      const ask = client(platform.baseUrl, key);
      const answer = await call(id, { request: ask });
      assert.deepEqual([answer.status, problemOf(answer).code], [401, 'invalid_session'], id);
      assert.equal(answer.headers.get('www-authenticate'), 'Session');
    }
  }
});

test('a change requires the header that only our own pages send', async () => {
  for (const id of Object.keys(cases).filter((other) => endpointOf(other).method !== 'GET')) {
    const silent = client(platform.baseUrl);
    const answer = await call(id, {
      request: withMethods((path, options) =>
        silent(path, { ...options, headers: { cookie: browser.cookie } }),
      ),
    });
    assert.deepEqual([answer.status, problemOf(answer).code], [403, 'foreign_origin'], id);
  }
});

test('an unknown query parameter is rejected, and nothing is changed', async () => {
  for (const id of Object.keys(cases)) {
    const answer = await call(id, userOf(id), '?delivery_dat=2026-10-25');
    assert.equal(answer.status, 400, `${id}: ${answer.text}`);
    assert.deepEqual(problemOf(answer).errors, ['delivery_dat unknown_field'], id);
  }
});

test('an operation that accepts JSON rejects other media types', async () => {
  for (const id of Object.keys(cases).filter((other) => endpointOf(other).body !== null)) {
    const send = (body: string, type: string) =>
      (OF_ACCOUNTS.includes(id) ? ofAccount : browser).request(cases[id]?.path ?? '', {
        method: endpointOf(id).method,
        body,
        headers: { 'content-type': type },
      });
    assert.equal((await send('x', 'text/plain')).status, 415, id);
    assert.equal((await send('{', 'application/json')).status, 400, id);
    assert.deepEqual(problemOf(await send('[]', 'application/json')).errors, [' invalid_type'], id);
  }
});

test('every operation responds according to its schema, with its status and the rate-limit headers, and repeats as documented', async () => {
  const document = await client(platform.baseUrl)('/portal/openapi.json');
  for (const id of Object.keys(cases)) {
    const from = cases[id]?.from ?? (DOORS.includes(id) ? openBrowser(platform) : userOf(id));
    const { status, headers, text } = await sendRepeatedly(document, endpointOf(id), (own) =>
      call(id, from, '', own),
    );
    assert.equal(status, endpointOf(id).status ?? 200, `${id}: ${text}`);
    assert.equal(headers.get('x-ratelimit-limit'), '1000000', id);
    assert.match(headers.get('x-ratelimit-remaining') ?? '', /^\d+$/, id);
    assert.equal(headers.get('cache-control'), 'private, no-cache', id);
    const set = headers.getSetCookie().map((cookie) => cookie.split('=', 1)[0]);
    assert.deepEqual(set, COOKIES[id] ?? [], id);
  }
});

test('the market is accessible to users of an account only', async () => {
  const { browser: ofOperator } = await signedIn(platform, { type: 'operator' });
  const { browser: ofBrp } = await signedIn(platform, OF_BRP);
  for (const id of OF_ACCOUNTS) {
    for (const other of [ofOperator, ofBrp]) {
      const answer = await call(id, other);
      assert.deepEqual([answer.status, problemOf(answer).code], [403, 'insufficient_permissions'], id);
    }
  }
});

test('users of an account see the same pages as its keys, with links to the portal’s addresses', async () => {
  const operator = client(platform.baseUrl, await world.operatorKey());
  const withKey = client(platform.customerUrl, await world.accountKey());
  const cover = { headers: { 'content-type': 'image/png' } };
  const { cover_url } = (await operator.post('/operator/v1/covers', pngImage('portal'), cover)).body;
  const offer = { ...OFFER, cover_url };
  const asset = { name: 'Park', technology: 'solar', nominal_power: 10, tso: 'DE_AMPRION', offer };
  const demand = { contract_period: 10, delivery_volume: 24_000, country: 'DE' };
  // One of each is there already.
  for (let count = 0; count < 2; count++) {
    await operator.post('/operator/v1/assets', asset);
    await operator.post('/operator/v1/demands', demand);
  }
  for (const list of ['assets', 'demands']) {
    const page = '?page=2&limit=2';
    const [seen, listed] = [
      await ofAccount.request(`${base}/${list}${page}`),
      await withKey(`/v1/${list}${page}`),
    ];
    assert.equal(seen.text, listed.text);
    assert.equal(seen.body[list].length, 1);
    for (const name of ['x-total-count', 'x-list-version']) {
      assert.equal(seen.headers.get(name), listed.headers.get(name), name);
    }
    const version = seen.headers.get('x-list-version');
    const first = `<${platform.baseUrl}${base}/${list}?page=1&limit=2&listVersion=${version}>; rel="first"`;
    assert.ok(seen.headers.get('link')?.includes(first), seen.headers.get('link') ?? 'no link');
  }
});
