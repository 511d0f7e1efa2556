import assert from 'node:assert/strict';
import { test } from 'node:test';
import { client, problemOf, startTestPlatform, walk } from './harness.ts';

const platform = await startTestPlatform();
const { world } = platform;
const request = client(platform.baseUrl, await world.operatorKey());
const customer = client(platform.customerUrl, await world.accountKey());
const operator = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  request(`/operator/v1${path}`, { method, headers, ...(body === undefined ? {} : { body }) });

const PLANT = {
  name: 'Windpark Uckermark Nord',
  technology: 'wind_onshore',
  nominal_power: 48.3,
  tso: 'DE_50HERTZ',
};
const OFFER = {
  ppa_type: 'PAY_AS_PRODUCED',
  average_annual_power: 126_500.125,
  delivery_start: '2027-01-01T01:02:03.456+01:00',
  additional_info: 'Elf Anlagen; "repowered" 🌬️\n2019',
  state: 'Brandenburg',
  country: 'DE',
  cover_url: 'https://pictures.example/uckermark.jpg?size=large',
  pricing: [
    { years: 10, price: 58.5 },
    { years: 5, price: 61 },
    { years: 15, price: 0.07 },
  ],
};
const LADDER = [
  { years: 5, price: 61 },
  { years: 10, price: 58.5 },
  { years: 15, price: 0.07 },
];
const DEMAND = {
  contract_period: 10,
  delivery_volume: 24_000.001,
  additional_info: 'Für eine Gießerei',
  country: 'AT',
  state: 'Steiermark',
  delivery_start: '2027-06-30T22:00:00Z',
};

const newest = async (list: 'assets' | 'demands') => (await customer(`/v1/${list}?limit=1`)).body[list][0];
const auditOf = async (subject: string) =>
  (await operator('GET', `/audit?subject=${subject}&limit=100`)).body.entries;

test('one asset record has two views: the BRP API’s and the customer API’s', async () => {
  const { status, body: asset } = await operator('POST', '/assets', { ...PLANT, offer: OFFER });
  assert.equal(status, 201);
  assert.deepEqual(asset, {
    id: asset.id,
    ...PLANT,
    offer: {
      ...OFFER,
      delivery_start: '2027-01-01T00:02:03Z',
      pricing: LADDER,
      published_at: '2026-10-20T08:00:00Z',
    },
  });
  assert.deepEqual((await operator('GET', `/assets/${asset.id}`)).body, asset);
  assert.deepEqual(await newest('assets'), {
    id: asset.id,
    name: PLANT.name,
    assetType: 'WIND',
    nominalPower: 48.3,
    averageAnnualPower: 126_500.125,
    deliveryStart: '2027-01-01T00:02:03.456Z',
    ppaType: 'PAY_AS_PRODUCED',
    additionalInfo: OFFER.additional_info,
    state: 'Brandenburg',
    country: 'DE',
    coverUrl: OFFER.cover_url,
    pricing: LADDER,
  });

  const { seller, producer, consumer } = await world.pair();
  const contract = {
    external_id: 'TWO-FACES',
    type: 'ppa',
    seller_customer_id: producer.id,
    buyer_customer_id: consumer.id,
    asset_id: asset.id,
  };
  const { id } = (await operator('POST', '/contracts', contract)).body;
  const read = await client(platform.baseUrl, seller.key)(`/v1/contracts/${id}`);
  assert.deepEqual(read.body.asset, { id: asset.id, ...PLANT });

  await operator('PATCH', `/assets/${asset.id}`, { name: 'Renamed', nominal_power: 50.4 });
  const renamed = await newest('assets');
  assert.deepEqual([renamed.name, renamed.nominalPower], ['Renamed', 50.4]);
});

