import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import fc from 'fast-check';
import { runs } from '../../test/runs.ts';
import { insertContract, type NewContract } from '../src/contracts/store.ts';
import { newId } from '../src/platform/db/new-id.ts';
import { answerWithoutId, client, problemOf, startTestPlatform, walk } from './harness.ts';
import type { WorldCustomer } from './world.ts';

const platform = await startTestPlatform({ now: '2026-01-01T00:00:00Z' });
const { clock, db, world } = platform;
const [brp, partner, stranger] = [await world.brp(), await world.brp(), await world.brp()];
const own = await world.group(brp, ['DE_AMPRION', 'DE_TENNET']);
const otherOwn = await world.group(brp, ['DE_50HERTZ']);
const partners = await world.group(partner, ['DE_AMPRION', 'DE_TRANSNET_BW']);
const strangers = await world.group(stranger);
const producer = await world.customer(brp, { name: 'Windpark "Nord" GmbH', status: 'active', group: own });
const consumer = await world.customer(brp, { status: 'active', group: otherOwn, tso: 'DE_50HERTZ' });
const buyer = await world.customer(partner, {
  name: 'Stadtwerke Süd',
  status: 'active',
  group: partners,
  tso: 'DE_TRANSNET_BW',
});
const outsider = await world.customer(stranger, { status: 'active', group: strangers });
const asset = await world.asset('Windpark Nord', 'DE_TENNET');

const request = client(platform.baseUrl, brp.key);
type Draft = Partial<NewContract> & { start?: string; end?: string };

/** Creates a contract one minute after the previous one. Dates are optional. */
async function make(
  externalId: string,
  seller: WorldCustomer,
  buyer: WorldCustomer,
  { start, end, ...more }: Draft = {},
) {
  clock.set(new Date(clock.now() + 60_000).toISOString());
  const contract: NewContract = {
    external_id: externalId,
    type: 'ppa',
    seller_customer: seller.uuid,
    buyer_customer: buyer.uuid,
    delivery_start: start === undefined ? null : Date.parse(start),
    delivery_end: end === undefined ? null : Date.parse(end),
    ...more,
  };
  const made = await db.transaction((tx) => insertContract(tx, contract, clock.now()));
  assert.ok(made);
  return encodeId(ID_PREFIX.contract, made.id);
}

const march = { start: '2026-02-28T23:00:00Z', end: '2026-03-31T22:00:00Z' };
const ids = {
  sold: await make('sold', producer, buyer, {
    ...march,
    ppa_type: 'produced',
    period: '2026',
    delivery_profile: 'as produced',
    asset_id: asset.uuid,
  }),
  bought: await make('bought', buyer, producer, {
    start: '2026-03-28T23:00:00Z',
    end: '2026-03-29T22:00:00Z',
  }),
  internal: await make('internal', producer, consumer, {
    start: '2026-03-31T22:00:00Z',
    end: '2026-12-31T23:00:00Z',
  }),
  undated: await make('undated', producer, buyer),
  endless: await make('endless', producer, buyer, { start: '2026-03-15T11:30:00Z' }),
  startless: await make('startless', buyer, consumer, { end: '2026-03-15T11:30:00Z' }),
  dayAhead: await make('dayAhead', producer, buyer, { ...march, type: 'day_ahead' }),
  intraday: await make('intraday', buyer, producer, {
    start: '2026-10-24T22:00:00Z',
    end: '2026-10-25T23:00:00Z',
    type: 'intraday',
  }),
};
const strange = await make('strange', outsider, buyer, march);
const NAMES = Object.keys(ids);

const find = async (query: string): Promise<string[]> =>
  (await walk(request, `/v1/contracts${query}`, 'contracts', 100)).map((contract) => contract.external_id);

