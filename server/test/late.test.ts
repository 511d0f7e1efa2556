import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { nominateDue } from '../src/nominations/actions.ts';
import { statement } from '../src/platform/db/statement.ts';
import { operating } from './exchanging.ts';
import { assertRefused, startTestPlatform } from './harness.ts';
import { bridge, type Party, sandboxMarket, summarize } from './late-market.ts';
import { assertExplains, flat, kwhOf, listNominated } from './nominated.ts';

const platform = await startTestPlatform({ environment: { SANDBOX: 'on' } });
const { db, exchange } = platform;
const market = await sandboxMarket(platform);
const { operator, call, setClock, party, agree, say, send, schedules, current, saldo, late } = market;

const [a1, a2, t1, w1, h1] = [
  await party('DE_AMPRION'),
  await party('DE_AMPRION'),
  await party('DE_TENNET'),
  await party('DE_TRANSNET_BW'),
  await party('DE_50HERTZ'),
];
const [between, within, elsewhere] = [await agree(a1, t1), await agree(a1, a2), await agree(h1, w1)];
const PARTIES = [a1, a2, t1, w1, h1];

const assertNetsToZero = (day: string) => market.assertNetsToZero(PARTIES, day);

/** At 08:00Z of this day it is 09:00 local time: slot 38, which begins at 09:15, has just closed. */
const DAY = '2026-11-18';
const CLOSED = 38;
const upTo = (last: number, kwh: number, elsewhereKwh: number) =>
  flat(DAY, elsewhereKwh).map((other, at) => (at < last ? kwh : other));

test('a correction between two areas changes exactly their two files, and only in open slots', async () => {
  await setClock('2026-11-17T10:00:00Z');
  await say(between, DAY, flat(DAY, 100));
  await say(within, DAY, flat(DAY, 50));
  await say(elsewhere, DAY, flat(DAY, 70));
  assert.deepEqual(await send(DAY), ['DE_50HERTZ 1', 'DE_AMPRION 1', 'DE_TENNET 1', 'DE_TRANSNET_BW 1']);
  await say(between, DAY, flat(DAY, 105));
  assert.deepEqual(await send(DAY), ['DE_AMPRION 2', 'DE_TENNET 2'], 'before delivery');
  assert.deepEqual(await late(), []);

  await setClock('2026-11-18T08:00:00Z');
  const run = await say(between, DAY, flat(DAY, 110));
  assert.deepEqual(run, { positions: 2, created: 2, unchanged: 0, too_late: 0 });
  assert.deepEqual(await send(DAY), ['DE_AMPRION 3', 'DE_TENNET 3']);
  const files = await schedules(DAY);
  for (const tso of ['DE_AMPRION', 'DE_TENNET'] as const) {
    assert.deepEqual(bridge(files, tso, 'BRIDGE_AMP_TTG'), upTo(CLOSED, 420, 440));
  }
  assert.deepEqual(await saldo(t1, DAY), upTo(CLOSED, -105, -110));
  assert.deepEqual(await saldo(a1, DAY), upTo(CLOSED, 155, 160));
  await assertNetsToZero(DAY);
});

test('the closed slots of that correction are listed as late, with sign and difference', async () => {
  const slots = flat(DAY, 0).slice(0, CLOSED);
  const found = await late(`?delivery_date=${DAY}`);
  assert.deepEqual(found.map(summarize), [
    [a1.eic, slots.map((_, at) => `${at + 1} 155 160 -5`)],
    [t1.eic, slots.map((_, at) => `${at + 1} -105 -110 5`)],
  ]);
  const { slots: _, ...head } = found[0]!;
  const expected = { delivery_date: DAY, brp_id: a1.brp, eic: a1.eic, tso: 'DE_AMPRION' };
  assert.deepEqual(head, { ...expected, since: '2026-11-18T08:00:00Z' });
});

/** All versions of the day's nominations are explained to the kWh. */
async function assertExplained({ ask }: Party, day: string, versions: number): Promise<void> {
  const nominations = await listNominated(ask, `&delivery_date=${day}`);
  assert.equal(nominations.length, versions);
  for (const { id } of nominations) assertExplains((await ask(`/v1/nominations/${id}/explanation`)).body);
}

