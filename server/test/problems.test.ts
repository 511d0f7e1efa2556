import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { FIELD_CODES, type FieldCode, LIMITS, PROBLEM_CODES, PROBLEMS, type ProblemCode } from '@saldo/api';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { pino } from 'pino';
import { interchange } from '../../core/test/mscons-documents.ts';
import { monotonicNow } from '../src/platform/clock.ts';
import { statement } from '../src/platform/db/statement.ts';
import { RequestQueue } from '../src/platform/http/request-queue.ts';
import { createServer } from '../src/platform/http/server.ts';
import { openBrowser, signedIn } from './browser.ts';
import { assertRefused, client, problemOf, startTestPlatform } from './harness.ts';
import { freePort } from './ports.ts';
import { exchange, requestText } from './raw-http.ts';
import { startSevered } from './severed.ts';
import { sourcing } from './sourcing.ts';

const platform = await startTestPlatform();
const { world } = platform;
const { seller: brp, sellerGroup, producer } = await world.pair();
const request = client(platform.baseUrl, brp.key);
const operator = client(platform.baseUrl, await world.operatorKey());
const sources = await sourcing(platform);
const asOperator = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  operator(`/operator/v1${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
const update = (body: unknown, headers: Record<string, string> = {}, id = producer.id) =>
  request.patch(`/v1/customers/${id}`, body, { headers });

// Platforms that tests break: one by its limits, one internally, one by the loss of its database.
const strict = await startTestPlatform({ environment: { RATE_LIMIT: '1' } });
const broken = await startTestPlatform();
const severed = await startSevered();
const BASE_URL = 'https://api.example';
const based = await startNamed({ BASE_URL });
const named = await startNamed({ BASE_URL: `${BASE_URL}/`, ERROR_BASE: 'https://help.example/saldo/' });

/** A platform behind a proxy, with a public URL that differs from the address that it listens on. */
async function startNamed(environment: Record<string, string>): Promise<string> {
  const port = await freePort();
  await startTestPlatform({ environment: { ...environment, PORT: String(port) } });
  return `http://127.0.0.1:${port}`;
}

/** A server with a short timeout, and a client whose request never ends. */
async function tooSlow() {
  const app = await createServer({
    logger: pino({ level: 'silent' }),
    tls: null,
    trustProxy: false,
    addressForm: 'full' as const,
    corsOrigins: [],
    requestTimeoutMs: 20,
    isSecure: false,
    queue: new RequestQueue({ atOnce: 1, maxWaiting: 1, maxWaitMs: 1000 }, monotonicNow),
    portal: null,
    errorBase: () => 'https://help.example',
    methodsOf: () => [],
    onAnswer: () => {},
    onReject: () => {},
    countUnrouted: async () => {},
  });
  Object.assign(app.server, { connectionsCheckingInterval: 10 });
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  const answer = await exchange(baseUrl, 'GET /v1/contracts HTTP/1.1\r\nHost: x\r\n');
  await app.close();
  return answer;
}

async function rawly(answer: ReturnType<typeof exchange>) {
  const { status, headers, body } = await answer;
  return { status, headers: new Headers(headers), body: JSON.parse(body) };
}

const createWebhook = () => request.post('/v1/webhook-endpoints', { url: 'https://hooks.example/' });
const newWebhook = async (): Promise<string> => (await createWebhook()).body.id;

/** A contract with a share of a series, and another one that takes a further share. */
async function makeSourced(share: number) {
  const asset = await world.asset();
  const forecast = await sources.series('forecast', { asset });
  const take = async (wanted: number) => {
    const contract = await world.contract(producer, producer, { assetUuid: asset.uuid });
    const source = { forecast: forecast.id, share: wanted };
    return asOperator('PATCH', `/contracts/${contract.id}`, { source });
  };
  const { id }: { id: string } = (await take(share)).body;
  return { id, take };
}

