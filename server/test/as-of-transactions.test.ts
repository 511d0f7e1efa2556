import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statement } from '../src/platform/db/statement.ts';
import {
  assertProblem,
  assertRefused,
  bodyOf,
  client,
  problemOf,
  startTestPlatform,
  walk,
} from './harness.ts';
import { until } from './until.ts';

const DAY = '2026-10-26';
const SLOTS = 'slot_number_from=1&slot_number_to=6&limit=100';
const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world, clock } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());

/** Volumes of the first six slots; null where a correction says nothing. */
const firstSlots = (...kwh: (number | null)[]) =>
  Array.from({ length: 100 }, (_, at) => kwh[at] ?? null).slice(0, 96);

/**
 * A contract-day with a correction, an invalidation, a correction of the invalid one, and a move of the producer to another
 * BRP. The clock stands at the full hours of these changes.
 */
async function createHistory() {
  const { seller, buyer, sellerGroup, buyerGroup, producer, consumer } = await world.pair();
  const other = await world.brp();
  const otherGroup = await world.group(other);
  const asset = await world.asset();
  const contract = await world.contract(producer, consumer, { assetUuid: asset.uuid });
  const requests = {
    seller: client(platform.baseUrl, seller.key),
    buyer: client(platform.baseUrl, buyer.key),
    other: client(platform.baseUrl, other.key),
  };
  const list = async () =>
    (await bodyOf(requests.buyer(`/v1/transactions?contract_id=${contract.id}&${SLOTS}`))).transactions;
  const idOf = async (slot: number) =>
    (await list()).findLast((one: { slot_number: number }) => one.slot_number === slot).id as string;
  const changes = [
    () => world.volumes(contract, DAY, firstSlots(10, 20, 30, 40, 50, 60)),
    () => world.volumes(contract, DAY, firstSlots(null, 21)),
    async () => world.invalidate(await idOf(3), 'first reason'),
    async () => world.invalidate(await idOf(4), 'second reason'),
    () => world.volumes(contract, DAY, firstSlots(null, 22, 33)),
    () =>
      bodyOf(
        operator.patch(`/operator/v1/customers/${producer.id}`, {
          brp_id: other.id,
          balance_group: { eic: otherGroup.eic, tso: 'DE_AMPRION' },
        }),
      ),
  ];
  return { contract, requests, changes, list, eics: { sellerGroup, buyerGroup, otherGroup } };
}

const hour = (step: number) => `2026-10-21T${String(8 + step).padStart(2, '0')}:00:00Z`;

test('reads as of an instant give what was read then, to the byte', async () => {
  clock.set(hour(-1));
  const { contract, requests, changes, list, eics } = await createHistory();
  const ids = new Set<string>();
  const readers = { ...requests, operator };
  const lists = [
    '',
    'status=valid&',
    'status=invalid&',
    'status=superseded&',
    `sender_eic=${eics.sellerGroup.eic}&`,
    `sender_eic=${eics.sellerGroup.eic}&status=invalid&`,
    `receiver_eic=${eics.buyerGroup.eic}&status=superseded&`,
    `sender_eic=${eics.otherGroup.eic}&receiver_eic=${eics.buyerGroup.eic}&status=invalid&`,
    'include_assets=true&',
  ].flatMap((filter) => [
    `/transactions?${filter}contract_id=${contract.id}&${SLOTS}`,
    `/transactions?${filter}delivery_date=${DAY}&${SLOTS}`,
  ]);
  const paths = (reader: string): string[] =>
    reader === 'operator'
      ? lists.map((path) => `/operator/v1${path}`)
      : [
          ...lists.map((path) => `/v1${path}`),
          `/v1/contracts/${contract.id}/transactions?${SLOTS}`,
          `/v1/contracts/${contract.id}/transactions?status=invalid&${SLOTS}`,
          ...[...ids].flatMap((id) => [
            `/v1/transactions/${id}?`,
            `/v1/transactions/${id}/history?include_assets=true`,
          ]),
          ...(ids.size === 0 ? [] : [`/v1/transactions/bulk?ids=${[...ids].join(',')}`]),
        ];
  const taken: { reader: keyof typeof readers; path: string; instant: string; text: string }[] = [];
  for (const [step, change] of changes.entries()) {
    clock.set(hour(step));
    await change();
    for (const { id } of await list()) ids.add(id);
    for (const reader of Object.keys(readers) as (keyof typeof readers)[]) {
      for (const path of paths(reader)) {
        const { text, status } = await readers[reader](path);
        if (status === 200) taken.push({ reader, path, instant: hour(step), text });
      }
    }
  }
  clock.set(hour(20));
  assert.ok(taken.some(({ text }) => text.includes('first reason')));
  for (const { reader, path, instant, text } of taken) {
    const answer = await readers[reader](`${path}&as_of=${instant}`.replace('?&', '?'));
    assert.equal(answer.text, text, `${reader} ${path} as of ${instant}`);
  }
  // A change counts from its own instant on.
  const [first] = await walk(
    requests.buyer,
    '/v1/transactions?as_of=2026-10-21T07:59:59.999Z',
    'transactions',
    2,
  );
  assert.equal(first, undefined);
  const at = await walk(requests.buyer, '/v1/transactions?as_of=2026-10-21T08:00:00.000Z', 'transactions', 2);
  assert.equal(at.length, 6);
});

