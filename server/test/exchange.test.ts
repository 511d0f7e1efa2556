import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tso } from '@saldo/api';
import pg from 'pg';
import { agree, newPlace, operating, type Place, readSchedule, unmatchedSlots } from './exchanging.ts';
import { assertProblem, client, startTestPlatform } from './harness.ts';
import { kwhOf, listNominated, only } from './nominated.ts';

/** Each test has its own day. The same groups deliver on all of them. */
const platform = await startTestPlatform({
  now: '2026-10-20T08:00:00Z',
  environment: { EXCHANGE_FORMATS: 'DE_AMPRION=cim,DE_TRANSNET_BW=cim' },
});
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const { send, receive, messages, answer, outbox } = operating(platform, operator);

const place = (tso: Tso) => newPlace(platform, tso);
const [wind, sun, city, works] = [
  await place('DE_50HERTZ'),
  await place('DE_TENNET'),
  await place('DE_AMPRION'),
  await place('DE_TRANSNET_BW'),
];
const windToCity = await agree(world, wind, city);
const sunToWorks = await agree(world, sun, works);
const cityToWind = await agree(world, city, wind);

async function deliver(day: string): Promise<void> {
  await world.volumes(windToCity, day, 1000);
  await world.volumes(sunToWorks, day, 250);
  await world.nominate();
}

const nominationOf = async ({ ask, tso }: Place, day: string, query = '') => {
  const found = await listNominated(ask, `&delivery_date=${day}&tso=${tso}${query}`);
  const current = found.filter(({ status }) => status !== 'superseded');
  assert.equal(current.length, 1);
  return current[0] ?? assert.fail();
};

test('a day is sent as a file per TSO, acknowledged and confirmed, and every nomination is matched', async () => {
  const day = '2026-10-22';
  await deliver(day);
  const { messages: sent, faults } = await send({ delivery_date: day });
  assert.deepEqual(faults, []);
  assert.deepEqual(
    sent
      .map(({ tso, format, version, state, file_name }) => [tso, format, version, state, file_name])
      .toSorted(),
    [
      ['DE_50HERTZ', 'ess', 1, 'sent', '20261022_TPS_11XSALDO-------Z_10XDE-VE-TRANSMK_001.XML'],
      ['DE_AMPRION', 'cim', 1, 'sent', '20261022_TPS_11XSALDO-------Z_10XDE-RWENET---W_001.XML'],
      ['DE_TENNET', 'ess', 1, 'sent', '20261022_TPS_11XSALDO-------Z_10XDE-EON-NETZ-C_001.XML'],
      ['DE_TRANSNET_BW', 'cim', 1, 'sent', '20261022_TPS_11XSALDO-------Z_10XDE-ENBW--TNGX_001.XML'],
    ],
  );
  const files = await outbox();
  for (const { id, file_name } of sent) {
    const raw = await operator(`/operator/v1/messages/${id}/raw`);
    assert.equal(raw.text, files.get(file_name ?? '')?.toString(), 'the sent document is stored unchanged');
  }
  const before = await nominationOf(wind, day);
  assert.equal(before.status, 'pending');
  assert.equal((await wind.ask(`/v1/nominations/${before.id}`)).body.sent_at, '2026-10-20T08:00:00Z');
  assert.deepEqual((await send({ delivery_date: day })).messages, [], 'nothing is sent twice');

  await answer();
  for (const side of [wind, sun, city, works]) {
    const nomination = await nominationOf(side, day);
    assert.equal(nomination.status, 'match');
    assert.deepEqual(unmatchedSlots(nomination), []);
    const { body } = await side.ask(`/v1/nominations/${nomination.id}`);
    assert.equal(body.confirmed_at, '2026-10-20T08:00:00Z');
  }
  const all = await messages(`&delivery_date=${day}`);
  assert.deepEqual(
    new Set(all.filter(({ direction }) => direction === 'out').map(({ state }) => state)),
    new Set(['confirmed']),
  );
  const backwards: string[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const query = `delivery_date=${day}&order=newest_first&limit=5${after && `&after=${after}`}`;
    const { body } = await operator(`/operator/v1/messages?${query}`);
    backwards.push(...body.messages.map(({ id }: { id: string }) => id));
    after = body.pagination.next_cursor;
  }
  assert.deepEqual(
    backwards.toReversed(),
    all.map(({ id }) => id),
    'the list can be read newest first',
  );
  const incoming = all.filter(({ direction }) => direction === 'in');
  assert.equal(incoming.length, 12, 'an acknowledgement and two confirmations from each TSO');
  for (const { state, answers, tso } of incoming) {
    assert.equal(state, 'applied');
    assert.equal(sent.find(({ id }) => id === answers)?.tso, tso);
  }
  const { body } = await operator(`/operator/v1/exchange/mismatches?delivery_date=${day}`);
  assert.deepEqual(body.mismatches, []);
});