test('the explanation of a version with frozen slots lists the transactions that it counted', async () => {
  for (const { id, direction } of await current(t1, DAY)) {
    const { slots } = (await t1.ask(`/v1/nominations/${id}/explanation`)).body;
    for (const { slot_number, amount, transactions } of slots) {
      assert.equal(direction, 'in');
      const [{ id: transaction, role, volume }] = transactions;
      assert.deepEqual([transactions.length, role, volume], [1, 'receiver', amount]);
      const { status } = (await t1.ask(`/v1/transactions/${transaction}`)).body;
      assert.equal(status, slot_number <= CLOSED ? 'superseded' : 'valid');
    }
  }
});

const SET_AMOUNTS = statement(
  'test_set_amounts',
  'update nomination set amounts = $2 where id = $1 returning amounts',
);

test('a version of an earlier release, which counted late changes, is explained as well', async () => {
  const [nomination] = await current(t1, DAY);
  const id = decodeId(ID_PREFIX.nomination, nomination!.id);
  const before = nomination!.slots.map(({ amount }) => kwhOf(amount));
  await db.transaction((tx) => tx.query(SET_AMOUNTS, [id, flat(DAY, 110)]));
  await assertExplained(t1, DAY, 3);
  await db.transaction((tx) => tx.query(SET_AMOUNTS, [id, before]));
  await assertExplained(t1, DAY, 3);
});

test('after delivery a correction within an area is sent, one between areas is only listed, and no bridge changes', async () => {
  await setClock('2026-11-19T09:00:00Z');
  const before = await schedules(DAY);
  const run = await say(within, DAY, flat(DAY, 60));
  assert.deepEqual(run, { positions: 2, created: 2, unchanged: 0, too_late: 0 });
  assert.deepEqual(await send(DAY), ['DE_AMPRION 4']);
  assert.deepEqual(await saldo(a2, DAY), flat(DAY, -60));
  const [first] = await late();
  assert.deepEqual(summarize(first!)[1]?.[0], '1 165 170 -5', 'the difference stays');
  assert.equal(first?.since, '2026-11-18T08:00:00Z');

  const refused = await say(between, DAY, flat(DAY, 120));
  assert.deepEqual(refused, { positions: 2, created: 0, unchanged: 2, too_late: 0 });
  assert.deepEqual(await send(DAY), []);
  const files = await schedules(DAY);
  for (const tso of ['DE_AMPRION', 'DE_TENNET'] as const) {
    assert.deepEqual(bridge(files, tso, 'BRIDGE_AMP_TTG'), bridge(before, tso, 'BRIDGE_AMP_TTG'));
  }
  const [ofSeller, ofBuyer] = await late();
  assert.deepEqual(
    [ofSeller?.slots.length, ofBuyer?.slots.length, summarize(ofBuyer!)[1]?.[95]],
    [96, 96, '96 -110 -120 10'],
  );
  await assertNetsToZero(DAY);
});

test('a late change of both kinds in one slot: the part within the area is sent', async () => {
  await call('PUT', `/contracts/${between}/days/${DAY}`, { volumes: flat(DAY, 0.13) });
  await say(within, DAY, flat(DAY, 65));
  assert.deepEqual(await send(DAY), ['DE_AMPRION 5']);
  assert.deepEqual(await saldo(a1, DAY), upTo(CLOSED, 105 + 65, 110 + 65));
  assert.deepEqual(await saldo(a2, DAY), flat(DAY, -65));
  await assertNetsToZero(DAY);
});

test('an invalidation after delivery is late between areas', async () => {
  const { transactions } = (
    await t1.ask(`/v1/transactions?delivery_date=${DAY}&status=valid&slot_number_from=96`)
  ).body;
  await call('POST', `/transactions/${transactions[0].id}/invalidate`, { reason: 'meter failure' });
  await call('POST', '/nominations/run', {});
  assert.deepEqual(await send(DAY), []);
  const [, ofBuyer] = await late();
  assert.deepEqual(summarize(ofBuyer!)[1]?.[95], '96 -110 0 -110');
});

test('the list is empty again when transactions and nominations agree', async () => {
  await say(between, DAY, upTo(CLOSED, 105, 110));
  assert.deepEqual(await late(), []);
  assert.deepEqual(await send(DAY), []);
});

