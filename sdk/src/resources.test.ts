import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  brpEndpoints,
  demoEndpoints,
  marketEndpoints,
  operatorEndpoints,
  portalEndpoints,
  sandboxEndpoints,
  simulationEndpoints,
} from '@saldo/api';
import { json, standIn } from '../test/stand-in.ts';
import { createBrpClient } from './brp.ts';
import { createMarketClient } from './market.ts';
import { createOperatorClient } from './operator.ts';
import { createPortalClient } from './portal.ts';

/** The endpoints with a client method. */
function endpointIds(client: object): string[] {
  const methods = Object.values(client).flatMap((resource: object) => Object.values(resource) as unknown[]);
  const ids = methods.flatMap((method) =>
    typeof method === 'function' && 'endpointId' in method ? [String(method.endpointId)] : [],
  );
  return ids.toSorted();
}

test('every operation of the APIs is exactly one method of its client', () => {
  const { options } = standIn();
  assert.deepEqual(endpointIds(createBrpClient(options)), Object.keys(brpEndpoints).toSorted());
  assert.deepEqual(endpointIds(createMarketClient(options)), Object.keys(marketEndpoints).toSorted());
  const ofPortal = { ...portalEndpoints, ...demoEndpoints };
  assert.deepEqual(endpointIds(createPortalClient(options)), Object.keys(ofPortal).toSorted());
  const ofOperator = { ...operatorEndpoints, ...sandboxEndpoints, ...simulationEndpoints };
  assert.deepEqual(endpointIds(createOperatorClient(options)), Object.keys(ofOperator).toSorted());
});

test('arguments become path, query and body, in this order', async () => {
  const { options, requests } = standIn(json({}));
  const operator = createOperatorClient(options);
  const brp = createBrpClient(options);
  await operator.contracts.putDay('con_1', '2026-10-25', { volumes: [1.25, null] });
  await operator.nominations.run();
  await operator.nominations.run({ delivery_date: '2026-10-25' });
  await brp.contracts.transactions('con_1', { delivery_date: '2026-10-25', include_assets: true });
  await brp.transactions.bulkByQuery({ ids: ['txn_a', 'txn_b'] });
  assert.deepEqual(
    requests.map(({ method, url, body }) => [method, url, body]),
    [
      ['PUT', '/operator/v1/contracts/con_1/days/2026-10-25', '{"volumes":[1.25,null]}'],
      ['POST', '/operator/v1/nominations/run', '{}'],
      ['POST', '/operator/v1/nominations/run', '{"delivery_date":"2026-10-25"}'],
      ['GET', '/v1/contracts/con_1/transactions?delivery_date=2026-10-25&include_assets=true', ''],
      ['GET', '/v1/transactions/bulk?ids=txn_a%2Ctxn_b', ''],
    ],
  );
  assert.equal(requests[0]?.headers.get('x-api-key'), 'saldo_test_key');
});

const page = (ids: string[], next: string | null) =>
  json({
    transactions: ids.map((id) => ({ id })),
    assets: [],
    pagination: { limit: 100, has_more: next !== null, next_cursor: next },
  });

test('iterating a list reads all pages of 100, with its filters on every page', async () => {
  const { options, requests } = standIn(page(['a', 'b'], 'c1'), page([], 'c2'), page(['c'], null));
  const seen: string[] = [];
  for await (const { id } of createBrpClient(options).transactions.each({ status: 'valid' })) seen.push(id);
  assert.deepEqual(seen, ['a', 'b', 'c']);
  assert.deepEqual(
    requests.map(({ url }) => url),
    ['', '&after=c1', '&after=c2'].map((after) => `/v1/transactions?limit=100&status=valid${after}`),
  );
});

test('iteration fetches a page only when needed, and stops with its consumer', async () => {
  const { options, requests } = standIn(page(['a', 'b'], 'c1'), page(['c'], null));
  const walk = createBrpClient(options).contracts.eachTransaction('con_1');
  assert.equal(requests.length, 0);
  for await (const { id } of walk) if (id === 'b') break;
  assert.equal(requests.length, 1);
});

test('pages can be iterated as a whole, with their members beside the records', async () => {
  const { options } = standIn(page(['a'], 'c1'), page(['b'], null));
  const seen = [];
  for await (const { transactions, assets } of createBrpClient(options).transactions.pages({
    include_assets: true,
  })) {
    seen.push([transactions.length, assets?.length]);
  }
  assert.deepEqual(seen, [
    [1, 0],
    [1, 0],
  ]);
});

test('an aborted iteration stops between pages', async () => {
  const abort = new AbortController();
  const { options, requests } = standIn(page(['a'], 'c1'));
  const walk = createBrpClient(options).transactions.each({}, { signal: abort.signal });
  await assert.rejects(async () => {
    for await (const _ of walk) abort.abort(new Error('enough'));
  }, /enough/);
  assert.equal(requests.length, 1);
});

const numberedPage = (ids: string[], links: string, version: string) =>
  json({ assets: ids.map((id) => ({ id })) }, 200, { link: links, 'x-list-version': version });

test('numbered pages are read to the last one, all of the version of the first', async () => {
  const next = '<https://market.example/v1/assets?page=2&limit=100>; rel="next"';
  const last = '<https://market.example/v1/assets?page=1&limit=100>; rel="first"';
  const { options, requests } = standIn(
    numberedPage(['a', 'b'], `${last}, ${next}`, 'assets-7'),
    numberedPage([], `${last}, ${next}`, 'assets-7'),
    numberedPage(['c'], last, 'assets-7'),
  );
  const seen: string[] = [];
  for await (const { id } of createMarketClient(options).assets.each()) seen.push(id);
  assert.deepEqual(seen, ['a', 'b', 'c']);
  assert.deepEqual(
    requests.map(({ url, headers }) => [url, headers.get('x-list-version')]),
    [
      ['/v1/assets?limit=100&page=1', null],
      ['/v1/assets?limit=100&page=2', 'assets-7'],
      ['/v1/assets?limit=100&page=3', 'assets-7'],
    ],
  );
});

test('reads that have an instant take it as as_of', async () => {
  const { options, requests } = standIn(json({ nominations: [], pagination: { next_cursor: null } }));
  const client = createBrpClient(options);
  const as_of = '2026-10-24T12:25:00Z';
  await client.nominations.list({ as_of });
  await client.nominations.get('nom_1', { as_of });
  await client.transactions.get('tx_1', { as_of });
  await client.transactions.proof('tx_1', { as_of });
  await client.exports.nominations({ delivery_date: '2026-10-25', format: 'csv', as_of });
  for (const { url } of requests)
    assert.equal(new URL(`https://x${url}`).searchParams.get('as_of'), as_of, url);
  assert.equal(requests.length, 5);
});