/** How each problem of the catalogue occurs. A missing one does not compile. */
/** The id of a transaction whose entry is not sealed. */
async function newTransaction(): Promise<string> {
  const contract = await world.contract(producer, producer);
  await world.volumes(contract, '2026-10-25', 1);
  const path = `/v1/contracts/${contract.id}/transactions?limit=1`;
  return (await request(path)).body.transactions[0].id;
}

const provocations = {
  validation: () => request('/v1/contracts?limit=0'),
  balance_group_tso_not_enabled: () => update({ balance_group: { eic: sellerGroup.eic, tso: 'DE_TENNET' } }),
  unreadable_message: () =>
    asOperator('POST', '/exchange/receive', '<nonsense/>', { 'content-type': 'application/xml' }),
  invalid_api_key: () => request('/v1/contracts', { key: null }),
  invalid_session: () => request('/portal/v1/session'),
  invalid_credentials: () => {
    const body = { email: 'unknown@saldo.example', password: 'not a password' };
    const headers = { origin: platform.baseUrl };
    return request.post('/portal/v1/session', body, { headers });
  },
  insufficient_scopes: async () => request('/v1/contracts', { key: (await world.key(brp, [])).secret }),
  insufficient_permissions: async () => {
    const { request: asClerk } = await signedIn(platform, { type: 'brp', brpNo: brp.no }, 'viewer');
    return asClerk.post('/portal/v1/api-keys', { name: 'X' });
  },
  sign_in_refused: () => openBrowser(platform).request.post('/portal/v1/sign-in/providers/unknown', {}),
  second_factor_required: async () => {
    const { request: asOperator, user } = await signedIn(platform, { type: 'operator' });
    await platform.db.transaction((tx) =>
      tx.query(
        statement(
          'make_sessions_pending',
          "update user_session set pending = 'second_factor' where user_id = $1",
        ),
        [user.id],
      ),
    );
    return asOperator('/operator/v1/brps');
  },
  recent_sign_in_required: async () => {
    const { request: asUser } = await signedIn(platform, { type: 'operator' });
    platform.clock.set('2026-10-20T08:15:00Z');
    const answer = await asUser.post('/portal/v1/passkeys/challenge');
    platform.clock.set('2026-10-20T08:00:00Z');
    return answer;
  },
  passkey_not_found: async () => {
    const { request: asUser } = await signedIn(platform, { type: 'operator' });
    return asUser.patch('/portal/v1/passkeys/pkey_x', { name: 'X' });
  },
  too_many_passkeys: async () => {
    const { request: asUser, user } = await signedIn(platform, { type: 'operator' });
    await platform.db.transaction((tx) =>
      tx.query(
        statement(
          'give_passkeys',
          `insert into passkey (id, user_id, name, credential_id, public_key, sign_count, transports, created_at)
           select gen_random_uuid(), $1, 'Key', uuid_send(gen_random_uuid()), '', 0, '{}', now()
           from generate_series(1, $2)`,
        ),
        [user.id, LIMITS.passkeys],
      ),
    );
    return asUser.post('/portal/v1/passkeys/challenge');
  },
  foreign_origin: async () => {
    const { request: asOperator } = await signedIn(platform, { type: 'operator' });
    const headers = { origin: 'https://evil.example' };
    return asOperator.post('/operator/v1/brps', { name: 'X' }, { headers });
  },
  not_found: () => request('/v1/nowhere'),
  contract_not_found: () => request('/v1/contracts/con_x'),
  transaction_not_found: () => request('/v1/transactions/txn_x'),
  series_not_found: () => asOperator('GET', '/series/ser_x'),
  interchange_not_found: () => asOperator('GET', '/series/interchanges/icg_x'),
  interchange_conflict: async () => {
    const send = (messages: string[]) =>
      asOperator('POST', '/series/values', interchange(messages), { 'content-type': 'application/edifact' });
    await send([]);
    return send(['x']);
  },
  seal_not_found: () => request('/v1/ledger/consistency?from=1&to=9007199254740991'),
  not_sealed: async () => request(`/v1/transactions/${await newTransaction()}/proof`),
  ledger_mismatch: async () => {
    const id = await newTransaction();
    await platform.db.transaction((tx) => tx.query(statement('test_forget', 'delete from ledger_batch')));
    return request(`/v1/transactions/${id}/proof`);
  },
  nomination_not_found: () => request('/v1/nominations/nom_x'),
  export_not_found: () => request('/v1/exports/x/manifest'),
  brp_not_found: () => asOperator('GET', '/brps/brp_x'),
  balance_group_not_found: () => asOperator('GET', '/balance-groups/x'),
  api_key_not_found: () => asOperator('DELETE', '/api-keys/key_x'),
  user_not_found: () => asOperator('GET', '/users/user_x'),
  session_not_found: async () =>
    (await signedIn(platform, { type: 'operator' })).browser.request.delete('/portal/v1/sessions/x'),
  invitation_not_found: () => request('/portal/v1/invitations/x'),
  asset_not_found: () => asOperator('GET', '/assets/ast_x'),
  demand_not_found: () => asOperator('GET', '/demands/dem_x'),
  inquiry_not_found: () => asOperator('POST', '/inquiries/inq_x/answer', { answer: 'Yes.' }),
  too_many_inquiries: async () => {
    const { no: accountNo } = await world.account();
    const { request: asUser, user } = await signedIn(platform, { type: 'account', accountNo });
    const demand = { contract_period: 1, delivery_volume: 1, country: 'DE' };
    const { id } = (await asOperator('POST', '/demands', demand)).body;
    await platform.db.transaction((tx) =>
      tx.query(
        statement(
          'give_inquiries',
          `insert into inquiry (id, account_no, user_id, demand_id, message, created_at)
           select gen_random_uuid(), $1, $2, gen_random_uuid(), 'How much?', now() from generate_series(1, $3)`,
        ),
        [accountNo, user.id, LIMITS.openInquiries],
      ),
    );
    return asUser.post('/portal/v1/inquiries', { demand_id: id, message: 'How much?' });
  },
  message_not_found: () => asOperator('GET', '/messages/msg_x'),
  alarm_not_found: () => asOperator('POST', '/exchange/alarms/alm_x/acknowledge', { note: 'seen' }),
  request_not_found: () => request('/v1/requests/req_x'),
  event_not_found: () => request('/v1/events/evt_x'),
  events_expired: () => request(`/v1/events?after=${encodeId(ID_PREFIX.event, randomUUID())}`),
  webhook_endpoint_not_found: () => request('/v1/webhook-endpoints/whe_x'),
  webhook_delivery_not_found: async () => {
    const id = await newWebhook();
    return request.post(`/v1/webhook-endpoints/${id}/deliveries/whd_x/retry`);
  },
  too_many_endpoints: async () => {
    for (let count = 0; count < LIMITS.webhookEndpoints; count++) await newWebhook();
    return createWebhook();
  },
  webhook_endpoint_disabled: async () => {
    const [{ id }] = (await request('/v1/webhook-endpoints')).body.webhook_endpoints;
    const path = `/v1/webhook-endpoints/${id}`;
    await request.patch(path, { status: 'disabled' });
    return request.post(`${path}/replay`, {});
  },
  customer_not_found: () => request('/v1/customers/cust_x'),
  method_not_allowed: () => request.delete('/v1/contracts'),
  request_timeout: () => rawly(tooSlow()),
  already_exists: () => {
    const { eic } = sellerGroup;
    const group = { brp_id: brp.id, eic, name: 'again', tsos: ['DE_AMPRION'] };
    return asOperator('POST', '/balance-groups', group);
  },
  contract_without_volumes: async () => {
    const contract = await world.contract(producer, producer, { type: 'intraday' });
    const volumes = Array.from({ length: 96 }, () => 1);
    return asOperator('PUT', `/contracts/${contract.id}/days/2026-10-26`, { volumes });
  },
  contract_has_source: async () => {
    const { id } = await makeSourced(1);
    const volumes = Array.from({ length: 96 }, () => 1);
    return asOperator('PUT', `/contracts/${id}/days/2026-10-26`, { volumes });
  },
  shares_exceeded: async () => (await makeSourced(0.6)).take(0.400001),
  customer_not_active: async () => {
    const pending = await world.customer(brp, { group: sellerGroup });
    const contract = await world.contract(pending, producer, { isActivated: false });
    const volumes = Array.from({ length: 96 }, () => 1);
    return asOperator('PUT', `/contracts/${contract.id}/days/2026-10-26`, { volumes });
  },
  position_in_use: () => asOperator('PATCH', `/balance-groups/${sellerGroup.eic}`, { tsos: ['DE_TENNET'] }),
  idempotency_key_reused: async () => {
    const create = (name: string) => asOperator('POST', '/brps', { name }, { 'idempotency-key': 'reused' });
    await create('One');
    return create('Two');
  },
  already_active: async () => {
    await update({ status: 'active' });
    return update({ status: 'active' });
  },
  invalid_status_transition: () => update({ status: 'pending' }),
  precondition_failed: () => update({}, { 'if-match': '"old"' }),
  payload_too_large: () => update(' '.repeat(LIMITS.bodyBytes + 1)),
  unsupported_media_type: () => update('x', { 'content-type': 'text/plain' }),
  rate_limited: async () => {
    await client(strict.baseUrl)('/v1/contracts');
    return client(strict.baseUrl)('/v1/contracts');
  },
  too_many_exports: async () => {
    const path = '/v1/exports/transactions?delivery_date=2026-10-26';
    const lock = statement('test_lock_sheets', 'lock table sheet in access exclusive mode');
    const exports = await platform.db.transaction(async (tx) => {
      await tx.query(lock);
      const asked = Array.from({ length: LIMITS.exports.atOnce + 1 }, () => request(path));
      // The others wait for the lock.
      await Promise.race(asked);
      return asked;
    });
    const answers = await Promise.all(exports);
    const [refused, ...others] = answers.filter(({ status }) => status !== 200);
    assert.ok(refused && others.length === 0, 'one of them is refused');
    return refused;
  },
  uri_too_long: () =>
    rawly(exchange(platform.baseUrl, requestText(`GET /${'x'.repeat(LIMITS.headerBytes)}`))),
  headers_too_large: () =>
    rawly(exchange(platform.baseUrl, requestText('GET /', { 'X-Long': 'x'.repeat(LIMITS.headerBytes) }))),
  internal_error: async () => {
    const { key } = await broken.world.brp();
    await broken.db.transaction((tx) =>
      tx.query(statement('test_break', 'alter table contract rename to contract_secret_name')),
    );
    return client(broken.baseUrl, key)('/v1/contracts');
  },
  clock_moved_back: async () => {
    const sandbox = await startTestPlatform({ environment: { SANDBOX: 'on' } });
    const own = client(sandbox.baseUrl, await sandbox.world.operatorKey());
    await own.put('/operator/v1/clock', { now: '2026-10-19T08:00:00Z' });
    return own('/operator/v1/transactions?as_of=2026-10-18T08:00:00Z');
  },
  unavailable: async () => {
    await severed.cut();
    return client(severed.baseUrl, brp.key)('/v1/contracts');
  },
} satisfies Record<ProblemCode, () => Promise<{ status: number; headers: Headers; body: unknown }>>;

