import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tso } from '@saldo/api';
import { addDays, dayStart, SLOT_MS, slotCount } from '@saldo/core/delivery-day.ts';
import { decodeId, ID_PREFIX, splitTransactionUuid } from '@saldo/core/id.ts';
import fc from 'fast-check';
import { runs } from '../../test/runs.ts';
import { recordSent } from '../src/nominations/actions.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { statement } from '../src/platform/db/statement.ts';
import { invalidateTransaction } from '../src/transactions/actions.ts';
import { type Client, client, startTestPlatform } from './harness.ts';
import {
  amountsOf,
  confirm,
  flat,
  kwhOf,
  listNominated,
  makeDeal,
  type Nominated,
  type NominationSlot,
  nominationUuid,
  only,
} from './nominated.ts';
import type { WorldContract, WorldCustomer } from './world.ts';

const EARLY = '2026-01-02T08:00:00Z';
const DAY = '2026-06-10';

const platform = await startTestPlatform({ now: EARLY });
const { world } = platform;

const deal = () => makeDeal(platform);

async function invalidate(request: Client, contract: WorldContract, slot: number): Promise<void> {
  const path = `/v1/contracts/${contract.id}/transactions?status=valid&slot_number_from=${slot}&slot_number_to=${slot}`;
  const [transaction] = (await request(path)).body.transactions;
  const key = splitTransactionUuid(decodeId(ID_PREFIX.transaction, transaction.id) as string);
  assert.ok(key);
  const outcome = await platform.db.transaction((tx) =>
    invalidateTransaction(tx, key, 'test', platform.clock),
  );
  assert.equal(outcome, 'invalidated');
}

test('a nomination is the net saldo of valid transactions, from the perspective of each side', async () => {
  const { asSeller, asBuyer, contract, producer, consumer, sellerGroup } = await deal();
  const back = await world.contract(consumer, producer);
  await world.volumes(contract, DAY, 500);
  await world.volumes(back, DAY, 200);
  await invalidate(asSeller, contract, 3);
  await world.nominate();
  const [out, into, ...none] = (await listNominated(asSeller)).toSorted((a, b) =>
    a.direction > b.direction ? -1 : 1,
  );
  assert.ok(out && into && none.length === 0, 'a change of sign within the day gives two nominations');
  assert.deepEqual([out.direction, into.direction], ['out', 'in']);
  assert.deepEqual(amountsOf(out), only(DAY, [3], 0, 300));
  assert.deepEqual(amountsOf(into), only(DAY, [3], 200));
  assert.deepEqual(
    [out.eic, out.tso, out.status, out.version],
    [sellerGroup.eic, 'DE_AMPRION', 'pending', 1],
  );
  const mirrored = await listNominated(asBuyer);
  assert.deepEqual(mirrored.find(({ direction }) => direction === 'in')?.slots, out.slots);
  assert.deepEqual(mirrored.find(({ direction }) => direction === 'out')?.slots, into.slots);
});

test('a correction creates a new version of the affected nominations only', async () => {
  const { asSeller, asBuyer, contract, seller, sellerGroup } = await deal();
  const other = await deal();
  const elsewhere = await world.contract(
    await world.customer(seller, { group: sellerGroup }),
    other.consumer,
  );
  for (const day of [DAY, '2026-06-11']) await world.volumes(contract, day, 100);
  await world.volumes(elsewhere, DAY, 40);
  await world.nominate();
  const before = {
    seller: await listNominated(asSeller),
    buyer: await listNominated(asBuyer),
    other: await listNominated(other.asBuyer),
  };
  await world.volumes(contract, DAY, only(DAY, [7], 150, 100));
  assert.deepEqual(await world.nominate(), { positions: 2, created: 2, unchanged: 0, tooLate: 0 });
  const after = await listNominated(asSeller);
  assert.deepEqual(
    after.map(({ version, status }) => `${version} ${status}`),
    ['1 superseded', '2 pending', '1 pending'],
  );
  assert.deepEqual(amountsOf(after[0] as Nominated), flat(DAY, 140), 'a version never changes');
  assert.deepEqual(amountsOf(after[1] as Nominated), only(DAY, [7], 190, 140));
  assert.equal(after[1]?.previous_nomination_id, before.seller[0]?.id);
  assert.deepEqual(after[2], before.seller[1], 'another day is unchanged');
  assert.deepEqual((await listNominated(asBuyer)).length, before.buyer.length + 1);
  assert.deepEqual(await listNominated(other.asBuyer), before.other, 'another position is unchanged');
});

