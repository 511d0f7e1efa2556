import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Endpoint,
  LIMITS,
  marketEndpoints,
  PROBLEM_CODES,
  PROBLEMS,
  type ProblemCode,
} from '@saldo/api';
import { statement } from '../src/platform/db/statement.ts';
import { client, problemOf, startTestPlatform } from './harness.ts';
import { exchange, requestText } from './raw-http.ts';
import { sendRepeatedly } from './repetition.ts';
import { webhookCases, withPrefix } from './webhook-cases.ts';
import { OFFER } from './world.ts';

/** A successful request for each operation of the customer API. A missing operation fails the first test. */
const cases: Record<string, string> = {
  listMarketAssets: '/v1/assets',
  listMarketDemands: '/v1/demands',
  listMarketEvents: '/v1/events',
};

const platform = await startTestPlatform({ environment: { WEBHOOK_ALLOW_PRIVATE: 'on' } });
const strict = await startTestPlatform({ environment: { RATE_LIMIT: '2' } });
const broken = await startTestPlatform();
const shared = await startTestPlatform({ environment: { CORS_ORIGINS: 'https://shop.example' } });
const { world } = platform;
const key = await world.accountKey();
const operatorKey = await world.operatorKey();
const brp = await world.brp();
const request = client(platform.customerUrl, key);
const isOfWebhooks = ({ tag }: Endpoint) => tag === 'Webhooks';
const endpoints = Object.values<Endpoint>(marketEndpoints).filter((endpoint) => !isOfWebhooks(endpoint));
const asOperator = client(platform.baseUrl, operatorKey);
for (let count = 0; count < 12; count++) {
  const body = {
    contract_period: 10,
    delivery_volume: 24_000,
    country: 'DE',
    additional_info: 'x'.repeat(200),
  };
  await asOperator.post('/operator/v1/demands', body);
  const offer = { ...OFFER, additional_info: 'x'.repeat(200) };
  const asset = { name: 'Park', technology: 'solar', nominal_power: 10, tso: 'DE_AMPRION', offer };
  await asOperator.post('/operator/v1/assets', asset);
}
const [event] = (await request('/v1/events?limit=1')).body.events;
cases['getMarketEvent'] = `/v1/events/${event.id}`;
const paths = endpoints.map(({ id }) => cases[id] ?? assert.fail(`${id} has no case`));
const pages = endpoints.filter(({ numberedPages }) => numberedPages).map(({ path }) => path);

test('every operation has a case, and every case is an operation', () => {
  assert.deepEqual(Object.keys(cases).toSorted(), endpoints.map(({ id }) => id).toSorted());
  for (const { id, scopes } of endpoints)
    assert.deepEqual(scopes, [], `${id}: an account's key has no scopes`);
});

test('every operation responds according to its schema, with the rate-limit headers', async () => {
  for (const path of paths) {
    const { status, headers, text } = await request(path);
    assert.equal(status, 200, `${path}: ${text}`);
    assert.equal(headers.get('x-ratelimit-limit'), '1000000', path);
    assert.match(headers.get('x-ratelimit-remaining') ?? '', /^\d+$/, path);
    assert.match(headers.get('x-ratelimit-reset') ?? '', /^\d+$/, path);
    assert.equal(headers.get('vary'), 'X-Api-Key, Accept-Encoding', path);
    assert.equal(headers.get('cache-control'), 'private, no-cache', path);
  }
});

test('the operations on webhook endpoints accept an account’s key only, respond according to their schema, and repeat as documented', async () => {
  const [account] = await platform.db.query<{ no: number }>(
    statement('test_account', 'select max(no) as no from account'),
  );
  const owner = { type: 'account', accountNo: account?.no ?? 0 } as const;
  const { cases } = await webhookCases(platform, request, { base: '/v1', owner });
  const named = withPrefix('market', cases);
  const operations = Object.values<Endpoint>(marketEndpoints).filter(isOfWebhooks);
  assert.deepEqual(Object.keys(named).toSorted(), operations.map(({ id }) => id).toSorted());
  const document = await request('/openapi.json');
  for (const endpoint of operations) {
    const { id, method, scopes, status = 200 } = endpoint;
    const { path, ...body } = named[id] ?? assert.fail(id);
    assert.deepEqual(scopes, [], id);
    for (const wrong of [null, brp.key, operatorKey])
      assert.equal((await request(path, { method, ...body, key: wrong })).status, 401, id);
    const answer = await sendRepeatedly(document, endpoint, (headers) =>
      request(path, { method, ...body, headers }),
    );
    assert.equal(answer.status, status, id);
  }
});

