import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { listNominations } from '../src/nominations/store.ts';
import { FIRST_ID } from '../src/platform/http/paging.ts';
import { deliveryRange } from '../src/platform/http/time-filter.ts';
import { type Client, problemOf, startTestPlatform, walk } from './harness.ts';
import { confirm, listNominated, makeDeal, type Nominated } from './nominated.ts';

const DAY = '2026-06-10';
const OPERATOR = { name: 'Saldo "Clearing" \\ Öst', eic: '11XALBSTROM----X' };

const platform = await startTestPlatform({
  now: '2026-01-02T08:00:00Z',
  environment: { OPERATOR_NAME: OPERATOR.name, OPERATOR_EIC: OPERATOR.eic },
});
const { world } = platform;
const deal = () => makeDeal(platform);

test('every filter lists exactly the matching nominations, in order, over all pages', async () => {
  const { request, eics } = await variedNominations();
  const all = await listNominated(request);
  const dayOf = ({ slots }: Nominated) =>
    new Date(Date.parse(slots[0]?.delivery_start ?? '') + 12 * 3600_000).toISOString().slice(0, 10);
  const cases: [query: string, meets: (nomination: Nominated) => boolean][] = [
    ['', () => true],
    ...['pending', 'partial_match', 'match', 'superseded'].map(
      (status) =>
        [`status=${status}`, (n: Nominated) => n.status === status] as [string, (n: Nominated) => boolean],
    ),
    [`eic=${eics[0]}`, (n) => n.eic === eics[0]],
    ['eic=11XNORDWIND----J', () => false],
    ['eic=no%00sense', () => false],
    ['tso=DE_TENNET', (n) => n.tso === 'DE_TENNET'],
    ['tso=DE_50HERTZ', () => false],
    ['direction=in', (n) => n.direction === 'in'],
    ['delivery_date=2026-10-25', (n) => dayOf(n) === '2026-10-25'],
    ['delivery_date=2026-10-24', () => false],
    ['delivery_start=2026-10-24T22:00:00Z', (n) => dayOf(n) >= '2026-10-25'],
    ['delivery_start=2026-10-24T22:00:01Z', (n) => dayOf(n) >= '2026-10-26'],
    ['delivery_end=2026-10-25T23:00:00Z', (n) => dayOf(n) <= '2026-10-25'],
    ['delivery_end=2026-10-26T00:00:00%2B01:00', (n) => dayOf(n) <= '2026-10-25'],
    ['delivery_end=2026-10-25T22:59:59Z', (n) => dayOf(n) <= '2026-03-29'],
    ['delivery_start=2026-10-25T10:00:00Z&delivery_end=2026-10-25T12:00:00Z', () => false],
    ['slot_number_from=93', (n) => dayOf(n) !== '2026-03-29'],
    ['slot_number_from=97', (n) => dayOf(n) === '2026-10-25'],
    ['slot_number_from=100&slot_number_to=100', (n) => dayOf(n) === '2026-10-25'],
    ['slot_number_to=1', () => true],
    [
      `status=pending&eic=${eics[0]}&tso=DE_AMPRION&direction=out`,
      (n) => n.status === 'pending' && n.eic === eics[0] && n.tso === 'DE_AMPRION' && n.direction === 'out',
    ],
    ['delivery_date=2026-10-26&delivery_end=2026-10-25T23:00:00Z', () => false],
  ];
  assert.ok(all.length >= 8);
  for (const [query, meets] of cases) {
    const expected = all.filter(meets).map(({ id }) => id);
    for (const limit of [2, 100]) {
      const listed = await walk(request, `/v1/nominations?${query}`, 'nominations', limit);
      assert.deepEqual(
        listed.map(({ id }) => id),
        expected,
        query,
      );
      assert.ok(
        listed.every((nomination) => !('slots' in nomination)),
        'slots are not asked for',
      );
    }
  }
  const keys = all.map((nomination) => `${dayOf(nomination)} ${nomination.id}`);
  assert.deepEqual(keys, keys.toSorted(), 'by delivery day, then id');
});

