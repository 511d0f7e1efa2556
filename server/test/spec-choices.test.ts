import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { LIMITS } from '@saldo/api';
import { readConfig } from '../src/start/config.ts';
import { makeCertificate } from './certificate.ts';
import { temporaryFolder } from './clean-up.ts';
import { client, problemOf, startTestPlatform } from './harness.ts';
import { exchange, requestText } from './raw-http.ts';

// Choices that no other test pins. docs/spec-gaps.md lists all choices.

const folder = await temporaryFolder();
const { certificate, environment } = await makeCertificate(folder);

const platform = await startTestPlatform();
const secure = await startTestPlatform({ environment });
// An empty variable counts as unset: this platform has the default limits.
const ordinary = await startTestPlatform({ environment: { RATE_LIMIT: '', RATE_WINDOW_S: '' } });
const { world } = platform;
const { seller: brp, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
const request = client(platform.baseUrl, brp.key);
const api = (await request('/openapi.json')).body;

const TRANSACTION_FILTERS =
  'status sender_eic receiver_eic delivery_date delivery_start delivery_end slot_number_from slot_number_to ' +
  'include_assets as_of limit after';
const OPERATIONS: [operation: string, scopes: string, query: string][] = [
  [
    'GET /v1/contracts',
    'contracts:read',
    'status type eic delivery_start delivery_end active_on limit after',
  ],
  ['GET /v1/contracts/{contract_id}', 'contracts:read', ''],
  ['GET /v1/contracts/{contract_id}/transactions', 'contracts:read transactions:read', TRANSACTION_FILTERS],
  ['GET /v1/transactions', 'transactions:read', `contract_id type ${TRANSACTION_FILTERS}`],
  ['GET /v1/transactions/{transaction_id}', 'transactions:read', 'as_of'],
  ['GET /v1/transactions/{transaction_id}/history', 'transactions:read', 'include_assets as_of'],
  ['GET /v1/transactions/bulk', 'transactions:read', 'ids include_assets as_of'],
  ['POST /v1/transactions/bulk', 'transactions:read', ''],
  [
    'GET /v1/nominations',
    'nominations:read',
    'status eic tso direction delivery_date delivery_start delivery_end slot_number_from slot_number_to ' +
      'include_slots as_of limit after',
  ],
  ['GET /v1/nominations/{nomination_id}', 'nominations:read', 'as_of'],
  ['GET /v1/nominations/{nomination_id}/history', 'nominations:read', 'as_of'],
  ['GET /v1/nominations/bulk', 'nominations:read', 'ids as_of'],
  ['POST /v1/nominations/bulk', 'nominations:read', ''],
  [
    'GET /v1/exports/transactions',
    'transactions:read',
    'format contract_id type status sender_eic receiver_eic delivery_date delivery_start delivery_end ' +
      'slot_number_from slot_number_to as_of',
  ],
  [
    'GET /v1/exports/nominations',
    'nominations:read',
    'format status eic tso direction delivery_date delivery_start delivery_end slot_number_from slot_number_to ' +
      'as_of',
  ],
  ['GET /v1/nominations/{nomination_id}/causes', 'nominations:read transactions:read', 'since'],
  ['GET /v1/schedules', 'nominations:read', 'delivery_date changed limit after'],
  ['POST /v1/schedules/marks', 'schedules:write', ''],
  ['GET /v1/exports/{export_id}/manifest', '', ''],
  ['GET /v1/customers', 'customers:read', 'status eic tso search limit after'],
  ['GET /v1/customers/{customer_id}', 'customers:read', ''],
  ['PATCH /v1/customers/{customer_id}', 'customers:write', ''],
  ['POST /v1/customers/{customer_id}/preview', 'customers:write', ''],
  ['GET /v1/customers/{customer_id}/placements', 'customers:read', ''],
  ['GET /v1/balance-groups', 'balance_groups:read', 'search limit after'],
  ['GET /v1/balance-groups/{eic}', 'balance_groups:read', ''],
  ['PATCH /v1/balance-groups/{eic}', 'balance_groups:write', ''],
  ['GET /v1/events', 'events:read', 'types order limit after wait'],
  ['GET /v1/events/{event_id}', 'events:read', ''],
  ['GET /v1/requests', 'requests:read', 'caller status_class method route since until limit after'],
  ['GET /v1/requests/{request_id}', 'requests:read', ''],
  ['GET /v1/webhook-endpoints', 'webhooks:write', 'limit after'],
  ['POST /v1/webhook-endpoints', 'webhooks:write', ''],
  ['GET /v1/webhook-endpoints/{webhook_endpoint_id}', 'webhooks:write', ''],
  ['PATCH /v1/webhook-endpoints/{webhook_endpoint_id}', 'webhooks:write', ''],
  ['DELETE /v1/webhook-endpoints/{webhook_endpoint_id}', 'webhooks:write', ''],
  ['POST /v1/webhook-endpoints/{webhook_endpoint_id}/rotate-secret', 'webhooks:write', ''],
  ['POST /v1/webhook-endpoints/{webhook_endpoint_id}/test', 'webhooks:write', ''],
  ['POST /v1/webhook-endpoints/{webhook_endpoint_id}/replay', 'webhooks:write', ''],
  ['GET /v1/webhook-endpoints/{webhook_endpoint_id}/deliveries', 'webhooks:write', 'state order limit after'],
  [
    'POST /v1/webhook-endpoints/{webhook_endpoint_id}/deliveries/{webhook_delivery_id}/retry',
    'webhooks:write',
    '',
  ],
];
const words = (text: string) => text.split(' ').filter((word) => word !== '');

type Parameter = { name: string; in: string };
function operationOf(operation: string) {
  const [method = '', address = ''] = operation.split(' ');
  return api.paths[address]?.[method.toLowerCase()];
}

test('every operation has the scopes and query parameters listed in this test', () => {
  for (const [operation, scopes, query] of OPERATIONS) {
    const described = operationOf(operation);
    assert.ok(described, operation);
    assert.deepEqual(described['x-scopes'], words(scopes), operation);
    const parameters = described.parameters.filter((parameter: Parameter) => parameter.in === 'query');
    assert.deepEqual(
      parameters.map(({ name }: Parameter) => name).toSorted(),
      words(query).toSorted(),
      operation,
    );
  }
});

/** The members of each resource; a question mark follows optional ones. */
const RESOURCES: Record<string, string> = {
  Pagination: 'limit has_more next_cursor',
  Problem: 'type title status detail? instance? errors?',
  ProblemFieldError: 'field? code message',
  Counterparty: 'name eic tso',
  Asset: 'id name nominal_power technology tso',
  PpaContract:
    'id external_id type status delivery_start delivery_end seller buyer ppa_type? period? delivery_profile? ' +
    'asset? created_at',
  DayAheadContract: 'id external_id type status delivery_start delivery_end seller buyer created_at',
  IntradayContract: 'id external_id type status delivery_start delivery_end seller buyer created_at',
  Transaction:
    'id type contract_id status version previous_transaction_id? sender receiver delivery_start delivery_end ' +
    'slot_number volume created_at',
  TransactionSender: 'eic asset_id tso',
  TransactionReceiver: 'eic tso',
  Nomination:
    'id status version previous_nomination_id? gate_closure confirmed_at? direction eic tso sent_at? ' +
    'counterparty slots? created_at',
  NominationWithSlots:
    'id status version previous_nomination_id? gate_closure confirmed_at? direction eic tso sent_at? ' +
    'counterparty slots created_at',
  NominationCounterparty: 'name eic',
  NominationSlot: 'delivery_start delivery_end slot_number amount matched_amount?',
  BalanceGroup: 'eic tso',
  Customer: 'id name status balance_group metadata assigned_at activated_at? created_at',
  CustomerUpdate: 'status? balance_group? metadata?',
  BulkNominationIdsRequest: 'ids as_of?',
  BulkTransactionIdsRequest: 'ids include_assets? as_of?',
  ContractList: 'contracts pagination',
  TransactionList: 'transactions pagination assets?',
  TransactionHistoryList: 'transactions assets?',
  BulkTransactionList: 'transactions assets?',
  NominationList: 'nominations pagination',
  NominationHistoryList: 'nominations',
  BulkNominationList: 'nominations',
  CustomerList: 'customers pagination',
};

test('the resources have exactly the fields of the specification, and require those that it requires', () => {
  for (const [name, members] of Object.entries(RESOURCES)) {
    const { properties = {}, required = [] } = api.components.schemas[name] ?? {};
    const described = Object.keys(properties).map((member) =>
      required.includes(member) ? member : `${member}?`,
    );
    assert.deepEqual(described.toSorted(), words(members).toSorted(), name);
  }
});

test('nominations have slots by their schema in detail, bulk and history reads, and not in lists', () => {
  const withSlots = { $ref: '#/components/schemas/NominationWithSlots' };
  const schemaOf = (operation: string) =>
    operationOf(operation)?.responses['200'].content['application/json'].schema.$ref.split('/').at(-1);
  const itemsOf = (operation: string) =>
    api.components.schemas[schemaOf(operation)]?.properties.nominations.items;
  assert.equal(schemaOf('GET /v1/nominations/{nomination_id}'), 'NominationWithSlots');
  for (const operation of [
    'GET /v1/nominations/{nomination_id}/history',
    'GET /v1/nominations/bulk',
    'POST /v1/nominations/bulk',
  ])
    assert.deepEqual(itemsOf(operation), withSlots, operation);
  assert.deepEqual(itemsOf('GET /v1/nominations'), { $ref: '#/components/schemas/Nomination' });
});

/** The same for the customer API, whose members are all required; a bar precedes nullable ones. */
const MARKET_RESOURCES: Record<string, string> = {
  AssetList: 'assets',
  Asset:
    'id name assetType nominalPower |averageAnnualPower deliveryStart ppaType |additionalInfo |state country ' +
    'coverUrl pricing',
  Price: 'years price',
  DemandList: 'demands',
  Demand: 'id contractPeriod deliveryVolume |additionalInfo country |state |deliveryStart',
};

test('the customer API has two operations with page and limit, and exactly the fields of its specification', async () => {
  const { paths, components } = (await client(platform.customerUrl)('/openapi.json')).body;
  const isOurs = (path: string) => /^\/v1\/(events|webhook-endpoints)\b/.test(path);
  const specified = Object.fromEntries(
    Object.entries<Record<string, { parameters: Parameter[] }>>(paths).filter(([path]) => !isOurs(path)),
  );
  assert.deepEqual(Object.keys(specified), ['/v1/assets', '/v1/demands']);
  for (const [path, { get, ...others }] of Object.entries(specified)) {
    assert.deepEqual(Object.keys(others), [], path);
    const query = get?.parameters.filter((parameter) => parameter.in === 'query');
    assert.deepEqual(
      query?.map(({ name }) => name),
      ['page', 'limit', 'listVersion'],
      path,
    );
  }
  for (const [name, members] of Object.entries(MARKET_RESOURCES)) {
    const { properties, required } = components.schemas[name];
    assert.deepEqual(required.toSorted(), Object.keys(properties).toSorted(), `${name}: all are there`);
    const described = Object.entries<{ anyOf?: { type: string }[] }>(properties).map(([member, { anyOf }]) =>
      anyOf?.some(({ type }) => type === 'null') ? `|${member}` : member,
    );
    assert.deepEqual(described.toSorted(), words(members).toSorted(), name);
  }
  const { assetType, ppaType } = components.schemas.Asset.properties;
  assert.deepEqual(assetType.enum, ['WIND', 'SOLAR']);
  assert.deepEqual(ppaType.enum, ['PAY_AS_PRODUCED', 'PAY_AS_FORECASTED', 'PAY_AS_NOMINATED']);
});

test('the customer API has no deprecated operation', async () => {
  const ask = client(platform.customerUrl, await world.accountKey());
  for (const path of ['/v1/assets', '/v1/demands']) {
    const { headers } = await ask(path);
    for (const name of ['deprecation', 'sunset']) assert.equal(headers.get(name), null, path);
  }
  assert.doesNotMatch((await ask('/openapi.json')).text, /"deprecated"/);
});

test('the BRP API has no deprecated operation', async () => {
  for (const [operation] of OPERATIONS) {
    assert.equal(operationOf(operation)?.deprecated, undefined, operation);
    const [method = '', address = ''] = operation.split(' ');
    const { headers } = await request(address.replaceAll(/\{\w+\}/g, contract.id), { method });
    for (const name of ['deprecation', 'sunset']) assert.equal(headers.get(name), null, operation);
  }
});

test('the documentation and the pages of problems need no key, and answer HEAD and OPTIONS too', async () => {
  for (const address of ['/docs', '/openapi.json', '/errors/validation', '/packages/saldo_client.py']) {
    for (const key of [null, 'nonsense']) {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await request(address, { method, key });
        assert.equal(status, 200, `${method} ${address}`);
        const isPage = address !== '/openapi.json';
        assert.equal(headers.get('cache-control'), isPage ? 'no-cache' : 'private, no-cache', address);
        assert.equal(headers.get('vary'), 'X-Api-Key, Accept-Encoding', address);
      }
      const { status, headers } = await request(address, { method: 'OPTIONS', key });
      assert.deepEqual([status, headers.get('allow')], [204, 'GET, HEAD, OPTIONS'], address);
    }
  }
});