test('a direction that falls to zero is corrected to zeros, and may rise again', async () => {
  const { asSeller, contract } = await deal();
  for (const value of [100, 0, 0, 30]) {
    await world.volumes(contract, DAY, value);
    await world.nominate();
  }
  const versions = await listNominated(asSeller);
  assert.deepEqual(
    versions.map((nomination) => amountsOf(nomination)[0]),
    [100, 0, 30],
  );
  assert.deepEqual(
    versions.map(({ status }) => status),
    ['superseded', 'superseded', 'pending'],
  );
  const quiet = await deal();
  await world.volumes(quiet.contract, DAY, 0);
  await world.nominate();
  assert.deepEqual(await listNominated(quiet.asSeller), [], 'a saldo of zeros is not nominated');
});

test('a contract within one position changes no saldo, and one across control areas changes both', async () => {
  const brp = await world.brp();
  const request = client(platform.baseUrl, brp.key);
  const group = await world.group(brp, ['DE_AMPRION', 'DE_50HERTZ']);
  const west = [await world.customer(brp, { group }), await world.customer(brp, { group })] as const;
  const east = await world.customer(brp, { group, tso: 'DE_50HERTZ' });
  await world.volumes(await world.contract(...west), DAY, 900);
  await world.nominate();
  assert.deepEqual(await listNominated(request), []);
  await world.volumes(await world.contract(west[0], east), DAY, 70);
  await world.nominate();
  const nominations = (await listNominated(request)).map(
    ({ eic, tso, direction, slots }) => `${eic} ${tso} ${direction} ${slots[0]?.amount}`,
  );
  assert.deepEqual(nominations.toSorted(), [
    `${group.eic} DE_50HERTZ in 0.07`,
    `${group.eic} DE_AMPRION out 0.07`,
  ]);
});

test('a nomination has every slot of its delivery day, on the days of a clock change too', async () => {
  const { asSeller, contract } = await deal();
  for (const [day, count] of [
    ['2026-03-29', 92],
    ['2026-10-25', 100],
    [DAY, 96],
  ] as const) {
    await world.volumes(
      contract,
      day,
      flat(day, 0).map((_, at) => at + 1),
    );
    await world.nominate();
    const [nomination] = await listNominated(asSeller, `&delivery_date=${day}`);
    assert.ok(nomination);
    assert.equal(nomination.slots.length, count);
    for (const [at, slot] of nomination.slots.entries()) {
      const start = dayStart(day) + at * SLOT_MS;
      assert.equal(slot.slot_number, at + 1);
      assert.equal(Date.parse(slot.delivery_start), start);
      assert.equal(Date.parse(slot.delivery_end), start + SLOT_MS);
      assert.equal(kwhOf(slot.amount), at + 1);
      assert.equal(slot.matched_amount, null);
    }
  }
});

