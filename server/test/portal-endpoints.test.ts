import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Endpoint, portalEndpoints } from '@saldo/api';
import { encodeId, ID_PREFIX } from '../src/domain/id.ts';
import { inviteUser } from '../src/features/users/actions.ts';
import { newUser, openBrowser, signedIn } from './browser.ts';
import { client, problemOf, startTestPlatform } from './harness.ts';
import { createWorld } from './world.ts';

/** What each operation is called with to succeed once. An operation that is missing here fails the first test. */
type Case = { path: string; body?: unknown };

const platform = await startTestPlatform();
const world = createWorld(platform.db, platform.clock);
const { seller: brp } = await world.pair();
const OF_BRP = { type: 'brp', brpNo: brp.no } as const;
const { browser, user } = await signedIn(platform, OF_BRP);
const invited = await newUser(platform, OF_BRP);
const { token } = await platform.db.transaction((tx) =>
  inviteUser(tx, encodeId(ID_PREFIX.user, invited.id), platform.clock.now()),
);
const newKeyId = async () =>
  (await browser.request('/portal/v1/api-keys', { method: 'POST', body: { name: 'case' } })).body.id;

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
  listOwnBalanceGroups: { path: `${base}/balance-groups` },
  getInvitation: { path: `${base}/invitations/${token}` },
  acceptInvitation: { path: `${base}/invitations/${token}`, body: { password: PASSWORD } },
  signIn: { path: `${base}/session`, body: { email: invited.email, password: PASSWORD } },
  signOut: { path: `${base}/session` },
};
/** Those that need no session. */
const DOORS = ['signIn', 'getInvitation', 'acceptInvitation'];

const endpointOf = (id: string): Endpoint =>
  Object.values(portalEndpoints).find((known) => known.id === id) ?? assert.fail(`${id} is no operation`);

const call = (id: string, from: Pick<typeof browser, 'request'>, query = '') => {
  const { path, body } = cases[id] ?? assert.fail(`${id} has no case`);
  const { method } = endpointOf(id);
  return from.request(path + query, { method, ...(body === undefined ? {} : { body }) });
};

test('every operation has a case, and every case is an operation', () => {
  const ids = Object.values(portalEndpoints).map(({ id }) => id);
  assert.deepEqual(Object.keys(cases).toSorted(), ids.toSorted());
});

test('without a session nothing answers but the doors, whatever key is sent', async () => {
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

test('no change is made for a page that does not say that it is ours', async () => {
  for (const id of Object.keys(cases).filter((other) => endpointOf(other).method !== 'GET')) {
    const silent = client(platform.baseUrl);
    const answer = await call(id, {
      request: (path, options) => silent(path, { ...options, headers: { cookie: browser.cookie } }),
    });
    assert.deepEqual([answer.status, problemOf(answer).code], [403, 'foreign_origin'], id);
  }
});

test('a query parameter that an operation does not know is refused, and nothing is done', async () => {
  for (const id of Object.keys(cases)) {
    const answer = await call(id, browser, '?delivery_dat=2026-10-25');
    assert.equal(answer.status, 400, `${id}: ${answer.text}`);
    assert.deepEqual(problemOf(answer).errors, ['delivery_dat unknown_field'], id);
  }
});

test('an operation that takes JSON refuses anything else', async () => {
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

test('every operation answers as its schema says, with its status and the rate-limit headers', async () => {
  for (const id of Object.keys(cases)) {
    const from = DOORS.includes(id) ? openBrowser(platform) : browser;
    const { status, headers, text } = await call(id, from);
    assert.equal(status, endpointOf(id).status ?? 200, `${id}: ${text}`);
    assert.equal(headers.get('x-ratelimit-limit'), '1000000', id);
    assert.match(headers.get('x-ratelimit-remaining') ?? '', /^\d+$/, id);
    assert.equal(headers.get('cache-control'), 'private, no-cache', id);
    assert.equal(
      headers.getSetCookie().length,
      id === 'getInvitation' || from === browser ? Number(id === 'signOut') : 1,
      id,
    );
  }
});