test('only an account’s key is accepted by the customer API', async () => {
  for (const path of paths) {
    for (const wrong of [null, '', 'nonsense', `${key}x`, brp.key, operatorKey]) {
      const answer = await request(path, { key: wrong });
      assert.deepEqual([answer.status, problemOf(answer).code], [401, 'invalid_api_key'], `${path} ${wrong}`);
      assert.equal(answer.headers.get('www-authenticate'), 'ApiKey');
    }
  }
});

test('a revoked or expired key is rejected', async () => {
  const body = { name: 'Holder' };
  const account = (await asOperator.post('/operator/v1/accounts', body)).body;
  const owner = { type: 'account', id: account.id };
  const made = (await asOperator.post('/operator/v1/api-keys', { owner, name: 'x' })).body;
  await asOperator.delete(`/operator/v1/api-keys/${made.id}`);
  assert.equal((await request('/v1/assets', { key: made.secret })).status, 401);
  const short = await world.accountKey(platform.clock.now() + 1000);
  assert.equal((await request('/v1/assets', { key: short })).status, 200);
  platform.clock.set('2026-10-20T08:00:01Z');
  assert.equal((await request('/v1/assets', { key: short })).status, 401);
});

test('each listener has the operations of its own API only', async () => {
  for (const path of [
    '/v1/contracts',
    '/operator/v1/assets',
    '/v1/customers',
    '/',
    '/metrics',
    '/v2/assets',
  ]) {
    const answer = await request(path);
    assert.deepEqual([answer.status, problemOf(answer).code], [404, 'not_found'], path);
  }
  for (const path of [...pages, `/v1/events/${event.id}`])
    assert.equal((await client(platform.baseUrl, brp.key)(path)).status, 404, path);
});

test('errors of page and limit are reported together, and unknown parameters are rejected', async () => {
  const refused: [query: string, errors: string[]][] = [
    ['page=0', ['page value_too_small']],
    ['page=-1', ['page value_too_small']],
    ['limit=0', ['limit value_too_small']],
    ['limit=101', ['limit value_too_large']],
    ['limit=abc', ['limit invalid_type']],
    ['limit=', ['limit invalid_type']],
    ['page=9007199254740993', ['page value_too_large']],
    [`page=1${'0'.repeat(400)}`, ['page value_too_large']],
    ...['1.5', '1e1', '+1', '%2B1', '0x1', '', 'one', '%201'].map((text): [string, string[]] => [
      `page=${text}`,
      ['page invalid_type'],
    ]),
    ['page=1&page=1', ['page invalid_type']],
    ['limit=10&limit=20', ['limit invalid_type']],
    ['after=x', ['after unknown_field']],
    ['country=DE&page=0&limit=x', ['country unknown_field', 'limit invalid_type', 'page value_too_small']],
    ['__proto__=1', ['__proto__ unknown_field']],
  ];
  for (const path of pages) {
    for (const [query, errors] of refused) {
      assert.deepEqual(problemOf(await request(`${path}?${query}`)), { code: 'validation', errors }, query);
    }
    for (const query of ['page=1&limit=1', 'limit=100', 'page=9007199254740992', 'page=0001']) {
      assert.equal((await request(`${path}?${query}`)).status, 200, query);
    }
  }
});

test('paths report their methods, reject all others, and answer HEAD like GET without the body', async () => {
  for (const path of paths) {
    const options = await request(path, { method: 'OPTIONS', key: null });
    assert.deepEqual([options.status, options.headers.get('allow')], [204, 'GET, HEAD, OPTIONS']);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await request(path, { method, key: null });
      assert.deepEqual([answer.status, problemOf(answer).code], [405, 'method_not_allowed'], method);
      assert.equal(answer.headers.get('allow'), 'GET, HEAD, OPTIONS');
    }
    const [get, head] = [await request(path), await request(path, { method: 'HEAD' })];
    assert.deepEqual([head.status, head.text], [200, '']);
    for (const name of ['content-length', 'link', 'x-total-count', 'x-list-version']) {
      assert.equal(head.headers.get(name), get.headers.get(name), name);
    }
  }
});

