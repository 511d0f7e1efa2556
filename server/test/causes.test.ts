import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NominationCauses } from '@saldo/api';
import fc from 'fast-check';
import { runs } from '../../test/runs.ts';
import { statement } from '../src/platform/db/statement.ts';
import { assertProblem, bodyOf, type Client, client, startTestPlatform } from './harness.ts';
import { assertCauses, cells, flat, listNominated, makeDeal, type Nominated } from './nominated.ts';
import { sourcing } from './sourcing.ts';
import type { WorldBrp } from './world.ts';

/** 11:00 in Germany, before the gate of the next day. */
const MORNING = '2026-10-20T09:00:00Z';
const DAY = '2026-10-21';

const platform = await startTestPlatform({ now: MORNING });
const { world, clock } = platform;
const { operator, series, store, contractBody } = await sourcing(platform);
const asBrp = ({ key }: WorldBrp): Client => client(platform.baseUrl, key);

let minute = 0;
/** Every step of a test has its own minute. */
function nextMinute(): string {
  const at = new Date(Date.parse(MORNING) + ++minute * 60_000).toISOString().replace('.000', '');
  clock.set(at);
  return at;
}

const versionsOf = async (ask: Client, query = ''): Promise<Nominated[]> =>
  (await listNominated(ask, query)).toSorted((one, other) => one.version - other.version);
const causesOf = (ask: Client, { id }: { id: string }, since = ''): Promise<NominationCauses> =>
  bodyOf(ask(`/v1/nominations/${id}/causes${since}`));
const operatorCauses = ({ id }: { id: string }): Promise<NominationCauses> =>
  bodyOf(operator(`/operator/v1/nominations/${id}/causes`));
const putDay = (id: string, volumes: readonly (number | null)[]) =>
  bodyOf(operator.put(`/operator/v1/contracts/${id}/days/${DAY}`, { volumes }));

test('a correction is the cause of the next version: contract, time, quarter-hours and MWh', async () => {
  const { contract, asSeller, asBuyer } = await makeDeal(platform);
  const created = nextMinute();
  await putDay(contract.id, flat(DAY, 0.25));
  await world.nominate();
  const corrected = nextMinute();
  await putDay(contract.id, cells(DAY, { 1: 1, 2: 0 }));
  nextMinute();
  await world.nominate();
  const [first, second] = await versionsOf(asSeller);
  assert.ok(first && second);
  assert.deepEqual(await causesOf(asSeller, second), {
    nomination_id: second.id,
    version: 2,
    since_nomination_id: first.id,
    slots_changed: 2,
    difference: 0.5,
    causes: [
      {
        kind: 'corrected',
        contract_id: contract.id,
        at: corrected,
        actor_name: null,
        slots_changed: 2,
        difference: 0.5,
      },
    ],
  });
  const [cause] = (await causesOf(asSeller, first)).causes;
  assert.deepEqual([cause?.kind, cause?.at, cause?.difference], ['created', created, 24]);
  const [received] = (await versionsOf(asBuyer)).slice(-1);
  assert.equal((await causesOf(asBuyer, received!)).difference, 0.5, 'the other direction');
});

test('only the operator reads the name behind a change of the operator', async () => {
  const { contract, asSeller } = await makeDeal(platform);
  nextMinute();
  await putDay(contract.id, flat(DAY, 0.25));
  await world.nominate();
  const [nomination] = await versionsOf(asSeller);
  assert.ok(nomination);
  const { body } = await operator('/operator/v1/api-keys?limit=100&owner_type=operator');
  const names = body.api_keys.map(({ name }: { name: string }) => name);
  const [shown] = (await operatorCauses(nomination)).causes;
  assert.ok(names.includes(shown?.actor_name), `${shown?.actor_name} of ${names}`);
  assert.deepEqual(
    (await causesOf(asSeller, nomination)).causes.map(({ actor_name }) => actor_name),
    [null],
  );
});