/** Three days of different lengths, two groups in two areas, every status. */
async function variedNominations(): Promise<{ request: Client; eics: string[] }> {
  const { asSeller, seller, sellerGroup, consumer, contract } = await deal();
  const second = await world.group(seller, ['DE_TENNET']);
  const north = await world.customer(seller, { group: second, tso: 'DE_TENNET' });
  const inward = await world.contract(consumer, north);
  for (const day of ['2026-03-29', '2026-10-25', '2026-10-26']) {
    await world.volumes(contract, day, 250);
    await world.volumes(inward, day, 10);
  }
  await world.nominate();
  for (const day of ['2026-10-25', '2026-10-26']) await world.volumes(contract, day, 260);
  await world.nominate();
  const nominations = await listNominated(asSeller, '&status=pending&direction=in');
  await confirm(platform, nominations[0] as Nominated, (kw) => kw);
  await confirm(platform, nominations[1] as Nominated, (kw) => kw - 1);
  return { request: asSeller, eics: [sellerGroup.eic, second.eic] };
}

test('a filter that is null does not restrict the list, so its statement stays hot', async () => {
  const { seller } = await deal();
  const db = { ...platform.db, query: () => assert.fail('the statement is not hot') };
  const page = { after: { day: DAY, id: FIRST_ID }, count: 1 };
  const filter = {
    eic: null,
    status: null,
    tso: null,
    direction: null,
    delivery: deliveryRange({ delivery_date: DAY }),
    slotFrom: 1,
  };
  await listNominations(db, { kind: 'brp', brpNo: seller.no }, filter, page, false);
});

test('slot number filters select the slots, and include_slots decides whether they are shown', async () => {
  const { asSeller, contract } = await deal();
  for (const day of [DAY, '2026-10-25']) await world.volumes(contract, day, 10);
  await world.nominate();
  const numbers = async (query: string) =>
    (await listNominated(asSeller, `&${query}`)).map(({ slots }) => [
      slots.at(0)?.slot_number,
      slots.at(-1)?.slot_number,
      slots.length,
    ]);
  assert.deepEqual(await numbers('slot_number_from=95&slot_number_to=98'), [
    [95, 96, 2],
    [95, 98, 4],
  ]);
  assert.deepEqual(await numbers('slot_number_from=97&slot_number_to=100'), [[97, 100, 4]]);
  assert.deepEqual(await numbers('slot_number_from=100'), [[100, 100, 1]]);
  assert.deepEqual(await numbers('slot_number_to=2'), [
    [1, 2, 2],
    [1, 2, 2],
  ]);
  const shown = async (query: string) => {
    const [nomination] = (await asSeller(`/v1/nominations?${query}`)).body.nominations;
    return 'slots' in nomination;
  };
  assert.deepEqual(
    [await shown(''), await shown('include_slots=false'), await shown('include_slots=true')],
    [false, false, true],
  );
  const wrong =
    'include_slots=yes&direction=up&status=new&tso=DE&delivery_date=2026-02-30&slot_number_from=0&slot_number_to=101';
  assert.deepEqual(problemOf(await asSeller(`/v1/nominations?${wrong}`)).errors, [
    'delivery_date invalid_format',
    'direction invalid_enum_value',
    'include_slots invalid_enum_value',
    'slot_number_from value_too_small',
    'slot_number_to value_too_large',
    'status invalid_enum_value',
    'tso invalid_enum_value',
  ]);
  const backwards =
    'slot_number_from=5&slot_number_to=4&delivery_start=2026-01-02T00:00:00Z&delivery_end=2026-01-01T00:00:00Z';
  assert.deepEqual(problemOf(await asSeller(`/v1/nominations?${backwards}`)).errors, [
    'delivery_end validation_failed',
    'slot_number_to validation_failed',
  ]);
});

