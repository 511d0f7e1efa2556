import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperatorTransaction, Transaction } from '@saldo/api';
import { addDays, dayEnd, formatInstant } from '@saldo/core/delivery-day.ts';
import {
  type Answer,
  assertProblem,
  bodyOf,
  type Client,
  client,
  startTestPlatform,
  walk,
} from './harness.ts';
import { amountsOf, flat, listNominated } from './nominated.ts';
import type { WorldBrp, WorldContract, WorldCustomer } from './world.ts';

/** 11:00 in Germany, before the gate of the next day. */
const MORNING = '2026-10-20T09:00:00Z';
const TODAY = '2026-10-20';
const TOMORROW = '2026-10-21';

const platform = await startTestPlatform({ now: MORNING });
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());

const asBrp = ({ key }: WorldBrp): Client => client(platform.baseUrl, key);
const setStatus = async (brp: WorldBrp, { id }: WorldCustomer, status: string): Promise<void> => {
  const answer = await asBrp(brp).patch(`/v1/customers/${id}`, { status });
  assert.equal(answer.status, 200, answer.text);
};
const put = ({ id }: WorldContract, day: string, mwh = 1): Promise<Answer> =>
  operator.put(`/operator/v1/contracts/${id}/days/${day}`, { volumes: flat(day, mwh) });
/** Statuses of the first slot, by version. */
const slotOf = async (brp: WorldBrp, { id }: WorldContract, day: string): Promise<string[]> => {
  const path = `/v1/contracts/${id}/transactions?delivery_date=${day}&slot_number_to=1`;
  const found: Transaction[] = await walk(asBrp(brp), path, 'transactions', 100);
  return found.map(({ version, status }) => `${version} ${status}`);
};
const statusOf = async (brp: WorldBrp, { id }: WorldContract): Promise<string> =>
  (await asBrp(brp)(`/v1/contracts/${id}`)).body.status;
const nominated = async (brp: WorldBrp, day: string) =>
  (await listNominated(asBrp(brp), `&delivery_date=${day}`))
    .filter(({ status }) => status !== 'superseded')
    .map((one) => `${one.direction} ${amountsOf(one)[0]}`);

/** Per day the kWh that the seller delivers and the buyer takes, which are the same in every slot. */
async function nominatedSums(seller: WorldBrp, buyer: WorldBrp, days: readonly string[]): Promise<number[]> {
  await world.nominate();
  const sums: number[] = [];
  for (const day of days) {
    const [out, taken] = await Promise.all(
      [seller, buyer].map(async (brp) => {
        const all = await listNominated(asBrp(brp), `&delivery_date=${day}`);
        return all.filter(({ status }) => status !== 'superseded').map(amountsOf);
      }),
    );
    assert.deepEqual(out, taken);
    sums.push((out ?? []).flat().reduce((sum, kwh) => sum + kwh, 0));
  }
  return sums;
}

async function makeMarket(status: 'pending' | 'active' = 'active') {
  const [seller, buyer] = [await world.brp(), await world.brp()];
  const [group, buyerGroup] = [await world.group(seller), await world.group(buyer)];
  const producer = await world.customer(seller, { name: 'Windpark', status, group });
  const consumer = await world.customer(buyer, { name: 'Stadtwerke', status, group: buyerGroup });
  const contract = await world.contract(producer, consumer, { isActivated: false });
  return { seller, buyer, producer, consumer, contract };
}

