import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays } from '@saldo/core/delivery-day.ts';
import { startTestPlatform } from './harness.ts';
import { assertScheduled, type Party, sandboxMarket, summarize } from './late-market.ts';
import { assertExplains, flat, listNominated } from './nominated.ts';

const market = await sandboxMarket(await startTestPlatform({ environment: { SANDBOX: 'on' } }));
const { call, setClock, party, agree, say, move, send, schedules, current, saldo, late } = market;

/** In the slots that close during the outage, and in the slots that are open after it. */
type Outcome = [closedKwh: number, openKwh: number];

/**
 * Each test has a day of its own. Its changes are before the day-ahead gate, and the outage ends at 12:01 of the day:
 * slot 50, which begins at 12:15, has closed.
 */
const CLOSED = 50;
let lastDay = '2026-11-01';
function nextDay() {
  const day = addDays(lastDay, 3);
  lastDay = day;
  return {
    day,
    start: () => setClock(`${addDays(day, -1)}T09:00:00Z`),
    beforeGate: (minute: number) => setClock(`${addDays(day, -1)}T13:${minute}:00Z`),
    afterOutage: () => setClock(`${day}T11:01:00Z`),
  };
}

/** Whatever happened, slots net to zero, files have the nominations, and explanations add up. */
async function assertConsistent(parties: readonly Party[], day: string): Promise<void> {
  await market.assertNetsToZero(parties, day);
  const files = await schedules(day);
  for (const one of parties) {
    assertScheduled(files, await current(one, day));
    for (const { id } of await listNominated(one.ask, `&delivery_date=${day}&eic=${one.eic}`))
      assertExplains((await one.ask(`/v1/nominations/${id}/explanation`)).body);
  }
}

/** Nominations have the outcome, and exactly the slots in which that is not what is valid are late. */
async function assertOutcome(day: string, expected: readonly [Party, Outcome][]): Promise<void> {
  for (const [party, [closed, open]] of expected)
    assert.deepEqual(
      await saldo(party, day),
      flat(day, open).map((kwh, at) => (at < CLOSED ? closed : kwh)),
      `${party.tso} ${party.eic}`,
    );
  // All slots of a contract have the same volume here, and in open slots what is valid is nominated.
  const differing = expected.flatMap(([{ eic }, [closed, open]]) => {
    const slots = Array.from({ length: CLOSED }, (_, at) => `${at + 1} ${closed} ${open} ${closed - open}`);
    return closed === open ? [] : [[eic, slots]];
  });
  assert.deepEqual((await late(`?delivery_date=${day}`)).map(summarize).toSorted(), differing.toSorted());
  const parties = expected.map(([party]) => party);
  await assertConsistent(parties, day);
}

test('after an outage the former position of a moved customer has its volume back in the slots that closed', async () => {
  const { day, start, beforeGate, afterOutage } = nextDay();
  await start();
  const north = await party('DE_AMPRION');
  const northTennet = await party('DE_TENNET', north);
  const south = await party('DE_AMPRION');
  const south50Hertz = await party('DE_50HERTZ', south);
  const contracts = [await agree(north, south), await agree(north, south50Hertz)] as const;
  const days = [addDays(day, -1), day, addDays(day, 1)];
  for (const one of days) {
    await say(contracts[0], one, flat(one, 5000));
    await say(contracts[1], one, flat(one, 2585));
  }
  for (const one of days) await send(one);
  await beforeGate(10);
  await move(north, northTennet);
  assert.deepEqual(await saldo(northTennet, day), flat(day, 7585));

  await afterOutage();
  for (const one of days) await send(one);
  await assertOutcome(day, [
    [north, [7585, 0]],
    [northTennet, [0, 7585]],
    [south, [-5000, -5000]],
    [south50Hertz, [-2585, -2585]],
  ]);
  for (const one of days) await assertConsistent([north, northTennet, south, south50Hertz], one);
  assert.deepEqual(await saldo(northTennet, days[2]!), flat(days[2]!, 7585));
  assert.deepEqual(await send(day), [], 'nothing is left to send');
});

for (const { name, from, to, partner } of [
  { name: 'ends a flow between control areas', from: 'DE_TENNET', to: 'DE_AMPRION', partner: 'DE_AMPRION' },
  { name: 'begins a flow between control areas', from: 'DE_AMPRION', to: 'DE_TENNET', partner: 'DE_AMPRION' },
] as const)
  test(`a move that ${name} is late in the slots that closed before it was sent`, async () => {
    const { day, start, beforeGate, afterOutage } = nextDay();
    await start();
    const former = await party(from);
    const [next, buyer] = [await party(to, former), await party(partner)];
    await say(await agree(former, buyer), day, flat(day, 100));
    await send(day);
    await beforeGate(10);
    await move(former, next);
    await afterOutage();
    await send(day);
    await assertOutcome(day, [
      [former, [100, 0]],
      [next, [0, 100]],
      [buyer, [-100, -100]],
    ]);
  });