test('gate_closure is the deadline of the version, and after the last gate no version is created', async () => {
  const every = Array.from({ length: 96 }, (_, at) => at + 1);
  const cases: [day: string, madeAt: string, slots: number[], gate: string][] = [
    [DAY, '2026-06-01T00:00:00Z', every, '2026-06-09T12:30:00Z'],
    [DAY, '2026-06-09T12:29:59.999Z', every, '2026-06-09T12:30:00Z'],
    ['2026-01-14', '2026-01-13T13:29:59Z', [96], '2026-01-13T13:30:00Z'],
    [DAY, '2026-06-09T12:30:00Z', every, '2026-06-09T21:45:00Z'],
    [DAY, '2026-06-09T12:30:00Z', [50, 20], '2026-06-10T02:30:00Z'],
    [DAY, '2026-06-10T08:00:00Z', every, '2026-06-10T08:15:00Z'],
    [DAY, '2026-06-10T07:59:59.999Z', every, '2026-06-10T08:00:00Z'],
    [DAY, '2026-06-10T08:00:00Z', [1, 2], '2026-06-11T14:00:00Z'],
    [DAY, '2026-06-11T13:59:59Z', every, '2026-06-11T14:00:00Z'],
    [DAY, '2026-06-11T14:00:00Z', every, 'too late'],
    ['2026-06-12', '2026-06-13T10:00:00Z', [5], '2026-06-15T14:00:00Z'],
    ['2026-12-23', '2026-12-24T10:00:00Z', [5], '2026-12-26T15:00:00Z'],
    ['2026-10-25', '2026-10-25T22:29:59Z', [100], '2026-10-25T22:30:00Z'],
    ['2026-10-25', '2026-10-25T22:30:00Z', [100], '2026-10-26T15:00:00Z'],
    ['2026-03-29', '2026-03-29T10:00:00Z', [92], '2026-03-29T21:30:00Z'],
  ];
  for (const [day, madeAt, slots, gate] of cases) {
    const { asSeller, contract } = await deal();
    await world.volumes(contract, day, only(day, slots, 10));
    platform.clock.set(madeAt);
    const run = await world.nominate();
    const gates = (await listNominated(asSeller)).map((nomination) => nomination.gate_closure);
    assert.deepEqual(gates, gate === 'too late' ? [] : [gate], `${day} at ${madeAt}`);
    assert.equal(run.tooLate, gate === 'too late' ? 2 : 0);
    platform.clock.set(EARLY);
  }
});

test('a correction’s deadline depends only on the slots that it changes, per direction', async () => {
  const { asSeller, contract } = await deal();
  await world.volumes(contract, DAY, 10);
  await world.nominate();
  platform.clock.set('2026-06-10T08:00:00Z');
  await world.volumes(contract, DAY, only(DAY, [90], 20, 10));
  await world.nominate();
  platform.clock.set(EARLY);
  const [, corrected] = await listNominated(asSeller);
  assert.equal(corrected?.gate_closure, '2026-06-10T20:00:00Z', 'slot 90 starts at 20:15');
});

test('a repeated netting run creates nothing, and concurrent runs create each version once', async () => {
  const { asSeller, contract } = await deal();
  await world.volumes(contract, DAY, 10);
  const runs = await Promise.all([world.nominate(), world.nominate(), world.nominate()]);
  assert.equal(
    runs.reduce((sum, { created }) => sum + created, 0),
    2,
  );
  assert.deepEqual(await world.nominate(), { positions: 0, created: 0, unchanged: 0, tooLate: 0 });
  await world.volumes(contract, DAY, 20);
  await world.volumes(contract, DAY, 10);
  assert.deepEqual(await world.nominate(), { positions: 2, created: 0, unchanged: 2, tooLate: 0 });
  assert.equal((await listNominated(asSeller)).length, 1);
});

test('a run nets any number of position-days, 200 in a transaction', async () => {
  const { contract, seller, buyer } = await deal();
  await world.nominate();
  // As in production: autovacuum analyzes the empty table between changes, and the plan of then is used again.
  await platform.db.query(statement('test_vacuum_changes', 'vacuum analyze changed_position'));
  for (let run = 0; run < 20; run++) await world.nominate();
  for (let at = 0; at < 350; at++) await world.volumes(contract, addDays('2026-01-05', at), 100);
  assert.deepEqual(await world.nominate(), { positions: 700, created: 700, unchanged: 0, tooLate: 0 });
  const sizes = await platform.db.query(
    statement(
      'test_batch_sizes',
      'select count(*)::int as size from nomination where brp_no = any($1) group by xmin order by size desc',
    ),
    [[seller.no, buyer.no]],
  );
  assert.deepEqual(
    sizes,
    [200, 200, 200, 100].map((size) => ({ size })),
  );
});