test('answers are compressed on request, and request ids are adopted', async () => {
  for (const encoding of ['gzip', 'br']) {
    const response = await fetch(`${platform.customerUrl}/v1/assets`, {
      headers: { 'x-api-key': key, 'accept-encoding': encoding, 'x-request-id': 'browse-1' },
    });
    assert.equal(response.headers.get('content-encoding'), encoding);
    assert.equal(response.headers.get('x-request-id'), 'browse-1');
    assert.equal(((await response.json()) as { assets: unknown[] }).assets.length, 10);
  }
});

test('browsers of configured origins may read the headers of a page', async () => {
  const sharedKey = await shared.world.accountKey();
  const { headers } = await client(shared.customerUrl, sharedKey)('/v1/assets', {
    headers: { origin: 'https://shop.example' },
  });
  assert.equal(headers.get('access-control-allow-origin'), 'https://shop.example');
  const exposed = headers.get('access-control-expose-headers') ?? '';
  for (const name of ['Link', 'X-Total-Count', 'X-List-Version', 'X-RateLimit-Remaining']) {
    assert.ok(exposed.split(', ').includes(name), name);
  }
});

test('the customer API is rate limited too, and all listeners count an address’s failures together', async () => {
  const limitedKey = await strict.world.accountKey();
  const ask = client(strict.customerUrl, limitedKey);
  assert.equal((await ask('/v1/assets')).headers.get('x-ratelimit-remaining'), '1');
  assert.equal((await ask('/v1/demands')).headers.get('x-ratelimit-remaining'), '0');
  const refused = await ask('/v1/assets');
  assert.deepEqual([refused.status, problemOf(refused).code], [429, 'rate_limited']);
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal((await client(strict.baseUrl, 'nonsense')('/v1/contracts')).status, 401);
  assert.equal((await client(strict.customerUrl, 'nonsense')('/v1/assets')).status, 401);
  assert.equal((await client(strict.customerUrl, 'nonsense')('/v1/assets')).status, 429);
});

/** The problems of every BRP operation, which occur in the same way here. */
const provocations: Partial<Record<ProblemCode, () => Promise<{ status: number; body: { type: string } }>>> =
  {
    validation: () => request('/v1/assets?limit=0'),
    invalid_api_key: () => request('/v1/assets', { key: null }),
    not_found: () => request('/v1/nowhere'),
    method_not_allowed: () => request.post('/v1/assets'),
    headers_too_large: async () => {
      const long = requestText('GET /v1/assets', { 'X-Long': 'x'.repeat(LIMITS.headerBytes) });
      const { status, body } = await exchange(platform.customerUrl, long);
      return { status, body: JSON.parse(body) };
    },
    internal_error: async () => {
      const accountKey = await broken.world.accountKey();
      await broken.db.transaction((tx) =>
        tx.query(statement('test_break', 'alter table offer rename to offer_secret_name')),
      );
      return client(broken.customerUrl, accountKey)('/v1/assets');
    },
  };

test('problems are those of the BRP API, and this listener has their pages', async () => {
  for (const [code, provoke] of Object.entries(provocations)) {
    const { status, body } = await provoke();
    assert.equal(status, PROBLEMS[code as ProblemCode].status, code);
    const own = code === 'internal_error' ? broken.customerUrl : platform.customerUrl;
    assert.equal(body.type, `${own}/errors/${code}`);
    assert.doesNotMatch(JSON.stringify(body), /offer_secret_name|postgres/);
  }
  for (const code of PROBLEM_CODES)
    assert.equal((await request(`/errors/${code}`, { key: null })).status, 200);
  assert.equal((await request('/errors/nonsense', { key: null })).status, 404);
});

test('this listener has the documentation and the document of its own API, without a key', async () => {
  assert.equal((await request('/docs', { key: null })).status, 200);
  assert.equal((await request('/openapi.json', { key: null })).body.info.title, 'Saldo Customer API');
});
