import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Placement, Transaction, Tso } from '@saldo/api';
import { addDays } from '@saldo/core/delivery-day.ts';
import pg from 'pg';
import { untilBlocked } from './blocked.ts';
import {
  type Answer,
  assertProblem,
  assertRefused,
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
const patch = (brp: WorldBrp, { id }: WorldCustomer, body: unknown): Promise<Answer> =>
  asBrp(brp).patch(`/v1/customers/${id}`, body);
const patchAsOperator = ({ id }: WorldCustomer, body: unknown): Promise<Answer> =>
  operator.patch(`/operator/v1/customers/${id}`, body);
const preview = (brp: WorldBrp, { id }: WorldCustomer, body: unknown): Promise<Answer> =>
  asBrp(brp).post(`/v1/customers/${id}/preview`, body);
const placementsOf = async (brp: WorldBrp, { id }: WorldCustomer): Promise<Placement[]> =>
  (await asBrp(brp)(`/v1/customers/${id}/placements`)).body.placements;
const transactionsOf = (request: Client, { id }: WorldContract, query: string): Promise<Transaction[]> =>
  walk(request, `/v1/contracts/${id}/transactions?${query}`, 'transactions', 100);
const succeed = (answer: Answer): Answer => {
  assert.equal(answer.status, 200, answer.text);
  return answer;
};

/** A seller with two balance groups, a buyer, and a contract with 0.25 MWh in every slot of these days. */
async function makeMarket(days: readonly string[]) {
  const [seller, buyer] = [await world.brp(), await world.brp()];
  const oldGroup = await world.group(seller);
  const newGroup = await world.group(seller, ['DE_AMPRION', 'DE_TENNET']);
  const buyerGroup = await world.group(buyer);
  const producer = await world.customer(seller, { status: 'active', group: oldGroup });
  const consumer = await world.customer(buyer, { status: 'active', group: buyerGroup });
  const contract = await world.contract(producer, consumer);
  for (const day of days) await world.volumes(contract, day, 250);
  await world.nominate();
  return { seller, buyer, oldGroup, newGroup, buyerGroup, producer, consumer, contract };
}

/** Current nominations of a BRP as direction, kWh of the first slot, and version. */
const nominated = async (brp: WorldBrp, eic: string, day: string) => {
  const all = await listNominated(asBrp(brp), `&eic=${eic}&delivery_date=${day}`);
  return all
    .filter(({ status }) => status !== 'superseded')
    .map((one) => `${one.direction} ${amountsOf(one)[0]} v${one.version}`);
};

const moveTo = (eic: string, tso: Tso = 'DE_AMPRION') => ({ balance_group: { eic, tso } });

test('a move applies to tomorrow before the gate, and to the day after from the gate on', async () => {
  for (const [now, first] of [
    ['2026-10-20T12:29:59Z', '2026-10-21'],
    ['2026-10-20T12:30:00Z', '2026-10-22'],
    ['2026-10-20T21:59:59Z', '2026-10-22'],
    ['2026-10-20T22:00:00Z', '2026-10-22'],
  ] as const) {
    platform.clock.set(MORNING);
    const days = [TODAY, '2026-10-21', '2026-10-22'];
    const { seller, oldGroup, newGroup, producer, contract } = await makeMarket(days);
    platform.clock.set(now);
    succeed(await patch(seller, producer, moveTo(newGroup.eic)));
    await world.nominate();
    assert.deepEqual(await placementsOf(seller, producer), [
      { balance_group: { eic: newGroup.eic, tso: 'DE_AMPRION' }, first_day: first, last_day: null },
      {
        balance_group: { eic: oldGroup.eic, tso: 'DE_AMPRION' },
        first_day: null,
        last_day: addDays(first, -1),
      },
    ]);
    for (const day of days) {
      const isMoved = day >= first;
      const valid = await transactionsOf(asBrp(seller), contract, `delivery_date=${day}&status=valid`);
      assert.equal(valid.length, 96);
      const eics = new Set(valid.map(({ sender }) => sender.eic));
      assert.deepEqual([...eics], [isMoved ? newGroup.eic : oldGroup.eic], `${day} moved at ${now}`);
      assert.deepEqual(await nominated(seller, oldGroup.eic, day), [isMoved ? 'out 0 v2' : 'out 250 v1']);
      assert.deepEqual(await nominated(seller, newGroup.eic, day), isMoved ? ['out 250 v1'] : []);
    }
  }
  platform.clock.set(MORNING);
});

test('moved transactions are corrections: same volumes, next version, linked to the superseded one', async () => {
  const { seller, buyer, oldGroup, newGroup, buyerGroup, producer, contract } = await makeMarket([TOMORROW]);
  const volumes = flat(TOMORROW, 250).map((kwh, at) => (at === 4 ? 500 : kwh));
  await world.volumes(contract, TOMORROW, volumes);
  const before = await transactionsOf(asBrp(buyer), contract, 'status=valid');
  succeed(await patch(seller, producer, moveTo(newGroup.eic, 'DE_TENNET')));
  const after = await transactionsOf(asBrp(buyer), contract, 'status=valid');
  assert.deepEqual(
    after,
    before.map((old, at) => ({
      ...old,
      id: after[at]?.id,
      version: at === 4 ? 3 : 2,
      previous_transaction_id: old.id,
      sender: { ...old.sender, eic: newGroup.eic, tso: 'DE_TENNET' },
      created_at: after[at]?.created_at,
    })),
  );
  const superseded = await transactionsOf(asBrp(buyer), contract, 'status=superseded');
  assert.equal(superseded.length, 97);
  assert.ok(superseded.every(({ sender }) => sender.eic === oldGroup.eic));
  const history = await asBrp(buyer)(`/v1/transactions/${after[4]?.id}/history`);
  assert.deepEqual(
    history.body.transactions.map(({ version, sender, volume }: Transaction) => [
      version,
      sender.tso,
      volume,
    ]),
    [
      [3, 'DE_TENNET', 0.5],
      [2, 'DE_AMPRION', 0.5],
      [1, 'DE_AMPRION', 0.25],
    ],
  );
  await world.nominate();
  assert.deepEqual(await nominated(buyer, buyerGroup.eic, TOMORROW), ['in 250 v2'], 'the buyer is not moved');
});

test('earlier days stay as they are, to the byte', async () => {
  const days = ['2026-10-18', TODAY];
  const { seller, buyer, oldGroup, newGroup, producer, contract } = await makeMarket([...days, TOMORROW]);
  const read = async () => {
    const texts = [];
    for (const request of [asBrp(seller), asBrp(buyer), operator]) {
      const base = request === operator ? '/operator/v1' : '/v1';
      for (const day of days) {
        const query = `contract_id=${contract.id}&delivery_date=${day}&limit=100`;
        texts.push((await request(`${base}/transactions?${query}`)).text);
        texts.push((await request(`${base}/nominations?eic=${oldGroup.eic}&delivery_date=${day}`)).text);
      }
    }
    return texts;
  };
  const before = await read();
  succeed(await patch(seller, producer, moveTo(newGroup.eic)));
  await world.nominate();
  assert.deepEqual(await read(), before);
});

test('volumes use the placement of their day, whenever they are written', async () => {
  const { seller, newGroup, oldGroup, producer, contract } = await makeMarket([]);
  succeed(await patch(seller, producer, moveTo(newGroup.eic)));
  const days = ['2026-10-19', TODAY, TOMORROW, '2026-12-31'];
  const csv = days.map((day) => `${contract.id},${day},1,0.5`).join('\n');
  const sent = await operator.post(
    '/operator/v1/volumes',
    Buffer.from(`contract,delivery_date,slot,volume\n${csv}\n`),
    { headers: { 'content-type': 'text/csv' } },
  );
  assert.equal(sent.body.created, 4, sent.text);
  for (const day of days) {
    const path = `/operator/v1/contracts/${contract.id}/days/${day}`;
    succeed(await operator.put(path, { volumes: flat(day, 1) }));
    const transactions = await transactionsOf(asBrp(seller), contract, `delivery_date=${day}`);
    const eics = new Set(transactions.map(({ sender }) => sender.eic));
    assert.deepEqual([...eics], [day < TOMORROW ? oldGroup.eic : newGroup.eic], day);
  }
});

test('a new contract of a moved customer uses the earlier placement for earlier days', async () => {
  const { seller, newGroup, oldGroup, producer, consumer } = await makeMarket([]);
  succeed(await patch(seller, producer, moveTo(newGroup.eic)));
  const contract = await world.contract(producer, consumer);
  for (const day of [TODAY, TOMORROW]) await world.volumes(contract, day, 250);
  const [today] = await transactionsOf(asBrp(seller), contract, `delivery_date=${TODAY}`);
  const [tomorrow] = await transactionsOf(asBrp(seller), contract, `delivery_date=${TOMORROW}`);
  assert.deepEqual([today?.sender.eic, tomorrow?.sender.eic], [oldGroup.eic, newGroup.eic]);
});

test('the same group again changes nothing, a second change replaces the first, a return cancels it', async () => {
  const { seller, oldGroup, newGroup, producer, contract } = await makeMarket([TOMORROW]);
  const versions = async () =>
    (await transactionsOf(asBrp(seller), contract, 'slot_number_to=1')).map(
      ({ version, status, sender }) => `${version} ${status} ${sender.tso} ${sender.eic}`,
    );
  const before = await versions();
  succeed(await patch(seller, producer, moveTo(oldGroup.eic)));
  assert.deepEqual(await versions(), before);
  assert.equal((await placementsOf(seller, producer)).length, 1);

  succeed(await patch(seller, producer, moveTo(newGroup.eic)));
  succeed(await patch(seller, producer, moveTo(newGroup.eic, 'DE_TENNET')));
  const placements = await placementsOf(seller, producer);
  assert.deepEqual(
    placements.map(({ balance_group, first_day }) => [balance_group.tso, first_day]),
    [
      ['DE_TENNET', TOMORROW],
      ['DE_AMPRION', null],
    ],
  );
  succeed(await patch(seller, producer, moveTo(oldGroup.eic)));
  assert.deepEqual(await placementsOf(seller, producer), [
    { balance_group: { eic: oldGroup.eic, tso: 'DE_AMPRION' }, first_day: null, last_day: null },
  ]);
  assert.deepEqual(await versions(), [
    `1 superseded DE_AMPRION ${oldGroup.eic}`,
    `2 superseded DE_AMPRION ${newGroup.eic}`,
    `3 superseded DE_TENNET ${newGroup.eic}`,
    `4 valid DE_AMPRION ${oldGroup.eic}`,
  ]);
  await world.nominate();
  assert.deepEqual(await nominated(seller, oldGroup.eic, TOMORROW), ['out 250 v1']);
});

test('a move makes no invalid transaction valid, and a correction of it uses the new placement', async () => {
  const { seller, oldGroup, newGroup, producer, contract } = await makeMarket([TOMORROW]);
  const [first] = await transactionsOf(asBrp(seller), contract, 'slot_number_to=1');
  await world.invalidate(first?.id ?? '');
  succeed(await patch(seller, producer, moveTo(newGroup.eic)));
  const slot = () => transactionsOf(asBrp(seller), contract, 'slot_number_to=1');
  assert.deepEqual(
    (await slot()).map(({ status, sender }) => [status, sender.eic]),
    [['invalid', oldGroup.eic]],
  );
  await world.volumes(contract, TOMORROW, flat(TOMORROW, 250));
  assert.deepEqual(
    (await slot()).map(({ status, sender }) => [status, sender.eic]),
    [
      ['superseded', oldGroup.eic],
      ['valid', newGroup.eic],
    ],
  );
});

test('a nomination of the old position explains what is left, one of the new position what came', async () => {
  const { seller, oldGroup, newGroup, producer, contract } = await makeMarket([TOMORROW]);
  succeed(await patch(seller, producer, moveTo(newGroup.eic)));
  await world.nominate();
  const [valid] = await transactionsOf(asBrp(seller), contract, 'status=valid');
  for (const [eic, wanted] of [
    [oldGroup.eic, [undefined, valid?.previous_transaction_id]],
    [newGroup.eic, [valid?.id]],
  ] as const) {
    const versions = await listNominated(asBrp(seller), `&eic=${eic}`);
    const explained = [];
    for (const { id } of versions.toSorted((one, other) => other.version - one.version)) {
      const { slots } = succeed(await asBrp(seller)(`/v1/nominations/${id}/explanation`)).body;
      explained.push(slots[0].transactions[0]?.id);
    }
    assert.deepEqual(explained, wanted);
  }
});

test('with a customer, another BRP gets its contracts; the old one goes on seeing what it was part of', async () => {
  const { seller, buyer, oldGroup, producer, contract } = await makeMarket([TODAY, TOMORROW]);
  const next = await world.brp();
  const nextGroup = await world.group(next);
  const seenBy = async (brp: WorldBrp) => {
    const contracts = await walk(asBrp(brp), '/v1/contracts', 'contracts', 100);
    const listed = contracts.some(({ id }: { id: string }) => id === contract.id);
    const { status } = await asBrp(brp)(`/v1/contracts/${contract.id}`);
    assert.equal(listed, status === 200, 'a listed contract can be read');
    return listed;
  };
  assert.deepEqual([await seenBy(seller), await seenBy(next)], [true, false]);
  assertRefused(await patchAsOperator(producer, { brp_id: next.id }), 'balance_group required');
  const move = { brp_id: next.id, ...moveTo(nextGroup.eic) };
  const moved = succeed(await patchAsOperator(producer, move)).body;
  assert.deepEqual([moved.brp_id, moved.balance_group.eic], [next.id, nextGroup.eic]);
  assert.deepEqual([await seenBy(seller), await seenBy(next), await seenBy(buyer)], [true, true, true]);
  assert.equal((await asBrp(seller)(`/v1/customers/${producer.id}`)).status, 404);
  assert.equal((await asBrp(seller)(`/v1/customers/${producer.id}/placements`)).status, 404);
  for (const path of ['/v1/transactions', `/v1/contracts/${contract.id}/transactions`]) {
    const statuses = async (brp: WorldBrp, filter = '') =>
      (await walk(asBrp(brp), `${path}?slot_number_to=1${filter}`, 'transactions', 100)).map(
        ({ delivery_start, status }: Transaction) => `${delivery_start.slice(0, 10)} ${status}`,
      );
    assert.deepEqual(await statuses(seller), ['2026-10-19 valid', '2026-10-20 superseded'], path);
    assert.deepEqual(await statuses(next), ['2026-10-20 valid'], path);
    assert.deepEqual(
      await statuses(buyer),
      ['2026-10-19 valid', '2026-10-20 superseded', '2026-10-20 valid'],
      path,
    );
    for (const brp of [seller, buyer])
      assert.deepEqual(await statuses(brp, '&status=superseded'), ['2026-10-20 superseded'], path);
    assert.deepEqual(await statuses(next, '&status=superseded'), [], path);
  }
  const [mine] = await transactionsOf(asBrp(next), contract, '');
  const history = await asBrp(next)(`/v1/transactions/${mine?.id}/history`);
  assert.equal(history.body.transactions.length, 1, 'versions of the old BRP are not shown');
  await world.nominate();
  assert.deepEqual(await nominated(seller, oldGroup.eic, TOMORROW), ['out 0 v2']);
  assert.deepEqual(await nominated(next, nextGroup.eic, TOMORROW), ['out 250 v1']);
});

test('a BRP that had a part in no day of a contract does not see it', async () => {
  const { seller, producer, consumer } = await makeMarket([]);
  const next = await world.brp();
  const nextGroup = await world.group(next);
  const later = await world.contract(producer, consumer, { first: '2026-11-01', last: '2026-12-31' });
  succeed(await patchAsOperator(producer, { brp_id: next.id, ...moveTo(nextGroup.eic) }));
  assert.equal((await asBrp(seller)(`/v1/contracts/${later.id}`)).status, 404);
  assert.equal((await asBrp(next)(`/v1/contracts/${later.id}`)).status, 200);
  const listed = await walk(asBrp(seller), '/v1/contracts', 'contracts', 100);
  assert.ok(listed.every(({ id }: { id: string }) => id !== later.id));
  assertProblem(await asBrp(seller)(`/v1/contracts/${later.id}/transactions`), 404, 'contract_not_found');
});

test('a BRP whose placement was replaced before its first day still sees the contract of its transactions', async () => {
  const { seller, producer, contract } = await makeMarket([TOMORROW]);
  const [brief, next] = [await world.brp(), await world.brp()];
  for (const brp of [brief, next]) {
    const { eic } = await world.group(brp);
    succeed(await patchAsOperator(producer, { brp_id: brp.id, ...moveTo(eic) }));
  }
  for (const [brp, status] of [
    [seller, 'superseded'],
    [brief, 'superseded'],
    [next, 'valid'],
  ] as const) {
    assert.equal((await asBrp(brp)(`/v1/contracts/${contract.id}`)).status, 200);
    const transactions = await transactionsOf(asBrp(brp), contract, '');
    assert.deepEqual(new Set(transactions.map((one) => one.status)), new Set([status]));
  }
});

test('a customer without contracts may be assigned without a balance group, and is placed later', async () => {
  const [brp, next] = [await world.brp(), await world.brp()];
  const [group, nextGroup] = [await world.group(brp), await world.group(next)];
  const customer = await world.customer(brp, { group });
  assert.equal(succeed(await patchAsOperator(customer, { brp_id: next.id })).body.balance_group, null);
  assert.deepEqual(await placementsOf(next, customer), [], 'the group of the other BRP is not shown');
  succeed(await patch(next, customer, moveTo(nextGroup.eic)));
  const own = {
    balance_group: { eic: nextGroup.eic, tso: 'DE_AMPRION' },
    first_day: TOMORROW,
    last_day: null,
  };
  assert.deepEqual(await placementsOf(next, customer), [own]);
  const former = { balance_group: { eic: group.eic, tso: 'DE_AMPRION' }, first_day: null, last_day: TODAY };
  const { placements } = (await operator(`/operator/v1/customers/${customer.id}/placements`)).body;
  assert.deepEqual(placements, [own, former], 'the operator sees all');
});

test('a clock that was set back cuts off later placements', async () => {
  const { seller, oldGroup, newGroup, producer, contract } = await makeMarket(['2026-10-25', '2026-11-01']);
  platform.clock.set('2026-10-28T09:00:00Z');
  succeed(await patch(seller, producer, moveTo(newGroup.eic)));
  platform.clock.set(MORNING);
  succeed(await patch(seller, producer, moveTo(newGroup.eic, 'DE_TENNET')));
  assert.deepEqual(
    (await placementsOf(seller, producer)).map(({ balance_group, first_day }) => [balance_group, first_day]),
    [
      [{ eic: newGroup.eic, tso: 'DE_TENNET' }, TOMORROW],
      [{ eic: oldGroup.eic, tso: 'DE_AMPRION' }, null],
    ],
  );
  const valid = await transactionsOf(asBrp(seller), contract, 'status=valid');
  assert.deepEqual(new Set(valid.map(({ sender }) => sender.tso)), new Set(['DE_TENNET']));
});

test('a preview shows what the change would do, and changes nothing', async () => {
  const { seller, buyer, oldGroup, newGroup, producer, contract } = await makeMarket([TODAY, TOMORROW]);
  const before = (await asBrp(seller)(`/v1/customers/${producer.id}`)).text;
  const change = { ...moveTo(newGroup.eic), metadata: { reason: 'tariff' } };
  const previewed = succeed(await preview(seller, producer, change)).body;
  assert.equal(previewed.effective_day, TOMORROW);
  assert.deepEqual([previewed.contracts, previewed.transactions, previewed.nominations_total], [1, 96, 2]);
  assert.deepEqual(
    previewed.nominations,
    [oldGroup.eic, newGroup.eic]
      .toSorted()
      .map((eic) => ({ eic, tso: 'DE_AMPRION', delivery_date: TOMORROW, direction: 'out' })),
  );
  assert.deepEqual(
    previewed.energy,
    [
      { eic: oldGroup.eic, before: 24, after: 0 },
      { eic: newGroup.eic, before: 0, after: 24 },
    ]
      .toSorted((one, other) => (one.eic < other.eic ? -1 : 1))
      .map(({ eic, ...amounts }) => ({ eic, tso: 'DE_AMPRION', direction: 'out', ...amounts })),
  );
  assert.equal((await asBrp(seller)(`/v1/customers/${producer.id}`)).text, before);
  assert.equal((await placementsOf(seller, producer)).length, 1);
  assert.equal((await transactionsOf(asBrp(buyer), contract, 'status=superseded')).length, 0);
  assert.equal((await world.nominate()).positions, 0);
  const made = succeed(await patch(seller, producer, change)).body;
  assert.deepEqual(made, previewed.customer);
  assert.equal((await world.nominate()).created, 2);

  const nothing = succeed(await preview(seller, producer, { metadata: { a: 'b' } })).body;
  assert.deepEqual([nothing.contracts, nothing.transactions, nothing.nominations], [0, 0, []]);
  assertProblem(await preview(seller, producer, { status: 'active' }), 409, 'already_active');
  assertProblem(
    await preview(seller, producer, moveTo(newGroup.eic, 'DE_50HERTZ')),
    400,
    'balance_group_tso_not_enabled',
  );
  assertRefused(await preview(seller, producer, { name: 'x' }), 'name read_only_field');
  assertProblem(await preview(buyer, producer, {}), 404, 'customer_not_found');
});

test('of many nominations a preview lists the first hundred and counts all', async () => {
  const days = Array.from({ length: 60 }, (_, at) => addDays(TOMORROW, at));
  const { seller, newGroup, producer } = await makeMarket(days);
  const previewed = succeed(await preview(seller, producer, moveTo(newGroup.eic))).body;
  assert.deepEqual([previewed.nominations.length, previewed.nominations_total], [100, 120]);
  assert.equal(previewed.nominations[99].delivery_date, addDays(TOMORROW, 49));
  const hours = days.reduce((sum, day) => sum + flat(day, 0).length, 0) / 4;
  assert.deepEqual(
    previewed.energy.map(({ before, after }: { before: number; after: number }) => before + after),
    [hours, hours],
    'of all nominations',
  );
});

test('a preview has the energy of own balance groups only', async () => {
  const { seller, oldGroup, buyerGroup, producer } = await makeMarket([TOMORROW]);
  const energyOf = (answer: Answer) =>
    succeed(answer).body.energy.map(
      ({ eic, direction, before, after }: Record<string, unknown>) =>
        `${eic} ${direction} ${before} ${after}`,
    );
  const off = { status: 'deactivated' };
  const own = `${oldGroup.eic} out 24 0`;
  assert.deepEqual(energyOf(await preview(seller, producer, off)), [own]);
  assert.deepEqual(
    energyOf(await operator.post(`/operator/v1/customers/${producer.id}/preview`, off)),
    [own, `${buyerGroup.eic} in 24 0`].toSorted(),
  );
});

test('a change waits for an import of the same contracts, and the other way round; both are complete', async () => {
  const { seller, newGroup, producer, contract } = await makeMarket([]);
  const days = Array.from({ length: 30 }, (_, at) => addDays(TOMORROW, at));
  const line = (day: string, mwh: number) =>
    JSON.stringify({ contract: contract.id, delivery_date: day, volumes: flat(day, mwh) });
  for (let round = 1; round <= 4; round++) {
    const tso = round % 2 === 0 ? 'DE_TENNET' : 'DE_AMPRION';
    const body = Buffer.from(days.map((day) => line(day, round)).join('\n'));
    const headers = { 'content-type': 'application/x-ndjson' };
    const [imported, ...moved] = await Promise.all([
      operator.post('/operator/v1/volumes', body, { headers }),
      patch(seller, producer, moveTo(newGroup.eic, tso)),
      patch(seller, producer, { metadata: { round: String(round) } }),
      patch(seller, producer, moveTo(newGroup.eic, tso)),
    ]);
    assert.equal(imported.body.rejected_lines, 0, imported.text);
    for (const answer of moved) succeed(answer);
    const valid = await transactionsOf(asBrp(seller), contract, 'status=valid');
    assert.equal(
      valid.length,
      days.reduce((count, day) => count + flat(day, 0).length, 0),
    );
    for (const { sender, volume } of valid)
      assert.deepEqual([sender.eic, sender.tso, volume], [newGroup.eic, tso, round]);
  }
});

test('of two different moves at once the later one holds, with one chain of versions', async () => {
  for (let round = 0; round < 5; round++) {
    const { seller, newGroup, producer, contract } = await makeMarket([TOMORROW]);
    const moves = (['DE_AMPRION', 'DE_TENNET'] as const).map((tso) =>
      patch(seller, producer, moveTo(newGroup.eic, tso)),
    );
    for (const answer of await Promise.all(moves)) succeed(answer);
    const { balance_group: group } = (await asBrp(seller)(`/v1/customers/${producer.id}`)).body;
    const slot = await transactionsOf(asBrp(seller), contract, 'slot_number_to=1');
    assert.deepEqual(
      slot.map(({ version, status }) => [version, status]),
      [
        [1, 'superseded'],
        [2, 'superseded'],
        [3, 'valid'],
      ],
    );
    assert.equal(slot[2]?.sender.tso, group.tso);
  }
});

test('the effective day is that of the commit: a change that waited past the gate applies to the day after', async (t) => {
  const { seller, newGroup, producer, contract } = await makeMarket([]);
  const blocker = new pg.Client({ connectionString: platform.databaseUrl });
  await blocker.connect();
  t.after(() => blocker.end());
  platform.clock.set('2026-10-20T12:29:59Z');
  await blocker.query('begin');
  await blocker.query('select from contract where id = $1 for update', [contract.uuid]);
  const waiting = patch(seller, producer, moveTo(newGroup.eic));
  await untilBlocked(platform.db);
  platform.clock.set('2026-10-20T12:30:00Z');
  await blocker.query('rollback');
  succeed(await waiting);
  assert.equal((await placementsOf(seller, producer))[0]?.first_day, '2026-10-22');
  platform.clock.set(MORNING);
});
