import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Explanation } from '@saldo/api';
import fc from 'fast-check';
import { runs } from '../../test/runs.ts';
import { assertProblem, client, startTestPlatform, walk } from './harness.ts';
import { assertExplains, listNominated, makeDeal } from './nominated.ts';
import type { WorldGroup } from './world.ts';

const DAY = '2026-10-25';
const SLOTS = 100;

const platform = await startTestPlatform();
const { world } = platform;

test('the transactions of every version, superseded ones too, sum to its amounts', async () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('say' as const),
      contract: fc.nat(3),
      slot: fc.integer({ min: 1, max: SLOTS }),
      kwh: fc.nat(500),
    }),
    fc.record({
      kind: fc.constant('invalidate' as const),
      contract: fc.nat(3),
      slot: fc.integer({ min: 1, max: SLOTS }),
    }),
    fc.record({ kind: fc.constant('nominate' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 24 }), async (steps) => {
      const [seller, buyer] = [await world.brp(), await world.brp()];
      const groups = [await world.group(seller), await world.group(buyer)] as const;
      const producer = await world.customer(seller, { group: groups[0] });
      const consumer = await world.customer(buyer, { group: groups[1] });
      // In both directions, so that the saldo changes its sign; the last contract does not change it.
      const contracts = [
        await world.contract(producer, consumer),
        await world.contract(producer, consumer),
        await world.contract(consumer, producer),
        await world.contract(producer, producer),
      ];
      const request = client(platform.baseUrl, seller.key);
      for (const one of steps) {
        if (one.kind === 'nominate') {
          await world.nominate();
          continue;
        }
        const contract = contracts[one.contract];
        assert.ok(contract);
        if (one.kind === 'say') {
          const volumes = Array.from({ length: SLOTS }, (_, at) =>
            at + 1 === one.slot ? one.kwh : at % 7 ? null : 90,
          );
          await world.volumes(contract, DAY, volumes);
        } else {
          const query = `status=valid&slot_number_from=${one.slot}&slot_number_to=${one.slot}`;
          const { body } = await request(`/v1/contracts/${contract.id}/transactions?${query}`);
          if (body.transactions[0]) await world.invalidate(body.transactions[0].id);
        }
      }
      await world.nominate();
      for (const { id } of await walk(request, '/v1/nominations', 'nominations', 100)) {
        const { status, body } = await request(`/v1/nominations/${id}/explanation`);
        assert.equal(status, 200);
        assert.equal(body.slots.length, SLOTS);
        assertExplains(body);
      }
    }),
    { numRuns: runs(12) },
  );
});

test('an explanation lists what counted when the version was created, and nothing later', async () => {
  const { contract, asSeller } = await makeDeal(platform);
  await world.volumes(contract, DAY, 250);
  await world.nominate();
  const [first] = (await asSeller('/v1/nominations')).body.nominations;
  const before = (await asSeller(`/v1/nominations/${first.id}/explanation`)).body;
  const [transaction] = before.slots[4].transactions;
  assert.deepEqual(
    { ...transaction, id: undefined },
    { id: undefined, contract_id: contract.id, role: 'sender', volume: 0.25 },
  );
  await world.volumes(
    contract,
    DAY,
    Array.from({ length: SLOTS }, (_, at) => (at === 4 ? 300 : null)),
  );
  await world.invalidate((await asSeller(`/v1/transactions/${before.slots[9].transactions[0].id}`)).body.id);
  await world.nominate();
  assert.deepEqual((await asSeller(`/v1/nominations/${first.id}/explanation`)).body, before);
  const second = (await asSeller(`/v1/nominations/${first.id}/history`)).body.nominations[0];
  const after = (await asSeller(`/v1/nominations/${second.id}/explanation`)).body;
  assert.equal(after.slots[4].transactions[0].volume, 0.3);
  assert.notEqual(after.slots[4].transactions[0].id, transaction.id);
  assert.deepEqual(after.slots[9].transactions, []);
  assert.deepEqual(after.slots[5], before.slots[5]);
});

test('after a move into the position of its contract partner, an explanation leaves out what the position sends to itself', async () => {
  const [brp, other] = [await world.brp(), await world.brp()];
  const [mine, yours, theirs] = [await world.group(brp), await world.group(brp), await world.group(other)];
  const at = async (group: WorldGroup) => world.customer(group.brp, { group });
  const [seller, buyer, supplier] = [await at(mine), await at(yours), await at(theirs)];
  await world.volumes(await world.contract(seller, buyer), DAY, 1000);
  const supply = await world.contract(supplier, seller);
  await world.volumes(supply, DAY, 5000);
  await world.nominate();
  const request = client(platform.baseUrl, brp.key);
  const body = { balance_group: { eic: mine.eic, tso: 'DE_AMPRION' } };
  const moved = await request.patch(`/v1/customers/${buyer.id}`, body);
  assert.equal(moved.status, 200, moved.text);
  await world.nominate();

  const nominations = await listNominated(request);
  for (const { id } of nominations) assertExplains((await request(`/v1/nominations/${id}/explanation`)).body);
  const newest = nominations.find(({ eic, status }) => eic === mine.eic && status !== 'superseded');
  const explained: Explanation = (await request(`/v1/nominations/${newest?.id}/explanation`)).body;
  assert.equal(explained.direction, 'in');
  for (const { amount, transactions } of explained.slots) {
    const listed = transactions.map(({ contract_id, role, volume }) => ({ contract_id, role, volume }));
    assert.deepEqual([amount, listed], [5, [{ contract_id: supply.id, role: 'receiver', volume: 5 }]]);
  }
});

test('an explanation is visible to viewers of the nomination only', async () => {
  const { contract, asSeller, asBuyer } = await makeDeal(platform);
  await world.volumes(contract, DAY, 250);
  await world.nominate();
  const [nomination] = (await asSeller('/v1/nominations')).body.nominations;
  for (const id of [nomination.id, 'nom_unknown', 'nom_00000000000000000000000000']) {
    const answer = await asBuyer(`/v1/nominations/${id}/explanation`);
    assertProblem(answer, 404, 'nomination_not_found');
  }
});