test('omitted members of an offer or a demand are null, but pricing is a list and coverUrl is a drawing', async () => {
  const needed = {
    ppa_type: 'PAY_AS_NOMINATED',
    delivery_start: '2027-01-01T00:00:00Z',
    country: 'NL',
    pricing: [{ years: 1, price: 0 }],
  };
  const plant = { ...PLANT, technology: 'solar', offer: needed };
  const asset = (await operator('POST', '/assets', plant)).body;
  assert.deepEqual(await newest('assets'), {
    id: asset.id,
    name: PLANT.name,
    assetType: 'SOLAR',
    nominalPower: 48.3,
    averageAnnualPower: null,
    deliveryStart: '2027-01-01T00:00:00.000Z',
    ppaType: 'PAY_AS_NOMINATED',
    additionalInfo: null,
    state: null,
    country: 'NL',
    coverUrl: `${platform.customerUrl}/covers/solar-unknown-${asset.id}.svg`,
    pricing: [{ years: 1, price: 0 }],
  });
  const demand = (
    await operator('POST', '/demands', { contract_period: 1, delivery_volume: 0, country: 'NL' })
  ).body;
  assert.deepEqual(await newest('demands'), {
    id: demand.id,
    contractPeriod: 1,
    deliveryVolume: 0,
    additionalInfo: null,
    country: 'NL',
    state: null,
    deliveryStart: null,
  });
});

test('the customer API shows every technology as wind or solar', async () => {
  for (const [technology, assetType] of [
    ['solar', 'SOLAR'],
    ['wind_onshore', 'WIND'],
    ['wind_offshore', 'WIND'],
  ]) {
    await operator('POST', '/assets', { ...PLANT, technology, offer: OFFER });
    assert.equal((await newest('assets')).assetType, assetType);
  }
});

test('an asset is listed while it has an offer, and the offer’s members change one by one', async () => {
  const { id } = (await operator('POST', '/assets', PLANT)).body;
  const isListed = async () => (await newest('assets')).id === id;
  const offerOf = async () => (await operator('GET', `/assets/${id}`)).body.offer;
  const patch = async (body: object) => (await operator('PATCH', `/assets/${id}`, body)).status;
  assert.equal(await isListed(), false);
  assert.equal(await patch({ offer: null }), 200, 'withdrawing a missing offer is no error');
  assert.equal(await patch({ offer: OFFER }), 200);
  assert.equal(await isListed(), true);
  const published = await offerOf();

  platform.clock.set('2026-10-21T08:00:00Z');
  assert.equal(await patch({ offer: { state: null, pricing: [{ years: 2, price: 99.99 }] } }), 200);
  assert.deepEqual(await offerOf(), { ...published, state: null, pricing: [{ years: 2, price: 99.99 }] });
  assert.equal(await patch({ offer: {} }), 200);
  assert.equal(await patch({ name: 'Other' }), 200);
  const cleared = { average_annual_power: null, additional_info: null, cover_url: null };
  assert.equal(await patch({ offer: { ...cleared, country: 'AT', ppa_type: 'PAY_AS_FORECASTED' } }), 200);
  const changed = await offerOf();
  assert.deepEqual(changed, {
    ...published,
    ...cleared,
    state: null,
    country: 'AT',
    ppa_type: 'PAY_AS_FORECASTED',
    pricing: [{ years: 2, price: 99.99 }],
  });

  assert.equal(await patch({ offer: null }), 200);
  assert.equal(await isListed(), false);
  assert.equal(await offerOf(), null);
  assert.equal(await patch({ offer: OFFER }), 200);
  assert.equal((await offerOf()).published_at, '2026-10-21T08:00:00Z', 'published anew');
  const trail = await auditOf(id);
  const deeds = trail.map(({ action, before, after }: Record<string, { offer: unknown }>) => [
    action,
    before?.offer === null || before === null ? null : 'offer',
    after?.offer === null ? null : 'offer',
  ]);
  assert.deepEqual(deeds, [
    ['asset.created', null, null],
    ['asset.updated', null, null],
    ['asset.updated', null, 'offer'],
    ['asset.updated', 'offer', 'offer'],
    ['asset.updated', 'offer', 'offer'],
    ['asset.updated', 'offer', 'offer'],
    ['asset.updated', 'offer', 'offer'],
    ['asset.updated', 'offer', null],
    ['asset.updated', null, 'offer'],
  ]);
  assert.deepEqual(trail[7].before.offer, changed, 'the audit event has the withdrawn offer');
});