test('every problem of the catalogue can occur, with its status, title and page', async () => {
  for (const code of PROBLEM_CODES) {
    const { status, headers, body } = await provocations[code]();
    assert.equal(status, PROBLEMS[code].status, code);
    assert.match(body.type, new RegExp(`^https?://[^/]+/errors/${code}$`));
    assert.equal(body.title, PROBLEMS[code].title);
    assert.equal(body.status, status);
    assert.ok(body.detail.length > 10);
    assert.equal(headers.get('content-type'), 'application/problem+json');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.ok(headers.get('x-request-id'));
    assert.equal(body.errors !== undefined, code === 'validation', 'only a validation lists fields');
    const { 'retry-after': retryAfter } = Object.fromEntries(headers);
    assert.equal(retryAfter !== undefined, [429, 503].includes(status) || code === 'not_sealed', code);
  }
});

test('a server error reveals no internals', async () => {
  const { key } = await broken.world.brp();
  const { status, text } = await client(broken.baseUrl, key)('/v1/contracts');
  assert.equal(status, 500);
  assert.doesNotMatch(text, /contract_secret_name|relation|select|\.ts|postgres/i);
});

/** How each field code occurs, and for which field. */
const fieldProvocations = {
  unknown_field: [() => request('/v1/contracts?sort=name'), 'sort'],
  read_only_field: [() => update({ name: 'New' }), 'name'],
  required: [() => update({ balance_group: { eic: sellerGroup.eic } }), 'balance_group.tso'],
  invalid_type: [() => update({ metadata: { size: 7 } }), 'metadata.size'],
  invalid_enum_value: [() => update({ status: 'gone' }), 'status'],
  invalid_format: [() => request('/v1/contracts?active_on=2026-02-30'), 'active_on'],
  invalid_literal: [() => request('/v1/transactions?type=spot'), 'type'],
  value_too_small: [() => request('/v1/contracts?limit=0'), 'limit'],
  value_too_large: [() => request('/v1/contracts?limit=101'), 'limit'],
  validation_failed: [
    () => request('/v1/transactions?slot_number_from=9&slot_number_to=8'),
    'slot_number_to',
  ],
} satisfies Record<FieldCode, [() => ReturnType<typeof request>, string]>;