test('a contract is pending and takes no volumes until both customers were activated', async () => {
  const { seller, buyer, producer, consumer, contract } = await makeMarket('pending');
  const refusal = await put(contract, TOMORROW);
  assertProblem(refusal, 409, 'customer_not_active');
  const names = await Promise.all(
    [seller, buyer].map(async ({ id }) => (await operator(`/operator/v1/brps/${id}`)).body.name),
  );
  for (const part of ['Windpark is pending', `BRP ${names[0]}`, 'Stadtwerke is pending', `BRP ${names[1]}`])
    assert.ok(refusal.body.detail.includes(part), refusal.body.detail);
  const line = `${contract.id},${TOMORROW},1,1`;
  const imported = await operator.post(
    '/operator/v1/volumes',
    Buffer.from(`contract,delivery_date,slot,volume\n${line}\n`),
    { headers: { 'content-type': 'text/csv' } },
  );
  const [rejected] = imported.body.rejected;
  assert.deepEqual([rejected.line, rejected.code, imported.body.created], [2, 'customer_not_active', 0]);
  assert.match(rejected.message, /Windpark is pending/);

  await setStatus(seller, producer, 'active');
  assert.equal(await statusOf(seller, contract), 'pending');
  const half = await put(contract, TOMORROW);
  assertProblem(half, 409, 'customer_not_active');
  assert.ok(!half.body.detail.includes('Windpark'), half.body.detail);
  const filtered = (status: string) => walk(asBrp(seller), `/v1/contracts?status=${status}`, 'contracts', 10);
  assert.equal((await filtered('pending')).length, 1);

  await setStatus(buyer, consumer, 'active');
  assert.equal(await statusOf(seller, contract), 'in_progress');
  assert.deepEqual([(await filtered('pending')).length, (await filtered('in_progress')).length], [0, 1]);
  assert.equal((await put(contract, TOMORROW)).status, 200);
  assert.equal((await put(contract, '2026-01-01')).status, 200, 'days before the activation too');
});

test('activations of both customers at the same time start the contract', async () => {
  for (let round = 0; round < 10; round++) {
    const { seller, buyer, producer, consumer, contract } = await makeMarket('pending');
    await Promise.all([setStatus(seller, producer, 'active'), setStatus(buyer, consumer, 'active')]);
    assert.equal(await statusOf(seller, contract), 'in_progress');
    assert.equal((await put(contract, TOMORROW)).status, 200);
  }
});

test('a deactivation invalidates from the effective day on; earlier days can still be corrected', async () => {
  for (const [now, first] of [
    ['2026-10-20T12:29:59Z', '2026-10-21'],
    ['2026-10-20T12:30:00Z', '2026-10-22'],
  ] as const) {
    platform.clock.set(MORNING);
    const { seller, buyer, consumer, contract } = await makeMarket();
    const days = [TODAY, '2026-10-21', '2026-10-22'];
    for (const day of days) assert.equal((await put(contract, day)).status, 200);
    await world.nominate();
    platform.clock.set(now);
    await setStatus(buyer, consumer, 'deactivated');
    await world.nominate();
    for (const day of days) {
      const isOver = day >= first;
      assert.deepEqual(await slotOf(seller, contract, day), [isOver ? '1 invalid' : '1 valid'], day);
      assert.deepEqual(await nominated(seller, day), [isOver ? 'out 0' : 'out 1000']);
      assert.deepEqual(await nominated(buyer, day), [isOver ? 'in 0' : 'in 1000']);
      const answer = await put(contract, day, 2);
      if (isOver) assertProblem(answer, 409, 'customer_not_active');
      else assert.equal(answer.body.corrected, 96, answer.text);
    }
    assert.equal(await statusOf(seller, contract), 'in_progress', 'it follows from dates and activation');
  }
  platform.clock.set(MORNING);
});

