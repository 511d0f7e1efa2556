import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayEnd, formatInstant } from '@saldo/core/delivery-day.ts';
import { type Answer, assertProblem, assertRefused, bodyOf, client, startTestPlatform } from './harness.ts';
import { amountsOf, assertExplains, cells, flat, listNominated } from './nominated.ts';
import { sourcing, type TestSeries } from './sourcing.ts';

/** 11:00 in Germany, before the gate of the next day. */
const MORNING = '2026-10-20T09:00:00Z';
const TODAY = '2026-10-20';
const TOMORROW = '2026-10-21';
const LATER = '2026-10-23';

const platform = await startTestPlatform({ now: MORNING });
const { world, clock } = platform;
const { operator, series, store, contractBody, transactions, newest, shown } = await sourcing(platform);
const PATH = '/operator/v1/contracts';

/** A plant with its series, a seller and a buyer. */
async function makePlant() {
  const parties = await world.pair();
  const asset = await world.asset();
  const forecast = await series('forecast', { asset });
  const meter = await series('meter', { asset });
  const body = (terms: object = {}) =>
    contractBody(parties.producer, parties.consumer, { asset_id: asset.id, ...terms });
  const sign = (terms: object = {}) => bodyOf(operator.post(PATH, body(terms)), 201);
  return { ...parties, asset, forecast, meter, body, sign };
}

const patch = (id: string, change: object): Promise<Answer> => operator.patch(`${PATH}/${id}`, change);
const patched = (id: string, change: object) => bodyOf(patch(id, change));
const sourceOf = (
  { id: forecast }: TestSeries,
  { id: meter }: TestSeries | { id: null } = { id: null },
  share = 1,
) => ({ forecast, meter, share, max_power_mw: null });

test('volumes follow the forecast, then the meter where it has a value; an equal volume has no new version', async () => {
  const { forecast, meter, sign } = await makePlant();
  const source = { ...sourceOf(forecast, meter, 0.5), max_power_mw: 20 };
  const contract = await sign({ source });
  assert.deepEqual(contract.source, source);
  await store([forecast, TOMORROW, 8000]);
  assert.deepEqual(await shown(contract.id, TOMORROW), ['4 forecast']);
  await store([meter, TOMORROW, cells(TOMORROW, { 1: 8000, 2: 12_000, 3: 90_000_000 })]);
  const after = await transactions(contract.id, TOMORROW);
  assert.deepEqual(
    after.slice(0, 6).map((one) => [one.slot_number, one.version, one.volume, one.status, one.source]),
    [
      [1, 1, 0.004, 'valid', 'forecast'],
      [2, 1, 0.004, 'superseded', 'forecast'],
      [2, 2, 0.006, 'valid', 'meter'],
      [3, 1, 0.004, 'superseded', 'forecast'],
      [3, 2, 5, 'valid', 'meter'],
      [4, 1, 0.004, 'valid', 'forecast'],
    ],
  );
  await store([meter, TOMORROW, cells(TOMORROW, { 2: 12_000 })]);
  assert.equal((await transactions(contract.id, TOMORROW)).length, after.length, 'the same value again');
  // The meter of slot 2 stays, whatever the forecast says.
  await store([forecast, TOMORROW, cells(TOMORROW, { 2: 99_000 })]);
  assert.equal((await transactions(contract.id, TOMORROW)).length, after.length);
});

test('a contract takes the forecast only, or the meter only; a gap has no volume', async () => {
  const { forecast, meter, sign } = await makePlant();
  const forecasted = await sign({ ppa_type: 'forecasted', source: sourceOf(forecast, { id: null }, 0.4) });
  const metered = await sign({ source: { meter: meter.id, share: 0.6 } });
  assert.deepEqual(metered.source, { forecast: null, meter: meter.id, share: 0.6, max_power_mw: null });
  await store([forecast, TOMORROW, cells(TOMORROW, { 5: 10_000 })], [meter, TOMORROW, 5000]);
  assert.deepEqual([...(await newest(forecasted.id, TOMORROW))], [[5, '4 forecast']]);
  assert.deepEqual(await shown(metered.id, TOMORROW), ['3 meter']);
});