for (const format of ['ess', 'cim'] as const) {
  test(`a counterpart with lower values in four slots is matched in all others, answered in ${format}`, async () => {
    const day = format === 'ess' ? '2026-10-23' : '2026-10-25';
    await deliver(day);
    await send({ delivery_date: day });
    const slots = [45, 46, 47, 48];
    await answer(
      { deviations: [{ eic: city.group.eic, tso: null, day, slots, differenceKw: -50 }] },
      { format },
    );
    const nomination = await nominationOf(city, day);
    assert.equal(nomination.status, 'partial_match');
    assert.deepEqual(unmatchedSlots(nomination), slots);
    assert.equal(nomination.slots[44]?.matched_amount, 0.988, '3,950 kW in a quarter-hour, rounded half up');
    for (const side of [wind, sun, works]) assert.equal((await nominationOf(side, day)).status, 'match');

    const { body } = await operator(`/operator/v1/exchange/mismatches?delivery_date=${day}`);
    assert.deepEqual(
      body.mismatches.map((found: { nomination_id: string; slots: object[] }) => [
        found.nomination_id,
        found.slots.length,
      ]),
      [[nomination.id, 4]],
    );
    const [slot] = body.mismatches[0].slots;
    assert.deepEqual(
      [slot.slot_number, slot.amount, slot.matched_amount, slot.counterpart_amount],
      [45, 1, 0.9875, 0.9875],
    );
    const elsewhere = await operator(`/operator/v1/exchange/mismatches?delivery_date=${day}&tso=DE_TENNET`);
    assert.deepEqual(elsewhere.body.mismatches, []);
  });
}

test('a counterpart with higher values is confirmed with our value, and the anomaly report shows both', async () => {
  const day = '2026-10-26';
  await deliver(day);
  await send({ delivery_date: day });
  const deviations = [{ eic: wind.group.eic, tso: null, day, slots: [1], differenceKw: 400 }];
  await answer({ deviations }, { isIntermediateOnly: true });
  const nomination = await nominationOf(wind, day);
  assert.equal(nomination.status, 'match');
  const reports = await messages(`&delivery_date=${day}&type=anomaly`);
  assert.deepEqual(
    reports.map(({ state, tso }) => [state, tso]),
    [['applied', 'DE_50HERTZ']],
  );
});

test('a counterpart without a schedule is matched with zero', async () => {
  const day = '2026-10-27';
  await deliver(day);
  await send({ delivery_date: day });
  await answer({ missing: [{ eic: sun.group.eic, tso: 'DE_TENNET', day }] });
  const nomination = await nominationOf(sun, day);
  assert.equal(nomination.status, 'partial_match');
  assert.deepEqual(new Set(nomination.slots.map(({ matched_amount }) => matched_amount)), new Set([0]));
  assert.equal((await nominationOf(works, day)).status, 'match');
});

test('a correction after the confirmation creates new versions of what it affects, and the old confirmation has no effect', async () => {
  const day = '2026-10-28';
  await deliver(day);
  await send({ delivery_date: day });
  await answer();
  const confirmed = await nominationOf(wind, day);
  const untouched = await nominationOf(sun, day);
  const [oldAnswer] = (await messages(`&delivery_date=${day}&type=confirmation&tso=DE_50HERTZ`)).slice(-1);
  const oldDocument = (await operator(`/operator/v1/messages/${oldAnswer?.id}/raw`)).text;

  await world.volumes(windToCity, day, only(day, [10], 1200, 1000));
  const { messages: second } = await send({ delivery_date: day });
  assert.deepEqual(
    second.map(({ tso, version }) => [tso, version]).toSorted(),
    [
      ['DE_50HERTZ', 2],
      ['DE_AMPRION', 2],
    ],
    'areas without a change get no schedule',
  );
  const files = await outbox();
  const schedule = await readSchedule(
    files.get('20261028_TPS_11XSALDO-------Z_10XDE-VE-TRANSMK_002.XML') ?? Buffer.alloc(0),
  );
  assert.deepEqual(
    Object.fromEntries(schedule.series.map(({ identification, version }) => [identification, version])),
    { [`${wind.group.eic}_OUT`]: 2, BRIDGE_50H_AMP: 2, BRIDGE_50H_TBW: 1 },
  );
  const corrected = await nominationOf(wind, day);
  assert.deepEqual([corrected.version, corrected.status], [2, 'pending']);

  const late = oldDocument.replaceAll(/CNF-20261028-50H-1-\w+/g, 'CNF-another-one');
  const answered = await receive(late);
  assert.deepEqual(
    [answered.status, answered.body.message.state, answered.body.nominations],
    [200, 'ignored', []],
  );
  assert.match(answered.body.message.error, /version 1; version 2 was sent since/);
  assert.equal((await nominationOf(wind, day)).status, 'pending');
  assert.deepEqual((await wind.ask(`/v1/nominations/${confirmed.id}`)).body.status, 'superseded');

  await answer();
  assert.equal((await nominationOf(wind, day)).status, 'match');
  assert.deepEqual(await nominationOf(sun, day), untouched);
});

