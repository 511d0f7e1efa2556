import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maloCheckDigit } from '@saldo/core/series/market-location.ts';
import { overlap } from './blocked.ts';
import { assertProblem, assertRefused, bodyOf, client, startTestPlatform, walk } from './harness.ts';

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const brp = await world.brp();
const SERIES = '/operator/v1/series';
const MELO = 'DE000562668023AO00000000000000011';

let count = 0;
/** A valid MaLo that no series has. */
const newMalo = () => {
  const first = String(4_000_000_000 + ++count);
  return first + maloCheckDigit(first);
};
const newAsset = async () => ({ type: 'asset', id: (await world.asset()).id });
const create = (body: object, headers = {}) => operator.post(SERIES, { name: 'Nord', ...body }, { headers });
const created = (body: object) => bodyOf(create(body), 201);
const auditOf = async (id: string) =>
  (await bodyOf(operator(`/operator/v1/audit?subject=${id}`))).entries.map(
    ({ action, before, after }: { action: string; before: object | null; after: object | null }) => ({
      ...{ action, before, after },
    }),
  );

test('a series of an asset or a customer is created, read with its ETag, and audited', async () => {
  const market = newMalo();
  const owner = await newAsset();
  const made = await created({ kind: 'meter', owner, name: 'Nord, meter', market_location: market });
  const { id, ...rest } = made;
  assert.match(id, /^ser_[0-9a-z]{26}$/);
  assert.deepEqual(rest, {
    kind: 'meter',
    owner,
    name: 'Nord, meter',
    market_location: market,
    created_at: '2026-10-20T08:00:00Z',
  });
  const read = await operator(`${SERIES}/${id}`);
  assert.deepEqual(read.body, made);
  const tag = read.headers.get('etag') ?? '';
  assert.equal((await operator(`${SERIES}/${id}`, { headers: { 'if-none-match': tag } })).status, 304);
  assert.deepEqual(await auditOf(id), [{ action: 'series.created', before: null, after: made }]);

  const customer = { type: 'customer', id: (await world.customer(brp)).id };
  const ofCustomer = await created({ kind: 'forecast', owner: customer });
  assert.deepEqual([ofCustomer.owner, ofCustomer.market_location], [customer, null]);
});

test('the owner of a series must exist and have the stated type', async () => {
  const asset = await newAsset();
  const customer = await world.customer(brp);
  for (const owner of [
    { type: 'asset', id: 'ast_01jhm3w8v5e2ntq0v9bgr4kx7c' },
    { type: 'asset', id: customer.id },
    { type: 'asset', id: 'x' },
    { type: 'customer', id: asset.id },
    { type: 'customer', id: 'cust_01jhm3w8v5e2ntq0v9bgr4kx7c' },
  ])
    assertRefused(await create({ kind: 'meter', owner }), 'owner.id validation_failed');
  assertRefused(
    await create({ kind: 'load', owner: { type: 'brp' }, market_location: '1', id: 'x' }),
    'id read_only_field',
    'kind invalid_enum_value',
    'market_location invalid_format',
    'owner.id required',
    'owner.type invalid_enum_value',
  );
});

test('a market location is a MaLo with its check digit or a MeLo', async () => {
  const owner = await newAsset();
  const wrong = `${newMalo().slice(0, 10)}x`;
  for (const market_location of ['', '5123869678', wrong, `de${MELO.slice(2)}`, MELO.slice(1), `${MELO}0`])
    assertRefused(await create({ kind: 'meter', owner, market_location }), 'market_location invalid_format');
  const digit = { kind: 'meter', owner, market_location: '51238696780' };
  const [english, german] = [await create(digit), await create(digit, { 'accept-language': 'de' })];
  assert.match(english.body.errors[0].message, /the last digit of this MaLo must be 1$/);
  assert.match(german.body.errors[0].message, /Die letzte Ziffer dieser MaLo-ID muss 1 sein$/);
  assert.equal((await created({ ...digit, market_location: '51238696781' })).market_location, '51238696781');
  const melo = await created({ kind: 'meter', owner: await newAsset(), market_location: MELO });
  assert.equal(melo.market_location, MELO);
});

test('an owner has one series of a kind, and so has a market location; the answer names the other one', async () => {
  const [owner, other, market] = [await newAsset(), await newAsset(), newMalo()];
  const first = await created({ kind: 'meter', owner, name: 'Erste', market_location: market });
  const refusal = async (body: object) => {
    const answer = await create(body);
    assertProblem(answer, 409, 'already_exists');
    return answer.body.detail;
  };
  const named = `Erste (${first.id}).`;
  const ofOwner = `The asset or customer already has a series of metered values: ${named}`;
  assert.equal(await refusal({ kind: 'meter', owner }), ofOwner);
  assert.equal(await refusal({ kind: 'meter', owner, market_location: market }), ofOwner);
  const ofLocation = `${market} is already the market location of a series of metered values: ${named}`;
  assert.equal(await refusal({ kind: 'meter', owner: other, market_location: market }), ofLocation);
  const german = await create({ kind: 'meter', owner }, { 'accept-language': 'de' });
  assert.equal(
    german.body.detail,
    `Zu dieser Anlage oder diesem Kunden gibt es schon eine Zeitreihe mit Messwerten: ${named}`,
  );
  // The other kind is free, and series without a market location do not exclude each other.
  await created({ kind: 'forecast', owner, market_location: market });
  await created({ kind: 'meter', owner: other });
  assert.equal((await bodyOf(operator(`${SERIES}?market_location=${market}`))).series.length, 2);
});