test('a consumed contract takes the series of its buyer, an indexed one either', async () => {
  const { producer, consumer, asset, forecast, sign } = await makePlant();
  const ofBuyer = await series('meter', { customer: consumer });
  const ofSeller = await series('meter', { customer: producer });
  const consumed = await sign({ ppa_type: 'consumed', source: { meter: ofBuyer.id, share: 0.5 } });
  const indexed = await sign({
    ppa_type: 'indexed',
    source: { forecast: forecast.id, meter: ofBuyer.id, share: 0.5 },
  });
  await store([ofBuyer, TOMORROW, 6000]);
  assert.deepEqual(await shown(consumed.id, TOMORROW), ['3 meter']);
  assert.deepEqual(await shown(indexed.id, TOMORROW), ['3 meter']);
  const body = (terms: object) => contractBody(producer, consumer, { asset_id: asset.id, ...terms });
  for (const ppa_type of ['consumed', 'produced', 'indexed'])
    assertRefused(
      await operator.post(PATH, body({ ppa_type, source: { meter: ofSeller.id, share: 1 } })),
      'source.meter validation_failed',
    );
});

test('a source that a contract cannot have is 400 with each field, at creation and by PATCH', async () => {
  const { forecast, meter, body, sign } = await makePlant();
  const other = await makePlant();
  const contract = await sign();
  const UNKNOWN = 'ser_01k9x3w8v5e2ntq0v9bgr4kx7c';
  const refused: [object, ...string[]][] = [
    [{ share: 1 }, 'source validation_failed'],
    [{ forecast: null, meter: null, share: 1 }, 'source validation_failed'],
    [{ forecast: UNKNOWN, share: 1 }, 'source.forecast validation_failed'],
    [{ forecast: 'x', share: 1 }, 'source.forecast validation_failed'],
    [{ forecast: meter.id, share: 1 }, 'source.forecast validation_failed'],
    [{ meter: forecast.id, share: 1 }, 'source.meter validation_failed'],
    [{ forecast: other.forecast.id, share: 1 }, 'source.forecast validation_failed'],
    [
      { forecast: forecast.id, share: 0, max_power_mw: 0.0001 },
      'source.max_power_mw validation_failed',
      'source.share validation_failed',
    ],
    [{ forecast: forecast.id, share: 0.1234567 }, 'source.share validation_failed'],
    [{ forecast: forecast.id, share: 1.5 }, 'source.share validation_failed'],
  ];
  for (const [source, ...errors] of refused) {
    assertRefused(await operator.post(PATH, body({ source })), ...errors);
    assertRefused(await patch(contract.id, { source }), ...errors);
  }
  const source = sourceOf(forecast, meter);
  assertRefused(
    await operator.post(PATH, body({ ppa_type: 'forecasted', source })),
    'source.meter validation_failed',
  );
  const profiled = { ppa_type: 'baseload', profile: { power: 4 } };
  assertRefused(await operator.post(PATH, body({ ...profiled, source })), 'source validation_failed');
  assertRefused(await operator.post(PATH, body({ ppa_type: null, source })), 'source validation_failed');
  assertRefused(await patch((await sign(profiled)).id, { source }), 'source validation_failed');
  const trade = await bodyOf(
    operator.post(PATH, { ...body({ ppa_type: null, asset_id: null }), type: 'day_ahead' }),
    201,
  );
  assert.equal('source' in trade, false);
  assertRefused(await patch(trade.id, { source }), 'source validation_failed');
  assert.equal((await patch(trade.id, { source: null })).status, 200);
  const german = await operator.post(PATH, body({ source: { share: 1 } }), {
    headers: { 'accept-language': 'de' },
  });
  assert.match(german.text, /braucht eine Prognose oder einen Zähler/);
});

test('the source is the operator’s: BRPs see neither it nor an event, and their answers stay as they are', async () => {
  const { seller, forecast, sign } = await makePlant();
  const contract = await sign();
  const asSeller = client(platform.baseUrl, seller.key);
  const before = await asSeller(`/v1/contracts/${contract.id}`);
  const events = async () => (await asSeller('/v1/events')).body.events.length;
  const count = await events();
  const source = sourceOf(forecast);
  const changed = await patch(contract.id, { source });
  assert.deepEqual(changed.body.source, source);
  assert.deepEqual((await operator(`${PATH}/${contract.id}`)).body, changed.body);
  const after = await asSeller(`/v1/contracts/${contract.id}`);
  assert.equal(after.text, before.text);
  assert.equal(after.headers.get('etag'), before.headers.get('etag'));
  assert.equal(await events(), count, 'no member that a BRP sees has changed');
  await store([forecast, TOMORROW, 1000]);
  const [seen] = (await asSeller(`/v1/contracts/${contract.id}/transactions`)).body.transactions;
  assert.equal('source' in seen, false);
  const { entries } = (await operator(`/operator/v1/audit?subject=${contract.id}`)).body;
  const [entry] = entries.filter(({ action }: { action: string }) => action === 'contract.updated');
  assert.deepEqual([entry.before.source, entry.after.source], [null, source]);
  const { etag } = Object.fromEntries(changed.headers);
  await patched(contract.id, { source: null });
  const stale = await operator.patch(
    `${PATH}/${contract.id}`,
    { source },
    { headers: { 'if-match': etag! } },
  );
  assertProblem(stale, 412, 'precondition_failed');
});