test('a demand is listed until it is deleted, and its members change one by one', async () => {
  const { status, body: demand } = await operator('POST', '/demands', DEMAND);
  assert.equal(status, 201);
  assert.deepEqual(demand, { id: demand.id, ...DEMAND, published_at: '2026-10-21T08:00:00Z' });
  assert.deepEqual(await newest('demands'), {
    id: demand.id,
    contractPeriod: 10,
    deliveryVolume: 24_000.001,
    additionalInfo: 'Für eine Gießerei',
    country: 'AT',
    state: 'Steiermark',
    deliveryStart: '2027-06-30T22:00:00.000Z',
  });
  const change = { contract_period: 3, delivery_volume: 5, state: null, delivery_start: null };
  const changed = (await operator('PATCH', `/demands/${demand.id}`, change)).body;
  assert.deepEqual(changed, { ...demand, ...change });
  assert.deepEqual((await operator('GET', `/demands/${demand.id}`)).body, changed);
  assert.deepEqual((await operator('PATCH', `/demands/${demand.id}`, {})).body, changed);
  assert.equal((await operator('DELETE', `/demands/${demand.id}`)).status, 204);
  assert.notEqual((await newest('demands'))?.id, demand.id);
  for (const method of ['GET', 'DELETE']) {
    const gone = await operator(method, `/demands/${demand.id}`);
    assert.deepEqual([gone.status, problemOf(gone).code], [404, 'demand_not_found'], method);
  }
  assert.equal((await operator('PATCH', `/demands/${demand.id}`, {})).status, 404);
  const trail = await auditOf(demand.id);
  assert.deepEqual(
    trail.map(({ action, before, after }: Record<string, unknown>) => [action, before, after]),
    [
      ['demand.created', null, demand],
      ['demand.updated', demand, changed],
      ['demand.updated', changed, changed],
      ['demand.deleted', changed, null],
    ],
  );
});

test('all errors of an offer are reported together, and nothing is published', async () => {
  const refused: [offer: object, errors: string[]][] = [
    [{}, ['country', 'delivery_start', 'ppa_type', 'pricing'].map((name) => `offer.${name} required`)],
    [{ ...OFFER, ppa_type: 'produced' }, ['offer.ppa_type invalid_enum_value']],
    [{ ...OFFER, pricing: [] }, ['offer.pricing value_too_small']],
    [{ ...OFFER, pricing: null }, ['offer.pricing invalid_type']],
    [
      {
        ...OFFER,
        pricing: [
          { years: 5, price: 1 },
          { years: 5, price: 2 },
          { years: 0, price: -1 },
          { years: 51, price: 1.005 },
          { years: 1.5 },
        ],
      },
      [
        'offer.pricing[1].years validation_failed',
        'offer.pricing[2].price value_too_small',
        'offer.pricing[2].years value_too_small',
        'offer.pricing[3].price invalid_format',
        'offer.pricing[3].years value_too_large',
        'offer.pricing[4].price required',
        'offer.pricing[4].years invalid_type',
      ],
    ],
    [{ ...OFFER, country: 'de' }, ['offer.country invalid_format']],
    [{ ...OFFER, country: 'XX', state: '' }, ['offer.country invalid_format', 'offer.state value_too_small']],
    [{ ...OFFER, delivery_start: '2027-02-30T00:00:00Z' }, ['offer.delivery_start invalid_format']],
    [{ ...OFFER, delivery_start: '0001-01-01T00:00:00+14:00' }, ['offer.delivery_start validation_failed']],
    [{ ...OFFER, average_annual_power: 0.0001 }, ['offer.average_annual_power invalid_format']],
    [{ ...OFFER, average_annual_power: -1 }, ['offer.average_annual_power value_too_small']],
    [{ ...OFFER, additional_info: 'x'.repeat(5001) }, ['offer.additional_info value_too_large']],
    [{ ...OFFER, additional_info: 'x\0' }, ['offer.additional_info invalid_format']],
    [{ ...OFFER, published_at: '2026-01-01T00:00:00Z' }, ['offer.published_at read_only_field']],
    [{ ...OFFER, coverUrl: 'x' }, ['offer.coverUrl unknown_field']],
    ...[
      'http://pictures.example/x.jpg',
      'javascript:alert(1)',
      'data:image/png;base64,AAAA',
      'pictures.example/x.jpg',
      '',
      'https://user:secret@pictures.example/x.jpg',
    ].map((cover_url): [object, string[]] => [{ ...OFFER, cover_url }, ['offer.cover_url invalid_format']]),
    [
      { ...OFFER, cover_url: `${platform.customerUrl}/covers/${'x'.repeat(43)}.png` },
      ['offer.cover_url validation_failed'],
    ],
    [{ ...OFFER, cover_url: `${platform.customerUrl}/covers/\0` }, ['offer.cover_url validation_failed']],
  ];
  const total = async () => (await customer('/v1/assets')).headers.get('x-total-count');
  const before = await total();
  const { id } = (await operator('POST', '/assets', PLANT)).body;
  for (const [offer, errors] of refused) {
    const created = await operator('POST', '/assets', { ...PLANT, offer });
    assert.deepEqual(problemOf(created), { code: 'validation', errors }, JSON.stringify(offer));
    const patched = await operator('PATCH', `/assets/${id}`, { name: 'Changed', offer });
    assert.deepEqual(problemOf(patched), { code: 'validation', errors }, JSON.stringify(offer));
  }
  assert.equal(await total(), before);
  assert.equal((await operator('GET', `/assets/${id}`)).body.name, PLANT.name, 'nothing was published');
  const text = await operator('POST', '/assets', { ...PLANT, offer: 'cheap' });
  assert.deepEqual(problemOf(text).errors, ['offer invalid_type']);
});

