import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '@saldo/api';
import { assertProblem, assertRefused, bodyOf, client, startTestPlatform, walk } from './harness.ts';
import { newEic } from './world.ts';

const NOON = '2026-10-20T12:00:00Z';
const platform = await startTestPlatform({ now: NOON });
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const PATH = '/operator/v1/customers';
const UNKNOWN = '01jhm3vq8ne0grs4f5c3hxkz2b';

const brp = await world.brp();
const group = await world.group(brp, ['DE_AMPRION', 'DE_TENNET']);
const other = await world.brp();
const otherGroup = await world.group(other, ['DE_50HERTZ']);
const place = { eic: group.eic, tso: 'DE_AMPRION' };
const otherPlace = { eic: otherGroup.eic, tso: 'DE_50HERTZ' };

const create = (body: object) => operator.post(PATH, { brp_id: brp.id, name: 'x', ...body });
const patch = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  operator.patch(`${PATH}/${id}`, body, { headers });
const read = async (id: string) => (await operator(`${PATH}/${id}`)).body;
const seenBy = (key: string, id: string) => client(platform.baseUrl, key)(`/v1/customers/${id}`);

const made = (body: object = {}) => bodyOf(create(body), 201);

test('a customer created by the operator is pending, and its BRP reads the same without the BRP’s id', async () => {
  const metadata = { cost_center: '4711' };
  const customer = await made({ name: 'Stadtwerke', balance_group: place, metadata });
  const { brp_id, ...shown } = customer;
  assert.equal(brp_id, brp.id);
  assert.deepEqual(shown, {
    id: shown.id,
    name: 'Stadtwerke',
    status: 'pending',
    balance_group: place,
    metadata,
    assigned_at: NOON,
    activated_at: null,
    created_at: NOON,
  });
  assert.deepEqual((await seenBy(brp.key, customer.id)).body, shown);
  assert.equal((await seenBy(other.key, customer.id)).status, 404);
  assert.deepEqual(await read(customer.id), customer);
});

test('every invalid field of a new customer is reported, and nothing is created', async () => {
  const count = async () => (await walk(operator, PATH, 'customers', 100)).length;
  const before = await count();
  for (const brp_id of [`brp_${UNKNOWN}`, 'x'])
    assertRefused(await create({ brp_id }), 'brp_id validation_failed');
  assertRefused(await operator.post(PATH, {}), 'brp_id required', 'name required');
  assertRefused(await create({ status: 'deactivated' }), 'status invalid_enum_value');
  assertRefused(await create({ activated_at: NOON }), 'activated_at unknown_field');
  assertRefused(await create({ metadata: { a: null } }), 'metadata.a invalid_type');
  assertRefused(await create({ balance_group: otherPlace }), 'balance_group.eic validation_failed');
  assertRefused(
    await create({ balance_group: { ...place, eic: newEic() } }),
    'balance_group.eic validation_failed',
  );
  assertProblem(
    await create({ balance_group: { ...place, tso: 'DE_50HERTZ' } }),
    400,
    'balance_group_tso_not_enabled',
  );
  const keys = Array.from({ length: LIMITS.metadata.keys + 1 }, (_, at) => [`key${at}`, 'x']);
  assertRefused(await create({ metadata: Object.fromEntries(keys) }), 'metadata value_too_large');
  assert.equal(await count(), before);
});

test('customers of all BRPs are listed, and filtered as a BRP’s own list is and by BRP', async () => {
  const mine = await made({ name: 'Alpha Energie', balance_group: place });
  const theirs = await made({ brp_id: other.id, name: 'Alpha Strom', balance_group: otherPlace });
  const ids = async (query: string) =>
    (await walk(operator, `${PATH}?${query}`, 'customers', 1)).map((customer) => customer.id);
  assert.deepEqual(await ids('search=ALPHA'), [mine.id, theirs.id]);
  assert.deepEqual(await ids(`search=alpha&brp_id=${other.id}`), [theirs.id]);
  assert.deepEqual(await ids(`search=alpha&eic=${group.eic}`), [mine.id]);
  assert.deepEqual(await ids('search=alpha&tso=DE_50HERTZ'), [theirs.id]);
  assert.deepEqual(await ids('search=alpha&status=active'), []);
  assert.deepEqual(await ids(`brp_id=brp_${UNKNOWN}`), []);
  assert.deepEqual(await ids('brp_id=x'), []);
  const seen = await walk(client(platform.baseUrl, other.key), '/v1/customers', 'customers', 100);
  assert.deepEqual(
    await ids(`brp_id=${other.id}`),
    seen.map((customer) => customer.id),
  );
});