test('plain HTTP is answered and never redirected, whatever host and proxy headers it has', async () => {
  const outside = { Host: 'api.example.org', 'X-Forwarded-Proto': 'http', 'Upgrade-Insecure-Requests': '1' };
  for (const [key, expected] of [
    [brp.key, 200],
    ['nonsense', 401],
  ] as const) {
    const text = requestText('GET /v1/contracts', { ...outside, 'X-Api-Key': key });
    const { status, headers } = await exchange(platform.baseUrl, text);
    assert.equal(status, expected);
    assert.equal(headers['location'], undefined);
  }
});

test('with a certificate and its key the server speaks HTTPS', async () => {
  assert.equal(new URL(secure.baseUrl).protocol, 'https:', 'its own URL is https');
  const url = `${secure.baseUrl}/v1/contracts`;
  const { key } = await secure.world.brp();
  const sent = get(url, {
    ca: certificate,
    checkServerIdentity: () => undefined,
    headers: { 'x-api-key': key },
    agent: false,
  });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const body = JSON.parse(Buffer.concat(await response.toArray()).toString());
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers['strict-transport-security'], 'max-age=31536000');
  assert.deepEqual(body.contracts, []);
});

test('by default the BRP API is on port 8080 and the admin pages on 9090, on the loopback address only', () => {
  const { host, port, adminHost, adminPort, tls } = readConfig({ DATA_DIR: tmpdir() });
  assert.deepEqual([host, port, adminHost, adminPort, tls], ['127.0.0.1', 8080, '127.0.0.1', 9090, null]);
});

