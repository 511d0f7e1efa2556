import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { statement } from '../src/platform/db/statement.ts';
import { assertProblem, assertRefused, bodyOf, client, startTestPlatform, walk } from './harness.ts';

const NOON = '2026-10-20T12:00:00Z';
const START = '2025-12-31T23:00:00Z';
const END = '2026-12-31T23:00:00Z';
const UNKNOWN = '01jhm3vq8ne0grs4f5c3hxkz2b';
const PATH = '/operator/v1/contracts';

const platform = await startTestPlatform({ now: NOON });
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const { seller, buyer, sellerGroup, buyerGroup, producer, consumer } = await world.pair();

let count = 0;
const valid = () => ({
  external_id: `PPA-${++count}`,
  type: 'ppa',
  seller_customer_id: producer.id,
  buyer_customer_id: consumer.id,
  delivery_start: START,
  delivery_end: END,
});
const create = (body: object) => operator.post(PATH, { ...valid(), ...body });
const patch = (id: string, body: unknown) => operator.patch(`${PATH}/${id}`, body);

const made = (body: object = {}) => bodyOf(create(body), 201);

const FIND_STORED = statement('test_contract', 'select no, profile from contract where external_id = $1');
const stored = async (externalId: string) => {
  const [row] = await platform.db.query<{ no: number; profile: unknown }>(FIND_STORED, [externalId]);
  assert.ok(row);
  return row;
};

test('an asset is registered, read, listed and changed, its power exact to the kW', async () => {
  const asset = { name: 'Windpark', technology: 'wind_onshore', nominal_power: 48.301, tso: 'DE_50HERTZ' };
  const path = '/operator/v1/assets';
  const answer = await operator.post(path, asset);
  assert.equal(answer.status, 201, answer.text);
  const { id } = answer.body;
  assert.deepEqual(answer.body, { id, ...asset, offer: null });
  assert.deepEqual((await operator(`${path}/${id}`)).body, answer.body);
  const solar = await operator.post(path, { ...asset, technology: 'solar', tso: 'DE_TENNET' });
  const ids = async (query: string) =>
    (await walk(operator, `${path}?${query}`, 'assets', 1)).map((one) => one.id);
  assert.deepEqual(await ids(''), [id, solar.body.id]);
  assert.deepEqual(await ids('technology=solar'), [solar.body.id]);
  assert.deepEqual(await ids('tso=DE_50HERTZ'), [id]);
  const changed = await operator.patch(`${path}/${id}`, { nominal_power: 0.001, name: 'New' });
  assert.deepEqual(changed.body, { id, ...asset, offer: null, nominal_power: 0.001, name: 'New' });
  assert.deepEqual((await operator(`${path}/${id}`)).body, changed.body);
});

test('every invalid field of an asset is reported', async () => {
  const asset = { name: 'x', technology: 'solar', nominal_power: 1, tso: 'DE_TENNET' };
  const path = '/operator/v1/assets';
  const send = (body: object) => operator.post(path, { ...asset, ...body });
  assertRefused(await send({ nominal_power: 1.2345 }), 'nominal_power invalid_format');
  assertRefused(await send({ nominal_power: 0 }), 'nominal_power value_too_small');
  assertRefused(await send({ nominal_power: 1e7 }), 'nominal_power value_too_large');
  assertRefused(await send({ nominal_power: '1' }), 'nominal_power invalid_type');
  assertRefused(
    await send({ technology: 'coal', tso: 'FR' }),
    'technology invalid_enum_value',
    'tso invalid_enum_value',
  );
  for (const id of [`ast_${UNKNOWN}`, 'x']) {
    assertProblem(await operator(`${path}/${id}`), 404, 'asset_not_found');
    assertProblem(await operator.patch(`${path}/${id}`, {}), 404, 'asset_not_found');
  }
});

