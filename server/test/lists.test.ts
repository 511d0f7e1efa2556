import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays } from '@saldo/core/delivery-day.ts';
import { type Client, client, problemOf, startTestPlatform, walk } from './harness.ts';
import { cells } from './nominated.ts';
import type { WorldContract } from './world.ts';

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world } = platform;
const { seller: brp, buyer: partner, sellerGroup, producer, consumer } = await world.pair();
const own = await world.customer(brp, { group: await world.group(brp, ['DE_TENNET']), tso: 'DE_TENNET' });
const stranger = await world.brp();
const outsider = await world.customer(stranger, { group: await world.group(stranger) });

const FIRST = '2026-10-25';
const day = (after: number) => addDays(FIRST, after);
const sold = await world.contract(producer, consumer);
const bought = await world.contract(consumer, own);
const internal = await world.contract(producer, own);
const foreign = await world.contract(outsider, consumer);
await world.volumes(sold, FIRST, 1_000);
// One contract-day of many sheets: each correction writes a single slot.
await world.volumes(sold, day(1), cells(day(1), { 1: 1, 2: 2, 3: 3, 10: 10 }));
for (let kwh = 1; kwh <= 30; kwh++)
  await world.volumes(sold, day(1), cells(day(1), { [1 + (kwh % 5)]: 100 + kwh }));
for (let after = 0; after < 25; after++) {
  // Sheets of one cell, and contracts of other BRPs on the same days.
  await world.volumes(internal, day(after), cells(day(after), { [1 + after]: 7 }));
  await world.volumes(foreign, day(after), 5);
  if (after % 5 === 0) await world.volumes(bought, day(after), cells(day(after), { 5: 50, 6: 60, 96: 960 }));
  if (after % 10 === 0) await world.nominate();
}
await world.volumes(bought, day(5), cells(day(5), { 5: 51 }));
await world.nominate();
for (let count = 0; count < 25; count++) {
  await world.contract(...(count % 2 === 0 ? ([producer, consumer] as const) : ([consumer, own] as const)));
  await world.customer(brp, { group: sellerGroup });
}

const request = client(platform.baseUrl, brp.key);
const LISTS = [
  { path: '/v1/contracts', member: 'contracts' },
  { path: `/v1/contracts/${sold.id}/transactions`, member: 'transactions' },
  { path: '/v1/transactions', member: 'transactions' },
  { path: '/v1/nominations', member: 'nominations' },
  { path: '/v1/customers', member: 'customers' },
] as const;

type Named = { id: string };
type Transaction = Named & {
  contract_id: string;
  slot_number: number;
  version: number;
  status: string;
  delivery_start: string;
  delivery_end: string;
};
const idsOf = (records: Named[]) => records.map(({ id }) => id);

const CREATED = [sold, bought, internal].map(({ id }) => id);

/** A sort key for the documented order: delivery day, contract, slot, version. */
function placeOf(one: Transaction): string {
  const start = Temporal.Instant.from(one.delivery_start).toZonedDateTimeISO('Europe/Berlin');
  const contract = CREATED.includes(one.contract_id) ? CREATED.indexOf(one.contract_id) : one.contract_id;
  const numbers = [one.slot_number, one.version].map((number) => String(number).padStart(3, '0'));
  return [start.toPlainDate(), contract, ...numbers].join(' ');
}

type Page = { records: Named[]; next: string | null };
async function readPage(
  ask: Client,
  path: string,
  member: string,
  query: string,
  after: string | null,
): Promise<Page> {
  const cursor = after === null ? '' : `&after=${encodeURIComponent(after)}`;
  const { status, body, text } = await ask(`${path}${path.includes('?') ? '&' : '?'}${query}${cursor}`);
  assert.equal(status, 200, text);
  return { records: body[member], next: body.pagination.next_cursor };
}