test('a position that another process nets is skipped and delays nothing else', async () => {
  const [busy, free] = [await deal(), await deal()];
  for (const { contract } of [busy, free]) await world.volumes(contract, DAY, 10);
  const HOLD = statement(
    'test_hold_marks',
    `select from changed_position where position_no in (select no from position where eic = any($1)) for update`,
  );
  const elsewhere = openDatabase(platform.databaseUrl);
  await elsewhere.transaction(async (tx) => {
    await tx.query(HOLD, [[busy.sellerGroup.eic, busy.buyerGroup.eic]]);
    assert.equal((await world.nominate()).positions, 2);
    assert.equal((await listNominated(free.asSeller)).length, 1);
    assert.deepEqual(await listNominated(busy.asSeller), []);
  });
  await elsewhere.close();
  assert.equal((await world.nominate()).positions, 2, 'the next run nets it after the lock is released');
});

test('matched amounts are null until the TSO confirms, then a quarter of its power, rounded half up', async () => {
  const { asSeller, contract } = await deal();
  await world.volumes(contract, DAY, 250);
  await world.nominate();
  const [nomination] = (await listNominated(asSeller)) as [Nominated];
  const read = async () => (await asSeller(`/v1/nominations/${nomination.id}`)).body;
  platform.clock.set('2026-06-09T11:00:00Z');
  await platform.db.transaction((tx) => recordSent(tx, [nominationUuid(nomination)], platform.clock.now()));
  assert.deepEqual([(await read()).sent_at, (await read()).status], ['2026-06-09T11:00:00Z', 'pending']);
  await confirm(platform, nomination, (kw, at) => kw + (at % 4), false);
  const partly = await read();
  assert.deepEqual([partly.status, partly.confirmed_at], ['partial_match', null]);
  assert.deepEqual(
    partly.slots.slice(0, 5).map((slot: NominationSlot) => slot.matched_amount),
    [0.25, 0.25, 0.251, 0.251, 0.25],
  );
  assert.deepEqual(amountsOf(partly), flat(DAY, 250), 'earlier versions stay');
  await confirm(platform, nomination, (kw) => kw);
  platform.clock.set('2026-06-09T12:00:00Z');
  await confirm(platform, nomination, () => 0, false);
  const matched = await read();
  assert.deepEqual(
    [matched.status, matched.confirmed_at],
    ['match', '2026-06-09T11:00:00Z'],
    'the final confirmation is not overwritten',
  );
  assert.ok(matched.slots.every((slot: NominationSlot) => slot.matched_amount === 0.25));
  platform.clock.set(EARLY);
});

test('a superseded version keeps its status, whatever the TSO answers', async () => {
  const { asSeller, contract } = await deal();
  for (const value of [10, 20]) {
    await world.volumes(contract, DAY, value);
    await world.nominate();
  }
  const [first] = (await listNominated(asSeller, '&status=superseded')) as [Nominated];
  await confirm(platform, first, (kw) => kw);
  const read = (await asSeller(`/v1/nominations/${first.id}`)).body;
  assert.deepEqual([read.status, read.slots[0].matched_amount], ['superseded', 0.01]);
});

/** A contract between two positions, and its volumes: a value from some slot on. */
const deals = fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { minLength: 1, maxLength: 6 });
const volume = fc.oneof(fc.constant(null), fc.constant(0), fc.nat(5000), fc.constant(2_147_483_647));
const statements = fc.array(
  fc.tuple(fc.nat(5), fc.array(fc.tuple(fc.nat(99), volume), { minLength: 1, maxLength: 4 })),
  {
    minLength: 1,
    maxLength: 4,
  },
);

