import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SCOPES } from '@saldo/api';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { pino } from 'pino';
import { createApiKey, ensureOperatorKey } from '../src/parties/actions.ts';
import { newSecret } from '../src/platform/auth/api-key.ts';
import { FOREIGN_ADDRESS } from '../src/platform/auth/credential-cache.ts';
import { keyCredentials } from '../src/platform/auth/key-credentials.ts';
import { createLastUsed } from '../src/platform/auth/last-used.ts';
import { ANONYMOUS, viewerOf } from '../src/platform/auth/principal.ts';
import { tenantValues } from '../src/platform/auth/viewer.ts';
import type { Db } from '../src/platform/db/database.ts';
import { statement } from '../src/platform/db/statement.ts';
import { assertProblem, client, startTestPlatform } from './harness.ts';

const NOW = '2026-10-20T08:00:00Z';
const OPERATOR_KEY = 'sixteen-or-more!';

const platform = await startTestPlatform({ now: NOW });
const { world } = platform;
const brp = await world.brp();
const request = client(platform.baseUrl);
/** The log lines of a platform with the most verbose level. */
const lines: string[] = [];
const logged = await startTestPlatform({
  logger: pino({ level: 'trace' }, { write: (line: string) => lines.push(line) }),
});

const REVOKE = statement('test_revoke', 'update api_key set revoked_at = now() where id = $1');

const keyOf = (owner: { type: 'operator' } | { type: 'account'; accountNo: number }) =>
  platform.db.transaction((tx) =>
    createApiKey(tx, { owner, name: 'test', scopes: [], expiresAt: null }, platform.clock.now()),
  );

test('a valid key is accepted', async () => {
  assert.equal((await request('/v1/contracts', { key: brp.key })).status, 200);
});

test('every other key is 401, with the challenge and without the reason', async () => {
  const account = await world.account();
  await platform.db.transaction((tx) => ensureOperatorKey(tx, OPERATOR_KEY, platform.clock.now()));
  const last = brp.key.at(-1) === 'a' ? 'b' : 'a';
  const keys = {
    empty: '',
    garbage: 'let me in',
    mistyped: brp.key.slice(0, -1) + last,
    'cut off': brp.key.slice(0, -1),
    'in quotes': `"${brp.key}"`,
    'in capitals': brp.key.toUpperCase(),
    'of the right form, but unknown': newSecret('brp'),
    'of an account': (await keyOf({ type: 'account', accountNo: account.no })).secret,
    'of the operator': (await keyOf({ type: 'operator' })).secret,
    'of the operator, from the environment': OPERATOR_KEY,
    'very long': 'x'.repeat(10_000),
    'not ASCII': 'schlüssel',
  };
  const details = new Set<string>();
  for (const [kind, key] of Object.entries(keys)) {
    const answer = await request('/v1/contracts', { key });
    assertProblem(answer, 401, 'invalid_api_key', [], kind);
    assert.equal(answer.headers.get('www-authenticate'), 'ApiKey');
    assert.equal(answer.headers.get('x-ratelimit-limit'), null, 'only a known key has its own limit');
    details.add(answer.body.detail);
  }
  assert.equal(details.size, 1, 'a key of another API gets the same answer as an unknown one');
  assert.match((await request('/v1/contracts')).body.detail, /X-Api-Key is missing/);
  const twice = await fetch(`${platform.baseUrl}/v1/contracts`, {
    headers: [
      ['x-api-key', brp.key],
      ['x-api-key', brp.key],
    ],
  });
  assert.equal(twice.status, 401, 'a repeated header is no key');
  const elsewhere = { authorization: `Bearer ${brp.key}` };
  assert.equal((await request('/v1/contracts', { headers: elsewhere })).status, 401);
});

test('a key ends at its expiry, even when it was used right before', async () => {
  const { secret } = await world.key(brp, SCOPES, Date.parse('2026-10-20T09:00:00Z'));
  const statusAt = async (instant: string) => {
    platform.clock.set(instant);
    return (await request('/v1/contracts', { key: secret })).status;
  };
  assert.equal(await statusAt('2026-10-20T08:59:59.999Z'), 200);
  assert.equal(await statusAt('2026-10-20T09:00:00Z'), 401);
  assert.equal(await statusAt('2027-10-20T09:00:00Z'), 401);
  platform.clock.set(NOW);
});

const ADDRESS = '203.0.113.7';

/** A credential cache with a clock that the test sets, which counts its database look-ups. */
function testRing() {
  const ring = { at: 0, asked: 0, isDown: false };
  const db: Db = {
    ...platform.db,
    hot: {
      ...platform.db.hot,
      query: (statement, values) => {
        ring.asked++;
        if (ring.isDown) return Promise.reject(new Error('down'));
        return platform.db.hot.query(statement, values);
      },
    },
  };
  return Object.assign(ring, {
    keys: keyCredentials(
      'brp',
      db,
      createLastUsed(platform.db, (address) => address),
      () => platform.clock.now(),
      () => ring.at,
    ),
  });
}

test('no statement reads data of BRPs for a caller that may not see them', () => {
  for (const viewer of [viewerOf({ type: 'account', accountNo: 1 }), ANONYMOUS.viewer])
    assert.throws(() => tenantValues(viewer), /only the operator and BRPs/);
});

