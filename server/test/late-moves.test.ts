import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays } from '@saldo/core/delivery-day.ts';
import { startTestPlatform } from './harness.ts';
import { assertScheduled, type Party, sandboxMarket, summarize } from './late-market.ts';
import { assertExplains, flat, listNominated } from './nominated.ts';

const market = await sandboxMarket(await startTestPlatform({ environment: { SANDBOX: 'on' } }));
const { setClock, party, agree, say, move, send, schedules, current, saldo, late } = market;

/** The day of the changes. They are before the day-ahead gate of the next day, which is the day of the outage. */
const TODAY = '2026-11-17';
const DAY = addDays(TODAY, 1);
/** At 11:01Z it is 12:01 local time: slot 50, which begins at 12:15, has closed. */
const BACK = `${DAY}T11:01:00Z`;
const CLOSED = 50;
/** One value in the slots that closed during the outage, another one in the open slots. */
const both = (closedKwh: number, openKwh: number) =>
  flat(DAY, openKwh).map((kwh, at) => (at < CLOSED ? closedKwh : kwh));

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

/** The saldos of the day, and its late list as `nominated transactions` of the slots that closed, by balance group. */
async function assertOutcome(parties: readonly Party[], expected: readonly [closed: number, open: number][]) {
  for (const [at, one] of parties.entries()) {
    const [closed, open] = expected[at]!;
    assert.deepEqual(await saldo(one, DAY), both(closed, open), `${one.tso} ${one.eic}`);
  }
  const eics = parties.map(({ eic }) => eic);
  const listed = (await late(`?delivery_date=${DAY}`)).filter(({ eic }) => eics.includes(eic));
  const differing = parties.flatMap(({ eic }, at) => {
    const [closed, open] = expected[at]!;
    // In open slots nominations are what is valid, and all slots of the contracts have the same volume.
    const slots = flat(DAY, 0).slice(0, CLOSED);
    return closed === open
      ? []
      : [[eic, slots.map((_, slot) => `${slot + 1} ${closed} ${open} ${closed - open}`)]];
  });
  assert.deepEqual(listed.map(summarize).toSorted(), differing.toSorted());
}

test('after an outage the former position of a moved customer has its volume back in the slots that closed', async () => {
  await setClock(`${TODAY}T09:00:00Z`);
  const north = await party('DE_AMPRION');
  const northTennet = await party('DE_TENNET', north);
  const south = await party('DE_AMPRION');
  const south50Hertz = await party('DE_50HERTZ', south);
  const contracts = [await agree(north, south), await agree(north, south50Hertz)] as const;
  const days = [TODAY, DAY, addDays(DAY, 1)];
  for (const day of days) {
    await say(contracts[0], day, flat(day, 5000));
    await say(contracts[1], day, flat(day, 2585));
  }
  for (const day of days) await send(day);
  await setClock(`${TODAY}T13:10:00Z`);
  await move(north, northTennet);
  const parties = [north, northTennet, south, south50Hertz];
  assert.deepEqual(await saldo(northTennet, DAY), flat(DAY, 7585));

  await setClock(BACK);
  for (const day of days) await send(day);
  await assertOutcome(parties, [
    [7585, 0],
    [0, 7585],
    [-5000, -5000],
    [-2585, -2585],
  ]);
  for (const day of days) await assertConsistent(parties, day);
  assert.deepEqual(await saldo(northTennet, days[2]!), flat(days[2]!, 7585));
});
