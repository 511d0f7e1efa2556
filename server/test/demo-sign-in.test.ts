import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBrowser } from './browser.ts';
import { createDemoUsers, DEMO_USERS, demoEnvironment } from './demo-users.ts';
import { type Answer, assertProblem, client, startTestPlatform, type TestPlatform } from './harness.ts';
import { freePort } from './ports.ts';
import { exchange, requestText } from './raw-http.ts';

const PATH = '/portal/v1/sign-in/demo';
const OFFERED = '/portal/v1/sign-in/providers';

async function startDemo(environment: Record<string, string> = {}): Promise<TestPlatform> {
  const platform = await startTestPlatform({ environment: { ...(await demoEnvironment()), ...environment } });
  await createDemoUsers(platform);
  return platform;
}

const demo = await startDemo();
const everywhere = await startDemo({ DEMO_SIGN_IN: 'on' });
const closed = await startDemo({ DEMO_SIGN_IN: 'off' });
const proxied = String(await freePort());
await startDemo({ BASE_URL: 'https://saldo.example', PORT: proxied });
const plain = await startTestPlatform();

type Headers = Record<string, string>;
const enter = (
  { baseUrl }: Pick<TestPlatform, 'baseUrl'>,
  body: unknown,
  headers: Headers = { origin: baseUrl },
): Promise<Answer> => client(baseUrl).post(PATH, body, { headers });
const offered = async ({ baseUrl }: TestPlatform, headers: Headers = {}): Promise<string[]> =>
  (await client(baseUrl)(OFFERED, { headers })).body.demo_roles;
/** The status of a request to another name: `fetch` does not send a `Host` of its own. */
const statusAt = async ({ baseUrl }: TestPlatform, host: string): Promise<number> => {
  const body = '{"role":"operator"}';
  const type = { 'content-type': 'application/json', 'content-length': String(body.length) };
  const headers = { Host: host, origin: baseUrl, ...type };
  return (await exchange(baseUrl, requestText(`POST ${PATH}`, headers, body))).status;
};
const auditOf = async ({ baseUrl, world }: TestPlatform) =>
  (await client(baseUrl, await world.operatorKey())('/operator/v1/audit?order=newest_first')).body.entries;

test('a demo offers the first user of each role, and one request signs in', async () => {
  assert.deepEqual(await offered(demo), ['operator', 'brp', 'account']);
  for (const [role, email] of [
    ['operator', 'operator@demo.example'],
    ['brp', 'dispatch@demo.example'],
    ['account', 'account@demo.example'],
  ]) {
    const { status, body, headers } = await enter(demo, { role });
    assert.deepEqual([status, body.user.email, body.demo], [200, email, true]);
    const cookie = headers.getSetCookie().find((set) => set.startsWith('saldo_session='));
    const session = await client(demo.baseUrl)('/portal/v1/session', {
      headers: { cookie: cookie?.split(';')[0] ?? '' },
    });
    assert.deepEqual([session.status, session.body.demo], [200, true]);
  }
});

test('the sign-in is in the audit like any other', async () => {
  const { body, headers } = await enter(demo, { role: 'brp' });
  const [entry] = await auditOf(demo);
  assert.deepEqual(
    [entry.action, entry.actor, entry.request_id],
    ['user.signed_in', body.user.id, headers.get('x-request-id')],
  );
});

test('without a demo and with DEMO_SIGN_IN=off it does not exist', async () => {
  for (const platform of [plain, closed]) {
    assert.deepEqual(await offered(platform), []);
    assertProblem(await enter(platform, { role: 'brp' }), 404, 'not_found');
    const { body } = await client(platform.baseUrl)('/portal/openapi.json');
    assert.equal(body.paths[PATH], undefined);
  }
  const { body } = await client(demo.baseUrl)('/portal/openapi.json');
  assert.ok(body.paths[PATH]);
});

test('only pages of the portal may ask for it', async () => {
  for (const headers of [
    {},
    { origin: 'https://elsewhere.example' },
    { origin: demo.baseUrl, 'sec-fetch-site': 'cross-site' },
  ])
    assertProblem(await enter(demo, { role: 'brp' }, headers), 403, 'foreign_origin');
});