test('every list has each record once, in the same order, for any limit', async () => {
  for (const { path, member } of LISTS) {
    const whole = await walk(request, path, member, 100);
    assert.ok(whole.length > 25, `${path} has ${whole.length}`);
    assert.equal(new Set(idsOf(whole)).size, whole.length, path);
    const cursors: (string | null)[] = [null];
    for (let at = 0; at < whole.length; at++) {
      const page = await readPage(request, path, member, 'limit=1', cursors[at] ?? null);
      assert.deepEqual(page.records, [whole[at]], `${path} by 1`);
      if (page.next !== null) cursors.push(page.next);
    }
    assert.equal(cursors.length, whole.length, `${path} ends`);
    // Each limit is tried from another starting position.
    for (let limit = 2; limit <= 100; limit++) {
      const at = (limit * 37) % whole.length;
      const page = await readPage(request, path, member, `limit=${limit}`, cursors[at] ?? null);
      const expected = whole.slice(at, at + limit);
      assert.deepEqual(idsOf(page.records), idsOf(expected), `${path} by ${limit} from ${at}`);
      assert.equal(page.next, cursors[at + limit] ?? null, `${path} by ${limit} from ${at}`);
    }
  }
});

test('lists are ordered by creation, or by delivery day, contract, slot and version', async () => {
  for (const path of ['/v1/contracts', '/v1/customers']) {
    const ids = idsOf(await walk(request, path, path.slice(4), 100));
    assert.deepEqual(ids, ids.toSorted(), path);
  }
  const transactions: Transaction[] = await walk(request, '/v1/transactions', 'transactions', 100);
  const places = transactions.map(placeOf);
  assert.deepEqual(places, places.toSorted());
  const nominations = await walk(request, '/v1/nominations?include_slots=true', 'nominations', 100);
  const keys = nominations.map((one) => `${one.slots[0].delivery_start} ${one.id}`);
  assert.deepEqual(keys, keys.toSorted());
  assert.ok(
    nominations.some((one) => one.version > 1),
    'corrections are among them',
  );
});

test('a page of 100 has the whole day of a contract, and the default limit is 10', async () => {
  const { body } = await request('/v1/transactions?limit=100');
  assert.equal(body.transactions.length, 100);
  assert.ok(body.transactions.every((one: Transaction) => one.contract_id === sold.id));
  for (const { path, member } of LISTS) {
    const page = (await request(path)).body;
    assert.equal(page[member].length, 10, path);
    assert.equal(page.pagination.limit, 10, path);
    assert.equal(page.pagination.has_more, true, path);
  }
});

test('the limit and the included members may change between pages', async () => {
  for (const { path, member } of LISTS) {
    const extras =
      member === 'transactions' ? 'include_assets' : member === 'nominations' ? 'include_slots' : null;
    const seen: Named[] = [];
    let after: string | null = null;
    for (let pages = 0; pages === 0 || after !== null; pages++) {
      const extra = extras === null || pages % 3 === 0 ? '' : `&${extras}=${pages % 3 === 1}`;
      const page: Page = await readPage(
        request,
        path,
        member,
        `limit=${1 + ((pages * 37) % 23)}${extra}`,
        after,
      );
      seen.push(...page.records);
      after = page.next;
    }
    assert.deepEqual(idsOf(seen), idsOf(await walk(request, path, member, 100)), path);
  }
});

test('pages are complete for filters that match at most one cell of a sheet', async () => {
  const all: Transaction[] = await walk(request, '/v1/transactions', 'transactions', 100);
  const filters: [string, (one: Transaction) => boolean][] = [
    ['slot_number_from=5&slot_number_to=5', (one) => one.slot_number === 5],
    ['slot_number_from=97', (one) => one.slot_number >= 97],
    ['status=superseded', (one) => one.status === 'superseded'],
    [
      'status=valid&slot_number_from=2&slot_number_to=3',
      (one) => one.status === 'valid' && [2, 3].includes(one.slot_number),
    ],
    ['status=superseded&slot_number_to=1', (one) => one.status === 'superseded' && one.slot_number === 1],
    [`contract_id=${internal.id}`, (one) => one.contract_id === internal.id],
    [
      `delivery_date=${day(1)}&slot_number_from=2`,
      (one) => placeOf(one).startsWith(day(1)) && one.slot_number >= 2,
    ],
    ['delivery_start=2026-10-27T00:00:00Z', (one) => one.delivery_start >= '2026-10-27T00:00:00Z'],
    ['delivery_end=2026-10-25T01:00:00Z', (one) => one.delivery_end <= '2026-10-25T01:00:00Z'],
  ];
  for (const [filter, holds] of filters) {
    const expected = all.filter(holds);
    assert.ok(expected.length > 1, filter);
    for (const limit of [1, 7, 100]) {
      const found = await walk(request, `/v1/transactions?${filter}`, 'transactions', limit);
      assert.deepEqual(found, expected, `${filter} by ${limit}`);
    }
  }
});