test('the operator changes everything that the BRP may, under the same rules, and the name', async () => {
  const { id } = await made();
  const answer = await patch(id, {
    name: 'Renamed',
    status: 'active',
    balance_group: { ...place, tso: 'DE_TENNET' },
    metadata: { color: 'green' },
  });
  assert.equal(answer.status, 200, answer.text);
  const { name, status, balance_group, metadata, activated_at, assigned_at } = answer.body;
  assert.deepEqual([name, status, metadata.color], ['Renamed', 'active', 'green']);
  assert.deepEqual(balance_group, { ...place, tso: 'DE_TENNET' });
  assert.deepEqual([activated_at, assigned_at], [NOON, NOON]);
  const found = await walk(operator, `${PATH}?search=renamed`, 'customers', 10);
  assert.deepEqual(
    found.map((customer) => customer.id),
    [id],
    'found by its new name',
  );
  assertProblem(await patch(id, { status: 'active' }), 409, 'already_active');
  assertProblem(await patch(id, { status: 'pending' }), 409, 'invalid_status_transition');
  assertProblem(
    await patch(id, { balance_group: { ...place, tso: 'DE_50HERTZ' } }),
    400,
    'balance_group_tso_not_enabled',
  );
  assertRefused(
    await patch(id, { balance_group: otherPlace, brp_id: 'x' }),
    'balance_group.eic validation_failed',
    'brp_id validation_failed',
  );
  assertRefused(
    await patch(id, { id, created_at: NOON }),
    'created_at read_only_field',
    'id read_only_field',
  );
  assertProblem(await patch(`cust_${UNKNOWN}`, {}), 404, 'customer_not_found');
  assertProblem(await operator(`${PATH}/x`), 404, 'customer_not_found');
  assert.deepEqual(await read(id), answer.body, 'a rejected change has no effect');
});

test('a customer assigned to another BRP loses the old BRP, its balance group and its notes', async () => {
  const customer = await made({ balance_group: place, metadata: { note: 'of the old BRP' } });
  platform.clock.set('2026-10-21T09:00:00Z');
  const moved = (await patch(customer.id, { brp_id: other.id })).body;
  assert.deepEqual(moved, {
    ...customer,
    brp_id: other.id,
    balance_group: null,
    metadata: {},
    assigned_at: '2026-10-21T09:00:00Z',
  });
  assert.equal((await seenBy(brp.key, customer.id)).status, 404);
  assert.equal((await seenBy(other.key, customer.id)).status, 200);
  platform.clock.set('2026-10-22T09:00:00Z');
  const same = (await patch(customer.id, { brp_id: other.id })).body;
  assert.equal(same.assigned_at, moved.assigned_at, 'assigning the same BRP changes nothing');
  platform.clock.set(NOON);
});

test('a customer assigned to another BRP may get that BRP’s balance groups only', async () => {
  const customer = await made({ balance_group: place });
  assertRefused(
    await patch(customer.id, { brp_id: other.id, balance_group: place }),
    'balance_group.eic validation_failed',
  );
  assert.deepEqual(await read(customer.id), customer);
  const moved = (await patch(customer.id, { brp_id: other.id, balance_group: otherPlace })).body;
  assert.deepEqual([moved.brp_id, moved.balance_group], [other.id, otherPlace]);
  assertRefused(await patch(customer.id, { brp_id: `brp_${UNKNOWN}` }), 'brp_id validation_failed');
});

test('If-Match protects a customer from lost updates, of the operator as of the BRP', async () => {
  const { id } = await made();
  const first = await operator(`${PATH}/${id}`);
  const tag = first.headers.get('etag') ?? '';
  assert.match(tag, /^"[\w-]+"$/);
  const cached = await operator(`${PATH}/${id}`, { headers: { 'if-none-match': tag } });
  assert.deepEqual([cached.status, cached.text], [304, '']);
  const byBrp = await client(platform.baseUrl, brp.key).patch(`/v1/customers/${id}`, {
    metadata: { color: 'blue' },
  });
  assert.equal(byBrp.status, 200);
  assertProblem(await patch(id, { name: 'Late' }, { 'if-match': tag }), 412, 'precondition_failed');
  const current = (await operator(`${PATH}/${id}`)).headers.get('etag') ?? '';
  const changed = await patch(id, { name: 'In time' }, { 'if-match': current });
  assert.equal(changed.status, 200);
  assert.equal(changed.headers.get('etag'), (await operator(`${PATH}/${id}`)).headers.get('etag'));
  assert.equal((await patch(id, {}, { 'if-match': '*' })).status, 200);
});

test('concurrent changes of a customer by BRP and operator are both applied', async () => {
  const { id } = await made();
  const asBrp = client(platform.baseUrl, brp.key);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, at) => {
      const body = { metadata: { [`key${at}`]: 'x' } };
      return at % 2 === 0 ? patch(id, body) : asBrp.patch(`/v1/customers/${id}`, body);
    }),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  assert.equal(Object.keys((await read(id)).metadata).length, 10);
});