test('every field code can occur, at its field and with a helpful message', async () => {
  for (const code of FIELD_CODES) {
    const [provoke, field] = fieldProvocations[code];
    const answer = await provoke();
    assertRefused(answer, `${field} ${code}`);
    assert.ok(answer.body.errors[0].message.length > 5);
  }
});

test('the instance is the path and query of the request', async () => {
  for (const path of ['/v1/contracts?limit=0&eic=%C3%BC', '/v1/nowhere?x', '/v1/customers/%22']) {
    assert.equal((await request(path)).body.instance, path);
  }
});

test('every problem’s type resolves, without a key, to a page that names the code and its remedy', async () => {
  for (const code of PROBLEM_CODES) {
    const page = await client(platform.baseUrl)(`/errors/${code}`);
    assert.equal(page.status, 200);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.ok(page.text.includes(`<code>${code}</code>`), code);
    assert.ok(page.text.includes(PROBLEMS[code].title), code);
    assert.ok(page.text.includes(String(PROBLEMS[code].status)), code);
    assert.doesNotMatch(page.text, /`|<script(?![^>]* src="\/)|https?:/);
  }
  const { body } = await request('/v1/nowhere');
  assert.equal((await fetch(body.type)).status, 200, 'the type of a real answer');
  for (const unknown of ['nonsense', 'toString', '__proto__', 'Validation', '%3Cb%3E']) {
    const answer = await client(platform.baseUrl)(`/errors/${unknown}`);
    assert.deepEqual([answer.status, problemOf(answer).code], [404, 'not_found'], unknown);
  }
});

test('problem types start with ERROR_BASE, else BASE_URL, else the address listened on', async () => {
  const bases: [address: string, errorBase: string, apiBase: string][] = [
    [named, 'https://help.example/saldo', BASE_URL],
    [based, BASE_URL, BASE_URL],
    [platform.baseUrl, platform.baseUrl, platform.baseUrl],
  ];
  for (const [address, errorBase, apiBase] of bases) {
    const ask = client(address);
    assert.equal((await ask('/v1/nowhere')).body.type, `${errorBase}/errors/not_found`);
    assert.equal((await ask('/v1/contracts/%zz')).body.type, `${errorBase}/errors/validation`);
    assert.equal((await rawly(exchange(address, 'x\r\n\r\n'))).body.type, `${errorBase}/errors/validation`);
    const { body } = await ask('/openapi.json');
    assert.deepEqual(body.servers, [{ url: apiBase }]);
  }
});