test('a move into the position of the contract partner is late in the slots that closed before it was sent', async () => {
  const { day, start, beforeGate, afterOutage } = nextDay();
  await start();
  const seller = await party('DE_AMPRION');
  const buyer = await party('DE_TENNET', seller);
  await say(await agree(seller, buyer), day, flat(day, 100));
  await send(day);
  await beforeGate(10);
  await move(buyer, seller);
  await afterOutage();
  await send(day);
  await assertOutcome(day, [
    [seller, [100, 0]],
    [buyer, [-100, 0]],
  ]);
});

test('of two moves that were not sent in time, neither counts in the slots that closed', async () => {
  const { day, start, beforeGate, afterOutage } = nextDay();
  await start();
  const [first, buyer] = [await party('DE_TENNET'), await party('DE_AMPRION')];
  const [second, third] = [await party('DE_50HERTZ', first), await party('DE_AMPRION', first)];
  const contract = await agree(first, buyer);
  await say(contract, day, flat(day, 100));
  await send(day);
  await beforeGate(10);
  await move(first, second);
  await say(contract, day, flat(day, 120));
  await beforeGate(20);
  await move(first, third);
  await afterOutage();
  await send(day);
  await assertOutcome(day, [
    [first, [100, 0]],
    [second, [0, 0]],
    [third, [0, 120]],
    [buyer, [-100, -120]],
  ]);
});

test('a change after the outage reaches the former position of a move that was late', async () => {
  const { day, start, beforeGate, afterOutage } = nextDay();
  await start();
  const [former, buyer] = [await party('DE_AMPRION'), await party('DE_AMPRION')];
  const next = await party('DE_TENNET', former);
  const contract = await agree(former, buyer);
  await say(contract, day, flat(day, 100));
  await send(day);
  await beforeGate(10);
  await move(former, next);
  await afterOutage();
  await send(day);
  // The late move would be between areas. What it replaced was within one, and may still be withdrawn there.
  const query = `delivery_date=${day}&status=valid&slot_number_to=1`;
  const [first] = (await buyer.ask(`/v1/transactions?${query}`)).body.transactions;
  await call('POST', `/transactions/${first.id}/invalidate`, { reason: 'meter failure' });
  await call('POST', '/nominations/run', {});
  for (const one of [former, next, buyer]) assert.equal((await saldo(one, day))[0], 0, one.tso);
  await send(day);
  await assertConsistent([former, next, buyer], day);
});

for (const { about, otherKwh, files } of [
  { about: 'in a new version of the schedules', otherKwh: 110, files: ['DE_AMPRION 2', 'DE_TENNET 2'] },
  { about: 'with changes that were taken back', otherKwh: 100, files: [] },
])
  test(`a move of a customer that sells as much as it buys stays, although no nomination shows that it was sent: ${about}`, async () => {
    const { day, start, beforeGate, afterOutage } = nextDay();
    await start();
    const [producer, trader] = [await party('DE_AMPRION'), await party('DE_TENNET')];
    const [consumer, neighbour] = [await party('DE_TRANSNET_BW'), await party('DE_TENNET')];
    const moved = await party('DE_50HERTZ', trader);
    const [bought, sold] = [await agree(producer, trader), await agree(trader, consumer)];
    const [other, unsent] = [await agree(producer, neighbour), await agree(neighbour, consumer)];
    for (const contract of [bought, sold, other]) await say(contract, day, flat(day, 100));
    await send(day);
    await beforeGate(10);
    await say(other, day, flat(day, 120));
    await move(trader, moved);
    // The nomination of the producer now counts the moved purchase. That of the consumer does not count the moved sale.
    await say(other, day, flat(day, otherKwh));
    assert.deepEqual(await send(day), files);
    await beforeGate(20);
    await say(unsent, day, flat(day, 7));
    await afterOutage();
    await send(day);
    await assertOutcome(day, [
      [producer, [100 + otherKwh, 100 + otherKwh]],
      [trader, [0, 0]],
      [moved, [0, 0]],
      [neighbour, [-otherKwh, 7 - otherKwh]],
      [consumer, [-100, -107]],
    ]);
  });
