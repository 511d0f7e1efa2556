import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { newId } from '../src/platform/db/new-id.ts';
import { type Answer, client, problemOf, startTestPlatform, walk } from './harness.ts';

const platform = await startTestPlatform();
const { world } = platform;
const { seller, buyer, producer, consumer } = await world.pair();
const stranger = await world.brp();
const outsider = await world.customer(stranger, { group: await world.group(stranger) });
const contract = await world.contract(producer, consumer);
const foreign = await world.contract(outsider, consumer);
for (const one of [contract, foreign]) await world.volumes(one, '2026-10-25', 1_000);

const request = client(platform.baseUrl, seller.key);
type Transaction = { id: string };
const found: Transaction[] = await walk(request, '/v1/transactions', 'transactions', 100);

const bulk = (ids: unknown[]) => request.post('/v1/transactions/bulk', { ids });

test('a bulk read of transactions has the requested order, each id once, without invisible records', async () => {
  const asBuyer = client(platform.baseUrl, buyer.key);
  const [hidden] = (await asBuyer(`/v1/transactions?contract_id=${foreign.id}`)).body.transactions;
  const [a, b, c] = [found[5], found[0], found[40]] as Transaction[];
  assert.ok(a && b && c && hidden);
  const slotless = `${a.id.slice(0, -2)}00`;
  const unknown = [
    encodeId(ID_PREFIX.transaction, newId()),
    slotless,
    a.id.toUpperCase(),
    'nonsense',
    '',
    contract.id,
  ];
  const ids = [c.id, hidden.id, a.id, ...unknown, b.id, a.id, c.id];
  const expected = { transactions: [c, a, b] };
  assert.deepEqual((await bulk(ids)).body, expected);
  assert.deepEqual((await request(`/v1/transactions/bulk?ids=${ids.join(',')}`)).body, expected);
  assert.deepEqual((await request(`/v1/transactions/bulk?ids=${ids.join('&ids=')}`)).body, expected);
  assert.deepEqual((await bulk([hidden.id])).body, { transactions: [] });
});

test('a bulk read takes 1 to 100 ids, repeated ones counted', async () => {
  const ids = found.map((one) => one.id);
  assert.equal(ids.length, 100);
  assert.deepEqual(
    (await bulk(ids)).body.transactions.map((one: Transaction) => one.id),
    ids,
  );
  const [first = ''] = ids;
  const refused: [Answer, string][] = [
    [await bulk([...ids, first]), 'ids value_too_large'],
    [await bulk(Array.from({ length: 101 }, () => first)), 'ids value_too_large'],
    [await bulk([]), 'ids value_too_small'],
    [await bulk([first, 5]), 'ids[1] invalid_type'],
    [await request.post('/v1/transactions/bulk', {}), 'ids required'],
    [await request(`/v1/transactions/bulk?ids=${[...ids, first].join(',')}`), 'ids value_too_large'],
    [await request('/v1/transactions/bulk?ids='), 'ids value_too_small'],
    [await request('/v1/transactions/bulk'), 'ids required'],
    [await request(`/v1/transactions/bulk?ids=${ids.join('&ids=')}&ids=${first}`), 'ids value_too_large'],
  ];
  for (const [answer, error] of refused) {
    assert.deepEqual(problemOf(answer), { code: 'validation', errors: [error] });
  }
});
