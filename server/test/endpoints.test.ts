import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brpEndpoints, type Endpoint, SCOPES } from '@saldo/api';
import { assertProblem, client, problemOf, startTestPlatform } from './harness.ts';
import { sealAll } from './proving.ts';
import { sendRepeatedly } from './repetition.ts';
import { until } from './until.ts';
import { webhookCases } from './webhook-cases.ts';

/** A successful request for each operation. A missing operation fails the first test. */
type Case = { path: string; body?: unknown; headers?: Record<string, string> };

const platform = await startTestPlatform({ environment: { WEBHOOK_ALLOW_PRIVATE: 'on' } });
const { world } = platform;
const { seller: brp, sellerGroup, producer, consumer } = await world.pair();
const asset = await world.asset();
const contract = await world.contract(producer, consumer, { assetUuid: asset.uuid });
await world.volumes(contract, '2026-10-25', 250);
await world.volumes(contract, '2026-10-25', 500);
await world.nominate();
const request = client(platform.baseUrl, brp.key);
await sealAll(platform);
const [seal] = (await request('/v1/ledger/seals')).body.seals;
const [transaction] = (await request('/v1/transactions?limit=1')).body.transactions;
const [nomination] = (await request('/v1/nominations?limit=1')).body.nominations;
const exported = await request('/v1/exports/nominations?delivery_date=2026-10-25');
const schedule = await request('/v1/nominations/schedule?delivery_date=2026-10-25');
const [event] = (await request('/v1/events?limit=1')).body.events;
const owner = { type: 'brp', brpNo: brp.no } as const;
const webhooks = await webhookCases(platform, request, { base: '/v1', owner });
const requestId = schedule.headers.get('x-request-id') ?? '';
await until(async () => {
  await platform.flush();
  return (await request(`/v1/requests/${requestId}`)).status === 200;
});
const cases: Record<string, Case> = {
  ...webhooks.cases,
  listContracts: { path: '/v1/contracts' },
  getContract: { path: `/v1/contracts/${contract.id}` },
  listContractTransactions: { path: `/v1/contracts/${contract.id}/transactions?include_assets=true` },
  listTransactions: { path: '/v1/transactions?limit=100' },
  getTransaction: { path: `/v1/transactions/${transaction.id}` },
  getTransactionHistory: { path: `/v1/transactions/${transaction.id}/history` },
  getTransactionsBulk: { path: `/v1/transactions/bulk?ids=${transaction.id}` },
  postTransactionsBulk: {
    path: '/v1/transactions/bulk',
    body: { ids: [transaction.id], include_assets: true },
  },
  listNominations: { path: '/v1/nominations?include_slots=true' },
  getNomination: { path: `/v1/nominations/${nomination.id}` },
  getNominationHistory: { path: `/v1/nominations/${nomination.id}/history` },
  explainNomination: { path: `/v1/nominations/${nomination.id}/explanation` },
  getNominationCauses: { path: `/v1/nominations/${nomination.id}/causes` },
  listOwnSchedules: { path: '/v1/schedules?delivery_date=2026-10-25' },
  markSchedules: {
    path: '/v1/schedules/marks',
    body: { step: 'loaded', nomination_ids: [nomination.id] },
  },
  getNominationSchedule: { path: `/v1/nominations/${nomination.id}/schedule?format=ess` },
  getDaySchedule: { path: '/v1/nominations/schedule?delivery_date=2026-10-25' },
  reconcileNomination: { path: `/v1/nominations/${nomination.id}/reconciliation` },
  checkSchedule: {
    path: '/v1/schedules/check',
    body: schedule.text,
    headers: { 'content-type': 'text/csv' },
  },
  getNominationsBulk: { path: `/v1/nominations/bulk?ids=${nomination.id}` },
  postNominationsBulk: { path: '/v1/nominations/bulk', body: { ids: [nomination.id] } },
  exportTransactions: { path: '/v1/exports/transactions?delivery_date=2026-10-25&format=csv' },
  exportNominations: { path: '/v1/exports/nominations?delivery_date=2026-10-25&format=parquet' },
  getLedgerKey: { path: '/v1/ledger/key' },
  listSeals: { path: '/v1/ledger/seals' },
  getConsistency: { path: `/v1/ledger/consistency?from=${seal.tree_size}&to=${seal.tree_size}` },
  getTransactionProof: { path: `/v1/transactions/${transaction.id}/proof` },
  getNominationProof: { path: `/v1/nominations/${nomination.id}/proof` },
  getExportManifest: { path: `/v1/exports/${exported.headers.get('x-saldo-export-id')}/manifest` },
  listCustomers: { path: '/v1/customers' },
  getCustomer: { path: `/v1/customers/${producer.id}` },
  listOwnBalanceGroups: { path: '/v1/balance-groups' },
  getOwnBalanceGroup: { path: `/v1/balance-groups/${sellerGroup.eic}` },
  updateOwnBalanceGroup: {
    path: `/v1/balance-groups/${sellerGroup.eic}`,
    body: { enabled_tsos: ['DE_AMPRION', 'DE_TENNET'] },
  },
  getDeliveryDay: { path: '/v1/delivery-days/2026-10-25' },
  listEvents: { path: '/v1/events?types=nomination.*&wait=1' },
  getEvent: { path: `/v1/events/${event.id}` },
  listRequests: { path: '/v1/requests?status_class=2xx&until=2026-10-20T08:00:00.001Z' },
  getRequest: { path: `/v1/requests/${requestId}` },
  listPlacements: { path: `/v1/customers/${producer.id}/placements` },
  previewCustomer: { path: `/v1/customers/${producer.id}/preview`, body: { status: 'deactivated' } },
  updateCustomer: { path: `/v1/customers/${producer.id}`, body: { metadata: { color: 'green' } } },
};

