import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Endpoint, operatorEndpoints, sandboxEndpoints } from '@saldo/api';
import type { Acknowledgement } from '@saldo/core/exchange/answer.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import { interchange } from '../../core/test/mscons-documents.ts';
import { watchExchange } from '../src/exchange/process/watch.ts';
import { signedIn } from './browser.ts';
import { assertProblem, client, problemOf, startTestPlatform } from './harness.ts';
import { pngImage } from './png.ts';
import { sealAll } from './proving.ts';
import { sendRepeatedly } from './repetition.ts';
import { until } from './until.ts';
import { webhookCases, withPrefix } from './webhook-cases.ts';
import { newEic } from './world.ts';

/** A successful request for each operation, which can be sent once. A missing operation fails the first test. */
type Case = { path: string; body?: unknown; headers?: Record<string, string> };

const DAY = '2026-10-25';
const platform = await startTestPlatform({
  now: '2026-10-20T08:00:00Z',
  environment: { SANDBOX: 'on', WEBHOOK_ALLOW_PRIVATE: 'on' },
});
const { world } = platform;
const operatorKey = await world.operatorKey();
const operator = client(platform.baseUrl, operatorKey);
const { seller: brp, sellerGroup, producer, consumer } = await world.pair();
const asset = await world.asset();
const contract = await world.contract(producer, consumer, { externalId: 'PPA-1', assetUuid: asset.uuid });
await world.volumes(contract, DAY, 250);
await world.nominate();

const [transaction] = (await operator('/operator/v1/transactions?limit=1')).body.transactions;
const [nomination] = (await operator('/operator/v1/nominations?limit=1')).body.nominations;
// The case of another operation invalidates `transaction`, and nothing seals that.
const other = await world.contract(producer, consumer);
await world.volumes(other, '2026-11-25', 250);
const ofOther = `/operator/v1/transactions?limit=1&contract_id=${other.id}`;
const [sealed] = (await operator(ofOther)).body.transactions;
await world.nominate();
const onOtherDay = '/operator/v1/nominations?limit=1&delivery_date=2026-11-25';
const [sealedNomination] = (await operator(onOtherDay)).body.nominations;
await sealAll(platform);
const [seal] = (await operator('/operator/v1/ledger/seals')).body.seals;
const sending = await operator.post('/operator/v1/exchange/send', { delivery_date: DAY });
const exported = await operator(`/operator/v1/exports/nominations?delivery_date=${DAY}`);
const [message] = sending.body.messages;
const acknowledgement: Acknowledgement = {
  kind: 'acknowledgement',
  id: 'ACK-1',
  createdAt: platform.clock.now(),
  sender: '10XDE-RWENET---W',
  receiver: platform.exchange.operatorEic,
  answers: { messageId: '20261025_TPS_11XSALDO-------Z_AMP', version: 1 },
  outcome: 'accepted',
  reasons: [{ code: 'A01', text: null }],
  rejectedSeries: [],
};
const newKeyId = async () => {
  const body = { owner: { type: 'brp', id: brp.id }, name: 'case' };
  return (await operator.post('/operator/v1/api-keys', body)).body.id;
};
const newDemandId = async () => {
  const body = { contract_period: 10, delivery_volume: 24_000, country: 'AT' };
  return (await operator.post('/operator/v1/demands', body)).body.id;
};

await operator.post('/operator/v1/exchange/receive', '<nonsense/>', {
  headers: { 'content-type': 'application/xml' },
});
await watchExchange(platform.db, platform.clock, platform.exchange);
const [alarm] = (await operator('/operator/v1/exchange/alarms')).body.alarms;
const [event] = (await operator('/operator/v1/events?limit=1')).body.events;

const forecast = { kind: 'forecast', owner: { type: 'asset', id: asset.id }, name: 'New' };
const series = (await operator.post('/operator/v1/series', forecast)).body;

const interchangeId = (
  await operator.post('/operator/v1/series/values', interchange([]), {
    headers: { 'content-type': 'application/edifact' },
  })
).body.id;

const user = { email: 'first@saldo.example', name: 'First', role: 'operator', permissions: 'viewer' };
const userId = (await operator.post('/operator/v1/users', user)).body.id;