/** Pages through a list while `change` runs between the pages. Earlier records must be listed once and in order. */
async function walkWhile(
  path: string,
  member: string,
  change: (page: number) => Promise<unknown>,
): Promise<Named[]> {
  const before = idsOf(await walk(request, path, member, 100));
  const seen: Named[] = [];
  let after: string | null = null;
  for (let pages = 0; pages === 0 || after !== null; pages++) {
    const page: Page = await readPage(request, path, member, 'limit=6', after);
    seen.push(...page.records);
    after = page.next;
    if (after !== null && pages < 12) await change(pages);
  }
  const ids = idsOf(seen);
  assert.equal(new Set(ids).size, ids.length, 'nothing twice');
  const known = new Set(before);
  assert.deepEqual(
    ids.filter((id) => known.has(id)),
    before,
    'complete and in order',
  );
  return seen;
}

test('paging is stable while contracts and customers are added', async () => {
  const added: string[] = [];
  const contracts = await walkWhile('/v1/contracts', 'contracts', async () => {
    added.push((await world.contract(producer, consumer)).id, (await world.contract(consumer, own)).id);
  });
  assert.deepEqual(idsOf(contracts).slice(-added.length), added, 'the new ones come last');
  const customers: string[] = [];
  const seen = await walkWhile('/v1/customers', 'customers', async () => {
    customers.push((await world.customer(brp)).id);
  });
  assert.deepEqual(idsOf(seen).slice(-customers.length), customers);
});

test('paging is stable while days before and after the cursor are corrected and added', async () => {
  const later = await world.contract(producer, consumer);
  const change = async (page: number) => {
    await world.volumes(sold, day(0), cells(day(0), { [1 + page * 4]: 9_000 + page }));
    await world.volumes(sold, day(1), cells(day(1), { 2: 9_000 + page, 50: 1 + page }));
    await world.volumes(internal, day(20), cells(day(20), { 21: 8_000 + page }));
    await world.volumes(later, day(page), cells(day(page), { 1: 1, 96: 2 }));
    await world.volumes(bought, day(40), cells(day(40), { [1 + page]: 3 }));
  };
  for (const path of ['/v1/transactions', `/v1/contracts/${sold.id}/transactions`]) {
    const seen = (await walkWhile(path, 'transactions', change)) as Transaction[];
    const places = seen.map(placeOf);
    assert.deepEqual(places, places.toSorted(), 'in order, the new ones too');
  }
});

test('paging is stable while nominations are corrected and added', async () => {
  const seen = await walkWhile('/v1/nominations', 'nominations', async (page) => {
    await world.volumes(sold, day(page * 2), cells(day(page * 2), { 11: 70_000 + page }));
    await world.volumes(bought, day(50 + page), cells(day(50 + page), { 1: 1 }));
    assert.ok((await world.nominate()).created > 0);
  });
  assert.ok(seen.length > 0);
});

/** The cursor after the first record of a list. */
const cursorOf = async (ask: Client, path: string, query = '') =>
  (await ask(`${path}?limit=1${query}`)).body.pagination.next_cursor as string;

