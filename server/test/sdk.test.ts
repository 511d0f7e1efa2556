import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brpEndpoints } from '@saldo/api';
import { createClient, SaldoProblem } from '@saldo/sdk';
import { startTestPlatform } from './harness.ts';
import { createWorld } from './world.ts';

const platform = await startTestPlatform();
const world = createWorld(platform.db, platform.clock);
const { seller, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
const client = createClient({ baseUrl: platform.baseUrl, apiKey: seller.key });

test('the client calls an endpoint with its path, query and body', async () => {
  const found = await client.call(brpEndpoints.getContract, { params: { contract_id: contract.id } });
  assert.equal(found.id, contract.id);
  const list = await client.call(brpEndpoints.listContracts, { query: { type: 'ppa', limit: 1 } });
  assert.deepEqual(list.contracts, [found]);
  const bulk = await client.call(brpEndpoints.getTransactionsBulk, { query: { ids: ['txn_a', 'txn_b'] } });
  assert.deepEqual(bulk.transactions, []);
  const customer = await client.call(brpEndpoints.updateCustomer, {
    params: { customer_id: producer.id },
    body: { metadata: { from: 'sdk' } },
  });
  assert.deepEqual(customer.metadata, { from: 'sdk' });
});

test('a problem is thrown with its code, fields and request id', async () => {
  const refused = client.call(brpEndpoints.listContracts, { query: { limit: 1000 } });
  await assert.rejects(refused, (error) => {
    assert.ok(error instanceof SaldoProblem);
    assert.equal(error.status, 400);
    assert.equal(error.code, 'validation');
    assert.deepEqual(
      error.errors.map(({ field, code }) => [field, code]),
      [['limit', 'value_too_large']],
    );
    assert.match(error.requestId ?? '', /^req_/);
    return true;
  });
});
