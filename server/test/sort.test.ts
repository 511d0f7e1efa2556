import assert from 'node:assert/strict';
import { test } from 'node:test';
import { client, startTestPlatform, walk } from './harness.ts';

const platform = await startTestPlatform();
const { world } = platform;
const { seller, producer, consumer } = await world.pair();
const other = await world.brp('Other');
const operator = client(platform.baseUrl, await world.operatorKey());

const references = ['m-2', 'a-1', 'Z-9', 'k-5'];
const starts = ['2026-03-01', null, '2026-01-01', '2026-03-01'];
for (const [at, externalId] of references.entries())
  await world.contract(producer, consumer, { externalId, first: starts[at] ?? null });

/** In the order of a phone book: without regard to case and accents. */
const NAMES = ['Äpfel', 'apfel', 'Birne', 'öl', 'Ost', 'Élan', 'elbe', 'Zug', '\u{10ffff}x'];
const SORTED_NAMES = ['Äpfel', 'apfel', 'Birne', 'Élan', 'elbe', 'öl', 'Ost', 'Zug', '\u{10ffff}x'];
const POWERS = [5, 12.5, 0.75, 5, 100, 0.8, 7, 12.5, 3];
const create = async (path: string, body: object) => {
  const { status } = await operator.post(`/operator/v1/${path}`, body);
  assert.equal(status, 201);
};
const ofSeller: string[] = [];
for (const [at, name] of NAMES.entries()) {
  const brp = at % 2 === 0 ? seller : other;
  if (brp === seller) ofSeller.push(name);
  await create('customers', { brp_id: brp.id, name, metadata: { kind: 'sorted' } });
  await create('assets', { name, technology: 'solar', nominal_power: POWERS[at], tso: 'DE_TENNET' });
  await create('demands', { contract_period: at + 1, delivery_volume: 10, country: at < 4 ? 'DE' : 'AT' });
}

/** A member of all records, read in pages that end between and within equal values. */
async function listed(list: string, member: string, query: string): Promise<unknown[]> {
  const inPages = async (limit: number) =>
    (await walk(operator, `/operator/v1/${list}?${query}`, list, limit)).map((record) => record[member]);
  const all = await inPages(100);
  for (const limit of [1, 2, 3]) assert.deepEqual(await inPages(limit), all, `pages of ${limit}`);
  return all;
}

test('contracts are sorted by reference and by start in both directions, with other filters', async () => {
  const up = ['a-1', 'k-5', 'm-2', 'Z-9'];
  assert.deepEqual(await listed('contracts', 'external_id', 'sort=external_id'), up);
  assert.deepEqual(await listed('contracts', 'external_id', 'sort=-external_id'), up.toReversed());
  assert.deepEqual(await listed('contracts', 'external_id', 'sort=-external_id&search=k-5'), ['k-5']);
  assert.deepEqual(await listed('contracts', 'external_id', 'sort=external_id&external_id=k-5'), ['k-5']);
  assert.deepEqual(await listed('contracts', 'external_id', ''), references, 'unsorted: by creation');
  // Equal starts by creation; a contract without a start comes last.
  const byStart = ['Z-9', 'm-2', 'k-5', 'a-1'];
  assert.deepEqual(await listed('contracts', 'external_id', 'sort=delivery_start'), byStart);
  assert.deepEqual(await listed('contracts', 'external_id', 'sort=-delivery_start'), byStart.toReversed());
  assert.deepEqual(await listed('contracts', 'external_id', 'sort=delivery_start&search=k-5'), ['k-5']);
});

test('customers are sorted by name, of all BRPs or of one, with a search', async () => {
  const search = '&search=sorted';
  assert.deepEqual(await listed('customers', 'name', `sort=name${search}`), SORTED_NAMES);
  assert.deepEqual(await listed('customers', 'name', `sort=-name${search}`), SORTED_NAMES.toReversed());
  assert.deepEqual(
    await listed('customers', 'name', `sort=name&brp_id=${seller.id}${search}`),
    SORTED_NAMES.filter((name) => ofSeller.includes(name)),
  );
  assert.deepEqual(await listed('customers', 'name', 'sort=name&brp_id=brp_unknown'), []);
  assert.deepEqual(await listed('customers', 'name', 'sort=name&search=SORTED&status=active'), []);
});

test('assets are sorted by name and power', async () => {
  assert.deepEqual(await listed('assets', 'name', 'sort=name'), SORTED_NAMES);
  assert.deepEqual(await listed('assets', 'name', 'sort=-name&tso=DE_TENNET'), SORTED_NAMES.toReversed());
  assert.deepEqual(await listed('assets', 'name', 'sort=-name&search=elb'), ['elbe']);
  const powers = POWERS.toSorted((one, next) => one - next);
  assert.deepEqual(await listed('assets', 'nominal_power', 'sort=nominal_power'), powers);
  assert.deepEqual(await listed('assets', 'nominal_power', 'sort=-nominal_power'), powers.toReversed());
});

test('demands are sorted by publication', async () => {
  const up = NAMES.map((_, at) => at + 1);
  assert.deepEqual(await listed('demands', 'contract_period', 'sort=published_at'), up);
  assert.deepEqual(await listed('demands', 'contract_period', 'sort=-published_at'), up.toReversed());
  assert.deepEqual(await listed('demands', 'contract_period', 'sort=-published_at&country=DE'), [4, 3, 2, 1]);
});

test('a cursor belongs to its order, other orders are refused, and the BRP API has none', async () => {
  for (const [list, sort] of [
    ['contracts', 'external_id'],
    ['customers', 'name'],
    ['assets', 'name'],
    ['demands', 'published_at'],
  ] as const) {
    const path = `/operator/v1/${list}`;
    const first = await operator(`${path}?sort=${sort}&limit=1`);
    const after = encodeURIComponent(first.body.pagination.next_cursor);
    for (const query of [`sort=-${sort}&`, '']) {
      const answer = await operator(`${path}?${query}limit=1&after=${after}`);
      assert.deepEqual([answer.status, answer.body.errors[0].field], [400, 'after']);
    }
    const unknown = await operator(`${path}?sort=color`);
    assert.deepEqual([unknown.status, unknown.body.errors[0].code], [400, 'invalid_enum_value']);
  }
  for (const list of ['contracts', 'customers']) {
    const asBrp = await client(platform.baseUrl, seller.key)(`/v1/${list}?sort=name`);
    assert.deepEqual([asBrp.status, asBrp.body.errors[0].code], [400, 'unknown_field']);
  }
});