test('a contract is the same for the operator and both BRPs, and keeps its parties as of its creation', async () => {
  const asset = await world.asset('Windpark');
  const contract = await made({
    ppa_type: 'produced',
    period: '2026',
    delivery_profile: 'as produced',
    asset_id: asset.id,
  });
  assert.deepEqual(
    [contract.status, contract.delivery_start, contract.delivery_end, contract.created_at],
    ['in_progress', START, END, NOON],
  );
  assert.deepEqual([contract.seller.eic, contract.seller.tso], [sellerGroup.eic, 'DE_AMPRION']);
  assert.deepEqual([contract.buyer.eic, contract.buyer.tso], [buyerGroup.eic, 'DE_AMPRION']);
  assert.deepEqual(
    [contract.ppa_type, contract.period, contract.delivery_profile, contract.asset.id],
    ['produced', '2026', 'as produced', asset.id],
  );
  const { source, ...shown } = contract;
  assert.equal(source, null, 'only the operator sees a source');
  for (const { key } of [seller, buyer])
    assert.deepEqual((await client(platform.baseUrl, key)(`/v1/contracts/${contract.id}`)).body, shown);
  const stranger = await world.brp();
  assert.equal((await client(platform.baseUrl, stranger.key)(`/v1/contracts/${contract.id}`)).status, 404);
  await operator.patch(`/operator/v1/customers/${producer.id}`, { name: 'Later' });
  assert.deepEqual((await operator(`${PATH}/${contract.id}`)).body, contract);
});

test('contracts are listed over all BRPs, and found by their external id', async () => {
  const contract = await made({ external_id: 'Ref/2026 #1' });
  const { body } = await operator(`${PATH}?external_id=${encodeURIComponent('Ref/2026 #1')}`);
  assert.deepEqual(body.contracts, [contract]);
  assert.deepEqual((await operator(`${PATH}?external_id=ref`)).body.contracts, []);
  const all = await walk(
    operator,
    `${PATH}?eic=${sellerGroup.eic}&status=in_progress&type=ppa`,
    'contracts',
    1,
  );
  assert.deepEqual(all.at(-1), contract);
  assertProblem(await operator(`${PATH}/con_${UNKNOWN}`), 404, 'contract_not_found');
});

test('an external id is unique', async () => {
  const { external_id } = await made();
  assertProblem(await create({ external_id }), 409, 'already_exists');
  const twins = await Promise.all([1, 2, 3].map(() => create({ external_id: 'TWIN' })));
  assert.deepEqual(
    twins.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 409, 409],
  );
});

test('both customers must exist, be two different ones and have a balance group', async () => {
  const unplaced = await world.customer(seller);
  assertRefused(await create({ seller_customer_id: unplaced.id }), 'seller_customer_id validation_failed');
  assertRefused(
    await create({ seller_customer_id: 'x', buyer_customer_id: `cust_${UNKNOWN}` }),
    'buyer_customer_id validation_failed',
    'seller_customer_id validation_failed',
  );
  assertRefused(await create({ buyer_customer_id: producer.id }), 'buyer_customer_id validation_failed');
});

test('delivery is from local midnight to local midnight, or open', async () => {
  const wrong = [
    '2026-01-01T00:00:00Z',
    '2026-06-30T23:00:00Z',
    '2026-06-30T22:00:00.001Z',
    '0001-01-01T00:00:00Z',
  ];
  for (const delivery_start of wrong)
    assertRefused(await create({ delivery_start, delivery_end: null }), 'delivery_start validation_failed');
  assertRefused(await create({ delivery_end: '9999-12-31T23:00:00Z' }), 'delivery_end validation_failed');
  assertRefused(await create({ delivery_end: START }), 'delivery_end validation_failed');
  assertRefused(await create({ delivery_start: END, delivery_end: START }), 'delivery_end validation_failed');
  assertRefused(
    await create({ delivery_start: 'soon', delivery_end: 7 }),
    'delivery_end invalid_type',
    'delivery_start invalid_format',
  );
  const summer = await made({ delivery_start: '2026-07-01T00:00:00+02:00', delivery_end: null });
  assert.deepEqual([summer.delivery_start, summer.delivery_end], ['2026-06-30T22:00:00Z', null]);
  const open = await made({ delivery_start: null, delivery_end: undefined });
  assert.deepEqual([open.status, open.delivery_start, open.delivery_end], ['pending', null, null]);
});

test('members that only a PPA has are rejected on other types', async () => {
  const asset = await world.asset();
  const ppa = {
    ppa_type: 'baseload',
    period: 'x',
    delivery_profile: 'x',
    asset_id: asset.id,
    profile: { power: 4 },
  };
  assertRefused(
    await create({ type: 'intraday', ...ppa }),
    'asset_id validation_failed',
    'delivery_profile validation_failed',
    'period validation_failed',
    'ppa_type validation_failed',
    'profile validation_failed',
  );
  const nothing = Object.fromEntries(Object.keys(ppa).map((name) => [name, null]));
  const spot = await made({ type: 'day_ahead', ...nothing });
  assert.ok(!('ppa_type' in spot) && !('asset' in spot));
  assertRefused(await create({ asset_id: `ast_${UNKNOWN}` }), 'asset_id validation_failed');
  assertRefused(await create({ ppa_type: 'magic' }), 'ppa_type invalid_enum_value');
});