test('a PPA carries its own fields, present even when they are null, and its asset when it has one', async () => {
  clock.set('2026-03-10T00:00:00Z');
  const { body } = await request(`/v1/contracts/${ids.sold}`);
  assert.deepEqual(body, {
    id: ids.sold,
    external_id: 'sold',
    type: 'ppa',
    status: 'in_progress',
    delivery_start: '2026-02-28T23:00:00Z',
    delivery_end: '2026-03-31T22:00:00Z',
    seller: { name: 'Windpark "Nord" GmbH', eic: own.eic, tso: 'DE_AMPRION' },
    buyer: { name: 'Stadtwerke Süd', eic: partners.eic, tso: 'DE_TRANSNET_BW' },
    ppa_type: 'produced',
    period: '2026',
    delivery_profile: 'as produced',
    asset: {
      id: asset.id,
      name: 'Windpark Nord',
      nominal_power: 48.3,
      technology: 'wind_onshore',
      tso: 'DE_TENNET',
    },
    created_at: '2026-01-01T00:01:00Z',
  });
  const undated = (await request(`/v1/contracts/${ids.undated}`)).body;
  assert.deepEqual(undated, {
    id: ids.undated,
    external_id: 'undated',
    type: 'ppa',
    status: 'pending',
    delivery_start: null,
    delivery_end: null,
    seller: { name: 'Windpark "Nord" GmbH', eic: own.eic, tso: 'DE_AMPRION' },
    buyer: { name: 'Stadtwerke Süd', eic: partners.eic, tso: 'DE_TRANSNET_BW' },
    ppa_type: null,
    period: null,
    delivery_profile: null,
    created_at: '2026-01-01T00:04:00Z',
  });
});

test('a day-ahead or intraday contract carries the common fields only', async () => {
  const common = [
    'id',
    'external_id',
    'type',
    'status',
    'delivery_start',
    'delivery_end',
    'seller',
    'buyer',
    'created_at',
  ];
  for (const id of [ids.dayAhead, ids.intraday]) {
    assert.deepEqual(Object.keys((await request(`/v1/contracts/${id}`)).body), common);
  }
});

test('a contract reads the same in the list and by itself', async () => {
  const { body } = await request('/v1/contracts?limit=100');
  for (const contract of body.contracts) {
    assert.deepEqual((await request(`/v1/contracts/${contract.id}`)).body, contract);
  }
});

test('seller and buyer each see a contract, and a BRP that is both sees it once', async () => {
  const asPartner = client(platform.baseUrl, partner.key);
  const seen = await walk(asPartner, '/v1/contracts', 'contracts', 100);
  assert.deepEqual(
    seen.map((contract) => contract.external_id),
    [...NAMES.filter((name) => name !== 'internal'), 'strange'],
  );
  assert.equal((await asPartner(`/v1/contracts/${ids.sold}`)).status, 200);
  assert.equal((await asPartner(`/v1/contracts/${ids.bought}`)).status, 200);
  assert.deepEqual(await find(`?eic=${otherOwn.eic}`), ['internal', 'startless']);
});

test('a contract of others, a missing one and a malformed id give the same 404 to the byte', async () => {
  const missing = encodeId(ID_PREFIX.contract, newId());
  const malformed = [
    `con_${'0'.repeat(25)}`,
    `con_${'8'.repeat(26)}`,
    `con_${'u'.repeat(26)}`,
    strange.toUpperCase(),
    strange.replace('con_', 'txn_'),
    'nonsense',
    '%00',
    'con_%F0%9F%92%A1',
  ];
  for (const path of ['', '/transactions', '/transactions?limit=3']) {
    const expected = await request(`/v1/contracts/${missing}${path}`);
    assert.equal(expected.status, 404);
    assert.deepEqual(problemOf(expected), { code: 'contract_not_found', errors: [] });
    for (const id of [strange, ...malformed]) {
      const answer = await request(`/v1/contracts/${id}${path}`);
      assert.deepEqual(answerWithoutId(id, answer), answerWithoutId(missing, expected), id);
    }
  }
});

const STATUS_TIMES: [string, Record<string, string>][] = [
  [
    '2026-02-28T22:59:59.999Z',
    { sold: 'pending', bought: 'pending', internal: 'pending', endless: 'pending' },
  ],
  ['2026-02-28T23:00:00.000Z', { sold: 'in_progress', bought: 'pending', dayAhead: 'in_progress' }],
  ['2026-03-15T11:29:59.999Z', { endless: 'pending', startless: 'pending' }],
  ['2026-03-15T11:30:00.000Z', { endless: 'in_progress', startless: 'pending', undated: 'pending' }],
  ['2026-03-29T21:59:59.999Z', { bought: 'in_progress' }],
  ['2026-03-29T22:00:00.000Z', { bought: 'completed', sold: 'in_progress' }],
  ['2026-03-31T22:00:00.000Z', { sold: 'completed', internal: 'in_progress', dayAhead: 'completed' }],
  [
    '2099-01-01T00:00:00.000Z',
    { undated: 'pending', endless: 'in_progress', startless: 'pending', intraday: 'completed' },
  ],
];