test('the operator sees why a transaction is invalid; a BRP sees that it is', async () => {
  const { seller, producer, contract } = await makeMarket();
  for (const day of [TODAY, TOMORROW]) await put(contract, day);
  const list = async (query: string): Promise<OperatorTransaction[]> =>
    (await operator(`/operator/v1/transactions?contract_id=${contract.id}&${query}`)).body.transactions;
  const reasonsOf = async (query: string) =>
    (await list(query)).map(({ status, invalid_reason: reason }) => [status, reason]);
  const [first, second] = await list(`delivery_date=${TODAY}&limit=2`);
  assert.deepEqual([first?.invalid_reason, second?.invalid_reason], [null, null]);
  const reason = 'Zähler „7“ getauscht\n\\o/ 😀';
  const invalidated = await operator.post(`/operator/v1/transactions/${second?.id}/invalidate`, { reason });
  assert.deepEqual([invalidated.body.status, invalidated.body.invalid_reason], ['invalid', reason]);
  await setStatus(seller, producer, 'deactivated');
  const today = await reasonsOf(`delivery_date=${TODAY}&limit=3`);
  assert.deepEqual(today, [
    ['valid', null],
    ['invalid', reason],
    ['valid', null],
  ]);
  const tomorrow = await reasonsOf(`delivery_date=${TOMORROW}&limit=100`);
  assert.equal(tomorrow.length, 96);
  assert.deepEqual(
    tomorrow,
    tomorrow.map(() => ['invalid', 'customer_deactivated']),
  );
  assert.deepEqual(await reasonsOf(`status=invalid&limit=2`), [
    ['invalid', reason],
    ['invalid', 'customer_deactivated'],
  ]);
  const seen = (await asBrp(seller)(`/v1/transactions/${second?.id}`)).body;
  assert.deepEqual([seen.status, 'invalid_reason' in seen], ['invalid', false]);
  await setStatus(seller, producer, 'active');
  assert.deepEqual(await reasonsOf(`delivery_date=${TOMORROW}&limit=2`), [
    ['superseded', null],
    ['valid', null],
  ]);
});

test('a reactivation restores what the deactivation had made invalid, and nothing else', async () => {
  const { seller, producer, contract } = await makeMarket();
  const days = Array.from({ length: 4 }, (_, at) => addDays(TOMORROW, at));
  for (const day of days) await put(contract, day);
  const path = `/v1/contracts/${contract.id}/transactions?delivery_date=${days[3]}&slot_number_to=1`;
  const [bad] = (await asBrp(seller)(path)).body.transactions;
  // The operator may use the same words: only the deactivation of a customer counts.
  await world.invalidate(bad.id, 'customer_deactivated');
  await world.nominate();
  await setStatus(seller, producer, 'deactivated');
  platform.clock.set('2026-10-21T12:30:00Z');
  await setStatus(seller, producer, 'active');
  await world.nominate();
  const slots = [];
  for (const day of days) slots.push(await slotOf(seller, contract, day));
  assert.deepEqual(slots, [['1 invalid'], ['1 invalid'], ['1 superseded', '2 valid'], ['1 invalid']]);
  assert.deepEqual(await nominated(seller, days[2] ?? ''), ['out 1000']);
  assert.equal((await put(contract, days[0] ?? '', 3)).status, 200, 'an active customer can be corrected');
  platform.clock.set(MORNING);
});

test('volumes stay invalid as long as one of two deactivated customers is', async () => {
  const { seller, buyer, producer, consumer, contract } = await makeMarket();
  await put(contract, TOMORROW);
  await setStatus(seller, producer, 'deactivated');
  await setStatus(buyer, consumer, 'deactivated');
  await setStatus(seller, producer, 'active');
  assert.deepEqual(await slotOf(seller, contract, TOMORROW), ['1 invalid']);
  const refusal = await put(contract, TOMORROW, 2);
  assertProblem(refusal, 409, 'customer_not_active');
  assert.ok(!refusal.body.detail.includes('Windpark'), refusal.body.detail);
  await setStatus(buyer, consumer, 'active');
  assert.deepEqual(await slotOf(seller, contract, TOMORROW), ['1 superseded', '2 valid']);
  assert.equal((await put(contract, TOMORROW, 2)).status, 200);
});

test('a contract that ended meanwhile is not restored after its end', async () => {
  const { seller, producer, contract } = await makeMarket();
  for (const day of [TOMORROW, '2026-10-22']) await put(contract, day);
  await setStatus(seller, producer, 'deactivated');
  const body = { delivery_end: '2026-10-21T22:00:00Z' };
  await operator.patch(`/operator/v1/contracts/${contract.id}`, body);
  await setStatus(seller, producer, 'active');
  assert.deepEqual(await slotOf(seller, contract, TOMORROW), ['1 superseded', '2 valid']);
  assert.deepEqual(await slotOf(seller, contract, '2026-10-22'), ['1 invalid']);
});