test('a repeated answer is recorded twice and applied once', async () => {
  const day = '2026-10-29';
  await deliver(day);
  await send({ delivery_date: day });
  await answer();
  const known = await messages(`&delivery_date=${day}&type=confirmation&tso=DE_TENNET`);
  const raw = (await operator(`/operator/v1/messages/${known.at(-1)?.id}/raw`)).text;
  const again = await receive(raw, 'text/xml');
  assert.deepEqual([again.status, again.body.message.state, again.body.nominations], [200, 'ignored', []]);
  assert.match(again.body.message.error, /was received before/);
});

test('an intermediate confirmation sets matched amounts only, and is ignored after the final one', async () => {
  const day = '2026-10-30';
  await deliver(day);
  await send({ delivery_date: day });
  const deviations = [{ eic: works.group.eic, tso: null, day, slots: [3], differenceKw: -8 }];
  await answer({ deviations }, { isIntermediateOnly: true });
  const nomination = await nominationOf(works, day);
  assert.deepEqual([nomination.status, unmatchedSlots(nomination)], ['partial_match', [3]]);
  assert.equal((await works.ask(`/v1/nominations/${nomination.id}`)).body.confirmed_at, null);
  const [out] = await messages(`&delivery_date=${day}&direction=out&tso=DE_TRANSNET_BW`);
  assert.equal(out?.state, 'acknowledged');
  const intermediate = (await messages(`&delivery_date=${day}&type=confirmation&tso=DE_TRANSNET_BW`)).at(-1);
  const raw = (await operator(`/operator/v1/messages/${intermediate?.id}/raw`)).text;
  const asFinal = raw.replace('<type>A07</type>', '<type>A08</type>').replace('CNI-', 'CNF-');
  const final = await receive(asFinal);
  assert.deepEqual(final.body.nominations, [nomination.id]);
  const late = await receive(raw.replace('CNI-', 'LATE-'));
  assert.equal(late.body.message.state, 'ignored');
  assert.equal(
    (await works.ask(`/v1/nominations/${nomination.id}`)).body.confirmed_at,
    '2026-10-20T08:00:00Z',
  );
});

test('a rejected schedule leaves its nominations pending, shows the reason, and is sent again on request', async () => {
  const day = '2026-11-02';
  await deliver(day);
  await send({ delivery_date: day });
  await answer({ rejections: [{ tso: 'DE_TENNET', day }] });
  const [rejected] = await messages(`&delivery_date=${day}&state=rejected`);
  assert.equal(rejected?.tso, 'DE_TENNET');
  assert.match(rejected?.error ?? '', /A02.*A59/);
  const nomination = await nominationOf(sun, day);
  assert.equal(nomination.status, 'pending');
  assert.deepEqual((await send()).messages, [], 'a request without its day leaves it');
  assert.deepEqual((await send({ delivery_date: day, tso: 'DE_AMPRION' })).messages, []);
  const { messages: again } = await send({ delivery_date: day });
  assert.deepEqual(
    again.map(({ tso, version }) => [tso, version]),
    [['DE_TENNET', 2]],
  );
  assert.deepEqual((await send({ delivery_date: day })).messages, [], 'it is sent once');
  await answer({ rejections: [{ tso: 'DE_TENNET', day }] });
  const { messages: third } = await send({ delivery_date: day, tso: 'DE_TENNET' });
  assert.deepEqual(
    third.map(({ tso, version }) => [tso, version]),
    [['DE_TENNET', 3]],
  );
  await answer();
  assert.equal((await nominationOf(sun, day)).status, 'match');
});

