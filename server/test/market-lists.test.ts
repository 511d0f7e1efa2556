import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../test/runs.ts';
import { statement } from '../src/platform/db/statement.ts';
import { client, problemOf, startTestPlatform } from './harness.ts';
import { freePort } from './ports.ts';
import { OFFER } from './world.ts';

const platform = await startTestPlatform();
const second = await startTestPlatform({ environment: { DATABASE_URL: platform.databaseUrl } });
const namedPort = await freePort();
const named = await startTestPlatform({
  environment: { CUSTOMER_BASE_URL: 'https://market.example/saldo/', CUSTOMER_PORT: String(namedPort) },
});
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const key = await world.accountKey();
const request = client(platform.customerUrl, key);

type Listed = { id: string };
/** Both lists behave alike. `publish` adds a record, `withdraw` removes it. */
const LISTS = [
  {
    member: 'assets',
    publish: async (): Promise<string> => {
      const asset = { name: 'Park', technology: 'solar', nominal_power: 10, tso: 'DE_AMPRION', offer: OFFER };
      return (await operator.post('/operator/v1/assets', asset)).body.id;
    },
    withdraw: async (id: string) => {
      const answer = await operator.patch(`/operator/v1/assets/${id}`, { offer: null });
      assert.equal(answer.status, 200);
    },
  },
  {
    member: 'demands',
    publish: async (): Promise<string> => {
      const body = { contract_period: 10, delivery_volume: 24_000, country: 'DE' };
      return (await operator.post('/operator/v1/demands', body)).body.id;
    },
    withdraw: async (id: string) => {
      const answer = await operator.delete(`/operator/v1/demands/${id}`);
      assert.equal(answer.status, 204);
    },
  },
];
type List = (typeof LISTS)[number];

async function pageOf(
  { member }: List,
  query: string,
  version: string | null = null,
  ask = request,
): Promise<{ ids: string[]; total: number; version: string; links: Record<string, string> }> {
  const headers: Record<string, string> = version === null ? {} : { 'x-list-version': version };
  const answer = await ask(`/v1/${member}?${query}`, { headers });
  assert.equal(answer.status, 200, answer.text);
  const links = [...(answer.headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)];
  return {
    ids: answer.body[member].map(({ id }: Listed) => id),
    total: Number(answer.headers.get('x-total-count')),
    version: answer.headers.get('x-list-version') ?? '',
    links: Object.fromEntries(links.map(([, url = '', rel = '']) => [rel, url])),
  };
}

/** Empties a list before a test. */
async function clear(list: List): Promise<void> {
  for (;;) {
    const { ids } = await pageOf(list, 'limit=100');
    if (ids.length === 0) return;
    for (const id of ids) await list.withdraw(id);
  }
}

test('an empty list has one page', async () => {
  for (const list of LISTS) {
    const { ids, total, links, version } = await pageOf(list, '');
    const first = `${platform.customerUrl}/v1/${list.member}?page=1&limit=10&listVersion=${list.member}-0`;
    assert.deepEqual({ ids, total, links }, { ids: [], total: 0, links: { first, last: first } });
    assert.equal(version, `${list.member}-0`);
  }
});

test('a list is ordered by publication, newest first, and a page past its end is empty', async () => {
  for (const list of LISTS) {
    await clear(list);
    const published: string[] = [];
    for (let count = 0; count < 23; count++) published.unshift(await list.publish());
    assert.deepEqual((await pageOf(list, '')).ids, published.slice(0, 10), 'ten by default');
    assert.deepEqual((await pageOf(list, 'limit=100')).ids, published);
    for (const limit of [1, 5, 7, 23]) {
      const pages = [];
      for (let page = 1; page <= Math.ceil(23 / limit); page++) {
        pages.push(...(await pageOf(list, `page=${page}&limit=${limit}`)).ids);
      }
      assert.deepEqual(pages, published, `limit ${limit}`);
    }
    for (const page of [4, 1000, 2 ** 53]) {
      assert.deepEqual((await pageOf(list, `page=${page}`)).ids, [], String(page));
    }
  }
});

test('links name the first and last page always, and the neighbours if they exist', async () => {
  for (const list of LISTS) {
    const { version } = await pageOf(list, '');
    const at = (page: number) =>
      `${platform.customerUrl}/v1/${list.member}?page=${page}&limit=10&listVersion=${version}`;
    const linksOf = async (page: number) => (await pageOf(list, `page=${page}`)).links;
    const ends = { first: at(1), last: at(3) };
    assert.deepEqual(await linksOf(1), { ...ends, next: at(2) });
    assert.deepEqual(await linksOf(2), { ...ends, prev: at(1), next: at(3) });
    assert.deepEqual(await linksOf(3), { ...ends, prev: at(2) });
    assert.deepEqual(await linksOf(99), { ...ends, prev: at(3) });
    const { next = '' } = await linksOf(1);
    const followed = await fetch(next, { headers: { 'x-api-key': key } });
    assert.equal(followed.status, 200, 'a link is a complete URL');
    assert.equal(
      (await pageOf(list, 'limit=23')).links['last'],
      (await pageOf(list, 'limit=23')).links['first'],
    );
    assert.equal((await pageOf(list, 'limit=22&page=1')).total, 23);
  }
});