test('an end that moves later brings back what a deactivation or an earlier end had made invalid', async () => {
  const days = Array.from({ length: 4 }, (_, at) => addDays(TOMORROW, at));
  const dayOf = (at: number) => days[at] ?? '';
  const { seller, buyer, producer, contract } = await makeMarket();
  const moveEnd = (last: string) =>
    bodyOf(
      operator.patch(`/operator/v1/contracts/${contract.id}`, { delivery_end: formatInstant(dayEnd(last)) }),
    );
  const invalidateFirst = async (day: string) => {
    const path = `/v1/contracts/${contract.id}/transactions?delivery_date=${day}&slot_number_to=1`;
    const [{ id }] = (await asBrp(seller)(path)).body.transactions;
    // The operator may use the same words: only the end of the contract counts.
    await world.invalidate(id, 'contract ended');
  };
  const slots = () => Promise.all(days.map((day) => slotOf(seller, contract, day)));

  for (const day of days) await put(contract, day);
  await invalidateFirst(dayOf(3));
  await moveEnd(TODAY);
  assert.deepEqual(
    await slots(),
    days.map(() => ['1 invalid']),
  );
  await moveEnd(dayOf(2));
  const restored = ['1 superseded', '2 valid'];
  assert.deepEqual(await slots(), [restored, restored, restored, ['1 invalid']]);
  await moveEnd(dayOf(3));
  assert.deepEqual(await slots(), [restored, restored, restored, ['1 invalid']], 'the operator had done it');
  assert.deepEqual(await nominatedSums(seller, buyer, days), [96_000, 96_000, 96_000, 95_000]);

  await setStatus(seller, producer, 'deactivated');
  await moveEnd(TODAY);
  platform.clock.set('2026-10-20T12:30:00Z');
  await setStatus(seller, producer, 'active');
  const invalid = ['1 superseded', '2 invalid'];
  assert.deepEqual(await slots(), [invalid, invalid, invalid, ['1 invalid']]);
  await moveEnd(dayOf(3));
  const again = ['1 superseded', '2 superseded', '3 valid'];
  assert.deepEqual(await slots(), [invalid, again, again, ['1 invalid']], 'from the reactivation on');
  assert.deepEqual(await nominatedSums(seller, buyer, days), [0, 96_000, 96_000, 95_000]);
  platform.clock.set(MORNING);
});

test('what an earlier end had made invalid stays so while a customer is deactivated, and comes back with it', async () => {
  const { seller, producer, contract } = await makeMarket();
  const moveEnd = (last: string) =>
    bodyOf(
      operator.patch(`/operator/v1/contracts/${contract.id}`, { delivery_end: formatInstant(dayEnd(last)) }),
    );
  for (const day of [TODAY, TOMORROW]) await put(contract, day);
  await moveEnd('2026-10-19');
  await setStatus(seller, producer, 'deactivated');
  await moveEnd(TOMORROW);
  const restored = ['1 superseded', '2 valid'];
  assert.deepEqual(await slotOf(seller, contract, TODAY), restored, 'the deactivation does not concern it');
  assert.deepEqual(await slotOf(seller, contract, TOMORROW), ['1 invalid']);
  await setStatus(seller, producer, 'active');
  assert.deepEqual(await slotOf(seller, contract, TOMORROW), restored);
});