test('a request that comes through a proxy or to a foreign name gets the answer of a platform without it', async () => {
  const { port } = new URL(demo.baseUrl);
  const foreign: Headers[] = [
    { 'x-forwarded-for': '203.0.113.7' },
    { 'x-forwarded-for': '127.0.0.1' },
    { forwarded: 'for=127.0.0.1' },
    { 'x-real-ip': '127.0.0.1' },
    { 'x-forwarded-host': 'localhost' },
    { 'x-forwarded-proto': 'http' },
    { via: '1.1 proxy' },
  ];
  for (const headers of foreign) {
    const own = { origin: demo.baseUrl, ...headers };
    assertProblem(await enter(demo, { role: 'brp' }, own), 404, 'not_found');
    assert.deepEqual(await offered(demo, own), []);
    assert.equal(
      (await enter(everywhere, { role: 'brp' }, { ...own, origin: everywhere.baseUrl })).status,
      200,
    );
  }
  // A name of another site that resolves to this machine.
  assert.equal(await statusAt(demo, `rebound.example:${port}`), 404);
  assert.equal(await statusAt(demo, `localhost:${port}`), 200);
  assert.equal(await statusAt(everywhere, 'demo.example'), 200);
  const behindProxy = { baseUrl: `http://127.0.0.1:${proxied}` };
  assertProblem(await enter(behindProxy, { role: 'brp' }), 404, 'not_found');
});

test('an unknown role, member or parameter is rejected', async () => {
  assertProblem(await enter(demo, { role: 'admin' }), 400, 'validation', ['role invalid_enum_value']);
  assertProblem(await enter(demo, {}), 400, 'validation', ['role required']);
  const more = await enter(demo, { role: 'brp', email: 'dispatch@demo.example' });
  assertProblem(more, 400, 'validation', ['email unknown_field']);
  const origin = { headers: { origin: demo.baseUrl } };
  const asked = await client(demo.baseUrl).post(`${PATH}?role=brp`, { role: 'brp' }, origin);
  assertProblem(asked, 400, 'validation', ['role unknown_field']);
  const twice = await enter(demo, '{"role":"brp","role":"operator"}', {
    origin: demo.baseUrl,
    'content-type': 'application/json',
  });
  assertProblem(twice, 400, 'validation', ['role invalid_type']);
});

test('a user who is disabled or has another password is not signed in', async () => {
  const { baseUrl, world } = everywhere;
  const operator = client(baseUrl, await world.operatorKey());
  const { body } = await enter(everywhere, { role: 'account' });
  const disabled = await operator.patch(`/operator/v1/users/${body.user.id}`, { disabled: true });
  assert.equal(disabled.status, 200, disabled.text);
  assertProblem(await enter(everywhere, { role: 'account' }), 403, 'sign_in_refused');
  const [failed] = await auditOf(everywhere);
  assert.deepEqual(
    [failed.action, failed.subject, failed.after],
    ['user.sign_in_failed', body.user.id, { result: 'disabled' }],
  );

  const browser = openBrowser(everywhere);
  const [, dispatcher] = DEMO_USERS;
  await browser.signIn(dispatcher!.email, dispatcher!.password);
  const change = { current: dispatcher!.password, new: 'nine gulls over the jetty' };
  assert.equal((await browser.request.put('/portal/v1/password', change)).status, 204);
  const german = { origin: baseUrl, 'accept-language': 'de' };
  const refused = await enter(everywhere, { role: 'brp' }, german);
  assertProblem(refused, 403, 'sign_in_refused');
  assert.match(refused.body.detail, /^Dieser Demobenutzer hat ein neues Passwort/);
  // Repeated attempts are limited like those of a user who types a wrong password.
  let answer = refused;
  for (let tries = 0; tries < 50 && answer.status === 403; tries++)
    answer = await enter(everywhere, { role: 'brp' });
  assertProblem(answer, 429, 'rate_limited');
  assert.equal((await browser.request('/portal/v1/session')).body.user.email, dispatcher!.email);
});
