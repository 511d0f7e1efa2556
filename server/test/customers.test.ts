import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { type Answer, assertProblem, client, startTestPlatform, walk } from './harness.ts';

const UNKNOWN_ID = encodeId(ID_PREFIX.customer, '01890000-0000-7000-8000-000000000000');

const platform = await startTestPlatform();
const { world } = platform;
const brp = await world.brp();
const stranger = await world.brp();
const strangerGroup = await world.group(stranger);
const foreign = await world.customer(stranger, { name: 'Foreign', group: strangerGroup });
const request = client(platform.baseUrl, brp.key);

const patch = (id: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  request.patch(`/v1/customers/${id}`, body, { headers });

test('a BRP lists exactly its own customers, oldest first', async () => {
  const owner = await world.brp();
  const made: string[] = [];
  for (let i = 0; i < 7; i++) made.push((await world.customer(owner)).id);
  const own = client(platform.baseUrl, owner.key);
  for (const limit of [1, 3, 7, 100]) {
    const listed = await walk(own, '/v1/customers', 'customers', limit);
    assert.deepEqual(
      listed.map(({ id }) => id),
      made,
    );
  }
  const listed = await walk(request, '/v1/customers', 'customers', 100);
  assert.ok(listed.every(({ id }) => id !== foreign.id && !made.includes(id)));
});

test('every filter finds its customers alone, and several filters those that match all', async () => {
  const owner = await world.brp();
  const own = client(platform.baseUrl, owner.key);
  const [first, second] = [await world.group(owner, ['DE_AMPRION', 'DE_50HERTZ']), await world.group(owner)];
  const ids = {
    plain: (await world.customer(owner, { name: 'Plain' })).id,
    ruhr: (await world.customer(owner, { name: 'Ruhr', group: first })).id,
    spree: (await world.customer(owner, { name: 'Spree', group: first, tso: 'DE_50HERTZ' })).id,
    main: (await world.customer(owner, { name: 'Main', group: second, metadata: { near: 'ruhr' } })).id,
  };
  await own.patch(`/v1/customers/${ids.ruhr}`, { status: 'active' });
  await own.patch(`/v1/customers/${ids.main}`, { status: 'deactivated' });
  const cases: Record<string, (keyof typeof ids)[]> = {
    'status=pending': ['plain', 'spree'],
    'status=active': ['ruhr'],
    'status=deactivated': ['main'],
    [`eic=${first.eic}`]: ['ruhr', 'spree'],
    [`eic=${strangerGroup.eic}`]: [],
    'eic=nonsense%00': [],
    'tso=DE_AMPRION': ['ruhr', 'main'],
    'tso=DE_TENNET': [],
    'search=ruhr': ['ruhr', 'main'],
    'search=': ['plain', 'ruhr', 'spree', 'main'],
    [`search=ruhr&tso=DE_AMPRION&eic=${first.eic}&status=active`]: ['ruhr'],
    [`search=ruhr&eic=${first.eic}&status=pending`]: [],
  };
  for (const [query, expected] of Object.entries(cases)) {
    const { body } = await own(`/v1/customers?${query}`);
    assert.deepEqual(
      body.customers.map(({ id }: { id: string }) => id),
      expected.map((name) => ids[name]),
      query,
    );
  }
});

test('a search finds the new values of a customer’s metadata, and none that was removed', async () => {
  const owner = await world.brp();
  const own = client(platform.baseUrl, owner.key);
  const { id } = await world.customer(owner, { metadata: { a: 'Apfel' } });
  const count = async (search: string) =>
    (await own(`/v1/customers?search=${encodeURIComponent(search)}`)).body.customers.length;
  assert.deepEqual([await count('apfel'), await count('föhr')], [1, 0]);
  await own.patch(`/v1/customers/${id}`, { metadata: { a: null, c: 'NEW Föhr' } });
  assert.deepEqual([await count('apfel'), await count('föhr')], [0, 1]);
});

test('all errors of a list’s query are reported together', async () => {
  const query = `status=new&tso=DE&limit=0&search=${'ö'.repeat(201)}&sort=name&after=x&eic=a&eic=b`;
  assertProblem(await request(`/v1/customers?${query}`), 400, 'validation', [
    'after invalid_format',
    'eic invalid_type',
    'limit value_too_small',
    'search value_too_large',
    'sort unknown_field',
    'status invalid_enum_value',
    'tso invalid_enum_value',
  ]);
  assert.equal((await request(`/v1/customers?search=${encodeURIComponent('𝔊'.repeat(200))}`)).status, 200);
});

test('a foreign, an unknown and a malformed id are the same 404, for reading and for changing', async () => {
  const ids = [
    foreign.id,
    UNKNOWN_ID,
    'cust_1',
    foreign.id.toUpperCase(),
    foreign.id.replace('cust', 'con'),
    '%00',
  ];
  for (const method of ['GET', 'PATCH']) {
    const answers = [];
    for (const id of ids) {
      const answer = await request(
        `/v1/customers/${id}`,
        method === 'GET' ? {} : { method, body: { status: 'active' } },
      );
      assertProblem(answer, 404, 'customer_not_found');
      const { instance, ...rest } = answer.body;
      assert.equal(instance, `/v1/customers/${id}`);
      const headers = [...answer.headers].filter(
        ([name]) => !/^(date|x-request-id|x-ratelimit-|content-length)/.test(name),
      );
      answers.push({ rest, headers });
    }
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
  }
  const untouched = await client(platform.baseUrl, stranger.key)(`/v1/customers/${foreign.id}`);
  assert.equal(untouched.body.status, 'pending');
});

test('If-None-Match answers 304 without a body as long as the customer reads the same', async () => {
  const customer = await world.customer(brp);
  const get = (tags: string) =>
    request(`/v1/customers/${customer.id}`, { headers: { 'if-none-match': tags } });
  const tag = (await get('"other"')).headers.get('etag') as string;
  for (const tags of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
    const { status, text, headers } = await get(tags);
    assert.deepEqual({ status, text, tag: headers.get('etag') }, { status: 304, text: '', tag }, tags);
    for (const name of [
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
      'x-request-id',
      'vary',
    ]) {
      assert.ok(headers.get(name), name);
    }
    assert.equal(headers.get('content-type'), null);
  }
  for (const tags of ['"other"', tag.replaceAll('"', ''), `"${tag}"`])
    assert.equal((await get(tags)).status, 200, tags);
  await patch(customer.id, { metadata: { a: 'b' } });
  assert.equal((await get(tag)).status, 200);
});
