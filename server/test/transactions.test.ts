import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import fc from 'fast-check';
import { runs } from '../../test/runs.ts';
import { newId } from '../src/platform/db/new-id.ts';
import { deliveryRange } from '../src/platform/http/time-filter.ts';
import { listTransactions } from '../src/transactions/store.ts';
import { answerWithoutId, client, problemOf, startTestPlatform, walk } from './harness.ts';
import { cells } from './nominated.ts';
import type { WorldContract } from './world.ts';

const platform = await startTestPlatform({ now: '2026-01-10T09:30:15Z' });
const { clock, db, world } = platform;
const [brp, partner, stranger] = [await world.brp(), await world.brp(), await world.brp()];
const own = await world.group(brp, ['DE_AMPRION', 'DE_50HERTZ']);
const otherOwn = await world.group(brp, ['DE_TENNET']);
const partners = await world.group(partner, ['DE_TRANSNET_BW']);
const strangers = await world.group(stranger);
const producer = await world.customer(brp, { group: own, tso: 'DE_50HERTZ' });
const producerAtAmprion = await world.customer(brp, { group: own, tso: 'DE_AMPRION' });
const consumer = await world.customer(brp, { group: otherOwn, tso: 'DE_TENNET' });
const buyer = await world.customer(partner, { group: partners, tso: 'DE_TRANSNET_BW' });
const outsider = await world.customer(stranger, { group: strangers });
const [wind, solar] = [await world.asset('Wind'), await world.asset('Solar')];

const sold = await world.contract(producer, buyer, { assetUuid: wind.uuid });
const soldAtAmprion = await world.contract(producerAtAmprion, buyer, { assetUuid: wind.uuid });
const bought = await world.contract(buyer, consumer, { assetUuid: solar.uuid });
const internal = await world.contract(producer, consumer);
const foreign = await world.contract(outsider, buyer);

const request = client(platform.baseUrl, brp.key);
type Transaction = {
  id: string;
  contract_id: string;
  status: string;
  version: number;
  previous_transaction_id: string | null;
  slot_number: number;
  volume: number;
  delivery_start: string;
  delivery_end: string;
  sender: { eic: string; asset_id: string | null; tso: string };
  receiver: { eic: string; tso: string };
};
const list = async (query: string, of = ''): Promise<Transaction[]> =>
  walk(request, `/v1${of}/transactions${query}`, 'transactions', 100);

const brief = (transactions: Transaction[]) =>
  transactions.map(
    ({ slot_number, version, status, volume }) => `${slot_number}.${version} ${status} ${volume}`,
  );

test('a transaction carries exactly the fields of the specification', async () => {
  await world.volumes(sold, '2026-01-15', cells('2026-01-15', { 61: 6_900 }));
  clock.set('2026-01-10T10:00:00Z');
  await world.volumes(sold, '2026-01-15', cells('2026-01-15', { 61: 7_125 }));
  const [first, second] = await list('?delivery_date=2026-01-15');
  assert.ok(first && second);
  assert.deepEqual(second, {
    id: second.id,
    type: 'ppa',
    contract_id: sold.id,
    status: 'valid',
    version: 2,
    previous_transaction_id: first.id,
    sender: { eic: own.eic, asset_id: wind.id, tso: 'DE_50HERTZ' },
    receiver: { eic: partners.eic, tso: 'DE_TRANSNET_BW' },
    delivery_start: '2026-01-15T14:00:00Z',
    delivery_end: '2026-01-15T14:15:00Z',
    slot_number: 61,
    volume: 7.125,
    created_at: '2026-01-10T10:00:00Z',
  });
  assert.deepEqual(first, {
    ...second,
    id: first.id,
    status: 'superseded',
    version: 1,
    previous_transaction_id: null,
    volume: 6.9,
    created_at: '2026-01-10T09:30:15Z',
  });
  assert.match(first.id, /^txn_[0-9a-z]{26}$/);
  assert.notEqual(first.id, second.id);
  assert.deepEqual((await request(`/v1/transactions/${second.id}`)).body, second);
});