test('of two series with one market location at the same time the second is rejected', async () => {
  const [one, other, market] = [await newAsset(), await newAsset(), newMalo()];
  const answers = await overlap(
    platform,
    () => create({ kind: 'meter', owner: one, name: 'Erste', market_location: market }),
    () => create({ kind: 'meter', owner: other, market_location: market }),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 409],
  );
  assert.match(answers[1].body.detail, new RegExp(`: Erste \\(${answers[0].body.id}\\)`));

  const { id } = await created({ kind: 'meter', owner: other });
  const next = newMalo();
  const changes = await overlap(
    platform,
    () => operator.patch(`${SERIES}/${id}`, { market_location: next }),
    () => operator.patch(`${SERIES}/${answers[0].body.id}`, { market_location: next }),
  );
  assert.deepEqual(
    changes.map(({ status }) => status),
    [200, 409],
  );
});

test('name and market location change, with If-Match and an audit event of both states', async () => {
  const [market, next] = [newMalo(), newMalo()];
  const made = await created({ kind: 'meter', owner: await newAsset(), market_location: market });
  const path = `${SERIES}/${made.id}`;
  const tag = (await operator(path)).headers.get('etag') ?? '';
  const changed = await operator.patch(path, { market_location: next }, { headers: { 'if-match': tag } });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(changed.body, { ...made, market_location: next });
  const stale = await operator.patch(path, { name: 'Süd' }, { headers: { 'if-match': tag } });
  assertProblem(stale, 412, 'precondition_failed');
  const none = await operator.patch(path, { name: 'Süd', market_location: null });
  assert.deepEqual(none.body, { ...made, name: 'Süd', market_location: null });
  assert.deepEqual((await operator(path)).body, none.body);
  assert.deepEqual(await auditOf(made.id), [
    { action: 'series.created', before: null, after: made },
    { action: 'series.updated', before: made, after: changed.body },
    { action: 'series.updated', before: changed.body, after: none.body },
  ]);

  const other = await created({ kind: 'meter', owner: await newAsset(), market_location: market });
  const taken = await operator.patch(path, { market_location: market });
  assertProblem(taken, 409, 'already_exists');
  assert.match(taken.body.detail, new RegExp(`^${market} is already .*\\(${other.id}\\)\\.$`));
  assert.equal((await operator.patch(`${SERIES}/${other.id}`, { market_location: market })).status, 200);
  assertRefused(
    await operator.patch(path, { kind: 'forecast', owner: made.owner, market_location: 'x' }),
    'kind read_only_field',
    'market_location invalid_format',
    'owner read_only_field',
  );
});

test('a series that does not exist is not found', async () => {
  for (const id of ['x', 'ser_01jhm3w8v5e2ntq0v9bgr4kx7c', (await newAsset()).id]) {
    const path = `${SERIES}/${id}`;
    for (const read of ['', '/values?delivery_date=2026-10-25', '/deviation?from=2026-10-25&to=2026-10-25'])
      assertProblem(await operator(path + read), 404, 'series_not_found');
    assertProblem(await operator.patch(path, {}), 404, 'series_not_found');
    const energy_kwh = Array<number>(100).fill(1);
    assertProblem(await operator.put(`${path}/days/2026-10-25`, { energy_kwh }), 404, 'series_not_found');
  }
});

test('the list has all series, oldest first, by kind, owner and market location', async () => {
  const asset = await newAsset();
  const customer = { type: 'customer', id: (await world.customer(brp)).id };
  const market = newMalo();
  const ofAsset = [
    await created({ kind: 'forecast', owner: asset }),
    await created({ kind: 'meter', owner: asset, market_location: market }),
  ];
  const ofCustomer = await created({ kind: 'meter', owner: customer });
  const list = (query: string) => walk(operator, `${SERIES}${query}`, 'series', 2);
  const all = await list('');
  assert.deepEqual(all.slice(-3), [...ofAsset, ofCustomer]);
  assert.deepEqual(
    await list('?kind=forecast'),
    all.filter(({ kind }) => kind === 'forecast'),
  );
  assert.deepEqual(await list(`?owner_id=${asset.id}`), ofAsset);
  assert.deepEqual(await list(`?owner_id=${asset.id}&kind=meter`), ofAsset.slice(1));
  assert.deepEqual(await list(`?owner_id=${customer.id}`), [ofCustomer]);
  assert.deepEqual(await list(`?market_location=${market}`), ofAsset.slice(1));
  assert.deepEqual(await list(`?market_location=${market}&owner_id=${customer.id}`), []);
  for (const nothing of ['owner_id=x', `owner_id=${brp.id}`, 'market_location=%20', 'market_location=51'])
    assert.deepEqual(await list(`?${nothing}`), []);
});

test('BRPs cannot see series', async () => {
  assert.equal((await operator(SERIES, { key: brp.key })).status, 401);
});
