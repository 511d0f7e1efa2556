import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '@saldo/api';
import { newSecret } from '../src/platform/auth/api-key.ts';
import { signedIn } from './browser.ts';
import { type Answer, answerWithoutId, assertProblem, bodyOf, client, startTestPlatform } from './harness.ts';

const FAILURES = 5;
const platform = await startTestPlatform({ environment: { TRUST_PROXY: 'on' } });
const limited = await startTestPlatform({
  environment: { TRUST_PROXY: 'on', RATE_LIMIT: String(FAILURES) },
});
const short = await startTestPlatform({ environment: { TRUST_PROXY: 'on', ADDRESSES: 'short' } });
const { world } = platform;
const brp = await world.brp();
const operator = client(platform.baseUrl, await world.operatorKey());

const ALLOWED = ['203.0.113.0/24', '2001:db8::/32'];
const INSIDE = ['203.0.113.7', '::ffff:203.0.113.8', '2001:db8::1'];
const OUTSIDE = ['203.0.114.7', '::ffff:203.0.114.8', '2001:db9::1', 'no address'];

const from = (address: string) => ({ 'x-forwarded-for': address });

/** A key of each API, and a request that it may send. */
async function newKeys(allowed: unknown) {
  const { browser } = await signedIn(platform, { type: 'brp', brpNo: brp.no });
  const account = await bodyOf(operator.post('/operator/v1/accounts', { name: 'Holder' }), 201);
  const create = (owner: object) =>
    bodyOf(operator.post('/operator/v1/api-keys', { owner, name: 'bound', allowed_addresses: allowed }), 201);
  const own = { name: 'bound', allowed_addresses: allowed };
  return [
    { key: await create({ type: 'brp', id: brp.id }), base: platform.baseUrl, path: '/v1/contracts' },
    {
      key: await bodyOf(browser.request.post('/portal/v1/api-keys', own), 201),
      base: platform.baseUrl,
      path: '/v1/contracts',
    },
    { key: await create({ type: 'operator' }), base: platform.baseUrl, path: '/operator/v1/brps' },
    {
      key: await create({ type: 'account', id: account.id }),
      base: platform.customerUrl,
      path: '/v1/assets',
    },
  ];
}

/** Everything that a client sees of an answer, but the request id and the time. */
const seen = (answer: Answer) => answerWithoutId(answer.headers.get('x-request-id') ?? '', answer);

test('a key with allowed addresses works from these only, and is unknown elsewhere, also when it is cached', async () => {
  for (const { key, base, path } of await newKeys(ALLOWED)) {
    assert.deepEqual(key.allowed_addresses, ALLOWED);
    const kind = key.owner.type;
    const unknown = newSecret(kind);
    for (const address of [...INSIDE, ...OUTSIDE, ...INSIDE]) {
      const headers = from(address);
      const answer = await client(base, key.secret)(path, { headers });
      if (INSIDE.includes(address)) assert.equal(answer.status, 200, `${kind} ${address}`);
      else assert.deepEqual(seen(answer), seen(await client(base, unknown)(path, { headers })));
    }
    const nowhere = `${path}/no/such/path`;
    const lost = (secret: string, address: string) =>
      client(base, secret)(nowhere, { headers: from(address) });
    assert.notEqual((await lost(key.secret, '203.0.113.7')).headers.get('x-ratelimit-limit'), null);
    assert.deepEqual(seen(await lost(key.secret, '192.0.2.1')), seen(await lost(unknown, '192.0.2.1')));
  }
});

test('a key without allowed addresses works from anywhere', async () => {
  for (const { key, base, path } of await newKeys(null)) {
    assert.equal(key.allowed_addresses, null);
    for (const address of [...INSIDE, ...OUTSIDE])
      assert.equal((await client(base, key.secret)(path, { headers: from(address) })).status, 200, address);
  }
});

test('a rotation keeps the allowed addresses', async () => {
  const [{ key } = assert.fail()] = await newKeys(ALLOWED);
  const rotated = await bodyOf(operator.post(`/operator/v1/api-keys/${key.id}/rotate`, {}), 201);
  assert.deepEqual(rotated.allowed_addresses, ALLOWED);
  const ask = (address: string) =>
    client(platform.baseUrl, rotated.secret)('/v1/contracts', { headers: from(address) });
  assert.equal((await ask('203.0.113.7')).status, 200);
  assert.equal((await ask('192.0.2.1')).status, 401);
});

