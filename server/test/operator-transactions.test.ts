import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, client, problemOf, startTestPlatform, walk } from './harness.ts';

const DAY = '2026-10-25';
const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const PATH = '/operator/v1/transactions';

const first = await world.pair();
const second = await world.pair();
const contract = await world.contract(first.producer, first.consumer, {
  assetUuid: (await world.asset()).uuid,
});
const foreign = await world.contract(second.producer, second.consumer);
await world.volumes(contract, DAY, 250);
await world.volumes(foreign, DAY, 500);

const list = (query: string) => walk(operator, `${PATH}?${query}`, 'transactions', 100);
const at = async (slot: number, of = contract) =>
  (
    await list(`contract_id=${of.id}&delivery_date=${DAY}&slot_number_from=${slot}&slot_number_to=${slot}`)
  ).at(-1);
const invalidate = (id: string, body: unknown = { reason: 'meter replaced' }) =>
  operator.post(`${PATH}/${id}/invalidate`, body);

test('the operator’s list has the transactions of all BRPs, in one order', async () => {
  const all = await list(`delivery_date=${DAY}`);
  assert.equal(all.length, 200);
  for (const pair of [first, second]) {
    const seen = await walk(
      client(platform.baseUrl, pair.seller.key),
      '/v1/transactions',
      'transactions',
      100,
    );
    assert.deepEqual(
      all.filter((transaction) => transaction.sender.eic === pair.sellerGroup.eic),
      seen.map((transaction: object) => ({ ...transaction, invalid_reason: null, source: null })),
    );
  }
});

test('the operator’s list has the filters of the BRP’s list', async () => {
  assert.equal((await list(`sender_eic=${second.sellerGroup.eic}`)).length, 100);
  assert.equal((await list(`receiver_eic=${first.buyerGroup.eic}&slot_number_to=4`)).length, 4);
  assert.equal(
    (await list(`sender_eic=${second.sellerGroup.eic}&receiver_eic=${first.buyerGroup.eic}`)).length,
    0,
  );
  assert.equal((await list('contract_id=x')).length, 0);
  assert.equal((await list('status=superseded')).length, 0);
  const { body } = await operator(`${PATH}?include_assets=true&limit=1`);
  assert.equal(body.assets.length, 1);
});

test('an invalidated transaction is invalid for its parties and counts in no nomination', async () => {
  const before = await at(3);
  const answer = await invalidate(before.id);
  assert.deepEqual(
    [answer.status, answer.body],
    [200, { ...before, status: 'invalid', invalid_reason: 'meter replaced' }],
  );
  assert.deepEqual(await list('status=invalid'), [answer.body]);
  const buyer = client(platform.baseUrl, first.buyer.key);
  assert.equal((await buyer(`/v1/transactions/${before.id}`)).body.status, 'invalid');
  await world.nominate();
  const { body } = await buyer(`/v1/nominations?delivery_date=${DAY}&include_slots=true`);
  const amounts = body.nominations[0].slots.map((slot: { amount: number }) => slot.amount);
  assert.deepEqual(amounts.slice(1, 4), [0.25, 0, 0.25]);
});

test('only a valid transaction can be invalidated, and the problem names its status', async () => {
  const { id } = await at(5);
  assert.equal((await invalidate(id)).status, 200);
  const again = await invalidate(id);
  assertProblem(again, 409, 'invalid_status_transition');
  assert.match(again.body.detail, /is invalid/);
  await world.volumes(contract, DAY, Array.from<number | null>({ length: 100 }).fill(null).with(4, 250));
  const superseded = await invalidate(id);
  assertProblem(superseded, 409, 'invalid_status_transition');
  assert.match(superseded.body.detail, /is superseded/);
  const renewed = await at(5);
  assert.deepEqual(
    [renewed.version, renewed.status],
    [2, 'valid'],
    'the same volume written again is valid again',
  );
  assert.equal((await invalidate(renewed.id)).status, 200);
});

test('of two concurrent invalidations of a transaction one succeeds', async () => {
  const { id } = await at(9);
  const answers = await Promise.all([1, 2, 3, 4].map(() => invalidate(id)));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409, 409, 409],
  );
});

test('an unknown transaction is 404, and a reason is required', async () => {
  const { id } = await at(11);
  const noSlot = `${id.slice(0, -2)}zz`;
  for (const unknown of ['txn_x', 'x', '%00', noSlot, 'txn_01jhm4q7sqe8h9w3tb5k2x0rax'])
    assertProblem(await invalidate(unknown), 404, 'transaction_not_found');
  for (const [body, error] of [
    [{}, 'reason required'],
    [{ reason: '' }, 'reason value_too_small'],
    [{ reason: 'x'.repeat(501) }, 'reason value_too_large'],
    [{ reason: null }, 'reason invalid_type'],
    [{ reason: 'a\0' }, 'reason invalid_format'],
  ] as const) {
    assert.deepEqual(problemOf(await invalidate(id, body)), { code: 'validation', errors: [error] });
  }
  assert.equal((await at(11)).status, 'valid');
});