test('a profile is stored in whole kW, of the kind of the PPA type', async () => {
  const shape = Array.from({ length: 12 }, (_, month) =>
    Array.from({ length: 24 }, (__, hour) => month + hour),
  );
  const cases: [ppaType: string, profile: object, powerKw: unknown][] = [
    ['baseload', { power: 5 }, 5000],
    ['baseload', { kind: 'baseload', power: 0.004 }, 4],
    ['peakload', { kind: 'peakload', power: 1.252 }, 1252],
    ['shaped', { kind: 'shaped', power: shape }, shape.map((hours) => hours.map((mw) => mw * 1000))],
  ];
  for (const [ppa_type, profile, powerKw] of cases) {
    const { external_id } = await made({ ppa_type, profile });
    assert.deepEqual((await stored(external_id)).profile, { kind: ppa_type, powerKw });
    // An indexed price goes with any profile.
    const indexed = await made({ ppa_type: 'indexed', profile: { ...profile, kind: ppa_type } });
    assert.deepEqual((await stored(indexed.external_id)).profile, { kind: ppa_type, powerKw });
  }
  const none = await made({ ppa_type: 'baseload', profile: null });
  assert.equal((await stored(none.external_id)).profile, null);
});

test('a profile that gives no whole kWh is rejected, with its place', async () => {
  const send = (ppa_type: string | null, profile: unknown) => create({ ppa_type, profile });
  assertRefused(await send('produced', { power: 5 }), 'profile validation_failed');
  assertRefused(await send(null, { power: 5 }), 'profile validation_failed');
  assertRefused(await send('indexed', { power: 5 }), 'profile.kind validation_failed');
  assertRefused(await send('baseload', { kind: 'peakload', power: 5 }), 'profile.kind validation_failed');
  assertRefused(await send('baseload', { power: 0.003 }), 'profile.power validation_failed');
  assertRefused(await send('baseload', { power: -4 }), 'profile.power value_too_small');
  assertRefused(await send('baseload', { power: 'x' }), 'profile.power invalid_type');
  assertRefused(
    await send('baseload', { kind: 'odd' }),
    'profile.kind invalid_enum_value',
    'profile.power required',
  );
  assertRefused(await send('baseload', 'flat'), 'profile invalid_type');
  assertRefused(await send('shaped', { power: 5 }), 'profile.power validation_failed');
  const shape = Array.from({ length: 12 }, () => Array.from({ length: 24 }, () => 4));
  assertRefused(await send('baseload', { power: shape }), 'profile.power validation_failed');
  assertRefused(await send('shaped', { power: shape.slice(1) }), 'profile.power value_too_small');
  const uneven = shape.with(3, [4, 4.001, ...Array.from({ length: 22 }, () => 4)]);
  assertRefused(await send('shaped', { power: uneven }), 'profile.power[3][1] validation_failed');
  const short = shape.with(5, [4]);
  assertRefused(await send('shaped', { power: short }), 'profile.power[5] value_too_small');
});

const INVALIDATIONS = statement(
  'test_invalidations',
  `select delivery_day, number, revision, slots, reason from invalidation
   where contract_no = $1 order by delivery_day, number`,
);
const MARKS = statement(
  'test_marks',
  'select distinct delivery_day from changed_position order by delivery_day',
);