test('a status follows from the delivery period and the clock, to the millisecond', async () => {
  for (const [now, expected] of STATUS_TIMES) {
    clock.set(now);
    const all = (await request('/v1/contracts?limit=100')).body.contracts;
    for (const [name, status] of Object.entries(expected)) {
      const listed = all.find((contract: { external_id: string }) => contract.external_id === name);
      assert.equal(listed.status, status, `${name} at ${now}`);
      const single = await request(`/v1/contracts/${ids[name as keyof typeof ids]}`);
      assert.equal(single.body.status, status, `${name} alone at ${now}`);
    }
    for (const status of ['pending', 'in_progress', 'completed']) {
      const wanted = all.filter((contract: { status: string }) => contract.status === status);
      assert.deepEqual(
        await find(`?status=${status}`),
        wanted.map((contract: { external_id: string }) => contract.external_id),
        `${status} at ${now}`,
      );
    }
  }
});

test('a filter by type or EIC finds exactly its contracts; an unknown EIC finds nothing', async () => {
  assert.deepEqual(await find('?type=day_ahead'), ['dayAhead']);
  assert.deepEqual(await find('?type=intraday'), ['intraday']);
  assert.deepEqual(await find('?type=ppa'), NAMES.slice(0, 6));
  assert.deepEqual(
    await find(`?eic=${partners.eic}`),
    NAMES.filter((name) => name !== 'internal'),
  );
  const nobodys = [
    strangers.eic,
    own.eic.toLowerCase(),
    own.eic.slice(1),
    '',
    '%00',
    `${own.eic}%00`,
    '%',
    "'--",
    '%F0%9F%92%A1',
  ];
  for (const eic of nobodys) assert.deepEqual(await find(`?eic=${eic}`), [], eic);
});

test('the bounds of delivery_start and delivery_end are inclusive, in any offset; a missing date matches none', async () => {
  assert.deepEqual(await find('?delivery_start=2026-03-31T22:00:00Z'), ['internal', 'intraday']);
  assert.deepEqual(await find('?delivery_start=2026-04-01T00:00:00%2B02:00'), ['internal', 'intraday']);
  assert.deepEqual(await find('?delivery_start=2026-03-31T22:00:00.001Z'), ['intraday']);
  assert.deepEqual(await find('?delivery_start=2026-03-31T22:00:00.0000001Z'), ['intraday']);
  assert.deepEqual(await find('?delivery_end=2026-03-31T22:00:00Z'), [
    'sold',
    'bought',
    'startless',
    'dayAhead',
  ]);
  assert.deepEqual(await find('?delivery_end=2026-03-31T19:00:00-03:00'), [
    'sold',
    'bought',
    'startless',
    'dayAhead',
  ]);
  assert.deepEqual(await find('?delivery_end=2026-03-31T21:59:59Z'), ['bought', 'startless']);
  assert.deepEqual(
    await find('?delivery_start=0001-01-01T00:00:00Z'),
    NAMES.filter((name) => !['undated', 'startless'].includes(name)),
  );
  assert.deepEqual(
    await find('?delivery_end=9999-12-31T23:59:59Z'),
    NAMES.filter((name) => !['undated', 'endless'].includes(name)),
  );
  const backwards = await request(
    '/v1/contracts?delivery_start=2026-04-01T00:00:00Z&delivery_end=2026-03-01T00:00:00Z',
  );
  assert.deepEqual(problemOf(backwards), { code: 'validation', errors: ['delivery_end validation_failed'] });
});

