import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brpEndpoints, SCOPES } from '@saldo/api';
import { FOREIGN_ADDRESS } from '../src/platform/auth/credential-cache.ts';
import { sessionCredentials } from '../src/platform/auth/session-credentials.ts';
import { statement } from '../src/platform/db/statement.ts';
import { newUser, openBrowser, signedIn } from './browser.ts';
import { assertProblem, client, problemOf, startTestPlatform, walk } from './harness.ts';
import { freePort } from './ports.ts';

const NOW = '2026-10-20T08:00:00Z';
const platform = await startTestPlatform({ now: NOW, environment: { SANDBOX: 'on' } });
const limited = await startTestPlatform({ now: NOW, environment: { RATE_LIMIT: '3' } });
const securePort = await freePort();
const secure = await startTestPlatform({
  now: NOW,
  environment: { BASE_URL: 'https://saldo.example/', PORT: String(securePort) },
});
const { world } = platform;
const { seller, buyer, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
const account = await world.account();
const OF_SELLER = { type: 'brp', brpNo: seller.no } as const;
const OF_ACCOUNT = { type: 'account', accountNo: account.no } as const;
const OPERATOR = { type: 'operator' } as const;

test('a session of a BRP sees in the BRP API exactly what a key of that BRP sees', async () => {
  const outsider = await world.brp();
  const { request } = await signedIn(platform, OF_SELLER);
  const byKey = await client(platform.baseUrl, seller.key)('/v1/contracts');
  assert.deepEqual((await request('/v1/contracts')).body, byKey.body);
  assert.deepEqual((await request(`/v1/contracts/${contract.id}`)).body.id, contract.id);
  const stranger = await signedIn(platform, { type: 'brp', brpNo: outsider.no });
  assert.deepEqual((await stranger.request('/v1/contracts')).body.contracts, []);
  assert.equal((await stranger.request(`/v1/contracts/${contract.id}`)).status, 404);
  assert.equal((await stranger.request(`/v1/customers/${producer.id}`)).status, 404);
});

test('each role has access to its own API only', async () => {
  const paths = ['/v1/contracts', '/operator/v1/brps', '/portal/v1/api-keys', '/v1/balance-groups'];
  const expected: [Parameters<typeof signedIn>[1], number[]][] = [
    [OF_SELLER, [200, 401, 200, 200]],
    [OPERATOR, [401, 200, 403, 401]],
    [OF_ACCOUNT, [401, 401, 200, 401]],
  ];
  for (const [owner, statuses] of expected) {
    const { request } = await signedIn(platform, owner);
    const got = [];
    for (const path of paths) got.push((await request(path)).status);
    assert.deepEqual(got, statuses, owner.type);
  }
});

test('a read-only user reads everything of the role and changes nothing', async () => {
  const { request, state } = await signedIn(platform, OF_SELLER, 'viewer');
  assert.deepEqual(
    state.scopes,
    SCOPES.filter((scope) => scope.endsWith(':read')),
  );
  assert.equal((await request('/v1/customers')).status, 200);
  const bulk = await request.post('/v1/transactions/bulk', { ids: ['txn_x'] });
  assert.equal(bulk.status, 200, 'a bulk read is a read');
  const patch = await request.patch(`/v1/customers/${producer.id}`, {});
  assert.deepEqual([patch.status, problemOf(patch).code], [403, 'insufficient_scopes']);
  assert.match(patch.body.detail, /customers:write/);
  const key = await request.post('/portal/v1/api-keys', { name: 'x' });
  assert.deepEqual([key.status, problemOf(key).code], [403, 'insufficient_permissions']);
  assert.equal((await request('/portal/v1/api-keys')).status, 200);

  const clerk = await signedIn(platform, OPERATOR, 'viewer');
  assert.equal((await clerk.request('/operator/v1/brps')).status, 200);
  const create = await clerk.request.post('/operator/v1/brps', { name: 'X' });
  assert.deepEqual([create.status, problemOf(create).code], [403, 'insufficient_scopes']);
});

test('a managing user may do what a key with every scope may, and the audit trail names the user', async () => {
  const { request, state } = await signedIn(platform, OF_SELLER);
  const body = { metadata: { by: 'portal' } };
  assert.equal((await request.patch(`/v1/customers/${producer.id}`, body)).status, 200);
  const operator = await signedIn(platform, OPERATOR);
  const made = await operator.request.post('/operator/v1/brps', { name: 'By a person' });
  assert.equal(made.status, 201);
  const audit = (actor: string) => operator.request(`/operator/v1/audit?actor=${actor}&limit=100`);
  const deeds = (await audit(state.user.id)).body.entries;
  assert.deepEqual(
    deeds.map(({ action, subject }: { action: string; subject: string }) => [action, subject]),
    [
      ['user.signed_in', state.user.id],
      ['customer.updated', producer.id],
    ],
  );
  const own = (await audit(operator.state.user.id)).body.entries;
  assert.deepEqual(own.at(-1).subject, made.body.id);
  assert.ok(own.at(-1).request_id);
});

test('both cookies are HttpOnly and SameSite=Strict, and Secure under HTTPS', async () => {
  const user = await newUser(platform, OF_SELLER);
  const answer = await openBrowser(platform).signIn(user.email, user.password);
  assert.match(
    answer.headers.getSetCookie().join('|'),
    /^saldo_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict\|saldo_device=[\w.-]{68}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  const other = await newUser(secure, OPERATOR);
  const listening = `http://127.0.0.1:${securePort}`;
  const browser = openBrowser({ baseUrl: listening });
  const signIn = await browser.request.post(
    '/portal/v1/session',
    { email: other.email, password: other.password },
    { headers: { origin: 'https://saldo.example' } },
  );
  assert.match(
    signIn.headers.getSetCookie().join('|'),
    /^__Host-saldo_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict; Secure\|__Host-saldo_device=[\w.-]{68}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  );
  assert.equal((await browser.request('/portal/v1/session')).status, 200);
  const plain = browser.cookie.replace('__Host-', '');
  const tossed = await client(listening)('/portal/v1/session', { headers: { cookie: plain } });
  assert.equal(tossed.status, 401, 'a cookie without the prefix may come from another host');
});

test('the session has the user, their permissions and the platform’s time', async () => {
  const { request, state, user } = await signedIn(platform, OF_SELLER);
  const { body } = await request('/portal/v1/session');
  assert.deepEqual(body, state);
  assert.deepEqual(body.user, {
    id: body.user.id,
    email: user.email,
    name: body.user.name,
    role: 'brp',
    permissions: 'admin',
    brp: { id: seller.id, name: body.user.brp.name },
    account: null,
  });
  assert.deepEqual(body.scopes, SCOPES);
  assert.equal(body.server_time, NOW);
  assert.equal(body.customer_base_url, platform.customerUrl);
  assert.equal(body.demo, false);
  assert.equal(body.expires_at, '2026-10-27T08:00:00Z');
});

test('a change with a cookie is accepted from our own pages only', async () => {
  const { browser } = await signedIn(platform, OF_SELLER);
  const path = `/v1/customers/${producer.id}`;
  const send = (headers: Record<string, string>) =>
    client(platform.baseUrl).patch(
      path,
      { metadata: { origin: JSON.stringify(headers) } },
      { headers: { cookie: browser.cookie, ...headers } },
    );
  const { host, port } = new URL(platform.baseUrl);
  const foreign: Record<string, string>[] = [
    {},
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: `${platform.baseUrl}.evil.example` },
    { origin: `https://${host}` },
    { origin: `http://localhost:${port}` },
    { origin: platform.baseUrl, 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { referer: `${platform.baseUrl}/` },
  ];
  const before = (await browser.request(path)).body;
  for (const headers of foreign) {
    const answer = await send(headers);
    assertProblem(answer, 403, 'foreign_origin', [], JSON.stringify(headers));
  }
  assert.deepEqual((await browser.request(path)).body, before, 'nothing was changed');
  for (const headers of [{ origin: platform.baseUrl }, { 'sec-fetch-site': 'same-origin' }]) {
    assert.equal((await send(headers)).status, 200, JSON.stringify(headers));
  }
  const read = await client(platform.baseUrl)(path, {
    headers: { cookie: browser.cookie, origin: 'https://evil.example' },
  });
  assert.equal(read.status, 200);
  assert.equal(read.headers.get('access-control-allow-origin'), null, 'its page cannot read the answer');
});

test('a page of another site cannot sign a user in', async () => {
  const user = await newUser(platform, OF_SELLER);
  const answer = await client(platform.baseUrl).post(
    '/portal/v1/session',
    { email: user.email, password: user.password },
    { headers: { origin: 'https://evil.example' } },
  );
  assert.deepEqual([answer.status, problemOf(answer).code], [403, 'foreign_origin']);
  assert.deepEqual(answer.headers.getSetCookie(), []);
});

test('a key takes precedence over a cookie, also when the key is invalid', async () => {
  const { browser } = await signedIn(platform, { type: 'brp', brpNo: buyer.no });
  const ask = (key: string) =>
    client(platform.baseUrl, key)('/v1/customers', { headers: { cookie: browser.cookie } });
  const [mine] = (await ask(seller.key)).body.customers;
  assert.equal(mine.id, producer.id);
  for (const key of ['', 'nonsense']) assert.equal((await ask(key)).status, 401);
});

test('an invalid session cookie is 401 everywhere', async () => {
  for (const cookie of [
    'saldo_session=',
    'saldo_session=x',
    `saldo_session=${'a'.repeat(43)}`,
    'x',
    '=;;=',
  ]) {
    for (const path of ['/v1/contracts', '/operator/v1/brps']) {
      const answer = await client(platform.baseUrl)(path, { headers: { cookie } });
      assertProblem(answer, 401, 'invalid_api_key', [], `${path} ${cookie}`);
    }
    const answer = await client(platform.baseUrl)('/portal/v1/session', { headers: { cookie } });
    assert.deepEqual([answer.status, problemOf(answer).code], [401, 'invalid_session'], cookie);
  }
  const withKey = await client(platform.baseUrl, seller.key)('/portal/v1/session');
  assert.equal(withKey.status, 401, 'a key cannot have a session');
});

test('signing out ends this session at once, and only this one', async () => {
  const user = await newUser(platform, OF_SELLER);
  const [one, other] = [openBrowser(platform), openBrowser(platform)];
  for (const browser of [one, other]) await browser.signIn(user.email, user.password);
  const cookie = one.cookie;
  assert.equal((await one.request('/v1/contracts')).status, 200);
  assert.equal((await one.request.delete('/portal/v1/session')).status, 200);
  assert.equal(one.cookie, '', 'the answer expires the cookie');
  const again = await client(platform.baseUrl)('/v1/contracts', { headers: { cookie } });
  assert.equal(again.status, 401);
  assert.equal((await other.request('/v1/contracts')).status, 200);
});

test('signing in again in a browser replaces its session', async () => {
  const { browser, user } = await signedIn(platform, OF_SELLER);
  const before = browser.cookie;
  await browser.request('/portal/v1/session');
  await browser.signIn(user.email, user.password);
  assert.notEqual(browser.cookie, before);
  const old = await client(platform.baseUrl)('/portal/v1/session', { headers: { cookie: before } });
  assert.equal(old.status, 401);
  assert.equal((await browser.request('/portal/v1/session')).status, 200);
});

test('the session cookie is found among other cookies', async () => {
  const { browser } = await signedIn(platform, OF_SELLER);
  const others = ['a=b', 'saldo_session_x=1', 'xsaldo_session=2', 'c', '=', 'theme="a; b"'];
  const cookie = [...others, browser.cookie, 'z='].join('; ');
  assert.equal((await client(platform.baseUrl)('/portal/v1/session', { headers: { cookie } })).status, 200);
});

test('signing out everywhere else keeps the current session', async () => {
  const user = await newUser(platform, OF_SELLER);
  const browsers = [openBrowser(platform), openBrowser(platform), openBrowser(platform)];
  for (const browser of browsers) await browser.signIn(user.email, user.password);
  const [one, ...others] = browsers;
  assert.equal((await one?.request.delete('/portal/v1/session/others'))?.status, 204);
  assert.equal((await one?.request('/portal/v1/session'))?.status, 200);
  for (const other of others) assert.equal((await other.request('/portal/v1/session')).status, 401);
});

const at = (hours: number) => platform.clock.set(new Date(Date.parse(NOW) + hours * 3_600_000).toISOString());

test('an unused session ends after twelve hours', async () => {
  const { request } = await signedIn(platform, OF_SELLER);
  const { request: late } = await signedIn(platform, OF_SELLER);
  at(11.99);
  assert.equal((await request('/portal/v1/session')).status, 200);
  at(12);
  assert.equal((await late('/portal/v1/session')).status, 401);
  await platform.flush();
  await forgetLookUps();
  assert.equal((await request('/portal/v1/session')).status, 200, 'the used session stays valid');
  platform.clock.set(NOW);
});

test('requests of a page that no person uses do not keep its session', async () => {
  const { request } = await signedIn(platform, OF_SELLER);
  const { request: attended } = await signedIn(platform, OF_SELLER);
  const headers = { 'saldo-unattended': '1' };
  at(6);
  for (const path of ['/portal/v1/session', '/portal/v1/changes', '/v1/contracts'])
    assert.equal((await request(path, { headers })).status, 200);
  // Both requests are within the lifetime of one cached look-up.
  assert.equal((await attended('/v1/contracts', { headers })).status, 200);
  assert.equal((await attended('/v1/contracts')).status, 200);
  await platform.flush();
  await forgetLookUps();
  at(12);
  assert.equal((await request('/portal/v1/session')).status, 401);
  assert.equal((await attended('/portal/v1/session')).status, 200);
  platform.clock.set(NOW);
});

test('a session ends after a week, even when used', async () => {
  const { request } = await signedIn(platform, OF_SELLER);
  for (let hours = 11; hours < 24 * 7; hours += 11) {
    at(hours);
    // The session is cached, and no real time passes here.
    assert.equal((await request('/portal/v1/session')).status, 200, `after ${hours} h`);
    await platform.flush();
    await forgetLookUps();
  }
  at(24 * 7);
  assert.equal((await request('/portal/v1/session')).status, 401);
  platform.clock.set(NOW);
});

/** A sign-out clears the session cache of the platform. */
async function forgetLookUps() {
  const { request } = await signedIn(platform, OPERATOR);
  assert.equal((await request.delete('/portal/v1/session')).status, 200);
}

test('moving a sandbox’s clock ends no session', async () => {
  const { request } = await signedIn(platform, OPERATOR);
  for (const now of ['2027-10-20T08:00:00Z', '2020-01-01T00:00:00Z', NOW]) {
    assert.equal((await request.put('/operator/v1/clock', { now })).status, 200);
    await forgetLookUps();
    const { status, body } = await request('/portal/v1/session');
    assert.equal(status, 200, now);
    assert.equal(body.server_time, now);
    assert.equal(body.expires_at, '2026-10-27T08:00:00Z');
  }
});

test('every process rejects an ended session within 5 seconds', async () => {
  const { browser, state } = await signedIn(platform, OF_SELLER);
  const token = browser.cookie.split('=')[1] ?? '';
  let at = 0;
  const elsewhere = sessionCredentials(
    platform.db,
    () => platform.clock.now(),
    () => at,
    () => false,
  );
  const principal = await elsewhere.find(token, '203.0.113.7');
  if (principal === FOREIGN_ADDRESS) assert.fail('a session may be used from anywhere');
  assert.equal(principal?.actor, state.user.id);
  assert.deepEqual(principal?.viewer, { kind: 'brp', brpNo: seller.no });
  await browser.request.delete('/portal/v1/session');
  at = 5_000;
  assert.equal(await elsewhere.find(token, '203.0.113.7'), null);
});

test('each session has its own rate limit, also among sessions of one user', async () => {
  const limitedWorld = limited.world;
  const brp = await limitedWorld.brp();
  const user = await newUser(limited, { type: 'brp', brpNo: brp.no });
  const [one, other] = [openBrowser(limited), openBrowser(limited)];
  for (const browser of [one, other]) await browser.signIn(user.email, user.password);
  const remaining = [];
  for (let count = 0; count < 3; count++) {
    remaining.push((await one.request('/v1/contracts')).headers.get('x-ratelimit-remaining'));
  }
  assert.deepEqual(remaining, ['2', '1', '0']);
  const refused = await one.request('/v1/contracts');
  assert.deepEqual([refused.status, problemOf(refused).code], [429, 'rate_limited']);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.equal((await other.request('/v1/contracts')).status, 200);
  assert.equal((await client(limited.baseUrl, brp.key)('/v1/contracts')).status, 200);
});

test('a session has access to every read of the BRP API, page by page', async () => {
  const { browser } = await signedIn(platform, OF_SELLER);
  const asPage = (path: string) => browser.request(path);
  const contracts = await walk(asPage, '/v1/contracts', 'contracts', 1);
  assert.ok(contracts.length > 0);
  const reads = Object.values(brpEndpoints).filter(
    ({ method, path }) => method === 'GET' && !path.includes('{') && !path.endsWith('/bulk'),
  );
  for (const { path } of reads) {
    // Nothing is sealed here: ledger.test.ts reads proofs of consistency.
    if (path === '/v1/ledger/consistency') continue;
    const query = /schedule$|\/exports\//.test(path) ? '?delivery_date=2026-10-25' : '';
    assert.equal((await browser.request(path + query)).status, 200, path);
  }
});

const SESSIONS = statement('test_sessions', 'select count(*)::int as count from user_session');

test('ended sessions are deleted', async () => {
  await signedIn(platform, OF_SELLER);
  platform.clock.set('2026-11-20T08:00:00Z');
  await signedIn(platform, OF_SELLER);
  const [row] = await platform.db.query<{ count: number }>(SESSIONS);
  assert.equal(row?.count, 1);
  platform.clock.set(NOW);
});
