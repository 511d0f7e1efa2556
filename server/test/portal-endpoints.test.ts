import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Endpoint, portalEndpoints } from '@saldo/api';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { createUser, inviteUser } from '../src/users/actions.ts';
import { newUser, openBrowser, signedIn } from './browser.ts';
import { client, problemOf, startTestPlatform, withMethods } from './harness.ts';
import { DOMAINS, prepareProviders, reachCallback } from './oidc-provider.ts';
import { pngImage } from './png.ts';
import { sendRepeatedly } from './repetition.ts';
import { OFFER } from './world.ts';

/** A successful request for each operation, which can be sent once. A missing operation fails the first test. */
type Case = { path: string; body?: unknown };

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
  inviteUser(tx, encodeId(ID_PREFIX.user, invited.id), platform.clock.now()),
);
const holder = await world.account();
const { browser: ofAccount } = await signedIn(platform, { type: 'account', accountNo: holder.no });
const changed = await world.customer(brp);
await client(platform.baseUrl, brp.key).patch(`/v1/customers/${changed.id}`, { metadata: { site: 'Harz' } });
const newKeyId = async () => (await browser.request.post('/portal/v1/api-keys', { name: 'case' })).body.id;

/** A browser that comes back from an identity provider. */
const returning = openBrowser(platform);
const atCallback = await platform.db.transaction(async (tx) => {
  const email = `person@${DOMAINS.plain}`;
  await createUser(tx, { email, name: 'Person', owner: OF_BRP, permissions: 'manage' }, platform.clock.now());
  return { email, verified: 'yes' };
});

const PASSWORD = 'nine gulls over the jetty';
const base = '/portal/v1';
const cases: Record<string, Case> = {
  getSession: { path: `${base}/session` },
  signOutElsewhere: { path: `${base}/session/others` },
  changePassword: { path: `${base}/password`, body: { current: user.password, new: PASSWORD } },
  listOwnApiKeys: { path: `${base}/api-keys` },
  createOwnApiKey: { path: `${base}/api-keys`, body: { name: 'New' } },
  revokeOwnApiKey: { path: `${base}/api-keys/${await newKeyId()}` },
  rotateOwnApiKey: { path: `${base}/api-keys/${await newKeyId()}/rotate`, body: { grace_s: 60 } },
  searchOwnContracts: { path: `${base}/contracts` },
  listOwnCustomers: { path: `${base}/customers` },
  browseAssets: { path: `${base}/assets` },
  browseDemands: { path: `${base}/demands` },
  listChanges: { path: `${base}/changes` },
  getLastChange: { path: `${base}/records/${changed.id}/last-change` },
  listSignInProviders: { path: `${base}/sign-in/providers` },
  startProviderSignIn: { path: `${base}/sign-in/providers/nordwind`, body: {} },
  completeProviderSignIn: {
    path: `${base}/sign-in/providers/nordwind/callback`,
    body: { query: await reachCallback(returning, atCallback) },
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
  'listSignInProviders',
  'startProviderSignIn',
  'completeProviderSignIn',
];
/** The cookies that an operation sets. Signing out expires them. */
const COOKIES: Record<string, string[]> = {
  signIn: ['saldo_session', 'saldo_device'],
  acceptInvitation: ['saldo_session', 'saldo_device'],
  startProviderSignIn: ['saldo_sign_in'],
  completeProviderSignIn: ['saldo_session', 'saldo_device'],
  changePassword: ['saldo_device'],
  signOut: ['saldo_session'],
};
/** Operations for users of an account only. */
const OF_ACCOUNTS = ['browseAssets', 'browseDemands'];
const userOf = (id: string) => (OF_ACCOUNTS.includes(id) ? ofAccount : browser);
const doorOf = (id: string) => (id === 'completeProviderSignIn' ? returning : openBrowser(platform));

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
      browser.request(cases[id]?.path ?? '', {
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
    const from = DOORS.includes(id) ? doorOf(id) : userOf(id);
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
  for (let count = 0; count < 3; count++) {
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