test('a POST bulk read takes the instant in its body', async () => {
  clock.set('2026-10-22T08:00:00Z');
  const { requests, changes, list } = await createHistory();
  await changes[0]?.();
  clock.set('2026-10-22T09:00:00Z');
  await changes[1]?.();
  const ids = (await list()).map(({ id }: { id: string }) => id);
  const read = async (as_of?: string) =>
    (
      await bodyOf(requests.buyer.post('/v1/transactions/bulk', { ids, ...(as_of && { as_of }) }))
    ).transactions.map(
      ({ slot_number, version, status }: { slot_number: number; version: number; status: string }) =>
        `${slot_number}.${version} ${status}`,
    );
  clock.set('2026-10-22T10:00:00Z');
  assert.deepEqual(
    await read('2026-10-22T08:00:00Z'),
    [1, 2, 3, 4, 5, 6].map((slot) => `${slot}.1 valid`),
  );
  assert.deepEqual((await read('2026-10-22T09:00:00Z')).slice(1, 3), ['2.1 superseded', '2.2 valid']);
  assert.deepEqual(await read(), await read('2026-10-22T10:00:00Z'));
  const refused = await requests.buyer.post('/v1/transactions/bulk', { ids, as_of: '2026-10-22T10:00:01Z' });
  assertRefused(refused, 'as_of value_too_large');
});

test('a record that was made later does not exist', async () => {
  clock.set('2026-10-22T11:00:00Z');
  const { contract, requests, changes, list } = await createHistory();
  clock.set('2026-10-22T12:00:00Z');
  await changes[0]?.();
  clock.set('2026-10-22T13:00:00Z');
  await changes[1]?.();
  const corrected = (await list()).find(({ version }: { version: number }) => version === 2).id;
  const { buyer } = requests;
  for (const path of [`/v1/transactions/${corrected}`, `/v1/transactions/${corrected}/history`]) {
    assertProblem(await buyer(`${path}?as_of=2026-10-22T12:59:59.999Z`), 404, 'transaction_not_found');
    assert.equal((await buyer(`${path}?as_of=2026-10-22T13:00:00Z`)).status, 200);
  }
  assert.deepEqual((await buyer(`/v1/transactions/bulk?ids=${corrected}&as_of=2026-10-22T12:00:00Z`)).body, {
    transactions: [],
  });
  const ofContract = `/v1/contracts/${contract.id}/transactions`;
  assertProblem(await buyer(`${ofContract}?as_of=2026-10-22T10:59:59Z`), 404, 'contract_not_found');
  assert.deepEqual((await buyer(`${ofContract}?as_of=2026-10-22T11:00:00Z`)).body.transactions, []);
});