test('after the last gate every change is listed', async () => {
  await setClock('2026-11-19T15:00:00Z');
  const run = await say(within, DAY, flat(DAY, 66));
  assert.deepEqual(run, { positions: 2, created: 0, unchanged: 0, too_late: 2 });
  const slots = flat(DAY, 0);
  assert.deepEqual((await late()).map(summarize), [
    [a1.eic, slots.map((_, at) => (at < CLOSED ? `${at + 1} 170 171 -1` : `${at + 1} 175 176 -1`))],
    [a2.eic, slots.map((_, at) => `${at + 1} -65 -66 1`)],
  ]);
  await say(between, DAY, flat(DAY, 200));
  assert.deepEqual(
    (await late()).map(({ eic, since }) => [eic, since]),
    [a1, a2, t1].map(({ eic }) => [eic, '2026-11-19T15:00:00Z']),
  );
});

test('the list is filtered and paged, and the export has all of it', async () => {
  const other = '2026-11-17';
  await say(within, other, [...flat(other, 0).slice(1), 40]);
  assert.deepEqual(
    (await late()).map(({ delivery_date, eic }) => `${delivery_date} ${eic}`),
    [`${other} ${a1.eic}`, `${other} ${a2.eic}`, ...[a1, a2, t1].map(({ eic }) => `${DAY} ${eic}`)],
  );
  assert.equal((await late(`?delivery_date=${DAY}`)).length, 3);
  assert.deepEqual(
    (await late(`?brp_id=${a2.brp}`)).map(({ delivery_date }) => delivery_date),
    [other, DAY],
  );
  assert.equal((await late(`?brp_id=${a2.brp}&delivery_date=${other}`)).length, 1);
  for (const unknown of ['brp_00000000000000000000000000', 'x']) {
    assert.deepEqual(await late(`?brp_id=${unknown}`), []);
    assert.equal((await operator(`/operator/v1/exports/late?brp_id=${unknown}`)).text.split('\n').length, 2);
  }
  assertRefused(await operator('/operator/v1/nominations/late?eic=x'), 'eic unknown_field');

  const csv = await operator(`/operator/v1/exports/late?delivery_date=${other}&format=csv`);
  assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8');
  assert.equal(csv.headers.get('content-disposition'), `attachment; filename="late_${other}.csv"`);
  const times = '2026-11-17T22:45:00Z,2026-11-17T23:00:00Z';
  assert.equal(
    csv.text,
    `delivery_date,brp_id,eic,tso,slot_number,delivery_start,delivery_end,nominated_mwh,transactions_mwh,difference_mwh,since
${other},${a1.brp},${a1.eic},DE_AMPRION,96,${times},0.000,0.040,-0.040,2026-11-19T15:00:00Z
${other},${a2.brp},${a2.eic},DE_AMPRION,96,${times},0.000,-0.040,0.040,2026-11-19T15:00:00Z
`,
  );
  const whole = (await operator('/operator/v1/exports/late')).text.trimEnd().split('\n');
  const slots = (await late()).reduce((sum, one) => sum + one.slots.length, 0);
  assert.equal(whole.length, 1 + slots);
});

test('a first version after closings has the volumes between areas in open slots only', async () => {
  const day = '2026-11-21';
  await setClock('2026-11-21T12:00:00Z');
  await say(between, day, flat(day, 100));
  await say(within, day, flat(day, 50));
  assert.deepEqual(await send(day), ['DE_AMPRION 1', 'DE_TENNET 1']);
  const closed = 54;
  assert.deepEqual(
    await saldo(t1, day),
    flat(day, -100).map((kwh, at) => (at < closed ? 0 : kwh)),
  );
  assert.deepEqual(await saldo(a2, day), flat(day, -50));
  const files = await schedules(day);
  assert.deepEqual(
    bridge(files, 'DE_TENNET', 'BRIDGE_AMP_TTG'),
    flat(day, 400).map((kw, at) => (at < closed ? 0 : kw)),
  );
  assert.deepEqual(
    summarize((await late(`?delivery_date=${day}&brp_id=${t1.brp}`))[0]!)[1]?.at(-1),
    `${closed} 0 -100 100`,
  );
});