test('the shares of a series may not exceed 1 on any day; the detail names the contracts and the day', async () => {
  const { forecast, body, sign } = await makePlant();
  const half = (terms: object = {}) => sign({ source: sourceOf(forecast, { id: null }, 0.6), ...terms });
  const first = await half({ last: '2026-11-30' });
  const second = await half({ first: '2026-12-01' });
  const refused = await operator.post(
    PATH,
    body({ external_id: 'THIRD', source: sourceOf(forecast, { id: null }, 0.400001) }),
  );
  assertProblem(refused, 409, 'shares_exceeded');
  for (const part of [first.external_id, 'THIRD', forecast.id, '2026-01-01', '1.000001'])
    assert.ok(refused.body.detail.includes(part), refused.body.detail);
  assert.ok(!refused.body.detail.includes(second.external_id), refused.body.detail);
  const fitting = await sign({ source: sourceOf(forecast, { id: null }, 0.4) });
  assertProblem(
    await patch(first.id, { delivery_end: formatInstant(dayEnd('2026-12-01')) }),
    409,
    'shares_exceeded',
  );
  assert.equal((await operator(`${PATH}/${first.id}`)).body.delivery_end, first.delivery_end);
  assertProblem(
    await patch(fitting.id, { source: sourceOf(forecast, { id: null }, 0.5) }),
    409,
    'shares_exceeded',
  );
  // A contract without dates counts on every day.
  const undated = await operator.post(
    PATH,
    body({ first: null, last: null, source: sourceOf(forecast, { id: null }, 0.1) }),
  );
  assertProblem(undated, 409, 'shares_exceeded');
  await patched(fitting.id, { source: null });
  assert.equal(
    (await patch(first.id, { delivery_end: formatInstant(dayEnd('2026-11-29')) })).status,
    200,
    'an earlier end fits',
  );
});

test('two changes at the same time cannot exceed 1 together', async () => {
  for (let round = 0; round < 5; round++) {
    const { forecast, body, sign } = await makePlant();
    const [one, other] = [await sign(), await sign()];
    const source = sourceOf(forecast, { id: null }, 0.6);
    const answers = await Promise.all([
      patch(one.id, { source }),
      patch(other.id, { source }),
      operator.post(PATH, body({ source })),
    ]);
    assert.deepEqual(answers.map(({ status }) => status < 300).sort(), [false, false, true]);
    // The first change decides the series of the second one.
    const again = sourceOf(forecast, { id: null }, 0.3);
    const dates = { delivery_end: formatInstant(dayEnd('2026-12-15')) };
    const both = await Promise.all([patch(one.id, { source: null }), patch(one.id, dates)]);
    assert.deepEqual(
      both.map(({ status }) => status),
      [200, 200],
    );
    assert.equal((await patch(other.id, { source: again })).status, 200);
  }
});