test('an import, an invalidation and values of a forecast are causes of their kind', async () => {
  const parties = await world.pair();
  const ask = asBrp(parties.seller);
  const asset = await world.asset();
  const forecast = await series('forecast', { asset });
  const source = { forecast: forecast.id, meter: null, share: 1, max_power_mw: null };
  const terms = { asset_id: asset.id, source };
  const sourced = await bodyOf(
    operator.post('/operator/v1/contracts', contractBody(parties.producer, parties.consumer, terms)),
    201,
  );
  const imported = await world.contract(parties.producer, parties.consumer);
  const kinds = async () => {
    await world.nominate();
    const newest = (await versionsOf(ask)).at(-1)!;
    const { causes } = await bodyOf(operator(`/operator/v1/nominations/${newest.id}/causes`));
    return causes.map((cause: NominationCauses['causes'][number]) => [
      cause.kind,
      cause.contract_id,
      cause.difference,
      cause.actor_name !== null,
    ]);
  };
  nextMinute();
  const lines = Array.from({ length: 96 }, (_, at) => `${imported.id},${DAY},${at + 1},1.000`);
  const file = ['contract,delivery_date,slot,volume', ...lines, ''].join('\n');
  const headers = { 'content-type': 'text/csv' };
  // The clock goes on: the audit event of an import is later than the volumes that it stored.
  const { now } = platform.clock;
  let reads = 0;
  platform.clock.now = () => now() + reads++;
  await bodyOf(operator('/operator/v1/volumes', { method: 'POST', headers, body: file }));
  platform.clock.now = now;
  assert.deepEqual(await kinds(), [['created', imported.id, 96, true]]);
  nextMinute();
  await store([forecast, DAY, 8000]);
  assert.deepEqual(await kinds(), [['source', sourced.id, 0.768, false]], 'written by no request');
  nextMinute();
  const query = `status=valid&delivery_date=${DAY}&slot_number_to=1`;
  const [transaction] = (await ask(`/v1/contracts/${imported.id}/transactions?${query}`)).body.transactions;
  await bodyOf(operator.post(`/operator/v1/transactions/${transaction.id}/invalidate`, { reason: 'meter' }));
  assert.deepEqual(await kinds(), [['invalidated', imported.id, -1, true]]);
});

test('a move of a customer is a cause in both balance groups, with the name of the own user only', async () => {
  const { seller, buyer, sellerGroup, producer, consumer } = await world.pair();
  const newGroup = await world.group(seller);
  const contract = await world.contract(producer, consumer);
  await world.volumes(contract, DAY, 250);
  await world.nominate();
  const moved = nextMinute();
  const balance_group = { eic: newGroup.eic, tso: 'DE_AMPRION' };
  await bodyOf(asBrp(seller).patch(`/v1/customers/${producer.id}`, { balance_group }));
  await world.nominate();
  const [left, came] = [
    (await versionsOf(asBrp(seller), `&eic=${sellerGroup.eic}`)).at(-1)!,
    (await versionsOf(asBrp(seller), `&eic=${newGroup.eic}`)).at(-1)!,
  ];
  for (const [nomination, difference] of [
    [left, -24],
    [came, 24],
  ] as const) {
    const [cause] = (await causesOf(asBrp(seller), nomination)).causes;
    assert.deepEqual(
      [cause?.kind, cause?.contract_id, cause?.at, cause?.difference],
      ['moved', contract.id, moved, difference],
    );
    assert.ok(cause?.actor_name, 'a key of the own BRP');
  }
  assert.equal((await versionsOf(asBrp(buyer))).length, 1, 'nothing changed for the other side');
});

test('causes since an earlier version are those of all versions in between', async () => {
  const { contract, producer, consumer, asSeller } = await makeDeal(platform);
  const other = await world.contract(producer, consumer);
  for (const [of, kwh] of [
    [contract, 100],
    [contract, 200],
    [other, 50],
  ] as const) {
    nextMinute();
    await world.volumes(of, DAY, kwh);
    await world.nominate();
  }
  const [first, , third] = await versionsOf(asSeller);
  assert.ok(first && third);
  const all = await causesOf(asSeller, third, `?since=${first.id}`);
  assert.deepEqual(
    [all.since_nomination_id, all.difference, all.causes.map(({ kind, difference }) => [kind, difference])],
    [
      first.id,
      14.4,
      [
        ['corrected', 9.6],
        ['created', 4.8],
      ],
    ],
  );
  assert.equal((await causesOf(asSeller, third)).causes.length, 1, 'by default since the version before');
});

