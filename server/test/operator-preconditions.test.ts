import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, client, startTestPlatform } from './harness.ts';
import { OFFER } from './world.ts';

const platform = await startTestPlatform();
const { world } = platform;
const { producer, consumer } = await world.pair();
const operator = client(platform.baseUrl, await world.operatorKey());

const create = async (path: string, body: object): Promise<string> => {
  const made = await operator.post(`/operator/v1/${path}`, body);
  assert.equal(made.status, 201);
  return `/operator/v1/${path}/${made.body.id}`;
};
const PLANT = { name: 'Heide', technology: 'solar', nominal_power: 12.5, tso: 'DE_TENNET' };
const DEMAND = { contract_period: 5, delivery_volume: 9000, country: 'DE' };
const METER = { kind: 'meter', owner: { type: 'customer', id: producer.id }, name: 'Heide' };
const USER = { email: 'ina@nord.example', name: 'Ina', role: 'operator', permissions: 'member' };

const contract = await world.contract(producer, consumer, { externalId: 'PPA-1' });
const RECORDS = [
  {
    path: `/operator/v1/contracts/${contract.id}`,
    mine: { delivery_end: '2027-12-31T23:00:00Z' },
    theirs: { delivery_end: '2028-12-31T23:00:00Z' },
  },
  {
    path: await create('assets', PLANT),
    mine: { name: 'Heide Nord' },
    theirs: { offer: OFFER },
  },
  {
    path: await create('series', METER),
    mine: { name: 'Heide, meter' },
    theirs: { market_location: '51238696781' },
  },
  { path: await create('demands', DEMAND), mine: { contract_period: 7 }, theirs: { state: 'Hessen' } },
  { path: await create('users', USER), mine: { name: 'Ina B.' }, theirs: { permissions: 'viewer' } },
];

for (const { path, mine, theirs } of RECORDS) {
  const list = path.split('/')[3];
  const patch = (body: object, ifMatch?: string | null) =>
    operator.patch(path, body, { headers: ifMatch ? { 'if-match': ifMatch } : {} });

  test(`a change of ${list} with If-Match is rejected if the record has changed since`, async () => {
    const first = await operator(path);
    const tag = first.headers.get('etag');
    assert.ok(tag);
    assert.equal((await operator(path, { headers: { 'if-none-match': tag } })).status, 304);

    const changed = await patch(theirs);
    assert.equal(changed.status, 200);
    const newTag = changed.headers.get('etag');
    assert.notEqual(newTag, tag);
    const stored = await operator(path);
    assert.equal(stored.headers.get('etag'), newTag);
    assert.deepEqual(stored.body, changed.body);
    assert.equal((await operator(path, { headers: { 'if-none-match': tag } })).status, 200);

    assertProblem(await patch(mine, tag), 412, 'precondition_failed');
    assert.deepEqual((await operator(path)).body, stored.body, 'a rejected change stores nothing');
    assert.equal((await patch(mine, newTag)).status, 200);
    assert.equal((await patch(theirs, '*')).status, 200);
    assert.equal((await patch(mine)).status, 200, 'If-Match is optional');
  });
}

test('a demand that has changed since is not deleted', async () => {
  const path = await create('demands', DEMAND);
  const tag = (await operator(path)).headers.get('etag') ?? '';
  const remove = (ifMatch: string) => operator(path, { method: 'DELETE', headers: { 'if-match': ifMatch } });
  const changed = await operator.patch(path, { state: 'Hessen' });
  assertProblem(await remove(tag), 412, 'precondition_failed');
  assert.equal((await operator(path)).status, 200);
  assert.equal((await remove(changed.headers.get('etag') ?? '')).status, 204);
  assertProblem(await remove(tag), 404, 'demand_not_found');
});