test('a new source recomputes from the effective day on, imported days too; earlier days keep the source they had', async () => {
  const { forecast, meter, sign } = await makePlant();
  const contract = await sign();
  await store([forecast, TODAY, 2000], [forecast, TOMORROW, 2000]);
  await store([forecast, LATER, cells(LATER, { 1: 2000, 2: 3000 })]);
  for (const day of [TODAY, LATER])
    await bodyOf(
      operator.put(`${PATH}/${contract.id}/days/${day}`, {
        volumes: cells(day, { 1: 0.007, 2: 0.003, 3: 0.009 }),
      }),
    );
  await patched(contract.id, { source: sourceOf(forecast) });
  assert.deepEqual(await shown(contract.id, TODAY), ['7 none', '3 none', '9 none']);
  assert.deepEqual(await shown(contract.id, TOMORROW), ['2 forecast']);
  // An equal volume has no new version, and a slot without a value keeps its volume.
  assert.deepEqual(
    [...(await newest(contract.id, LATER))],
    [
      [1, '2 forecast'],
      [2, '3 none'],
      [3, '9 none'],
    ],
  );
  // After the gate of tomorrow the change holds from the day after on.
  clock.set('2026-10-20T14:00:00Z');
  await patched(contract.id, { source: sourceOf(forecast, meter, 0.5) });
  assert.deepEqual(await shown(contract.id, TOMORROW), ['2 forecast']);
  assert.equal((await newest(contract.id, LATER)).get(1), '1 forecast');
  await store([forecast, TOMORROW, 4000], [meter, TOMORROW, 8000]);
  assert.deepEqual(await shown(contract.id, TOMORROW), ['4 forecast'], 'the day has the source before');
  await patched(contract.id, { source: null });
  assert.equal((await operator(`${PATH}/${contract.id}`)).body.source, null);
  await store([forecast, LATER, 90_000]);
  assert.equal((await newest(contract.id, LATER)).get(1), '1 forecast', 'what is stored stays');
  clock.set(MORNING);
});

test('an invalid transaction stays invalid until its own value changes', async () => {
  const { forecast, meter, sign } = await makePlant();
  const contract = await sign({ source: sourceOf(forecast, meter) });
  await store([forecast, TOMORROW, 2000], [meter, TOMORROW, cells(TOMORROW, { 2: 2000 })]);
  for (const { id } of (await transactions(contract.id, TOMORROW)).slice(0, 2)) await world.invalidate(id);
  const firstTwo = async () => {
    const all = await newest(contract.id, TOMORROW);
    return [all.get(1), all.get(2), all.get(3)];
  };
  const invalid = ['2 forecast invalid', '2 meter invalid'];
  await store([forecast, TOMORROW, cells(TOMORROW, { 2: 5000, 3: 8000 })]);
  assert.deepEqual(await firstTwo(), [...invalid, '8 forecast'], 'slot 2 follows its meter');
  await patched(contract.id, { source: sourceOf(forecast, meter, 0.5) });
  assert.deepEqual(await firstTwo(), [...invalid, '4 forecast']);
  await patched(contract.id, { source: sourceOf(forecast, meter) });
  await store([forecast, TOMORROW, cells(TOMORROW, { 1: 2001 })]);
  assert.deepEqual((await firstTwo()).slice(0, 2), ['2 forecast', '2 meter invalid']);
  await store([meter, TOMORROW, cells(TOMORROW, { 2: 6000 })]);
  assert.deepEqual((await firstTwo()).slice(0, 2), ['2 forecast', '6 meter']);
});

test('values of a contract that is not active are stored, and its volumes follow from the effective day on', async () => {
  const { consumer, forecast, meter, sign } = await makePlant();
  const contract = await sign({ source: sourceOf(forecast, meter) });
  const setStatus = (id: string, status: string) =>
    bodyOf(operator.patch(`/operator/v1/customers/${id}`, { status }));
  await store([forecast, TODAY, 1000], [forecast, TOMORROW, 1000]);
  await setStatus(consumer.id, 'deactivated');
  assert.deepEqual(await shown(contract.id, TOMORROW), ['1 forecast invalid']);
  await store([forecast, TOMORROW, cells(TOMORROW, { 1: 5000 })], [meter, LATER, 3000]);
  assert.deepEqual(await shown(contract.id, TOMORROW), ['1 forecast invalid']);
  const preview = await bodyOf(
    operator.post(`/operator/v1/customers/${consumer.id}/preview`, { status: 'active' }),
  );
  assert.equal(preview.transactions, 96 + 96, 'restored or corrected, and created ones');
  await setStatus(consumer.id, 'active');
  assert.deepEqual(await shown(contract.id, TOMORROW), ['5 forecast', '1 forecast']);
  assert.deepEqual(await shown(contract.id, LATER), ['3 meter']);
  const firstSlot = (await transactions(contract.id, TOMORROW)).filter(
    ({ slot_number }) => slot_number === 1,
  );
  assert.deepEqual(
    firstSlot.map(({ version, volume, status }) => [version, volume, status]),
    [
      [1, 0.001, 'superseded'],
      [2, 0.005, 'valid'],
    ],
    'one new version with the new value',
  );
});