const statusOf = (id: string) =>
  Object.values<Endpoint>(brpEndpoints).find((one) => one.id === id)?.status ?? 200;

const call = async (id: string, key: string | null, headers: Record<string, string> = {}) => {
  const endpoint = Object.values(brpEndpoints).find((known) => known.id === id);
  const found = cases[id];
  assert.ok(endpoint && found, `${id} has no case`);
  // A record can be deleted once only.
  const path = id === 'deleteWebhookEndpoint' ? await webhooks.newEndpoint() : found.path;
  return client(platform.baseUrl, key)(path, {
    method: endpoint.method,
    ...(found.body === undefined ? {} : { body: found.body }),
    headers: { ...found.headers, ...headers },
  });
};

test('every operation has a case, and every case is an operation', () => {
  assert.deepEqual(
    Object.keys(cases).toSorted(),
    Object.values(brpEndpoints)
      .map(({ id }) => id)
      .toSorted(),
  );
});

test('every operation responds according to its schema, with the rate-limit headers, and repeats as documented', async () => {
  const document = await request('/openapi.json');
  for (const endpoint of Object.values<Endpoint>(brpEndpoints)) {
    const { id } = endpoint;
    const { status, headers, text } = await sendRepeatedly(document, endpoint, (own) =>
      call(id, brp.key, own),
    );
    assert.equal(status, statusOf(id), `${id}: ${text}`);
    assert.equal(headers.get('x-ratelimit-limit'), '1000000', id);
    assert.match(headers.get('x-ratelimit-remaining') ?? '', /^\d+$/, id);
    assert.match(headers.get('x-ratelimit-reset') ?? '', /^\d+$/, id);
    const language = headers.has('content-language') ? ', Accept-Language' : '';
    assert.equal(headers.get('vary'), `X-Api-Key, Accept-Encoding${language}`, id);
    assert.equal(headers.get('cache-control'), 'private, no-cache', id);
  }
});

test('every operation requires a key', async () => {
  for (const { id } of Object.values(brpEndpoints)) {
    const answer = await call(id, null);
    assertProblem(answer, 401, 'invalid_api_key', [], id);
    assert.equal(answer.headers.get('www-authenticate'), 'ApiKey');
  }
});

test('every operation requires exactly its scopes', async () => {
  // A scope that is forgotten in the description would let every key of a BRP call the operation.
  const open = Object.values(brpEndpoints).filter(({ scopes }) => scopes.length === 0);
  assert.deepEqual(
    open.map(({ id }) => id),
    // A manifest needs the scopes of its export: see export-manifest.test.ts.
    ['getExportManifest', 'getLedgerKey', 'listSeals', 'getConsistency', 'getDeliveryDay'],
  );
  const used = new Set<string>();
  for (const { id, scopes } of Object.values(brpEndpoints)) {
    for (const missing of scopes) {
      used.add(missing);
      const { secret } = await world.key(
        brp,
        SCOPES.filter((scope) => scope !== missing),
      );
      const answer = await call(id, secret);
      assertProblem(answer, 403, 'insufficient_scopes', [], `${id} without ${missing}`);
      assert.match(
        answer.body.detail,
        new RegExp(`${missing}.*[Cc]reate a new key with the required scopes`),
      );
    }
    // The manifest of this test is that of nominations.
    const needed = id === 'getExportManifest' ? brpEndpoints.exportNominations.scopes : scopes;
    const { secret } = await world.key(brp, needed);
    assert.equal((await call(id, secret)).status, statusOf(id), `${id} with ${scopes.join(' and ')} alone`);
  }

  assert.deepEqual([...used].toSorted(), SCOPES.toSorted(), 'every scope is needed by some operation');
});

test('an unknown query parameter is rejected, on single reads too', async () => {
  for (const { id, method } of Object.values(brpEndpoints)) {
    const found = cases[id] as Case;
    const path = `${found.path}${found.path.includes('?') ? '&' : '?'}delivery_dat=2026-10-25`;
    const answer = await client(platform.baseUrl, brp.key)(path, {
      method,
      ...(found.body === undefined ? {} : { body: found.body }),
      ...(found.headers === undefined ? {} : { headers: found.headers }),
    });
    assert.equal(answer.status, 400, id);
    assert.deepEqual(problemOf(answer), { code: 'validation', errors: ['delivery_dat unknown_field'] }, id);
  }
});

test('HEAD answers like GET without the body', async () => {
  for (const { id, method } of Object.values(brpEndpoints)) {
    if (method !== 'GET') continue;
    const { path } = cases[id] as Case;
    const get = await client(platform.baseUrl, brp.key)(path);
    const head = await client(platform.baseUrl, brp.key)(path, { method: 'HEAD' });
    assert.equal(head.status, 200, id);
    assert.equal(head.text, '');
    assert.equal(head.headers.get('content-length'), get.headers.get('content-length'), id);
  }
});