test('all errors of a demand are reported together', async () => {
  const refused: [demand: object, errors: string[]][] = [
    [{}, ['contract_period required', 'country required', 'delivery_volume required']],
    [
      { contract_period: 0, delivery_volume: -1, country: 'Germany', state: 7, delivery_start: 'soon' },
      [
        'contract_period value_too_small',
        'country invalid_format',
        'delivery_start invalid_format',
        'delivery_volume value_too_small',
        'state invalid_type',
      ],
    ],
    [{ ...DEMAND, delivery_volume: 1.0001 }, ['delivery_volume invalid_format']],
    [{ ...DEMAND, delivery_volume: 1e10 }, ['delivery_volume value_too_large']],
    [{ ...DEMAND, contract_period: 2.5 }, ['contract_period invalid_type']],
    [{ ...DEMAND, delivery_start: '9999-12-31T23:59:59-14:00' }, ['delivery_start validation_failed']],
    [{ ...DEMAND, id: 'dem_x', published_at: 'x' }, ['id read_only_field', 'published_at read_only_field']],
    [{ ...DEMAND, contractPeriod: 1 }, ['contractPeriod unknown_field']],
  ];
  for (const [demand, errors] of refused) {
    const answer = await operator('POST', '/demands', demand);
    assert.deepEqual(problemOf(answer), { code: 'validation', errors }, JSON.stringify(demand));
  }
  assert.equal((await operator('GET', '/demands/nonsense')).status, 404);
});

test('the operator lists assets with and without an offer, and demands of a country', async () => {
  const ids = async (query: string) =>
    (await walk(request, `/operator/v1/assets?${query}`, 'assets', 7)).map(({ id }) => id);
  const [all, offered, others] = [await ids(''), await ids('offered=true'), await ids('offered=false')];
  assert.ok(offered.length > 0 && others.length > 0);
  assert.deepEqual([...offered, ...others].toSorted(), all.toSorted());
  const listed = (await customer('/v1/assets?limit=100')).body.assets.map(({ id }: { id: string }) => id);
  assert.deepEqual(offered.toSorted(), listed.toSorted());
  const demands = await walk(request, '/operator/v1/demands?country=NL', 'demands', 1);
  assert.ok(demands.length > 0 && demands.every(({ country }) => country === 'NL'));
  assert.deepEqual(await walk(request, '/operator/v1/demands?country=nowhere', 'demands', 10), []);
});

test('after concurrent publications and withdrawals the list equals the final states', async () => {
  const made = await Promise.all(
    Array.from({ length: 24 }, () => operator('POST', '/assets', { ...PLANT, offer: OFFER })),
  );
  const ids: string[] = made.map(({ body }) => body.id);
  await Promise.all(
    ids.map(async (id, at) => {
      if (at % 2 === 0) await operator('PATCH', `/assets/${id}`, { offer: null });
      if (at % 4 === 0) await operator('PATCH', `/assets/${id}`, { offer: OFFER });
    }),
  );
  const listed = (await customer('/v1/assets?limit=100')).body.assets.map(({ id }: { id: string }) => id);
  assert.deepEqual(
    ids.filter((id) => listed.includes(id)),
    ids.filter((_, at) => at % 2 === 1 || at % 4 === 0),
  );
  assert.equal(new Set(listed).size, listed.length);
});