test('a cursor belongs to its instant', async () => {
  clock.set('2026-10-22T15:00:00Z');
  const { requests, changes } = await createHistory();
  await changes[0]?.();
  clock.set('2026-10-22T16:00:00Z');
  const { buyer } = requests;
  const page = async (query: string) => buyer(`/v1/transactions?limit=2&${query}`);
  const after = (answer: { body: { pagination: { next_cursor: string } } }) =>
    `&after=${encodeURIComponent(answer.body.pagination.next_cursor)}`;
  const first = await page('as_of=2026-10-22T15:30:00Z');
  assert.equal((await page(`as_of=2026-10-22T15:30:00Z${after(first)}`)).status, 200);
  assertRefused(await page(`as_of=2026-10-22T15:30:01Z${after(first)}`), 'after invalid_format');
  assertRefused(await page(after(first).slice(1)), 'after invalid_format');
  assertRefused(await page(`as_of=2026-10-22T15:30:00Z${after(await page(''))}`), 'after invalid_format');
});

test('an instant in the future is refused by every read', async () => {
  clock.set('2026-10-23T08:00:00Z');
  const { contract, requests, changes, list } = await createHistory();
  await changes[0]?.();
  const [{ id }] = await list();
  for (const path of [
    '/v1/transactions',
    `/v1/contracts/${contract.id}/transactions`,
    `/v1/transactions/${id}`,
    `/v1/transactions/${id}/history`,
    `/v1/transactions/bulk?ids=${id}`,
  ]) {
    const separator = path.includes('?') ? '&' : '?';
    assertRefused(
      await requests.buyer(`${path}${separator}as_of=2026-10-23T08:00:00.001Z`),
      'as_of value_too_large',
    );
    assertRefused(await requests.buyer(`${path}${separator}as_of=2026-10-23`), 'as_of invalid_format');
    assert.equal((await requests.buyer(`${path}${separator}as_of=2026-10-23T08:00:00Z`)).status, 200);
  }
  assertRefused(
    await operator('/operator/v1/transactions?as_of=2026-10-23T08:00:00.001Z'),
    'as_of value_too_large',
  );
});

test('a sandbox clock that was moved back has no instants', async () => {
  const sandbox = await startTestPlatform({ now: '2026-11-01T00:00:00Z', environment: { SANDBOX: 'on' } });
  const key = (await sandbox.world.brp()).key;
  const own = client(sandbox.baseUrl, await sandbox.world.operatorKey());
  const read = () => client(sandbox.baseUrl, key)('/v1/transactions?as_of=2026-10-31T00:00:00Z');
  await bodyOf(own.put('/operator/v1/clock', { now: '2026-11-02T00:00:00Z' }));
  assert.equal((await read()).status, 200);
  await bodyOf(own.put('/operator/v1/clock', { now: '2026-11-01T12:00:00Z' }));
  assert.equal(problemOf(await read()).code, 'clock_moved_back');
  await bodyOf(own.put('/operator/v1/clock', { now: '2026-11-03T00:00:00Z' }));
  assert.equal((await read()).status, 409, 'the instants of the past stay out of order');
  assert.equal((await client(sandbox.baseUrl, key)('/v1/transactions')).status, 200);
});

test('a dry run that is still being sent delays no read as of now', async () => {
  const { seller } = await world.pair();
  // Later than all instants that were answered before.
  clock.set('2026-12-01T08:00:00Z');
  let sendRest = () => {};
  const body = new ReadableStream({
    start(stream) {
      stream.enqueue(new TextEncoder().encode('contract,delivery_date,slot,volume\nPPA-1,2026-10-26,1,1\n'));
      sendRest = () => stream.close();
    },
  });
  const dryRun = fetch(`${platform.baseUrl}/operator/v1/volumes?dry_run=true`, {
    method: 'POST',
    headers: { 'x-api-key': await world.operatorKey(), 'content-type': 'text/csv' },
    body,
    duplex: 'half',
  } as RequestInit);
  const BEGUN = statement(
    'test_dry_run',
    `select exists (select from pg_stat_activity
       where datname = current_database() and state = 'idle in transaction') as has_begun`,
  );
  await until(async () => (await platform.db.query<{ has_begun: boolean }>(BEGUN))[0]?.has_begun === true);
  const now = new Date(clock.now()).toISOString();
  assert.equal((await client(platform.baseUrl, seller.key)(`/v1/transactions?as_of=${now}`)).status, 200);
  sendRest();
  assert.equal((await dryRun).status, 200);
});