async function assertRefused(path: string, after: string, what: string): Promise<void> {
  const answer = await request(`${path}${path.includes('?') ? '&' : '?'}after=${encodeURIComponent(after)}`);
  assert.equal(answer.status, 400, `${path}: ${what}`);
  assert.deepEqual(
    problemOf(answer),
    { code: 'validation', errors: ['after invalid_format'] },
    `${path}: ${what}`,
  );
}

test('a random, truncated or changed cursor is rejected', async () => {
  for (const { path } of LISTS) {
    const cursor = await cursorOf(request, path);
    const [payload = '', seal = ''] = cursor.split('.');
    const unsealed = Buffer.from(JSON.stringify(['2026-10-25', sold.uuid, 50, 1])).toString('base64url');
    const garbage = [
      '',
      '.',
      '0',
      'null',
      '\0',
      `${cursor}\0`,
      '💡',
      payload,
      seal,
      `.${seal}`,
      `${payload}.`,
      `${unsealed}.${seal}`,
    ];
    for (const after of garbage) await assertRefused(path, after, JSON.stringify(after));
    for (let at = 0; at < cursor.length; at += 5) {
      const other = cursor[at] === 'A' ? 'B' : 'A';
      await assertRefused(path, cursor.slice(0, at) + other + cursor.slice(at + 1), `changed at ${at}`);
      await assertRefused(path, cursor.slice(0, at), `cut at ${at}`);
    }
    assert.equal((await request(`${path}?after=${cursor}`)).status, 200, 'the unchanged cursor is accepted');
    const twice = await request(`${path}?after=${cursor}&after=${cursor}`);
    assert.deepEqual(problemOf(twice).errors, ['after invalid_type']);
  }
});

test('a cursor is bound to its list, its viewer and its filters', async () => {
  const asPartner = client(platform.baseUrl, partner.key);
  for (const { path } of LISTS) {
    const cursor = await cursorOf(request, path);
    for (const other of LISTS) if (other.path !== path) await assertRefused(other.path, cursor, `of ${path}`);
    await assertRefused(
      path,
      await cursorOf(asPartner, path.includes('customers') ? '/v1/contracts' : path),
      'of another BRP',
    );
    const filter = path.includes('transactions')
      ? 'status=valid'
      : path.includes('contracts')
        ? 'type=ppa'
        : 'status=pending';
    await assertRefused(`${path}?${filter}`, cursor, 'without filters');
    const filtered = await cursorOf(request, path, `&${filter}`);
    await assertRefused(path, filtered, 'with a filter that is gone');
    assert.equal((await request(`${path}?${filter}&limit=3&after=${filtered}`)).status, 200);
    const { secret } = await world.key(brp);
    assert.equal(
      (await request(`${path}?after=${cursor}`, { key: secret })).status,
      200,
      'by another key of the BRP',
    );
  }
});

test('a contract’s transactions, those of another contract and the global list are different lists', async () => {
  const ofContract = (contract: WorldContract) => `/v1/contracts/${contract.id}/transactions`;
  const cursor = await cursorOf(request, ofContract(sold));
  await assertRefused(ofContract(internal), cursor, 'of another contract');
  await assertRefused(`/v1/transactions?contract_id=${sold.id}`, cursor, 'of the contract’s own list');
  const filtered = await cursorOf(request, '/v1/transactions', `&contract_id=${sold.id}`);
  await assertRefused(ofContract(sold), filtered, 'of the global list');
  await assertRefused(
    '/v1/transactions?type=ppa',
    await cursorOf(request, '/v1/transactions'),
    'without type',
  );
});

test('a rejected cursor is reported together with all other errors', async () => {
  for (const { path } of LISTS) {
    const answer = await request(`${path}?after=garbage&limit=0&colour=green`);
    assert.deepEqual(problemOf(answer), {
      code: 'validation',
      errors: ['after invalid_format', 'colour unknown_field', 'limit value_too_small'],
    });
    const { limit, ...cursor } = { limit: 'ten', after: await cursorOf(request, path) };
    const taken = await request(`${path}?limit=${limit}&after=${cursor.after}`);
    assert.deepEqual(problemOf(taken).errors, ['limit invalid_type']);
  }
});