test('a contract is active on the German days that its half-open period overlaps', async () => {
  const expected: [string, string[]][] = [
    ['2026-02-28', []],
    ['2026-03-01', ['sold', 'dayAhead']],
    ['2026-03-14', ['sold', 'dayAhead']],
    ['2026-03-15', ['sold', 'endless', 'dayAhead']],
    ['2026-03-28', ['sold', 'endless', 'dayAhead']],
    // The day has 23 hours, and each of the four delivers on it.
    ['2026-03-29', ['sold', 'bought', 'endless', 'dayAhead']],
    ['2026-03-30', ['sold', 'endless', 'dayAhead']],
    ['2026-03-31', ['sold', 'endless', 'dayAhead']],
    ['2026-04-01', ['internal', 'endless']],
    ['2026-10-24', ['internal', 'endless']],
    ['2026-10-25', ['internal', 'endless', 'intraday']],
    ['2026-10-26', ['internal', 'endless']],
    ['2026-12-31', ['internal', 'endless']],
    ['2027-01-01', ['endless']],
    ['0001-01-01', []],
    ['9999-12-31', ['endless']],
  ];
  for (const [day, names] of expected) assert.deepEqual(await find(`?active_on=${day}`), names, day);
});

type Listed = { type: string; status: string; delivery_start: string | null; delivery_end: string | null };
type Party = { eic: string };

test('all filters given apply together', async () => {
  const days: Record<string, [string, string]> = {
    '2026-03-15': ['2026-03-14T23:00:00Z', '2026-03-15T23:00:00Z'],
    '2026-03-29': ['2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    '2026-10-25': ['2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
  };
  const before = (one: string | null, other: string | null) => one !== null && other !== null && one < other;
  const holds: Record<
    string,
    (contract: Listed & { seller: Party; buyer: Party }, value: string) => boolean
  > = {
    status: (contract, value) => contract.status === value,
    type: (contract, value) => contract.type === value,
    eic: ({ seller, buyer }, value) => seller.eic === value || buyer.eic === value,
    delivery_start: (contract, value) => contract.delivery_start !== null && contract.delivery_start >= value,
    delivery_end: (contract, value) => contract.delivery_end !== null && contract.delivery_end <= value,
    active_on: ({ delivery_start, delivery_end }, value) =>
      before(delivery_start, days[value]?.[1] ?? null) &&
      (delivery_end === null || before(days[value]?.[0] ?? null, delivery_end)),
  };
  const filter = (name: string, ...values: string[]) =>
    fc.constantFrom(...values.map((value): [string, string] => [name, value]));
  const all = fc.tuple(
    filter('status', 'pending', 'in_progress', 'completed'),
    filter('type', 'ppa', 'day_ahead', 'intraday'),
    filter('eic', own.eic, otherOwn.eic, partners.eic),
    filter('delivery_start', '2026-02-28T23:00:00Z', '2026-03-28T23:00:00Z'),
    filter('delivery_end', '2026-03-31T22:00:00Z', '2026-12-31T23:00:00Z'),
    filter('active_on', ...Object.keys(days)),
  );
  // Only a few filters at once: all of them together would match nothing.
  const anyFilters = all.chain((filters) => fc.subarray(filters, { maxLength: 3 }));
  const moments = fc.constantFrom('2026-03-15T12:00:00Z', '2026-03-31T21:59:59Z', '2026-10-25T00:00:00Z');
  await fc.assert(
    fc.asyncProperty(anyFilters, moments, fc.integer({ min: 1, max: 5 }), async (filters, now, limit) => {
      clock.set(now);
      const { contracts } = (await request('/v1/contracts?limit=100')).body;
      const wanted = contracts.filter((contract: never) =>
        filters.every(([name, value]) => holds[name]?.(contract, value)),
      );
      const query = new URLSearchParams(Object.fromEntries(filters));
      assert.deepEqual(await walk(request, `/v1/contracts?${query}`, 'contracts', limit), wanted);
    }),
    { numRuns: runs(150) },
  );
});

test('a contract shows the newest balance group of a customer, and its name as of the creation', async () => {
  const before = (await request(`/v1/contracts/${ids.sold}`)).body;
  const moved = await request.patch(`/v1/customers/${producer.id}`, {
    balance_group: { eic: otherOwn.eic, tso: 'DE_50HERTZ' },
  });
  assert.equal(moved.status, 200);
  const seller = { name: before.seller.name, eic: otherOwn.eic, tso: 'DE_50HERTZ' };
  assert.deepEqual((await request(`/v1/contracts/${ids.sold}`)).body, { ...before, seller });
});