test('ending a contract early invalidates its later volumes', async () => {
  const contract = await made();
  const { no } = await stored(contract.external_id);
  const of = { ...contract, no, uuid: decodeId(ID_PREFIX.contract, contract.id) ?? '' };
  for (const day of ['2026-10-24', '2026-10-25', '2026-10-26']) await world.volumes(of, day, 250);
  const corrected = Array.from<number | null>({ length: 96 }).fill(null).with(4, 500);
  await world.volumes(of, '2026-10-26', corrected);
  await world.nominate();
  const list = (query: string) =>
    walk(
      client(platform.baseUrl, buyer.key),
      `/v1/contracts/${contract.id}/transactions?${query}`,
      'transactions',
      100,
    );
  const [gone] = await list('delivery_date=2026-10-25&slot_number_from=7&slot_number_to=7');
  await world.invalidate(gone.id, 'meter');

  const delivery_end = '2026-10-24T22:00:00Z';
  const answer = await patch(contract.id, { delivery_end });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.body, { ...contract, delivery_end });
  assert.equal(
    (await list('delivery_date=2026-10-24&status=valid')).length,
    96,
    'the day before is untouched',
  );
  assert.equal((await list('delivery_start=2026-10-24T22:00:00Z&status=valid')).length, 0);
  assert.equal((await list('delivery_date=2026-10-25&status=invalid')).length, 100);
  const last = await list('delivery_date=2026-10-26');
  assert.deepEqual(
    last
      .filter((transaction) => transaction.status !== 'invalid')
      .map(({ slot_number, version, status }) => [slot_number, version, status]),
    [[5, 1, 'superseded']],
    'superseded versions stay superseded',
  );
  const rows = await platform.db.query<{
    delivery_day: string;
    number: number;
    revision: number;
    slots: number[];
    reason: string;
  }>(INVALIDATIONS, [no]);
  const ofDay = (day: string) => rows.filter((row) => row.delivery_day === day);
  const slots = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
  assert.deepEqual(
    ofDay('2026-10-25').map((row) => [row.number, row.revision, row.slots, row.reason]),
    [
      [1, 1, [7], 'meter'],
      [2, 1, slots(100).toSpliced(6, 1), 'contract ended'],
    ],
  );
  assert.deepEqual(
    ofDay('2026-10-26').map((row) => [row.number, row.revision, row.slots]),
    [
      [1, 1, slots(96).toSpliced(4, 1)],
      [2, 2, [5]],
    ],
  );
  const marked = (await platform.db.query<{ delivery_day: string }>(MARKS)).map((row) => row.delivery_day);
  assert.deepEqual(marked, ['2026-10-25', '2026-10-26'], 'the position-day is dirty');
});

test('dates that were null can be set once; an end moves to another day, a start not at all', async () => {
  const { id } = await made({ delivery_start: null, delivery_end: null });
  assertRefused(
    await patch(id, { delivery_start: '2026-01-01T00:00:00Z' }),
    'delivery_start validation_failed',
  );
  assert.equal((await patch(id, { delivery_start: START })).body.delivery_start, START);
  assertRefused(await patch(id, { delivery_end: START }), 'delivery_end validation_failed');
  assert.equal((await patch(id, { delivery_end: END })).body.status, 'in_progress');
  const set = (await operator(`${PATH}/${id}`)).body;
  assertRefused(
    await patch(id, { delivery_start: '2026-01-01T23:00:00Z' }),
    'delivery_start validation_failed',
  );
  assertRefused(await patch(id, { delivery_end: null }), 'delivery_end invalid_type');
  assertRefused(await patch(id, { type: 'ppa', color: 'x' }), 'color unknown_field', 'type read_only_field');
  assert.deepEqual((await patch(id, { delivery_start: START, delivery_end: END })).body, set, 'as they are');
  assert.deepEqual((await patch(id, {})).body, set);
  assert.equal((await patch(id, { delivery_end: '2026-10-19T22:00:00Z' })).body.status, 'completed');
  const later = (await patch(id, { delivery_end: '2027-01-01T23:00:00Z' })).body;
  assert.deepEqual([later.status, later.delivery_end], ['in_progress', '2027-01-01T23:00:00Z']);
  assertProblem(await patch(`con_${UNKNOWN}`, {}), 404, 'contract_not_found');
  assertProblem(await patch('x', {}), 404, 'contract_not_found');
});

test('volumes imported while a contract is being ended do not remain after its end', async () => {
  const volumes = Array.from({ length: 96 }, () => 0.25);
  for (let round = 0; round < 8; round++) {
    const { id } = await made();
    const say = (day: string) => operator.put(`${PATH}/${id}/days/${day}`, { volumes });
    const [, ended, ...answers] = await Promise.all([
      say('2026-10-22'),
      patch(id, { delivery_end: '2026-10-22T22:00:00Z' }),
      ...['2026-10-23', '2026-10-24', '2026-10-26'].map(say),
    ]);
    assert.equal(ended.status, 200, ended.text);
    for (const { status, text } of answers) assert.ok(status === 200 || status === 400, text);
    const { transactions } = (
      await operator(`/operator/v1/transactions?contract_id=${id}&status=valid&limit=100`)
    ).body;
    assert.equal(transactions.length, 96);
    assert.ok(
      transactions.every((one: { delivery_end: string }) => one.delivery_end <= '2026-10-22T22:00:00Z'),
    );
  }
});