test('volumes that come back with new values are one version of a slot and one event of a day', async () => {
  const { seller, consumer, forecast, sign } = await makePlant();
  const contract = await sign({ source: sourceOf(forecast) });
  const asSeller = client(platform.baseUrl, seller.key);
  const events = async (after: string) =>
    bodyOf(asSeller(`/v1/events?types=transactions.*&limit=100&after=${after}`));
  await store([forecast, TOMORROW, 1000]);
  const setStatus = (status: string) =>
    bodyOf(operator.patch(`/operator/v1/customers/${consumer.id}`, { status }));
  const moveEnd = (last: string) => patched(contract.id, { delivery_end: formatInstant(dayEnd(last)) });
  for (const [first, end, back] of [
    [1, () => setStatus('deactivated'), () => setStatus('active')],
    [2, () => moveEnd(TODAY), () => moveEnd(LATER)],
  ] as const) {
    await end();
    await store([forecast, TOMORROW, cells(TOMORROW, { [first]: 5000, 3: first * 2000 })]);
    const { next_cursor } = (await events('latest')).pagination;
    await back();
    const told = (await events(next_cursor)).events.map(
      ({ type, data }: { type: string; data: { slots: number } }) => [type, data.slots],
    );
    assert.deepEqual(told, [['transactions.corrected', 96]]);
  }
  const versions = (slot: number, all: Awaited<ReturnType<typeof transactions>>) =>
    all.filter(({ slot_number }) => slot_number === slot).map(({ volume, status }) => `${volume} ${status}`);
  const all = await transactions(contract.id, TOMORROW);
  assert.deepEqual(
    [1, 2, 3].map((slot) => versions(slot, all)),
    [
      ['0.001 superseded', '0.005 superseded', '0.005 valid'],
      ['0.001 superseded', '0.001 superseded', '0.005 valid'],
      ['0.001 superseded', '0.002 superseded', '0.004 valid'],
    ],
  );
});

test('an end that moves later brings volumes back with the newest values', async () => {
  const { forecast, sign } = await makePlant();
  const contract = await sign({ source: sourceOf(forecast) });
  const moveEnd = (last: string) => patched(contract.id, { delivery_end: formatInstant(dayEnd(last)) });
  await store([forecast, TOMORROW, 10_000], [forecast, LATER, 10_000]);
  const [bad] = await transactions(contract.id, LATER);
  await world.invalidate(bad!.id, 'contract ended');
  await moveEnd(TODAY);
  await store([forecast, LATER, 12_000]);
  assert.deepEqual(await shown(contract.id, LATER), ['10 forecast invalid']);
  await moveEnd(LATER);
  assert.deepEqual(await shown(contract.id, TOMORROW), ['10 forecast']);
  assert.deepEqual(await shown(contract.id, LATER), ['10 forecast invalid', '12 forecast']);
  assert.equal((await newest(contract.id, LATER)).get(1), '10 forecast invalid', 'the operator had done it');
  await store([forecast, LATER, cells(LATER, { 1: 13_000 })]);
  assert.deepEqual(await shown(contract.id, LATER), ['13 forecast', '12 forecast']);
});

test('volumes follow when pending customers become active, and when dates are set or the end moves later', async () => {
  const [seller, buyer] = [await world.brp(), await world.brp()];
  const [group, buyerGroup] = [await world.group(seller), await world.group(buyer)];
  const producer = await world.customer(seller, { group, status: 'pending' });
  const consumer = await world.customer(buyer, { group: buyerGroup, status: 'active' });
  const asset = await world.asset();
  const forecast = await series('forecast', { asset });
  const body = contractBody(producer, consumer, {
    asset_id: asset.id,
    first: null,
    last: null,
    source: { forecast: forecast.id, share: 1 },
  });
  const contract = await bodyOf(operator.post(PATH, body), 201);
  const YESTERDAY = '2026-10-19';
  await store([forecast, YESTERDAY, 1000], [forecast, TOMORROW, 1000], [forecast, LATER, 1000]);
  await bodyOf(operator.patch(`/operator/v1/customers/${producer.id}`, { status: 'active' }));
  assert.deepEqual(await shown(contract.id, TOMORROW), [], 'it has no dates yet');
  await patched(contract.id, {
    delivery_start: '2026-10-18T22:00:00Z',
    delivery_end: formatInstant(dayEnd(TOMORROW)),
  });
  assert.deepEqual(await shown(contract.id, YESTERDAY), ['1 forecast']);
  assert.deepEqual(await shown(contract.id, TOMORROW), ['1 forecast']);
  assert.deepEqual(await shown(contract.id, LATER), []);
  await patched(contract.id, { delivery_end: formatInstant(dayEnd(LATER)) });
  assert.deepEqual(await shown(contract.id, LATER), ['1 forecast']);
  await patched(contract.id, { delivery_end: formatInstant(dayEnd(TOMORROW)) });
  assert.deepEqual(await shown(contract.id, LATER), ['1 forecast invalid']);

  const pending = await world.customer(seller, { group, status: 'pending' });
  const waiting = await bodyOf(
    operator.post(PATH, {
      ...contractBody(pending, consumer, { asset_id: asset.id, source: { forecast: forecast.id, share: 1 } }),
      delivery_start: formatInstant(dayEnd(LATER)),
    }),
    201,
  );
  await store([forecast, '2026-10-24', 2000]);
  assert.deepEqual(await shown(waiting.id, '2026-10-24'), []);
  await bodyOf(operator.patch(`/operator/v1/customers/${pending.id}`, { status: 'active' }));
  assert.deepEqual(await shown(waiting.id, '2026-10-24'), ['2 forecast']);
});

