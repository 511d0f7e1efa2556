import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedIn } from './browser.ts';
import { assertProblem, client, startTestPlatform } from './harness.ts';

const platform = await startTestPlatform();
const { world } = platform;
const { seller: brp, sellerGroup, buyer } = await world.pair();
const customer = await world.customer(brp);
const account = await world.account();
const { browser: ofBrp } = await signedIn(platform, { type: 'brp', brpNo: brp.no });
const { browser: ofBuyer } = await signedIn(platform, { type: 'brp', brpNo: buyer.no });
const { browser: ofOperator } = await signedIn(platform, { type: 'operator' });
const { browser: ofAccount } = await signedIn(platform, { type: 'account', accountNo: account.no });

const pathOf = (id: string) => `/portal/v1/records/${id}/last-change`;
const nameOf = async (browser: typeof ofBrp): Promise<string> =>
  (await browser.request('/portal/v1/session')).body.user.name;
const rename = async (browser: typeof ofBrp, path: string, body: object) =>
  assert.equal((await browser.request.patch(path, body)).status, 200);

test('a BRP reads who of its own users or keys changed a customer last, and when', async () => {
  await rename(ofBrp, `/v1/customers/${customer.id}`, { metadata: { site: 'Harz' } });
  const at = new Date(platform.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  const { body } = await ofBrp.request(pathOf(customer.id));
  assert.deepEqual(body, { at, actor_name: await nameOf(ofBrp) });
  await client(platform.baseUrl, brp.key).patch(`/v1/customers/${customer.id}`, {
    metadata: { site: 'Moor' },
  });
  const { name } = (await ofBrp.request('/portal/v1/api-keys')).body.api_keys[0];
  assert.equal((await ofBrp.request(pathOf(customer.id))).body.actor_name, name);
});

test('a BRP does not get names of the operator’s users; the operator gets all names', async () => {
  const path = `/operator/v1/balance-groups/${sellerGroup.eic}`;
  await rename(ofOperator, path, { name: 'Nord' });
  assert.equal((await ofBrp.request(pathOf(sellerGroup.eic))).body.actor_name, null);
  const name = await nameOf(ofOperator);
  assert.equal((await ofOperator.request(pathOf(sellerGroup.eic))).body.actor_name, name);
  const { body } = await ofOperator.request(pathOf(customer.id));
  assert.equal(typeof body.actor_name, 'string');
});

test('the operator reads who changed or deleted a demand; a sign-in and a change of nothing are no change of a user', async () => {
  const { body: demand } = await ofOperator.request.post('/operator/v1/demands', {
    contract_period: 5,
    delivery_volume: 9000,
    country: 'DE',
  });
  assertProblem(await ofOperator.request(pathOf(demand.id)), 404, 'not_found');
  await ofOperator.request.delete(`/operator/v1/demands/${demand.id}`);
  const name = await nameOf(ofOperator);
  assert.equal((await ofOperator.request(pathOf(demand.id))).body.actor_name, name);
  assert.equal((await ofBrp.request(pathOf(demand.id))).status, 404);

  const { id } = (await ofBrp.request('/portal/v1/session')).body.user;
  assertProblem(await ofOperator.request(pathOf(id)), 404, 'not_found');
  const user = `/operator/v1/users/${id}`;
  await rename(ofOperator, user, { name: 'Ina' });
  await client(platform.baseUrl, await world.operatorKey()).patch(user, { name: 'Ina' });
  assert.equal((await ofOperator.request(pathOf(id))).body.actor_name, name);
});

test('records of other BRPs, unknown ones and those of accounts are not found', async () => {
  for (const id of [customer.id, sellerGroup.eic, 'cust_unknown'])
    assertProblem(await ofBuyer.request(pathOf(id)), 404, 'not_found');
  assert.equal((await ofAccount.request(pathOf(customer.id))).status, 403);
});