test('links and cover addresses start with CUSTOMER_BASE_URL', async () => {
  const ownKey = await named.world.accountKey();
  assert.equal(named.customerUrl, 'https://market.example/saldo');
  const answer = await client(`http://127.0.0.1:${namedPort}`, ownKey)('/v1/assets');
  assert.match(
    answer.headers.get('link') ?? '',
    /^<https:\/\/market\.example\/saldo\/v1\/assets\?page=1&limit=10&listVersion=assets-0>/,
  );
});

test('a change keeps the place in the list, and a new publication is listed first', async () => {
  const [assets, demands] = LISTS as [List, List];
  const before = await pageOf(assets, 'limit=100');
  const [, id = ''] = before.ids;
  const price = [{ years: 3, price: 70.25 }];
  await operator.patch(`/operator/v1/assets/${id}`, { offer: { pricing: price } });
  assert.deepEqual((await pageOf(assets, 'limit=100')).ids, before.ids);
  assert.deepEqual((await request('/v1/assets?page=2&limit=1')).body.assets[0].pricing, price);
  await assets.withdraw(id);
  await operator.patch(`/operator/v1/assets/${id}`, { offer: OFFER });
  assert.deepEqual((await pageOf(assets, 'limit=100')).ids, [
    id,
    ...before.ids.filter((other) => other !== id),
  ]);

  const listed = await pageOf(demands, 'limit=100');
  const change = { contract_period: 3 };
  await operator.patch(`/operator/v1/demands/${listed.ids[1]}`, change);
  assert.deepEqual((await pageOf(demands, 'limit=100')).ids, listed.ids);
  assert.equal((await request('/v1/demands?page=2&limit=1')).body.demands[0].contractPeriod, 3);
});

test('a publication or withdrawal in one process is visible in every process at once', async () => {
  const other = client(second.customerUrl, key);
  for (const list of LISTS) {
    const before = await pageOf(list, 'limit=100', null, other);
    const id = await list.publish();
    assert.deepEqual((await pageOf(list, 'limit=100', null, other)).ids, [id, ...before.ids]);
    await list.withdraw(id);
    assert.deepEqual((await pageOf(list, 'limit=100', null, other)).ids, before.ids);
  }
});

type Step = { publish: boolean; at: number };
const steps = fc.array(fc.record({ publish: fc.boolean(), at: fc.nat(1000) }), { maxLength: 3 });

test('with a version, paging has every lasting record exactly once while others come and go', async () => {
  const processes = [request, client(second.customerUrl, key)];
  for (const list of LISTS) {
    await clear(list);
    const listed: string[] = [];
    for (let count = 0; count < 12; count++) listed.unshift(await list.publish());
    /** A change between two pages: a publication or a withdrawal. */
    const happen = async ({ publish, at }: Step) => {
      if (publish || listed.length === 0) listed.unshift(await list.publish());
      else await list.withdraw(listed.splice(at % listed.length, 1)[0] as string);
    };
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.array(steps, { maxLength: 8 }),
        async (limit, between) => {
          const start = [...listed];
          const walked: string[] = [];
          let version: string | null = null;
          for (let page = 1; page <= Math.ceil(start.length / limit); page++) {
            const ask = processes[page % 2] ?? request;
            const found = await pageOf(list, `page=${page}&limit=${limit}`, version, ask);
            version ??= found.version;
            assert.equal(found.version, version);
            assert.equal(found.total, start.length, 'the total is that of the version');
            const own = start.slice((page - 1) * limit, page * limit);
            assert.deepEqual(
              found.ids,
              own.filter((id) => listed.includes(id)),
              'a page has its records that are still listed',
            );
            walked.push(...found.ids);
            for (const step of between[page - 1] ?? []) await happen(step);
          }
          assert.equal(new Set(walked).size, walked.length, 'no record is repeated');
          const stayed = start.filter((id) => listed.includes(id));
          assert.deepEqual(
            walked.filter((id) => listed.includes(id)),
            stayed,
            'no lasting record is skipped',
          );
        },
      ),
      { numRuns: runs(12) },
    );
  }
});

test('a client that only follows links gets every lasting record exactly once while others come and go', async () => {
  for (const list of LISTS) {
    await clear(list);
    const listed: string[] = [];
    for (let count = 0; count < 12; count++) listed.unshift(await list.publish());
    for (const rel of ['next', 'prev']) {
      for (let walkNumber = 0; walkNumber < 5; walkNumber++) {
        const start = [...listed];
        const walked: string[] = [];
        const begin = rel === 'next' ? 'first' : 'last';
        const entry = await pageOf(list, 'limit=3');
        let at: string | undefined = entry.links[begin];
        while (at !== undefined) {
          const found = await pageOf(list, at.slice(at.indexOf('?') + 1));
          assert.deepEqual([found.version, found.total], [entry.version, start.length]);
          walked.push(...(rel === 'next' ? found.ids : found.ids.toReversed()));
          for (let count = 0; count < 2; count++) listed.unshift(await list.publish());
          await list.withdraw(listed.splice(-2, 1)[0] as string);
          at = found.links[rel];
        }
        assert.equal(new Set(walked).size, walked.length, 'no record is repeated');
        const stayed = start.filter((id) => listed.includes(id));
        assert.deepEqual(
          walked.filter((id) => listed.includes(id)),
          rel === 'next' ? stayed : stayed.toReversed(),
          'no lasting record is skipped',
        );
      }
    }
  }
});