test('`since` has to be an earlier version of the same nomination', async () => {
  const [one, foreign] = [await makeDeal(platform), await makeDeal(platform)];
  for (const { contract } of [one, foreign]) await world.volumes(contract, DAY, 250);
  await world.nominate();
  const [nomination] = await versionsOf(one.asSeller);
  const [received] = await versionsOf(one.asBuyer);
  for (const since of [nomination!.id, received!.id, 'nom_x', '']) {
    const answer = await one.asSeller(`/v1/nominations/${nomination!.id}/causes?since=${since}`);
    assertProblem(answer, 400, 'validation', ['since validation_failed']);
  }
  assertProblem(
    await foreign.asSeller(`/v1/nominations/${nomination!.id}/causes`),
    404,
    'nomination_not_found',
  );
});

test('contracts that a BRP may not see are one cause without ids', async () => {
  const { seller, sellerGroup, buyer, producer, consumer } = await world.pair();
  const hidden = [await world.contract(producer, consumer), await world.contract(producer, consumer)];
  const other = await world.customer(seller, { status: 'active', group: sellerGroup });
  const seen = await world.contract(other, consumer);
  const elsewhere = await world.group(buyer);
  for (const contract of [...hidden, seen]) await world.volumes(contract, DAY, 250);
  await world.nominate();
  const balance_group = { eic: elsewhere.eic, tso: 'DE_AMPRION' };
  await bodyOf(operator.patch(`/operator/v1/customers/${producer.id}`, { brp_id: buyer.id, balance_group }));
  await world.volumes(seen, DAY, 500);
  await world.nominate();
  const numbers = hidden.map(({ no }) => no);
  const forget = statement(
    'test_forget_party',
    'delete from former_party where contract_no = any($1::int[])',
  );
  await platform.db.transaction((tx) => tx.query(forget, [numbers]));
  const newest = (await versionsOf(asBrp(seller), `&eic=${sellerGroup.eic}`)).at(-1)!;
  const { causes, difference } = await causesOf(asBrp(seller), newest);
  assert.deepEqual(
    causes.map((cause) => [cause.kind, cause.contract_id, cause.difference]),
    [
      ['corrected', seen.id, 24],
      ['other', null, -48],
    ],
  );
  assert.equal(causes[1]?.at, null);
  assert.equal(difference, -24);
  assert.deepEqual(
    (await operatorCauses(newest)).causes.map(({ kind }) => kind),
    ['moved', 'moved', 'corrected'],
  );
});

test('the causes of every version sum to its difference, whatever has changed', async () => {
  const step = fc.record({
    contract: fc.nat(2),
    slot: fc.integer({ min: 1, max: 96 }),
    kwh: fc.nat(500),
    kind: fc.constantFrom('say', 'invalidate', 'nominate'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 24 }), async (steps) => {
      const { seller, producer, consumer } = await world.pair();
      // In both directions, so that the saldo changes its sign.
      const contracts = [
        await world.contract(producer, consumer),
        await world.contract(producer, consumer),
        await world.contract(consumer, producer),
      ];
      const ask = asBrp(seller);
      for (const { kind, contract: index, slot, kwh } of steps) {
        const contract = contracts[index]!;
        if (kind === 'nominate') await world.nominate();
        if (kind === 'say') await world.volumes(contract, DAY, cells(DAY, { [slot]: kwh, 7: kwh, 90: 90 }));
        if (kind !== 'invalidate') continue;
        const query = `status=valid&slot_number_from=${slot}&slot_number_to=${slot}`;
        const { body } = await ask(`/v1/contracts/${contract.id}/transactions?${query}`);
        if (body.transactions[0]) await world.invalidate(body.transactions[0].id);
      }
      await world.nominate();
      const versions = await listNominated(ask);
      for (const version of versions) {
        const before = versions.find(({ id }) => id === version.previous_nomination_id) ?? null;
        const causes = await causesOf(ask, version);
        assertCauses(causes, before, version);
        assert.ok(causes.causes.every(({ kind }) => kind !== 'other'));
      }
    }),
    { numRuns: runs(12) },
  );
});