const base = '/operator/v1';
const webhooks = await webhookCases(platform, operator, { base, owner: { type: 'operator' } });
const requestId = sending.headers.get('x-request-id') ?? '';
await until(async () => {
  await platform.flush();
  return (await operator(`${base}/requests/${requestId}`)).status === 200;
});
const { no: accountNo } = await platform.world.account();
const { browser: ofAccount } = await signedIn(platform, { type: 'account', accountNo });
const question = { demand_id: await newDemandId(), message: 'How much?' };
const inquiry = (await ofAccount.request.post('/portal/v1/inquiries', question)).body;
const cases: Record<string, Case> = {
  createBrp: { path: `${base}/brps`, body: { name: 'New' } },
  listBrps: { path: `${base}/brps` },
  getBrp: { path: `${base}/brps/${brp.id}` },
  createBalanceGroup: {
    path: `${base}/balance-groups`,
    body: { brp_id: brp.id, eic: newEic(), name: 'New', tsos: ['DE_TENNET'] },
  },
  listBalanceGroups: { path: `${base}/balance-groups` },
  getBalanceGroup: { path: `${base}/balance-groups/${sellerGroup.eic}` },
  updateBalanceGroup: { path: `${base}/balance-groups/${sellerGroup.eic}`, body: { name: 'Renamed' } },
  createAccount: { path: `${base}/accounts`, body: { name: 'New' } },
  listAccounts: { path: `${base}/accounts` },
  createApiKey: { path: `${base}/api-keys`, body: { owner: { type: 'operator' }, name: 'New' } },
  listApiKeys: { path: `${base}/api-keys` },
  revokeApiKey: { path: `${base}/api-keys/${await newKeyId()}` },
  rotateApiKey: { path: `${base}/api-keys/${await newKeyId()}/rotate`, body: { grace_s: 60 } },
  createUser: {
    path: `${base}/users`,
    body: { email: 'new@saldo.example', name: 'New', role: 'brp', permissions: 'viewer', brp_id: brp.id },
  },
  listUsers: { path: `${base}/users?role=operator` },
  getUser: { path: `${base}/users/${userId}` },
  updateUser: { path: `${base}/users/${userId}`, body: { permissions: 'admin' } },
  endUserSessions: { path: `${base}/users/${userId}/sessions` },
  inviteUser: { path: `${base}/users/${userId}/invitation` },
  resetFactors: { path: `${base}/users/${userId}/factors` },
  operatorCreateCustomer: { path: `${base}/customers`, body: { brp_id: brp.id, name: 'New' } },
  operatorListCustomers: { path: `${base}/customers` },
  operatorGetCustomer: { path: `${base}/customers/${producer.id}` },
  operatorListPlacements: { path: `${base}/customers/${producer.id}/placements` },
  operatorPreviewCustomer: { path: `${base}/customers/${producer.id}/preview`, body: { name: 'Renamed' } },
  operatorUpdateCustomer: { path: `${base}/customers/${producer.id}`, body: { name: 'Renamed' } },
  createAsset: {
    path: `${base}/assets`,
    body: { name: 'New', technology: 'solar', nominal_power: 1.5, tso: 'DE_TENNET' },
  },
  listAssets: { path: `${base}/assets` },
  getAsset: { path: `${base}/assets/${asset.id}` },
  updateAsset: { path: `${base}/assets/${asset.id}`, body: { nominal_power: 2 } },
  uploadCover: {
    path: `${base}/covers`,
    body: new Blob([pngImage('case')]),
    headers: { 'content-type': 'image/png' },
  },
  createSeries: { path: `${base}/series`, body: { ...forecast, kind: 'meter' } },
  listSeries: { path: `${base}/series?kind=forecast` },
  getSeries: { path: `${base}/series/${series.id}` },
  updateSeries: { path: `${base}/series/${series.id}`, body: { market_location: '51238696781' } },
  putSeriesDay: {
    path: `${base}/series/${series.id}/days/${DAY}`,
    body: { power_kw: Array.from({ length: 100 }, () => 12) },
  },
  getSeriesValues: { path: `${base}/series/${series.id}/values?delivery_date=${DAY}` },
  getSeriesDeviation: { path: `${base}/series/${series.id}/deviation?from=${DAY}&to=${DAY}` },
  listInterchanges: { path: `${base}/series/interchanges` },
  getInterchange: { path: `${base}/series/interchanges/${interchangeId}` },
  getInterchangeRaw: { path: `${base}/series/interchanges/${interchangeId}/raw` },
  createDemand: {
    path: `${base}/demands`,
    body: { contract_period: 5, delivery_volume: 1000, country: 'DE' },
  },
  listInquiries: { path: `${base}/inquiries` },
  answerInquiry: { path: `${base}/inquiries/${inquiry.id}/answer`, body: { answer: 'Yes.' } },
  listDemands: { path: `${base}/demands` },
  getDemand: { path: `${base}/demands/${await newDemandId()}` },
  updateDemand: { path: `${base}/demands/${await newDemandId()}`, body: { contract_period: 7 } },
  deleteDemand: { path: `${base}/demands/${await newDemandId()}` },
  createContract: {
    path: `${base}/contracts`,
    body: {
      external_id: 'New',
      type: 'ppa',
      seller_customer_id: producer.id,
      buyer_customer_id: consumer.id,
    },
  },
  operatorListContracts: { path: `${base}/contracts` },
  operatorGetContract: { path: `${base}/contracts/${contract.id}` },
  updateContract: { path: `${base}/contracts/${contract.id}`, body: {} },
  putContractDay: {
    path: `${base}/contracts/${contract.id}/days/2026-10-26`,
    body: { volumes: Array.from({ length: 96 }, () => 0.5) },
  },
  importVolumes: {
    path: `${base}/volumes`,
    body: 'contract,delivery_date,slot,volume\nPPA-1,2026-10-27,1,1.25\n',
    headers: { 'content-type': 'text/csv' },
  },
  importValues: {
    path: `${base}/series/values`,
    body: 'series,delivery_date,slot,energy_kwh\n51238696781,2026-10-27,1,1250\n',
    headers: { 'content-type': 'text/csv' },
  },
  operatorListTransactions: { path: `${base}/transactions?include_assets=true` },
  invalidateTransaction: {
    path: `${base}/transactions/${transaction.id}/invalidate`,
    body: { reason: 'meter replaced' },
  },
  runProfiles: { path: `${base}/profiles/run`, body: {} },
  runNominations: { path: `${base}/nominations/run`, body: {} },
  operatorListNominations: { path: `${base}/nominations?include_slots=true` },
  operatorGetNomination: { path: `${base}/nominations/${nomination.id}` },
  operatorGetNominationHistory: { path: `${base}/nominations/${nomination.id}/history` },
  operatorExplainNomination: { path: `${base}/nominations/${nomination.id}/explanation` },
  operatorGetNominationCauses: { path: `${base}/nominations/${nomination.id}/causes` },
  operatorGetLedgerKey: { path: `${base}/ledger/key` },
  operatorListSeals: { path: `${base}/ledger/seals` },
  operatorGetConsistency: { path: `${base}/ledger/consistency?from=${seal.tree_size}&to=${seal.tree_size}` },
  operatorGetTransactionProof: { path: `${base}/transactions/${sealed.id}/proof` },
  operatorGetNominationProof: { path: `${base}/nominations/${sealedNomination.id}/proof` },
  sendSchedules: { path: `${base}/exchange/send`, body: { delivery_date: DAY } },
  receiveMessage: {
    path: `${base}/exchange/receive`,
    body: writeAnswer(acknowledgement, 'ess'),
    headers: { 'content-type': 'application/xml' },
  },
  listLate: { path: `${base}/nominations/late?delivery_date=${DAY}` },
  operatorExportTransactions: { path: `${base}/exports/transactions?delivery_date=2026-10-25` },
  operatorExportNominations: { path: `${base}/exports/nominations?delivery_date=2026-10-25&format=ndjson` },
  operatorGetExportManifest: {
    path: `${base}/exports/${exported.headers.get('x-saldo-export-id')}/manifest`,
  },
  exportLate: { path: `${base}/exports/late?format=csv` },
  requestStatus: { path: `${base}/exchange/status-request`, body: { delivery_date: DAY, tso: 'DE_AMPRION' } },
  listAlarms: { path: `${base}/exchange/alarms` },
  acknowledgeAlarm: { path: `${base}/exchange/alarms/${alarm.id}/acknowledge`, body: { note: 'seen' } },
  getExchangeBoard: { path: `${base}/exchange/board?include_slots=true` },
  listMismatches: { path: `${base}/exchange/mismatches?delivery_date=${DAY}` },
  listUnsent: { path: `${base}/exchange/unsent` },
  listMessages: { path: `${base}/messages` },
  getMessage: { path: `${base}/messages/${message.id}` },
  getMessageRaw: { path: `${base}/messages/${message.id}/raw` },
  operatorListEvents: { path: `${base}/events` },
  operatorGetEvent: { path: `${base}/events/${event.id}` },
  ...withPrefix('operator', webhooks.cases),
  getHealth: { path: `${base}/health` },
  operatorGetDeliveryDay: { path: `${base}/delivery-days/2026-10-25` },
  listAudit: { path: `${base}/audit` },
  operatorListRequests: { path: `${base}/requests` },
  operatorGetRequest: { path: `${base}/requests/${requestId}` },
  getClock: { path: `${base}/clock` },
  setClock: { path: `${base}/clock`, body: { now: '2026-10-20T08:00:00Z' } },
};