test('networks with host bits, other text and too many entries are rejected', async () => {
  const create = (allowed: unknown) =>
    operator.post('/operator/v1/api-keys', {
      owner: { type: 'operator' },
      name: 'bad',
      allowed_addresses: allowed,
    });
  const hostBits = await create(['203.0.113.0/24', '203.0.113.7/24']);
  assertProblem(hostBits, 400, 'validation', ['allowed_addresses[1] invalid_format']);
  assert.match(hostBits.body.errors[0].message, /the network is 203\.0\.113\.0\/24$/);
  const german = await operator.post(
    '/operator/v1/api-keys',
    { owner: { type: 'operator' }, name: 'bad', allowed_addresses: ['nirgends'] },
    { headers: { 'accept-language': 'de' } },
  );
  assert.match(german.body.errors[0].message, /lautet aber „nirgends“$/);
  const { maximum } = LIMITS.allowedAddresses;
  const many = Array.from({ length: maximum + 1 }, (_, at) => `198.51.100.${at}`);
  assert.equal((await create(many.slice(0, maximum))).status, 201);
  for (const [allowed, error] of [
    [many, 'allowed_addresses value_too_large'],
    [[], 'allowed_addresses value_too_small'],
    [['::1', '::1'], 'allowed_addresses validation_failed'],
    [[1], 'allowed_addresses[0] invalid_type'],
    ['::1', 'allowed_addresses invalid_type'],
  ] as const)
    assertProblem(await create(allowed), 400, 'validation', [error]);
});

test('a key at a foreign address counts as a failed attempt of the address, and as a refusal of this kind', async () => {
  const owner = await limited.world.brp();
  const asOperator = client(limited.baseUrl, await limited.world.operatorKey());
  const body = { owner: { type: 'brp', id: owner.id }, name: 'bound', allowed_addresses: ['203.0.113.7'] };
  const { secret } = await bodyOf(asOperator.post('/operator/v1/api-keys', body), 201);
  const ask = (key: string | null, address: string) =>
    client(limited.baseUrl, key)('/v1/contracts', { headers: from(address) });
  for (let tries = 0; tries < FAILURES; tries++) assert.equal((await ask(secret, '192.0.2.1')).status, 401);
  assert.equal((await ask(secret, '192.0.2.1')).status, 429);
  assert.equal((await ask(owner.key, '192.0.2.1')).status, 200, 'a valid key is not concerned');
  assert.equal((await ask(newSecret('brp'), '192.0.2.2')).status, 401);
  for (let tries = 0; tries < FAILURES; tries++) await ask(owner.key, '192.0.2.1');
  const { browser } = await signedIn(limited, { type: 'operator' });
  assert.equal((await client(limited.baseUrl)('/portal/v1/session')).status, 401);
  for (let tries = 0; tries < FAILURES + 1; tries++) await browser.request('/portal/v1/session');
  const metrics = await (await fetch(`${limited.adminUrl}/metrics`)).text();
  const counts = Object.fromEntries(
    [...metrics.matchAll(/^saldo_http_refusals_total\{status="(\d+)",kind="(\w+)"\} (\d+)$/gm)].map(
      ([, status, kind, count]) => [`${status} ${kind}`, Number(count)],
    ),
  );
  assert.deepEqual(counts, {
    '401 address': FAILURES,
    '401 key': 1,
    '401 session': 1,
    '401 sign_in': 0,
    '429 address': 1,
    '429 key': 1,
    '429 session': 1,
    '429 sign_in': 0,
  });
});

test('a key has the address of its last use, and a refused use leaves no trace', async () => {
  const keyOf = async (on: typeof platform, id: string, asOperator: typeof operator) => {
    await on.flush();
    const { api_keys: keys } = await bodyOf(asOperator('/operator/v1/api-keys?limit=100'));
    return keys.find((key: { id: string }) => key.id === id);
  };
  const [{ key } = assert.fail()] = await newKeys(ALLOWED);
  const ask = (address: string) =>
    client(platform.baseUrl, key.secret)('/v1/contracts', { headers: from(address) });
  await ask('192.0.2.1');
  const unused = await keyOf(platform, key.id, operator);
  assert.deepEqual([unused.last_used_at, unused.last_used_address], [null, null]);
  for (const [address, stored] of [
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.8', '203.0.113.8'],
    ['2001:db8::1', '2001:db8::1'],
  ] as const) {
    await ask(address);
    await ask('192.0.2.1');
    const used = await keyOf(platform, key.id, operator);
    assert.deepEqual([used.last_used_at !== null, used.last_used_address], [true, stored]);
  }
  const other = await short.world.brp();
  const asOperator = client(short.baseUrl, await short.world.operatorKey());
  await client(short.baseUrl, other.key)('/v1/contracts', { headers: from('203.0.113.7') });
  await short.flush();
  const { api_keys: keys } = await bodyOf(asOperator('/operator/v1/api-keys?owner_type=brp'));
  assert.deepEqual(
    keys.map((one: { last_used_address: string }) => one.last_used_address),
    ['203.0.113.0/24'],
  );
});