test('history is the whole chain, newest first, from the id of any version', async () => {
  const { asSeller, asBuyer, contract } = await deal();
  for (const value of [10, 20, 30]) {
    await world.volumes(contract, DAY, value);
    await world.nominate();
  }
  const versions = (await listNominated(asSeller)).toSorted((a, b) => b.version - a.version);
  assert.deepEqual(
    versions.map(({ version }) => version),
    [3, 2, 1],
  );
  for (const { id } of versions) {
    assert.deepEqual((await asSeller(`/v1/nominations/${id}/history`)).body.nominations, versions);
    assert.equal(problemOf(await asBuyer(`/v1/nominations/${id}/history`)).code, 'nomination_not_found');
  }
  for (const [at, version] of versions.entries()) {
    assert.equal(version.previous_nomination_id, versions[at + 1]?.id ?? null);
    assert.deepEqual((await asSeller(`/v1/nominations/${version.id}`)).body, version);
  }
});

test('a bulk read of nominations has the requested order, each id once, without invisible records', async () => {
  const { asSeller, asBuyer, contract } = await deal();
  for (const day of ['2026-06-10', '2026-06-11', '2026-06-12']) await world.volumes(contract, day, 10);
  await world.nominate();
  const [a, b, c] = (await listNominated(asSeller)) as [Nominated, Nominated, Nominated];
  const [foreign] = (await listNominated(asBuyer)) as [Nominated];
  const unknown = encodeId(ID_PREFIX.nomination, '01890000-0000-7000-8000-000000000000');
  const ids = [
    c.id,
    'nom_x',
    foreign.id,
    a.id,
    unknown,
    c.id,
    '',
    b.id.toUpperCase(),
    b.id,
    a.id.replace('nom', 'txn'),
  ];
  const viaGet = await asSeller(`/v1/nominations/bulk?ids=${ids.join(',')}`);
  const viaPost = await asSeller.post('/v1/nominations/bulk', { ids });
  assert.deepEqual(viaGet.body, { nominations: [c, a, b] });
  assert.equal(viaGet.text, viaPost.text);
  const many = Array.from({ length: 101 }, () => a.id);
  for (const answer of [
    await asSeller(`/v1/nominations/bulk?ids=${many.join(',')}`),
    await asSeller.post('/v1/nominations/bulk', { ids: many }),
  ]) {
    assert.deepEqual(problemOf(answer), { code: 'validation', errors: ['ids value_too_large'] });
  }
  const bad = { ids: ['x', 1, null], include_assets: true };
  assert.deepEqual(problemOf(await asSeller.post('/v1/nominations/bulk', bad)).errors, [
    'ids[1] invalid_type',
    'ids[2] invalid_type',
    'include_assets unknown_field',
  ]);
  for (const path of ['/v1/nominations/bulk', '/v1/nominations/bulk?ids=']) {
    const error = path.endsWith('=') ? 'ids value_too_small' : 'ids required';
    assert.deepEqual(problemOf(await asSeller(path)).errors, [error]);
  }
});

test('the counterparty of every nomination is the operator, as it is configured', async () => {
  const { asSeller, asBuyer, contract } = await deal();
  await world.volumes(contract, DAY, 10);
  await world.nominate();
  for (const request of [asSeller, asBuyer]) {
    const { nominations } = (await request('/v1/nominations')).body;
    assert.deepEqual(nominations[0].counterparty, OPERATOR);
  }
});

test('a BRP sees the nominations of its own balance groups and no others', async () => {
  const { asSeller, asBuyer, contract, sellerGroup } = await deal();
  await world.volumes(contract, DAY, 10);
  await world.nominate();
  const [own] = (await listNominated(asSeller)) as [Nominated];
  assert.deepEqual(await listNominated(asBuyer, `&eic=${sellerGroup.eic}`), []);
  const answers = [];
  for (const id of [
    own.id,
    encodeId(ID_PREFIX.nomination, '01890000-0000-7000-8000-000000000000'),
    'nom_x',
  ]) {
    const answer = await asBuyer(`/v1/nominations/${id}`);
    assert.equal(answer.status, 404);
    answers.push({ ...answer.body, instance: null });
  }
  assert.deepEqual(answers[1], answers[0]);
  assert.deepEqual(answers[2], answers[0]);
});