const endpoints: Endpoint[] = [...Object.values(operatorEndpoints), ...Object.values(sandboxEndpoints)];

const call = ({ id, method }: Endpoint, key: string | null, query = '', own: Record<string, string> = {}) => {
  const { path, body, headers } = cases[id] ?? assert.fail(`${id} has no case`);
  return client(platform.baseUrl, key)(path + query, {
    method,
    ...(body === undefined ? {} : { body }),
    headers: { ...headers, ...own },
  });
};

test('every operation has a case, and every case is an operation', () => {
  assert.deepEqual(Object.keys(cases).toSorted(), endpoints.map(({ id }) => id).toSorted());
});

test('every operation rejects a missing or unknown key, and keys of BRPs and accounts', async () => {
  const accountKey = await world.accountKey();
  for (const endpoint of endpoints) {
    for (const key of [null, '', 'nonsense', brp.key, accountKey]) {
      const answer = await call(endpoint, key);
      assertProblem(answer, 401, 'invalid_api_key', [], `${endpoint.id} with ${key}`);
      assert.equal(answer.headers.get('www-authenticate'), 'ApiKey');
    }
  }
});

test('an unknown query parameter is rejected, and nothing is changed', async () => {
  for (const endpoint of endpoints) {
    const separator = (cases[endpoint.id]?.path ?? '').includes('?') ? '&' : '?';
    const answer = await call(endpoint, operatorKey, `${separator}delivery_dat=2026-10-25`);
    assert.equal(answer.status, 400, `${endpoint.id}: ${answer.text}`);
    const { code, errors } = problemOf(answer);
    assert.deepEqual([code, errors], ['validation', ['delivery_dat unknown_field']], endpoint.id);
  }
  // Each request succeeds only once. Its success below shows that it was not applied here.
});