test('a contract that is created with a source takes the values that are there, from the effective day on', async () => {
  const { forecast, sign } = await makePlant();
  await store([forecast, TODAY, 1000], [forecast, TOMORROW, 1000]);
  const contract = await sign({ source: sourceOf(forecast) });
  assert.deepEqual(await shown(contract.id, TODAY), []);
  assert.deepEqual(await shown(contract.id, TOMORROW), ['1 forecast']);
  await store([forecast, TODAY, cells(TODAY, { 1: 3000 })]);
  assert.deepEqual(
    await shown(contract.id, TODAY),
    ['3 forecast', '1 forecast'],
    'a new value of an earlier day',
  );
});

test('imports and PUT into days with a source are rejected, line by line; days before it are accepted', async () => {
  const { forecast, sign } = await makePlant();
  const [sourced, plain] = [await sign(), await sign()];
  await patched(sourced.id, { source: sourceOf(forecast) });
  const put = (day: string) =>
    operator.put(`${PATH}/${sourced.id}/days/${day}`, { volumes: flat(day, 0.001) });
  assertProblem(await put(TOMORROW), 409, 'contract_has_source');
  assert.equal((await put(TODAY)).status, 200);
  const lines = [
    `${sourced.id},${TOMORROW},1,1`,
    `${sourced.id},${TOMORROW},2,1`,
    `${plain.id},${TOMORROW},1,1`,
  ];
  const csv = `contract,delivery_date,slot,volume\n${lines.join('\n')}\n`;
  for (const query of ['?dry_run=true', '']) {
    const { body } = await operator.post(`/operator/v1/volumes${query}`, csv, {
      headers: { 'content-type': 'text/csv' },
    });
    const rejected = body.rejected.map((one: { line: number; code: string }) => `${one.line} ${one.code}`);
    assert.deepEqual(rejected, ['2 contract_has_source', '3 contract_has_source']);
    assert.deepEqual([body.created, body.rejected_days], [1, 1]);
    assert.match(body.rejected[0].message, /follow from series on 2026-10-21/);
  }
  await patched(sourced.id, { source: null });
  assert.equal((await put(TOMORROW)).status, 200);
});

test('an import beside the change that sets the source stores the day before it or not at all', async () => {
  for (let round = 0; round < 6; round++) {
    const { forecast, sign } = await makePlant();
    const contract = await sign();
    await store([forecast, TOMORROW, 2000]);
    const csv = `contract,delivery_date,slot,volume\n${flat(TOMORROW, 0.007)
      .map((mwh, at) => `${contract.id},${TOMORROW},${at + 1},${mwh}`)
      .join('\n')}\n`;
    const [imported] = await Promise.all([
      operator.post('/operator/v1/volumes', csv, { headers: { 'content-type': 'text/csv' } }),
      patch(contract.id, { source: sourceOf(forecast) }),
      store([forecast, TOMORROW, cells(TOMORROW, { 1: 5000 })]),
    ]);
    assert.deepEqual([imported.body.created, imported.body.rejected_lines].sort(), [0, 96]);
    const all = await newest(contract.id, TOMORROW);
    assert.deepEqual([...new Set(all.values())], ['5 forecast', '2 forecast']);
    const firsts = (await transactions(contract.id, TOMORROW)).filter(({ version }) => version === 1);
    assert.equal(firsts.filter(({ source }) => source === null).length, imported.body.created);
  }
});