test('the sign of a saldo may change during the day: both directions are confirmed', async () => {
  const day = '2026-11-03';
  await world.volumes(windToCity, day, only(day, [1, 2, 3], 500));
  await world.volumes(cityToWind, day, only(day, [4, 5], 700));
  await world.nominate();
  await send({ delivery_date: day });
  await answer();
  const both = await listNominated(wind.ask, `&delivery_date=${day}`);
  assert.deepEqual(both.map(({ direction, status }) => [direction, status]).toSorted(), [
    ['in', 'match'],
    ['out', 'match'],
  ]);
});

test('a change that is reverted before it is sent counts as sent and confirmed', async () => {
  const day = '2026-11-04';
  await deliver(day);
  await send({ delivery_date: day });
  await answer();
  await world.volumes(windToCity, day, 900);
  await world.nominate();
  await world.volumes(windToCity, day, 1000);
  await world.nominate();
  const pending = await nominationOf(wind, day);
  assert.deepEqual([pending.version, pending.status], [3, 'pending']);
  assert.deepEqual((await send({ delivery_date: day })).messages, []);
  const settled = await nominationOf(wind, day);
  assert.deepEqual([settled.id, settled.status], [pending.id, 'match']);
  assert.deepEqual((await operator(`/operator/v1/exchange/unsent?delivery_date=${day}`)).body.unsent, []);
});

test('each slot of the files nets to zero, and their series are the nominations of all BRPs', async () => {
  const day = '2026-10-25';
  const files = [...(await outbox())].filter(([name]) => name.startsWith('20261025'));
  const done = await messages(`&delivery_date=${day}&direction=out`);
  assert.ok(files.length === 0 && done.length === 4, 'the outbox is empty');
  const places: Record<string, Place> = Object.fromEntries(
    [wind, sun, city, works].map((one) => [one.group.eic, one]),
  );
  for (const { id } of done) {
    const raw = await operator(`/operator/v1/messages/${id}/raw`);
    const { series, operatorEic, tso, codes } = await readSchedule(Buffer.from(raw.text));
    const { area } = codes;
    const net: number[] = [];
    for (const { businessType, outParty, outArea, inParty, inArea, powersKw } of series) {
      assert.equal(powersKw.length, 100);
      for (const [at, kw] of powersKw.entries()) {
        const comesIn = inParty === operatorEic && inArea === area ? kw : 0;
        const goesOut = outParty === operatorEic && outArea === area ? kw : 0;
        net[at] = (net[at] ?? 0) + comesIn - goesOut;
      }
      if (businessType !== 'A02') continue;
      const nomination = await nominationOf(
        places[outParty === operatorEic ? inParty : outParty] as Place,
        day,
      );
      assert.deepEqual(
        powersKw,
        nomination.slots.map(({ amount }) => kwhOf(amount) * 4),
      );
    }
    assert.deepEqual(new Set(net), new Set([0]), tso);
  }
});

test('a schedule that does not fit on the database’s disk is a 503, and is sent when there is space again', async () => {
  const day = '2026-11-28';
  await deliver(day);
  const client = new pg.Client({ connectionString: platform.databaseUrl });
  await client.connect();
  await client.query(
    `create function refuse_message() returns trigger language plpgsql as
       $$ begin raise exception 'no space left on device' using errcode = 'disk_full'; end $$;
     create trigger refuse_message before insert on message execute function refuse_message()`,
  );
  const body = { delivery_date: day };
  const refused = await operator('/operator/v1/exchange/send', { method: 'POST', body });
  await client.query('drop trigger refuse_message on message').finally(() => client.end());
  assertProblem(refused, 503, 'unavailable');
  assert.equal(refused.headers.get('retry-after'), '2');
  assert.equal((await send(body)).messages.length, 4);
});

test('a request for a day whose first volumes are being netted at this moment asks to try again', async () => {
  const day = '2026-11-30';
  await world.volumes(windToCity, day, 1000);
  const netting = new pg.Client({ connectionString: platform.databaseUrl });
  await netting.connect();
  await netting.query('begin');
  await netting.query('select from changed_position where delivery_day = $1 for update', [day]);
  const { messages: none, faults } = await send({ delivery_date: day });
  assert.deepEqual(none, []);
  assert.deepEqual(faults.map(({ tso }) => tso).toSorted(), ['DE_50HERTZ', 'DE_AMPRION']);
  for (const { error } of faults) assert.match(error, /volumes of this day are changing .* Try again/);
  const [only, ...others] = (await send({ delivery_date: day, tso: 'DE_AMPRION' })).faults;
  assert.deepEqual([only?.tso, others], ['DE_AMPRION', []]);
  await netting.query('rollback').finally(() => netting.end());
  const { messages: sent, faults: left } = await send({ delivery_date: day });
  assert.deepEqual([sent.length, left], [2, []]);
});