test('every operation responds according to its schema, with its status and the rate-limit headers, and repeats as documented', async () => {
  const document = await operator('/operator/openapi.json');
  for (const endpoint of endpoints) {
    const { status, headers, text } = await sendRepeatedly(document, endpoint, (own) =>
      call(endpoint, operatorKey, '', own),
    );
    assert.equal(status, endpoint.status ?? 200, `${endpoint.id}: ${text}`);
    assert.equal(headers.get('x-ratelimit-limit'), '1000000', endpoint.id);
    assert.match(headers.get('x-ratelimit-remaining') ?? '', /^\d+$/, endpoint.id);
    assert.match(headers.get('x-ratelimit-reset') ?? '', /^\d+$/, endpoint.id);
    assert.equal(headers.get('cache-control'), 'private, no-cache', endpoint.id);
  }
});

test('an operation that accepts JSON rejects other media types', async () => {
  for (const endpoint of endpoints.filter(({ body }) => body !== null)) {
    const send = (body: string, type: string) =>
      client(platform.baseUrl, operatorKey)((cases[endpoint.id] as Case).path, {
        method: endpoint.method,
        body,
        headers: { 'content-type': type },
      });
    assert.equal((await send('x', 'text/plain')).status, 415, endpoint.id);
    assert.deepEqual(problemOf(await send('{', 'application/json')), {
      code: 'validation',
      errors: [' invalid_format'],
    });
    assert.deepEqual(problemOf(await send('[]', 'application/json')).errors, [' invalid_type'], endpoint.id);
    assert.deepEqual(
      problemOf(await send('null', 'application/json')).errors,
      [' invalid_type'],
      endpoint.id,
    );
  }
});

test('a wrong method is 405 with the allowed methods', async () => {
  const answer = await operator.delete(`${base}/brps/${brp.id}`);
  assert.equal(answer.status, 405);
  assert.equal(answer.headers.get('allow'), 'GET, HEAD, OPTIONS');
});