test('writers of forecast and meter at the same time do not lose each other’s values', async () => {
  for (let round = 0; round < 5; round++) {
    const { forecast, meter, sign } = await makePlant();
    const contract = await sign({ source: sourceOf(forecast, meter) });
    await Promise.all([
      store([forecast, TOMORROW, 2000]),
      store([meter, TOMORROW, cells(TOMORROW, { 1: 7000 })]),
    ]);
    assert.deepEqual(await shown(contract.id, TOMORROW), ['7 meter', '2 forecast']);
  }
});

test('volumes that move with their customer, or come back, keep their source', async () => {
  const { seller, producer, consumer, forecast, meter, sign } = await makePlant();
  const contract = await sign({ source: sourceOf(forecast, meter) });
  await bodyOf(operator.patch(`${PATH}/${contract.id}`, { source: null }));
  await bodyOf(
    operator.put(`${PATH}/${contract.id}/days/${LATER}`, { volumes: cells(LATER, { 1: 0.004, 2: 0.004 }) }),
  );
  await patched(contract.id, { source: sourceOf(forecast, meter) });
  await store([forecast, TOMORROW, 1000], [forecast, LATER, cells(LATER, { 2: 5000, 3: 6000 })]);
  await store([meter, LATER, cells(LATER, { 3: 7000 })]);
  const before = [await newest(contract.id, TOMORROW), await newest(contract.id, LATER)];
  assert.deepEqual([...before[1]!.values()], ['4 none', '5 forecast', '7 meter']);
  const other = await world.group(seller);
  const moved = await bodyOf(
    operator.patch(`/operator/v1/customers/${producer.id}`, {
      balance_group: { eic: other.eic, tso: 'DE_AMPRION' },
    }),
  );
  assert.equal(moved.balance_group.eic, other.eic);
  const after = async () => [await newest(contract.id, TOMORROW), await newest(contract.id, LATER)];
  assert.deepEqual(await after(), before);
  const versions = (await transactions(contract.id, TOMORROW)).filter(({ slot_number }) => slot_number === 1);
  assert.deepEqual(
    versions.map(({ source, status, sender }) => [source, status, sender.eic === other.eic]),
    [
      ['forecast', 'superseded', false],
      ['forecast', 'valid', true],
    ],
  );
  for (const status of ['deactivated', 'active'])
    await bodyOf(operator.patch(`/operator/v1/customers/${consumer.id}`, { status }));
  assert.deepEqual(await after(), before);
});

test('the explanation of a nomination names forecast or meter for the operator only', async () => {
  const { seller, forecast, meter, sign } = await makePlant();
  const contract = await sign({ source: sourceOf(forecast, meter, 0.5) });
  await store([forecast, TOMORROW, 2000], [meter, TOMORROW, cells(TOMORROW, { 2: 8000 })]);
  const imported = await sign();
  await bodyOf(operator.put(`${PATH}/${imported.id}/days/${TOMORROW}`, { volumes: flat(TOMORROW, 0.003) }));
  await world.nominate();
  const asSeller = client(platform.baseUrl, seller.key);
  const nominations = await listNominated(asSeller, `&delivery_date=${TOMORROW}&direction=out`);
  const nomination = nominations.find(({ status }) => status === 'pending');
  assert.ok(nomination);
  assert.deepEqual(amountsOf(nomination).slice(0, 3), [4, 7, 4]);
  const path = `nominations/${nomination.id}/explanation`;
  const { body: explained } = await operator(`/operator/v1/${path}`);
  assertExplains(explained);
  const sources = (slot: number) =>
    explained.slots[slot - 1].transactions
      .map((one: { contract_id: string; source: string | null }) => [one.contract_id, one.source])
      .toSorted();
  const expected = (source: string) =>
    [
      [contract.id, source],
      [imported.id, null],
    ].toSorted();
  assert.deepEqual(sources(1), expected('forecast'));
  assert.deepEqual(sources(2), expected('meter'));
  const { body: seen } = await asSeller(`/v1/${path}`);
  assert.equal(JSON.stringify(seen).includes('source'), false);
  const stripped = JSON.parse(JSON.stringify(explained), (key, value) =>
    key === 'source' ? undefined : value,
  );
  assert.deepEqual(stripped, seen);
});