test('after any agreements and corrections every position is nominated its net saldo, and all sum to zero', async () => {
  const [first, second] = [await world.brp(), await world.brp()];
  const both = await world.group(first, ['DE_AMPRION', 'DE_TENNET']);
  const groups = [
    both,
    both,
    await world.group(first),
    await world.group(second),
    await world.group(second, ['DE_50HERTZ']),
  ];
  const tsos: Tso[] = ['DE_AMPRION', 'DE_TENNET', 'DE_AMPRION', 'DE_AMPRION', 'DE_50HERTZ'];
  const customers: WorldCustomer[] = [];
  for (const [at, group] of groups.entries()) {
    customers.push(await world.customer(group.brp, { group, tso: tsos[at] as Tso }));
  }
  const requests = [first, second].map(({ key }) => client(platform.baseUrl, key));
  const days = ['2027-03-28', '2027-10-31'];

  await fc.assert(
    fc.asyncProperty(deals, fc.array(statements, { minLength: 1, maxLength: 3 }), async (parties, rounds) => {
      // Each run has its own day, so that runs are independent.
      const day = days.shift() ?? addDays('2026-02-01', ++run);
      const contracts: WorldContract[] = [];
      for (const [seller, buyer] of parties) {
        contracts.push(
          await world.contract(customers[seller] as WorldCustomer, customers[buyer] as WorldCustomer, {
            last: '2027-12-31',
          }),
        );
      }
      const byContract = parties.map(() => flat(day, 0));
      for (const round of rounds) {
        for (const [at, steps] of round) {
          const values = stepped(day, steps);
          await world.volumes(contracts[at % contracts.length] as WorldContract, day, values);
          const known = byContract[at % contracts.length] as number[];
          for (const [slot, value] of values.entries()) if (value !== null) known[slot] = value;
        }
        await Promise.all([world.nominate(), world.nominate()]);
        const saldos = groups.map((_, position) => bruteForceSaldo(day, parties, byContract, position));
        for (let slot = 0; slot < slotCount(day); slot++) {
          assert.equal(
            saldos.reduce((sum, saldo) => sum + (saldo[slot] as number), 0),
            0,
          );
        }
        const nominations = (
          await Promise.all(requests.map((request) => listNominated(request, `&delivery_date=${day}`)))
        ).flat();
        for (const [position, group] of groups.entries()) {
          const own = nominations.filter(({ eic, tso }) => eic === group.eic && tso === tsos[position]);
          checkPosition(own, saldos[position] as number[]);
        }
        assert.equal((await world.nominate()).positions, 0, 'a repeated run creates nothing');
      }
    }),
    { numRuns: runs(30) },
  );
});
let run = 0;

function stepped(day: string, steps: [from: number, value: number | null][]): (number | null)[] {
  const values: (number | null)[] = flat(day, 0).map(() => null);
  for (const [from, value] of steps) values.fill(value, from);
  return values;
}

function bruteForceSaldo(
  day: string,
  parties: [number, number][],
  byContract: number[][],
  position: number,
): number[] {
  return flat(day, 0).map((_, slot) =>
    parties.reduce((sum, [seller, buyer], at) => {
      const value = byContract[at]?.[slot] as number;
      return sum + (seller === position ? value : 0) - (buyer === position ? value : 0);
    }, 0),
  );
}

function checkPosition(nominations: Nominated[], saldo: number[]): void {
  const current = (wanted: 'out' | 'in') => {
    const chain = nominations
      .filter(({ direction }) => direction === wanted)
      .toSorted((a, b) => a.version - b.version);
    for (const [at, { version, status, previous_nomination_id }] of chain.entries()) {
      assert.equal(version, at + 1);
      assert.equal(previous_nomination_id, chain[at - 1]?.id ?? null);
      assert.equal(status, at === chain.length - 1 ? 'pending' : 'superseded');
    }
    return chain.at(-1)?.slots.map(({ amount }) => kwhOf(amount)) ?? saldo.map(() => 0);
  };
  assert.deepEqual(
    current('out'),
    saldo.map((value) => Math.max(value, 0)),
  );
  assert.deepEqual(
    current('in'),
    saldo.map((value) => Math.max(-value, 0)),
  );
}