test('the version in the address wins over the header', async () => {
  const [list] = LISTS as [List];
  const before = await pageOf(list, 'limit=2');
  await list.publish();
  const after = await pageOf(list, 'limit=2');
  assert.notEqual(after.version, before.version);
  const both = await pageOf(list, `limit=2&listVersion=${before.version}`, after.version);
  assert.deepEqual([both.version, both.ids], [before.version, before.ids]);
});

test('without a version a page shows the current list', async () => {
  const [list] = LISTS as [List];
  await clear(list);
  const published = [await list.publish(), await list.publish(), await list.publish()].toReversed();
  const first = await pageOf(list, 'limit=2');
  const newest = await list.publish();
  assert.deepEqual((await pageOf(list, 'page=2&limit=2')).ids, published.slice(1));
  assert.deepEqual((await pageOf(list, 'page=2&limit=2', first.version)).ids, published.slice(2));
  assert.deepEqual((await pageOf(list, 'limit=2')).ids, [newest, published[0]]);
});

test('an unknown version of a list is rejected', async () => {
  const { version } = await pageOf(LISTS[1] as List, '');
  const send = (value: string) => request('/v1/assets', { headers: { 'x-list-version': value } });
  const ask = (value: string) => request(`/v1/assets?listVersion=${value}`);
  for (const wrong of [
    '',
    'x',
    '1',
    'assets-',
    'assets--1',
    'assets-1e3',
    'assets-99999',
    `assets-${'9'.repeat(20)}`,
    version,
  ]) {
    const { code, errors } = problemOf(await send(wrong));
    assert.deepEqual([code, errors], ['validation', ['X-List-Version invalid_format']], wrong);
    assert.deepEqual(problemOf(await ask(wrong)), { code, errors: ['listVersion invalid_format'] }, wrong);
  }
  for (const known of [await send('assets-0'), await ask('assets-0')])
    assert.equal(known.body.assets.length, 0, 'version 0 of every list is empty');
});

test('a version that is too old is rejected, and the list stays usable', async () => {
  const [list] = LISTS as [List];
  await clear(list);
  const kept = await list.publish();
  const { version } = await pageOf(list, '');
  // Simulates a hundred thousand publications and withdrawals.
  const leap = "update market_list set version = version + 100000 where name = 'assets'";
  await platform.db.transaction((tx) => tx.query(statement('test_leap', leap)));
  assert.deepEqual((await pageOf(list, '')).ids, [kept]);
  const answer = await request('/v1/assets', { headers: { 'x-list-version': version } });
  assert.deepEqual(problemOf(answer).errors, ['X-List-Version validation_failed']);
  const followed = await request(`/v1/assets?listVersion=${version}`);
  assert.deepEqual(problemOf(followed).errors, ['listVersion validation_failed']);
  const newest = await list.publish();
  await list.withdraw(kept);
  assert.deepEqual((await pageOf(list, '')).ids, [newest]);
});

test('pages deep in a long list have the right records', async () => {
  const [list] = LISTS as [List];
  await clear(list);
  const model = await list.publish();
  const copy = `
    with model as (select o.*, l.version from offer o, market_list l where l.name = 'assets' limit 1),
    made as (
      insert into asset (id, name, nominal_power_kw, technology, tso, created_at)
      select gen_random_uuid(), 'Park ' || n, 1000, 'solar', 'DE_AMPRION', now() from generate_series(1, 20000) n
      returning id, substr(name, 6)::int as n),
    offered as (
      insert into offer (published_no, asset_id, published_at, ppa_type, delivery_start, country, price_years, price_cents)
      select model.version + n, made.id, published_at, ppa_type, delivery_start, country, price_years, price_cents
      from made, model)
    update market_list set version = version + 20000 where name = 'assets'`;
  await platform.db.transaction((tx) => tx.query(statement('test_copies', copy)));
  const namesOf = async (page: number, limit: number) => {
    const { body } = await request(`/v1/assets?page=${page}&limit=${limit}`);
    return body.assets.map(({ name }: { name: string }) => name);
  };
  assert.deepEqual(await namesOf(1, 3), ['Park 20000', 'Park 19999', 'Park 19998']);
  assert.deepEqual(
    await namesOf(1000, 20),
    [...Array(20).keys()].map((at) => `Park ${20 - at}`),
  );
  assert.deepEqual((await pageOf(list, 'page=201&limit=100')).ids, [model]);
  assert.equal((await pageOf(list, '')).total, 20_001);
});