test('the days on which the clocks change have 92 and 100 slots without a gap', async () => {
  const days: [string, number, string, string][] = [
    ['2026-03-29', 92, '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    ['2026-10-25', 100, '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    ['2026-07-01', 96, '2026-06-30T22:00:00Z', '2026-07-01T22:00:00Z'],
  ];
  for (const [day, count, start, end] of days) {
    for (const near of [addDays(day, -1), day, addDays(day, 1)]) await world.volumes(internal, near, 1_000);
    const found = await list(`?delivery_date=${day}`);
    assert.deepEqual(
      found.map((one) => one.slot_number),
      Array.from({ length: count }, (_, at) => at + 1),
    );
    assert.equal(found.at(0)?.delivery_start, start);
    assert.equal(found.at(-1)?.delivery_end, end);
    for (const [at, one] of found.entries()) {
      assert.equal(Date.parse(one.delivery_end) - Date.parse(one.delivery_start), 15 * 60_000);
      assert.equal(one.delivery_end, found[at + 1]?.delivery_start ?? end);
    }
    assert.deepEqual(await list(`?delivery_start=${start}&delivery_end=${end}`), found);
  }
});

test('delivery_start and delivery_end select slots that lie entirely between them, in any offset', async () => {
  await world.volumes(bought, '2026-02-02', 500);
  const slots = async (query: string) =>
    (await list(query, `/contracts/${bought.id}`)).map((one) => one.slot_number);
  const between = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
  assert.deepEqual(await slots('?delivery_start=2026-02-02T22:30:00Z'), [95, 96]);
  assert.deepEqual(await slots('?delivery_start=2026-02-02T22:30:00.001Z'), [96]);
  assert.deepEqual(await slots('?delivery_start=2026-02-02T22:30:00.0000001Z'), [96]);
  assert.deepEqual(await slots('?delivery_start=2026-02-03T00:00:00%2B01:30'), [95, 96]);
  assert.deepEqual(await slots('?delivery_end=2026-02-01T23:30:00Z'), [1, 2]);
  assert.deepEqual(await slots('?delivery_end=2026-02-01T23:29:59Z'), [1]);
  assert.deepEqual(await slots('?delivery_end=2026-02-01T19:30:00-04:00'), [1, 2]);
  const inner = '?delivery_start=2026-02-02T00:07:00Z&delivery_end=2026-02-02T01:07:00Z';
  assert.deepEqual(await slots(inner), [6, 7, 8]);
  assert.deepEqual(await slots('?delivery_start=2026-02-02T00:01:00Z&delivery_end=2026-02-02T00:14:00Z'), []);
  assert.deepEqual(await slots('?delivery_start=2026-02-02T00:00:00Z&delivery_end=2026-02-02T00:00:00Z'), []);
  assert.deepEqual(await slots(`${inner}&delivery_date=2026-02-02`), [6, 7, 8]);
  assert.deepEqual(await slots(`${inner}&delivery_date=2026-02-03`), []);
  assert.deepEqual(await slots('?slot_number_from=94'), [94, 95, 96]);
  assert.deepEqual(await slots('?slot_number_to=2'), [1, 2]);
  assert.deepEqual(await slots('?slot_number_from=7&slot_number_to=7'), [7]);
  assert.deepEqual(await slots('?slot_number_from=97'), []);
  assert.deepEqual(await slots(`${inner}&slot_number_from=8&slot_number_to=100`), [8]);
  assert.deepEqual(await slots('?slot_number_from=1&slot_number_to=100'), between(1, 96));
});

test('filter ranges that are reversed or out of bounds are rejected, each named', async () => {
  const refused: [string, string[]][] = [
    [
      'delivery_start=2026-02-02T00:00:00Z&delivery_end=2026-02-01T23:59:59Z',
      ['delivery_end validation_failed'],
    ],
    ['slot_number_from=5&slot_number_to=4', ['slot_number_to validation_failed']],
    ['slot_number_from=0', ['slot_number_from value_too_small']],
    ['slot_number_to=101', ['slot_number_to value_too_large']],
    ['slot_number_to=1e1', ['slot_number_to invalid_type']],
    ['status=Valid', ['status invalid_enum_value']],
    ['include_assets=yes', ['include_assets invalid_enum_value']],
    ['status=&include_assets=', ['include_assets invalid_enum_value', 'status invalid_enum_value']],
  ];
  for (const [query, errors] of refused) {
    for (const path of ['/v1/transactions', `/v1/contracts/${sold.id}/transactions`]) {
      assert.deepEqual(problemOf(await request(`${path}?${query}`)), { code: 'validation', errors }, query);
    }
  }
  const otherType = await request('/v1/transactions?type=intraday');
  assert.deepEqual(problemOf(otherType), { code: 'validation', errors: ['type invalid_literal'] });
  const both = await request(`/v1/contracts/${sold.id}/transactions?type=ppa&contract_id=${sold.id}`);
  assert.deepEqual(problemOf(both).errors, ['contract_id unknown_field', 'type unknown_field']);
  assert.deepEqual(await list('?type=ppa&delivery_date=2026-02-02'), await list('?delivery_date=2026-02-02'));
});

test('a sender or receiver filter finds exactly its transactions, in all control areas, own or foreign', async () => {
  const day = '2026-02-10';
  const all = [sold, soldAtAmprion, bought, internal, foreign];
  for (const [at, contract] of all.entries())
    await world.volumes(contract, day, cells(day, { 1: 1_000 + at }));
  const contracts = async (query: string) =>
    (await list(`?delivery_date=${day}&${query}`)).map((one) => one.contract_id);
  const idsOf = (...of: WorldContract[]) => of.map((contract) => contract.id);
  assert.deepEqual(await contracts(''), idsOf(sold, soldAtAmprion, bought, internal));
  assert.deepEqual(await contracts(`sender_eic=${own.eic}`), idsOf(sold, soldAtAmprion, internal));
  assert.deepEqual(await contracts(`sender_eic=${partners.eic}`), idsOf(bought));
  assert.deepEqual(await contracts(`sender_eic=${otherOwn.eic}`), []);
  assert.deepEqual(await contracts(`receiver_eic=${otherOwn.eic}`), idsOf(bought, internal));
  assert.deepEqual(await contracts(`receiver_eic=${partners.eic}`), idsOf(sold, soldAtAmprion));
  const pairs: [string, string, WorldContract[]][] = [
    [own.eic, partners.eic, [sold, soldAtAmprion]],
    [own.eic, otherOwn.eic, [internal]],
    [partners.eic, otherOwn.eic, [bought]],
    [partners.eic, own.eic, []],
  ];
  for (const [sender, receiver, expected] of pairs) {
    assert.deepEqual(await contracts(`sender_eic=${sender}&receiver_eic=${receiver}`), idsOf(...expected));
  }
  assert.deepEqual(await contracts(`sender_eic=${own.eic}&contract_id=${internal.id}`), idsOf(internal));
  assert.deepEqual(await contracts(`sender_eic=${partners.eic}&contract_id=${internal.id}`), []);
  assert.deepEqual(await contracts(`receiver_eic=${own.eic}&contract_id=${internal.id}`), []);
  const nobodys = [
    strangers.eic,
    own.eic.toLowerCase(),
    '',
    '%00',
    `${own.eic}%00`,
    '%25',
    "'%3B--",
    '%F0%9F%92%A1',
  ];
  for (const eic of nobodys) {
    for (const side of ['sender_eic', 'receiver_eic'])
      assert.deepEqual(await contracts(`${side}=${eic}`), [], eic);
  }
});

test('a contract_id that is unknown, foreign or malformed finds nothing', async () => {
  const ids = [
    foreign.id,
    encodeId(ID_PREFIX.contract, newId()),
    '',
    'con_',
    'nonsense',
    '%00',
    sold.id.toUpperCase(),
  ];
  for (const id of ids) {
    const { status, body } = await request(`/v1/transactions?contract_id=${id}&include_assets=true`);
    assert.equal(status, 200);
    const pagination = { limit: 10, has_more: false, next_cursor: null };
    assert.deepEqual(body, { transactions: [], pagination, assets: [] }, id);
  }
  const ofOne = await list(`?contract_id=${bought.id}`);
  assert.deepEqual(ofOne, await list('', `/contracts/${bought.id}`));
  assert.ok(ofOne.length > 0 && ofOne.every((one) => one.contract_id === bought.id));
});

test('included assets are those of the page, once each, and only on request', async () => {
  const day = '2026-02-11';
  for (const contract of [sold, soldAtAmprion, bought, internal]) {
    await world.volumes(contract, day, cells(day, { 1: 1, 2: 2 }));
  }
  const assetIds = async (query: string) => {
    const { body } = await request(`/v1/transactions?delivery_date=${day}&${query}`);
    return body.assets?.map((asset: { id: string }) => asset.id);
  };
  assert.deepEqual(await assetIds('include_assets=true'), [wind.id, solar.id]);
  assert.deepEqual(await assetIds('include_assets=true&limit=4'), [wind.id]);
  assert.deepEqual(await assetIds(`include_assets=true&contract_id=${internal.id}`), []);
  assert.equal(await assetIds('include_assets=false'), undefined);
  assert.equal(await assetIds(''), undefined);
  const [first] = await list(`?delivery_date=${day}`);
  const { body } = await request(`/v1/transactions/${first?.id}/history?include_assets=true`);
  assert.deepEqual(body.assets, [
    { id: wind.id, name: 'Wind', nominal_power: 48.3, technology: 'wind_onshore', tso: 'DE_AMPRION' },
  ]);
  const posted = await request.post('/v1/transactions/bulk', { ids: [first?.id], include_assets: true });
  assert.deepEqual(posted.body.assets, body.assets);
  const got = await request(`/v1/transactions/bulk?ids=${first?.id}&include_assets=true`);
  assert.deepEqual(got.body, posted.body);
  const plain = await request.post('/v1/transactions/bulk', { ids: [first?.id] });
  assert.deepEqual(Object.keys(plain.body), ['transactions']);
});

test('a correction supersedes only what it changes, and may correct an invalid volume', async () => {
  const day = '2026-02-12';
  const now = async (query = '') => list(`?delivery_date=${day}${query}`);
  await world.volumes(sold, day, cells(day, { 1: 100, 2: 200, 3: 300 }));
  await world.volumes(sold, day, cells(day, { 1: 100, 2: 250, 4: 400 }));
  await world.volumes(sold, day, cells(day, { 2: 200 }));
  const valid = ['1.1 valid 0.1', '2.3 valid 0.2', '3.1 valid 0.3', '4.1 valid 0.4'];
  const superseded = ['2.1 superseded 0.2', '2.2 superseded 0.25'];
  assert.deepEqual(brief(await now()), [...valid, ...superseded].toSorted());
  assert.deepEqual(brief(await now('&status=valid')), valid);
  assert.deepEqual(brief(await now('&status=superseded')), superseded);
  assert.deepEqual(brief(await now('&status=invalid')), []);

  const [third] = await now('&slot_number_from=3&slot_number_to=3');
  assert.equal(await world.invalidate(third?.id ?? ''), 'invalidated');
  assert.equal(await world.invalidate(third?.id ?? ''), 'not_valid');
  assert.deepEqual(brief(await now('&status=invalid')), ['3.1 invalid 0.3']);
  assert.deepEqual(brief(await now('&status=valid')), valid.toSpliced(2, 1));
  // The same volume is a correction here, because it makes the slot valid again.
  await world.volumes(sold, day, cells(day, { 3: 300 }));
  assert.deepEqual(brief(await now('&slot_number_from=3&slot_number_to=3')), [
    '3.1 superseded 0.3',
    '3.2 valid 0.3',
  ]);
  assert.deepEqual(brief(await now('&status=invalid')), []);
  assert.equal(await world.invalidate(third?.id ?? ''), 'not_valid');
});

test('a history is the whole chain, newest first, from the id of any version', async () => {
  const day = '2026-02-13';
  for (let kwh = 1; kwh <= 8; kwh++) {
    // Other slots are corrected in between, so that versions and revisions differ.
    await world.volumes(bought, day, cells(day, kwh % 2 === 0 ? { 50: kwh } : { 50: kwh, 51: kwh }));
  }
  const versions = await list(`?delivery_date=${day}&slot_number_from=50&slot_number_to=50`);
  assert.deepEqual(
    versions.map((one) => one.version),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
  const others = await list(`?delivery_date=${day}&slot_number_from=51&slot_number_to=51`);
  assert.deepEqual(
    others.map((one) => one.version),
    [1, 2, 3, 4],
  );
  for (const chain of [versions, others]) {
    const newestFirst = chain.toReversed();
    for (const [at, one] of newestFirst.entries()) {
      assert.equal(one.previous_transaction_id, newestFirst[at + 1]?.id ?? null);
      assert.equal(one.status, at === 0 ? 'valid' : 'superseded');
      const history = await request(`/v1/transactions/${one.id}/history`);
      assert.deepEqual(history.body, { transactions: newestFirst });
      assert.deepEqual((await request(`/v1/transactions/${one.id}`)).body, one);
    }
  }
});

test('concurrent corrections of one day have consecutive versions', async () => {
  const day = '2026-02-14';
  await Promise.all([1, 2, 3, 4, 5, 6].map((kwh) => world.volumes(sold, day, cells(day, { 7: kwh }))));
  const found = await list(`?delivery_date=${day}`);
  assert.deepEqual(
    found.map((one) => one.version),
    [1, 2, 3, 4, 5, 6],
  );
  assert.deepEqual(
    new Set(found.map((one) => one.volume)),
    new Set([0.001, 0.002, 0.003, 0.004, 0.005, 0.006]),
  );
  assert.equal(found.filter((one) => one.status === 'valid').length, 1);
});

test('a transaction of others, a missing one and a malformed id give the same 404 to the byte', async () => {
  const asPartner = client(platform.baseUrl, partner.key);
  const [hidden] = (await asPartner(`/v1/transactions?contract_id=${foreign.id}`)).body.transactions;
  const missing = encodeId(ID_PREFIX.transaction, newId().replace(/..$/, '05'));
  // An existing sheet, and a slot without a volume in it.
  const [seen] = await list('?delivery_date=2026-01-15');
  const absent = seen?.id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  const others = [hidden.id, absent, `${seen?.id.slice(0, -2)}00`, 'nonsense', '%00', seen?.id.toUpperCase()];
  for (const path of ['', '/history']) {
    const answerTo = async (id: string) =>
      answerWithoutId(id, await request(`/v1/transactions/${id}${path}`));
    const expected = await answerTo(missing);
    assert.equal(expected.status, 404);
    assert.match(expected.text, /transaction_not_found/);
    for (const id of others) assert.deepEqual(await answerTo(id), expected, id);
  }
});

test('the volumes of a day are exact to the kWh', async () => {
  const volume = fc.oneof(
    fc.constantFrom(0, 1, 999, 1_000, 2_147_483_647),
    fc.nat(),
    fc.nat({ max: 20_000 }),
  );
  const anyVolumes = fc.array(fc.option(volume, { nil: null }), { minLength: 96, maxLength: 96 });
  let day = '2026-05-01';
  await fc.assert(
    fc.asyncProperty(anyVolumes, anyVolumes, async (before, after) => {
      day = addDays(day, 1);
      await world.volumes(bought, day, before);
      await world.volumes(bought, day, after);
      const { text } = await request(`/v1/transactions?delivery_date=${day}&status=valid&limit=100`);
      const printed = [...text.matchAll(/"volume":([^,]*),/g)].map(([, number = '']) => number);
      const counting = before.map((kwh, at) => after[at] ?? kwh).filter((kwh) => kwh !== null);
      assert.deepEqual(
        printed,
        counting.map((kwh) => String(kwh / 1_000)),
      );
      const kwhOf = (mwh: string) => {
        const [whole = '', fraction = ''] = mwh.split('.');
        return BigInt(whole + fraction.padEnd(3, '0'));
      };
      const sum = printed.reduce((total, mwh) => total + kwhOf(mwh), 0n);
      assert.equal(sum, BigInt(counting.reduce((total, kwh) => total + kwh, 0)));
    }),
    { numRuns: runs(40) },
  );
});

test('slots that only the longest day has are found without reading the days between', async () => {
  const [first, second] = ['2024-10-27', '2025-10-26'];
  const contract = await world.contract(producer, buyer, { first, last: '2026-12-31' });
  for (let day: string = first; day <= '2025-11-30'; day = addDays(day, 1))
    await world.volumes(contract, day, 1_000);
  let sheets = 0;
  const counting: typeof db = {
    ...db,
    arrays: async (...query) => {
      const rows = await db.arrays(...query);
      sheets += rows.length;
      return rows as never;
    },
  };
  const delivery = deliveryRange({ delivery_end: '2025-12-31T00:00:00Z' });
  const filter = {
    status: null,
    senderEic: null,
    receiverEic: null,
    contractId: null,
    slotFrom: 97,
    slotTo: 100,
  };
  const found = await listTransactions(
    counting,
    { kind: 'brp', brpNo: brp.no },
    { ...filter, delivery },
    null,
    8 + 1,
  );
  assert.deepEqual(
    found.map(({ row, cell }) => `${row.day} ${cell.slot}`),
    [first, second].flatMap((day) => [97, 98, 99, 100].map((slot) => `${day} ${slot}`)),
  );
  assert.ok(sheets < 100, `read ${sheets} sheets of 400`);
});