test('every process rejects a revoked key within 5 seconds', async () => {
  const { id, secret } = await world.key(brp);
  const rings = [testRing(), testRing()];
  for (const ring of rings) {
    const principal = await ring.keys.find(secret, ADDRESS);
    if (principal === FOREIGN_ADDRESS)
      assert.fail('a key without allowed addresses may be used from anywhere');
    assert.equal(principal?.actor, encodeId(ID_PREFIX.key, id));
    assert.deepEqual(principal?.viewer, { kind: 'brp', brpNo: brp.no });
    assert.deepEqual([...(principal?.scopes ?? [])].toSorted(), [...SCOPES].toSorted());
  }
  await platform.db.transaction((tx) => tx.query(REVOKE, [id]));
  for (const ring of rings) {
    ring.at = 5_000;
    assert.equal(await ring.keys.find(secret, ADDRESS), null);
    assert.equal(await ring.keys.find(secret, ADDRESS), null);
  }
});

test('look-ups of a known key are cached, and malformed keys are never looked up', async () => {
  const { secret } = await world.key(brp);
  const ring = testRing();
  await Promise.all(Array.from({ length: 50 }, async () => ring.keys.find(secret, ADDRESS)));
  assert.equal(ring.asked, 1, 'concurrent requests share one look-up');
  for (ring.at = 0; ring.at < 3_900; ring.at += 100) await ring.keys.find(secret, ADDRESS);
  assert.equal(ring.asked, 1);
  for (const text of ['', 'garbage', newSecret('operator'), `${secret}x`])
    assert.equal(await ring.keys.find(text, ADDRESS), null);
  assert.equal(ring.asked, 1);
});

test('a failed look-up is repeated', async () => {
  const { secret } = await world.key(brp);
  const ring = testRing();
  ring.isDown = true;
  await assert.rejects(async () => ring.keys.find(secret, ADDRESS), /down/);
  ring.isDown = false;
  assert.ok(await ring.keys.find(secret, ADDRESS));
});

const TABLES = statement(
  'test_tables',
  "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
);

test('no secret is in the database, only its hash', async () => {
  await platform.db.transaction((tx) => ensureOperatorKey(tx, OPERATOR_KEY, platform.clock.now()));
  const tables = await platform.db.query<{ name: string }>(TABLES);
  assert.ok(tables.length >= 10);
  let everything = '';
  for (const { name } of tables) {
    const all = statement(`test_all_of_${name}`, `select to_jsonb(t)::text as text from ${name} t`);
    for (const { text } of await platform.db.query<{ text: string }>(all)) everything += text;
  }
  assert.ok(
    everything.includes(brp.key.slice(0, 'saldo_brp_'.length + 4)),
    'the searched text has the prefixes of the keys',
  );
  for (const secret of [brp.key, OPERATOR_KEY]) {
    assert.ok(!everything.includes(secret));
    assert.ok(!everything.includes(Buffer.from(secret).toString('hex')));
    assert.ok(!everything.includes(secret.slice(-10)), 'nor a good part of it');
  }
});

test('the log has the request and the key’s id, and never the key, for any outcome', async () => {
  const { baseUrl, db, world: own } = logged;
  const owner = await own.brp();
  const { id, secret } = await own.key(owner);
  const ask = client(baseUrl, secret);
  const outcomes: [path: string, options: Parameters<typeof ask>[1], status: number][] = [
    ['/v1/contracts', {}, 200],
    ['/v1/contracts?limit=0', {}, 400],
    ['/v1/contracts/%zz', {}, 400],
    ['/v1/contracts/con_x', {}, 404],
    ['/v1/nowhere', {}, 404],
    ['/v1/contracts', { method: 'DELETE' }, 405],
    ['/v1/customers/x', { method: 'PATCH', body: '{' }, 400],
    ['/v1/contracts', { key: `${secret}x` }, 401],
    [`/v1/contracts?key=${secret}`, {}, 400],
  ];
  for (const [at, [url, options, status]] of outcomes.entries()) {
    const answer = await ask(url, { ...options, headers: { 'x-request-id': `request-${at}` } });
    assert.equal(answer.status, status);
  }
  await db.transaction((tx) =>
    tx.query(statement('test_break', 'alter table contract rename to contract_gone')),
  );
  assert.equal((await ask('/v1/contracts', { headers: { 'x-request-id': 'request-broken' } })).status, 500);
  const log = lines.join('');
  assert.ok(!log.includes(secret));
  assert.ok(!log.includes(secret.slice(-20)), 'nor a good part of it');
  const lineOf = (requestId: string) =>
    lines.map((line) => JSON.parse(line)).find((line) => line.request_id === requestId);
  const { key_id, method, url, status, ms } = lineOf('request-0');
  assert.deepEqual(
    { key_id, method, url, status },
    { key_id: encodeId(ID_PREFIX.key, id), method: 'GET', url: '/v1/contracts', status: 200 },
  );
  assert.equal(typeof ms, 'number');
  assert.equal(lineOf('request-2').status, 400, 'an invalid URL is logged too');
  assert.equal(lineOf('request-7').key_id, undefined);
  assert.equal(lineOf('request-8').url, '/v1/contracts?key=[key]');
  const failure = lineOf('request-broken');
  assert.match(failure.err.message, /contract/, 'what went wrong is in the log');
});