test('by default the customer API is on port 8081, on the loopback address only', () => {
  const { host, customerPort, customerBaseUrl } = readConfig({ DATA_DIR: tmpdir() });
  assert.deepEqual([host, customerPort, customerBaseUrl], ['127.0.0.1', 8081, null]);
});

test('by default a key may make 300 requests in 60 seconds', async () => {
  const { key } = await ordinary.world.brp();
  const { headers } = await client(ordinary.baseUrl, key)('/v1/contracts');
  assert.equal(headers.get('x-ratelimit-limit'), '300');
  assert.equal(headers.get('x-ratelimit-remaining'), '299');
  assert.equal(headers.get('x-ratelimit-reset'), '60');
});

test('every Accept header gets JSON or a problem: 406 is never sent', async () => {
  for (const accept of ['text/xml', 'application/problem+json', 'image/png, */*;q=0', 'nonsense']) {
    const found = await request('/v1/contracts', { headers: { accept } });
    assert.equal(found.status, 200, accept);
    assert.equal(found.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal((await request('/v1/contracts?limit=0', { headers: { accept } })).status, 400, accept);
  }
});

test('a problem about scopes lists all missing ones', async () => {
  const { secret } = await world.key(brp, ['customers:read']);
  const { status, body } = await request(`/v1/contracts/${contract.id}/transactions`, { key: secret });
  assert.equal(status, 403);
  assert.match(body.detail, /contracts:read and transactions:read\. Create a new key/);
});

test('a body that is too large is reported after a missing scope, and before errors of its content', async () => {
  const { secret: weak } = await world.key(brp, ['customers:read']);
  const send = async (key: string, type: string) => {
    const body = ' '.repeat(LIMITS.bodyBytes + 1);
    const options = { method: 'PATCH', key, body, headers: { 'content-type': type } };
    return problemOf(await request('/v1/customers/unknown?x=1', options)).code;
  };
  assert.equal(await send(weak, 'application/json'), 'insufficient_scopes');
  assert.equal(await send(brp.key, 'application/json'), 'payload_too_large');
  assert.equal(await send(brp.key, 'image/png'), 'unsupported_media_type');
});

test('in a query a plus sign means a blank, so an offset has to be escaped', async () => {
  const [escaped, plain] = ['2026-10-25T00:00:00%2B02:00', '2026-10-25T00:00:00+02:00'];
  assert.equal((await request(`/v1/contracts?delivery_start=${escaped}`)).status, 200);
  const answer = await request(`/v1/contracts?delivery_start=${plain}`);
  assert.deepEqual(problemOf(answer), { code: 'validation', errors: ['delivery_start invalid_format'] });
  assert.match(answer.body.errors[0].message, /in a URL, write \+ as %2B$/);
});

test('a contract of any type without transactions has an empty list of them', async () => {
  for (const type of ['ppa', 'day_ahead', 'intraday'] as const) {
    const { id } = await world.contract(producer, consumer, { type });
    const { status, body } = await request(`/v1/contracts/${id}/transactions`);
    assert.equal(status, 200, type);
    const pagination = { limit: 10, has_more: false, next_cursor: null };
    assert.deepEqual(body, { transactions: [], pagination }, type);
  }
});

test('nullable members are present as null, required or not', async () => {
  const own = await world.pair();
  await world.volumes(await world.contract(own.producer, own.consumer), '2026-10-25', 250);
  await world.nominate();
  const ask = client(platform.baseUrl, own.seller.key);
  const [transaction] = (await ask('/v1/transactions?limit=1')).body.transactions;
  assert.deepEqual([transaction.previous_transaction_id, transaction.sender.asset_id], [null, null]);
  const [nomination] = (await ask('/v1/nominations?include_slots=true')).body.nominations;
  const { previous_nomination_id, sent_at, confirmed_at, slots } = nomination;
  assert.deepEqual([previous_nomination_id, sent_at, confirmed_at], [null, null, null]);
  assert.equal(slots[0].matched_amount, null);
  const waiting = await world.customer(own.seller);
  const { balance_group, activated_at } = (await ask(`/v1/customers/${waiting.id}`)).body;
  assert.deepEqual([balance_group, activated_at], [null, null]);
  const { placements } = (await ask(`/v1/customers/${own.producer.id}/placements`)).body;
  assert.deepEqual([placements[0].first_day, placements[0].last_day], [null, null]);
});

test('in the body of a bulk read include_assets is a boolean', async () => {
  const send = (include_assets: unknown) =>
    request.post('/v1/transactions/bulk', { ids: ['x'], include_assets });
  for (const wrong of ['true', 1, null]) {
    assert.deepEqual(problemOf(await send(wrong)).errors, ['include_assets invalid_type'], String(wrong));
  }
  assert.deepEqual((await send(false)).body, { transactions: [] });
  assert.deepEqual((await send(true)).body, { transactions: [], assets: [] });
});