test('which changes are late does not depend on when, how often and by how many processes they are netted', async () => {
  const day = '2026-11-25';
  await setClock('2026-11-24T10:00:00Z');
  await say(between, day, flat(day, 100));
  await send(day);
  // Two changes of the seller, one before and one after a closing, are netted together and by several processes.
  await setClock('2026-11-25T08:59:59Z');
  await call('PUT', `/contracts/${between}/days/${day}`, { volumes: flat(day, 0.11) });
  await setClock('2026-11-25T09:00:00Z');
  await call('PUT', `/contracts/${between}/days/${day}`, { volumes: flat(day, 0.12) });
  const now = Date.parse('2026-11-25T09:00:30Z');
  await Promise.all(Array.from({ length: 4 }, () => nominateDue(db, { now: () => now }, exchange.rules)));
  // Slot 42 begins at 09:15Z and closed at 09:00Z: the first change was in time for it, the second was not.
  const expected = flat(day, 120).map((kwh, at) => (at + 1 < 42 ? 100 : at + 1 === 42 ? 110 : kwh));
  assert.deepEqual(await saldo(a1, day), expected);
  assert.deepEqual(
    await saldo(t1, day),
    expected.map((kwh) => -kwh),
  );
  const again = await say(between, day, flat(day, 120));
  assert.deepEqual(again, { positions: 0, created: 0, unchanged: 0, too_late: 0 });
});

test('a change that no schedule had when its slot closed is late, although it was nominated in time', async () => {
  const day = '2026-11-25';
  // The test above nominated a change of slot 42 before its closing; its schedule comes after it.
  await setClock('2026-11-25T09:01:00Z');
  assert.deepEqual(await send(day), ['DE_AMPRION 2', 'DE_TENNET 2']);
  const expected = flat(day, 120).map((kwh, at) => (at + 1 <= 42 ? 100 : kwh));
  const files = await schedules(day);
  for (const tso of ['DE_AMPRION', 'DE_TENNET'] as const) {
    assert.deepEqual(
      bridge(files, tso, 'BRIDGE_AMP_TTG'),
      expected.map((kwh) => kwh * 4),
    );
  }
  assert.deepEqual(await saldo(a1, day), expected);
  assert.deepEqual(summarize((await late(`?delivery_date=${day}`))[0]!)[1]?.at(-1), '42 100 120 -20');
  await assertExplained(a1, day, 3);
  await operating(platform, operator).answer();
  for (const party of [a1, t1]) {
    assert.deepEqual(
      (await current(party, day)).map(({ status }) => status),
      ['match'],
    );
  }
  await say(within, day, flat(day, 1));
  assert.deepEqual(
    await send(day),
    ['DE_AMPRION 3'],
    'later changes within the area are sent in that slot too',
  );
  assert.deepEqual(
    await saldo(a1, day),
    expected.map((kwh) => kwh + 1),
  );
});

test('nominations that were never sent are late in closed slots', async () => {
  const day = '2026-11-27';
  await setClock('2026-11-26T10:00:00Z');
  await say(between, day, flat(day, 100));
  await say(within, day, flat(day, 50));
  await setClock('2026-11-27T09:01:00Z');
  assert.deepEqual(await send(day), ['DE_AMPRION 1', 'DE_TENNET 1']);
  assert.deepEqual(
    await saldo(t1, day),
    flat(day, -100).map((kwh, at) => (at + 1 <= 42 ? 0 : kwh)),
  );
  assert.deepEqual(await saldo(a2, day), flat(day, -50));
  assert.equal((await late(`?delivery_date=${day}`)).length, 2);
  await schedules(day);
  await assertExplained(t1, day, 2);
});

test('an invalidation that no schedule had when its slot closed is late too', async () => {
  const day = '2026-12-02';
  await setClock('2026-12-01T10:00:00Z');
  await say(between, day, flat(day, 100));
  await send(day);
  await setClock('2026-12-02T08:59:59Z');
  const query = `delivery_date=${day}&slot_number_from=42&slot_number_to=42`;
  const { transactions } = (await t1.ask(`/v1/transactions?${query}`)).body;
  await call('POST', `/transactions/${transactions[0].id}/invalidate`, { reason: 'meter failure' });
  await call('POST', '/nominations/run', {});
  assert.equal((await saldo(t1, day))[41], 0);
  await setClock('2026-12-02T09:00:00Z');
  assert.deepEqual(await send(day), []);
  assert.equal((await saldo(t1, day))[41], -100);
  assert.deepEqual((await late(`?delivery_date=${day}`)).map(summarize), [
    [a1.eic, ['42 100 0 100']],
    [t1.eic, ['42 -100 0 -100']],
  ]);
});