test('volumes that come back with a later end belong to the balance group that is in force on their day', async () => {
  const { seller, buyer, producer, contract } = await makeMarket();
  const { eic } = await world.group(seller, ['DE_TENNET']);
  const days = [TODAY, TOMORROW];
  const moveEnd = (last: string) =>
    bodyOf(
      operator.patch(`/operator/v1/contracts/${contract.id}`, { delivery_end: formatInstant(dayEnd(last)) }),
    );
  for (const day of days) await put(contract, day);
  await moveEnd('2026-10-19');
  const balance_group = { eic, tso: 'DE_TENNET' };
  await bodyOf(asBrp(seller).patch(`/v1/customers/${producer.id}`, { balance_group }));
  await moveEnd(TOMORROW);
  const path = `/v1/contracts/${contract.id}/transactions?status=valid&slot_number_to=1`;
  const { transactions } = await bodyOf(asBrp(seller)(path));
  const senders = transactions.map(({ version, sender }: Transaction) => [version, sender.eic === eic]);
  assert.deepEqual(senders, [
    [2, false],
    [2, true],
  ]);
  assert.deepEqual(await nominatedSums(seller, buyer, [TOMORROW]), [96_000]);
});

test('a move and a change of status in one request are one change', async () => {
  const { seller, producer, contract } = await makeMarket();
  const { eic } = await world.group(seller, ['DE_TENNET']);
  const patch = (body: object) => asBrp(seller).patch(`/v1/customers/${producer.id}`, body);
  const balance_group = { eic, tso: 'DE_TENNET' };
  await put(contract, TOMORROW);
  assert.equal((await patch({ status: 'deactivated', balance_group })).status, 200);
  assert.deepEqual(await slotOf(seller, contract, TOMORROW), ['1 invalid']);
  assert.equal((await patch({ status: 'active' })).status, 200);
  assert.deepEqual(await slotOf(seller, contract, TOMORROW), ['1 superseded', '2 valid']);
  const path = `/v1/contracts/${contract.id}/transactions?status=valid&limit=1`;
  assert.equal((await asBrp(seller)(path)).body.transactions[0].sender.eic, eic);
});

test('profile contracts of inactive customers make no volumes', async () => {
  const { producer, seller, consumer } = await makeMarket('pending');
  const made = await operator.post('/operator/v1/contracts', {
    external_id: 'RESTING',
    type: 'ppa',
    ppa_type: 'baseload',
    seller_customer_id: producer.id,
    buyer_customer_id: consumer.id,
    delivery_start: '2025-12-31T23:00:00Z',
    delivery_end: '2026-12-31T23:00:00Z',
    profile: { power: 4 },
  });
  assert.equal(made.status, 201, made.text);
  const run = async () => (await operator.post('/operator/v1/profiles/run', { days: 3 })).body.days;
  assert.equal(await run(), 0);
  await operator.patch(`/operator/v1/customers/${consumer.id}`, { status: 'active' });
  assert.equal(await run(), 0);
  await setStatus(seller, producer, 'active');
  platform.clock.set('2026-10-20T12:30:00Z');
  await setStatus(seller, producer, 'deactivated');
  assert.equal(await run(), 1, 'the day before the deactivation');
  assert.equal(await run(), 0);
  await setStatus(seller, producer, 'active');
  assert.equal(await run(), 2);
  platform.clock.set(MORNING);
});

test('a customer that is created active takes volumes at once', async () => {
  const { seller, producer } = await makeMarket();
  const { eic } = await world.group(seller);
  const body = {
    brp_id: seller.id,
    name: 'Active',
    status: 'active',
    balance_group: { eic, tso: 'DE_AMPRION' },
  };
  const created = await operator.post('/operator/v1/customers', body);
  assert.deepEqual([created.status, created.body.status], [201, 'active'], created.text);
  assert.equal(created.body.activated_at, created.body.created_at);
  const contract = await operator.post('/operator/v1/contracts', {
    external_id: 'AT-ONCE',
    type: 'ppa',
    seller_customer_id: created.body.id,
    buyer_customer_id: producer.id,
    delivery_start: '2025-12-31T23:00:00Z',
    delivery_end: '2026-12-31T23:00:00Z',
  });
  assert.equal(contract.body.status, 'in_progress', contract.text);
  assert.equal((await put(contract.body, TOMORROW)).status, 200);
});
