import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATOR_SCOPES, SCOPES, TSOS } from '@saldo/api';
import { checkCharacter } from '@saldo/core/eic.ts';
import { statement } from '../src/platform/db/statement.ts';
import { assertProblem, assertRefused, bodyOf, client, startTestPlatform, walk } from './harness.ts';
import { newEic } from './world.ts';

const NOON = '2026-10-20T12:00:00Z';
const platform = await startTestPlatform({ now: NOON });
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const UNKNOWN = '01jhm3vq8ne0grs4f5c3hxkz2b';

const post = (path: string, body: unknown) => operator.post(`/operator/v1${path}`, body);
const patch = (path: string, body: unknown) => operator.patch(`/operator/v1${path}`, body);
const get = (path: string) => operator(`/operator/v1${path}`);

const made = (path: string, body: unknown) => bodyOf(post(path, body), 201);

/** The stored end of a key. A server that has cached the key accepts it for a few seconds more. */
const STORED_KEY = statement(
  'test_stored_key',
  'select revoked_at, expires_at from api_key where prefix = $1',
);
const storedKey = async (prefix: string) =>
  (
    await platform.db.query<{ revoked_at: number | null; expires_at: number | null }>(STORED_KEY, [prefix])
  )[0];

test('a BRP is created, read by its id, and listed oldest first; names need not differ', async () => {
  const first = await made('/brps', { name: 'Nordwind' });
  const second = await made('/brps', { name: 'Nordwind' });
  assert.match(first.id, /^brp_[0-9a-z]{26}$/);
  assert.deepEqual(first, { id: first.id, name: 'Nordwind', created_at: NOON });
  assert.deepEqual((await get(`/brps/${first.id}`)).body, first);
  const all = await walk(operator, '/operator/v1/brps', 'brps', 1);
  assert.deepEqual(all.slice(-2), [first, second]);
});

test('an unknown BRP is 404, whatever its id looks like', async () => {
  for (const id of [`brp_${UNKNOWN}`, 'brp_x', 'nonsense', '%00'])
    assertProblem(await get(`/brps/${id}`), 404, 'brp_not_found');
});

test('every invalid field of a BRP is reported, and nothing is created', async () => {
  const before = (await walk(operator, '/operator/v1/brps', 'brps', 100)).length;
  assertRefused(await post('/brps', {}), 'name required');
  assertRefused(await post('/brps', { name: '' }), 'name value_too_small');
  assertRefused(await post('/brps', { name: ' \t\u00a0' }), 'name invalid_format');
  assertRefused(await post('/brps', { name: 'x'.repeat(201) }), 'name value_too_large');
  assertRefused(await post('/brps', { name: 'a\0b' }), 'name invalid_format');
  assertRefused(await post('/brps', { name: 7, city: 'x' }), 'city unknown_field', 'name invalid_type');
  assert.equal((await walk(operator, '/operator/v1/brps', 'brps', 100)).length, before);
});

test('a balance group has an owner and control areas, and is found by both', async () => {
  const brp = await made('/brps', { name: 'Südlicht' });
  const eic = newEic();
  const group = await made('/balance-groups', {
    brp_id: brp.id,
    eic,
    name: 'Main',
    tsos: ['DE_50HERTZ', 'DE_AMPRION'],
  });
  const expected = {
    eic,
    brp_id: brp.id,
    name: 'Main',
    tsos: ['DE_AMPRION', 'DE_50HERTZ'],
    created_at: NOON,
  };
  assert.deepEqual(group, expected, 'in the fixed order of the TSOs');
  assert.deepEqual((await get(`/balance-groups/${eic}`)).body, expected);
  assert.deepEqual((await get(`/balance-groups?brp_id=${brp.id}`)).body.balance_groups, [expected]);
  for (const tso of TSOS) {
    const { body } = await get(`/balance-groups?brp_id=${brp.id}&tso=${tso}`);
    assert.equal(body.balance_groups.length, expected.tsos.includes(tso) ? 1 : 0, tso);
  }
  for (const id of [`brp_${UNKNOWN}`, 'x'])
    assert.deepEqual((await get(`/balance-groups?brp_id=${id}`)).body.balance_groups, []);
});

test('balance groups are listed by EIC, page by page', async () => {
  const brp = await made('/brps', { name: 'Many' });
  const eics = ['11XZ-----------', '11XA--Z--------', '11XAB----------', '11X0-----------'].map(
    (stem) => stem + checkCharacter(stem),
  );
  for (const eic of eics)
    await made('/balance-groups', { brp_id: brp.id, eic, name: eic, tsos: ['DE_TENNET'] });
  const listed = await walk(operator, `/operator/v1/balance-groups?brp_id=${brp.id}`, 'balance_groups', 1);
  assert.deepEqual(
    listed.map((group) => group.eic),
    eics.toSorted(),
  );
});

test('an EIC is validated with its check character, and the expected one is reported', async () => {
  const brp = await made('/brps', { name: 'Checked' });
  const group = (eic: string) =>
    post('/balance-groups', { brp_id: brp.id, eic, name: 'x', tsos: ['DE_TENNET'] });
  const eic = newEic();
  const wrong = eic.slice(0, 15) + (eic.endsWith('A') ? 'B' : 'A');
  const answer = await group(wrong);
  assertRefused(answer, 'eic invalid_format');
  assert.ok(answer.body.errors[0].message.includes(`"${eic.at(-1)}"`), answer.body.errors[0].message);
  assertRefused(await group(eic.toLowerCase()), 'eic invalid_format');
  const meter = `11Z${eic.slice(3, 15)}`;
  const notAGroup = await group(meter + checkCharacter(meter));
  assertRefused(notAGroup, 'eic invalid_format');
  assert.match(notAGroup.body.errors[0].message, /X or Y/);
  assertProblem(await get(`/balance-groups/${wrong}`), 404, 'balance_group_not_found');
  assertProblem(await get('/balance-groups/%00'), 404, 'balance_group_not_found');
});

test('the EIC of the operator is the balance group of no BRP', async () => {
  const brp = await made('/brps', { name: 'Both sides' });
  const { eic } = platform.config.operator;
  const answer = await post('/balance-groups', { brp_id: brp.id, eic, name: 'x', tsos: ['DE_TENNET'] });
  assertRefused(answer, 'eic validation_failed');
  assertProblem(await get(`/balance-groups/${eic}`), 404, 'balance_group_not_found');
});

test('an EIC is unique, and its BRP must exist', async () => {
  const brp = await made('/brps', { name: 'Once' });
  const group = { brp_id: brp.id, eic: newEic(), name: 'x', tsos: ['DE_TENNET'] };
  await made('/balance-groups', group);
  assertProblem(await post('/balance-groups', { ...group, name: 'other' }), 409, 'already_exists');
  assert.equal((await get(`/balance-groups/${group.eic}`)).body.name, 'x');
  for (const brp_id of [`brp_${UNKNOWN}`, 'x'])
    assertRefused(
      await post('/balance-groups', { ...group, eic: newEic(), brp_id }),
      'brp_id validation_failed',
    );
  assertRefused(await post('/balance-groups', { ...group, tsos: [] }), 'tsos value_too_small');
  assertRefused(
    await post('/balance-groups', { ...group, tsos: ['DE_TENNET', 'DE_TENNET'] }),
    'tsos validation_failed',
  );
  assertRefused(await post('/balance-groups', { ...group, tsos: ['FR'] }), 'tsos[0] invalid_enum_value');
});

test('the settings of a balance group are its name and the whole set of its control areas', async () => {
  const brp = await world.brp();
  const { eic } = await world.group(brp, ['DE_AMPRION', 'DE_TENNET']);
  const customer = await world.customer(brp);
  const place = (tso: string) =>
    client(platform.baseUrl, brp.key).patch(`/v1/customers/${customer.id}`, { balance_group: { eic, tso } });
  const path = `/balance-groups/${eic}`;
  assert.deepEqual((await patch(path, { tsos: ['DE_50HERTZ', 'DE_TENNET'] })).body.tsos, [
    'DE_TENNET',
    'DE_50HERTZ',
  ]);
  assertProblem(await place('DE_AMPRION'), 400, 'balance_group_tso_not_enabled');
  assert.equal((await place('DE_50HERTZ')).status, 200);
  assert.equal((await patch(path, { name: 'Renamed' })).body.name, 'Renamed');
  assert.deepEqual(
    (await patch(path, {})).body.tsos,
    ['DE_TENNET', 'DE_50HERTZ'],
    'an empty change has no effect',
  );
  assert.deepEqual(
    (await patch(path, { tsos: ['DE_AMPRION', 'DE_50HERTZ'] })).body.tsos,
    ['DE_AMPRION', 'DE_50HERTZ'],
    'enabled again',
  );
  assertRefused(await patch(path, { brp_id: brp.id, eic }), 'brp_id read_only_field', 'eic read_only_field');
  assertProblem(await patch(`/balance-groups/${newEic()}`, {}), 404, 'balance_group_not_found');
});

test('an account is created and listed', async () => {
  const account = await made('/accounts', { name: 'Grünland' });
  assert.match(account.id, /^acc_[0-9a-z]{26}$/);
  assert.deepEqual(account, { id: account.id, name: 'Grünland', created_at: NOON });
  assert.deepEqual((await walk(operator, '/operator/v1/accounts', 'accounts', 1)).at(-1), account);
});

test('a new key is shown once and works at once, with the requested scopes or all of them', async () => {
  const brp = await made('/brps', { name: 'Keyed' });
  const owner = { type: 'brp', id: brp.id };
  const { secret, ...key } = await made('/api-keys', { owner, name: 'all' });
  assert.deepEqual(key, {
    id: key.id,
    owner,
    name: 'all',
    prefix: secret.slice(0, key.prefix.length),
    scopes: [...SCOPES],
    allowed_addresses: null,
    created_at: NOON,
    expires_at: null,
    last_used_at: null,
    last_used_address: null,
    revoked_at: null,
  });
  assert.ok(key.prefix.length < secret.length / 2);
  assert.equal((await client(platform.baseUrl, secret)('/v1/contracts')).status, 200);

  const narrow = await made('/api-keys', { owner, name: 'narrow', scopes: ['customers:read'] });
  const request = client(platform.baseUrl, narrow.secret);
  assert.equal((await request('/v1/customers')).status, 200);
  assertProblem(await request('/v1/contracts'), 403, 'insufficient_scopes');

  await platform.flush();
  const { api_keys } = (await get(`/api-keys?owner_id=${brp.id}`)).body;
  assert.deepEqual(
    api_keys.map((listed: { name: string; last_used_at: string }) => [listed.name, listed.last_used_at]),
    [
      ['all', NOON],
      ['narrow', NOON],
    ],
  );
  assert.ok(!JSON.stringify(api_keys).includes(secret), 'never again');
});

test('the operator API accepts an operator’s key and rejects an account’s', async () => {
  const own = await made('/api-keys', { owner: { type: 'operator' }, name: 'second' });
  assert.deepEqual([own.owner, own.scopes], [{ type: 'operator' }, OPERATOR_SCOPES]);
  assert.equal((await client(platform.baseUrl, own.secret)('/operator/v1/brps')).status, 200);
  const account = await made('/accounts', { name: 'Holder' });
  const owner = { type: 'account', id: account.id };
  const key = await made('/api-keys', { owner, name: 'first' });
  assert.deepEqual(key.owner, owner);
  assertProblem(await client(platform.baseUrl, key.secret)('/operator/v1/brps'), 401, 'invalid_api_key');
  const mine = (await get(`/api-keys?owner_id=${account.id}`)).body.api_keys;
  assert.deepEqual(mine.length, 1);
  const ofType = await walk(operator, '/operator/v1/api-keys?owner_type=operator', 'api_keys', 1);
  assert.ok(ofType.length >= 2 && ofType.every((listed) => listed.owner.type === 'operator'));
  assert.deepEqual((await get('/api-keys?owner_id=x')).body.api_keys, []);
});

test('every invalid field of a key is reported', async () => {
  const { id } = await made('/brps', { name: 'Wrong' });
  const key = (body: object) => post('/api-keys', { name: 'x', ...body });
  assertRefused(await key({ owner: { type: 'brp' } }), 'owner.id required');
  assertRefused(await key({ owner: { type: 'brp', id: `brp_${UNKNOWN}` } }), 'owner.id validation_failed');
  assertRefused(await key({ owner: { type: 'account', id } }), 'owner.id validation_failed');
  assertRefused(await key({ owner: { type: 'operator', id } }), 'owner.id validation_failed');
  assertRefused(await key({ owner: { type: 'guest', id } }), 'owner.type invalid_enum_value');
  assertRefused(
    await key({ owner: { type: 'operator' }, scopes: ['contracts:read'] }),
    'scopes validation_failed',
  );
  assertRefused(await key({ owner: { type: 'brp', id }, scopes: ['all'] }), 'scopes[0] invalid_enum_value');
  assertRefused(await key({ owner: { type: 'brp', id }, expires_at: NOON }), 'expires_at validation_failed');
  assertRefused(await key({ owner: { type: 'brp', id }, expires_at: 'soon' }), 'expires_at invalid_format');
  assertRefused(await key({ owner: { type: 'brp', id }, expires_at: 7 }), 'expires_at invalid_type');
  assertRefused(
    await key({ owner: { type: 'brp', id }, expires_at: '9999-12-31T23:59:59-23:00' }),
    'expires_at validation_failed',
  );
  assert.deepEqual((await get(`/api-keys?owner_id=${id}`)).body.api_keys, []);
});

test('a key ends when it expires', async () => {
  const { id } = await made('/brps', { name: 'Expiring' });
  const expires_at = '2026-10-20T12:00:01Z';
  const key = await made('/api-keys', { owner: { type: 'brp', id }, name: 'x', expires_at });
  assert.equal(key.expires_at, expires_at);
  const request = client(platform.baseUrl, key.secret);
  assert.equal((await request('/v1/contracts')).status, 200);
  platform.clock.set(expires_at);
  assertProblem(await request('/v1/contracts'), 401, 'invalid_api_key');
  assertProblem(await post(`/api-keys/${key.id}/rotate`, {}), 409, 'invalid_status_transition');
  platform.clock.set(NOON);
});

test('a key is revoked for good, and revoking it again changes nothing', async () => {
  const { id } = await made('/brps', { name: 'Revoked' });
  const key = await made('/api-keys', { owner: { type: 'brp', id }, name: 'x' });
  const revoke = () => operator.delete(`/operator/v1/api-keys/${key.id}`);
  assert.deepEqual([(await revoke()).status, (await revoke()).text], [204, '']);
  assertProblem(await client(platform.baseUrl, key.secret)('/v1/contracts'), 401, 'invalid_api_key');
  const [listed] = (await get(`/api-keys?owner_id=${id}`)).body.api_keys;
  assert.equal(listed.revoked_at, NOON);
  assertProblem(await post(`/api-keys/${key.id}/rotate`, {}), 409, 'invalid_status_transition');
  for (const unknown of [`key_${UNKNOWN}`, 'x', id]) {
    const answer = await operator.delete(`/operator/v1/api-keys/${unknown}`);
    assertProblem(answer, 404, 'api_key_not_found');
    assertProblem(await post(`/api-keys/${unknown}/rotate`, {}), 404, 'api_key_not_found');
  }
});

test('a rotation creates an equal key, and the old one ends at once or after the grace', async () => {
  const { id } = await made('/brps', { name: 'Rotated' });
  const body = { owner: { type: 'brp', id }, name: 'meter', scopes: ['contracts:read'] };
  const first = await made('/api-keys', body);
  const second = await made(`/api-keys/${first.id}/rotate`, { grace_s: 3600 });
  assert.notEqual(second.id, first.id);
  assert.notEqual(second.secret, first.secret);
  assert.deepEqual([second.owner, second.name, second.scopes], [body.owner, body.name, body.scopes]);
  for (const { secret } of [first, second])
    assert.equal((await client(platform.baseUrl, secret)('/v1/contracts')).status, 200);
  assert.equal((await storedKey(first.prefix))?.expires_at, Date.parse('2026-10-20T13:00:00Z'));

  const third = await made(`/api-keys/${second.id}/rotate`, {});
  const fourth = await operator.post(`/operator/v1/api-keys/${third.id}/rotate`);
  assert.equal(fourth.status, 201, 'the body is optional');
  for (const { prefix } of [second, third])
    assert.equal((await storedKey(prefix))?.revoked_at, Date.parse(NOON));
  assert.equal((await client(platform.baseUrl, fourth.body.secret)('/v1/contracts')).status, 200);
  assertRefused(await post(`/api-keys/${fourth.body.id}/rotate`, { grace_s: -1 }), 'grace_s value_too_small');
});

test('a grace never extends the life of a key', async () => {
  const { id } = await made('/brps', { name: 'Short' });
  const expires_at = '2026-10-20T12:10:00Z';
  const old = await made('/api-keys', { owner: { type: 'brp', id }, name: 'x', expires_at });
  const renewed = await made(`/api-keys/${old.id}/rotate`, { grace_s: 3600 });
  assert.equal(renewed.expires_at, expires_at);
  const listed = (await get(`/api-keys?owner_id=${id}`)).body.api_keys;
  assert.deepEqual(
    listed.map((key: { expires_at: string }) => key.expires_at),
    [expires_at, expires_at],
  );
});

test('of two concurrent rotations only one creates a key', async () => {
  const { id } = await made('/brps', { name: 'Twice' });
  const key = await made('/api-keys', { owner: { type: 'brp', id }, name: 'x' });
  const answers = await Promise.all([1, 2, 3].map(() => post(`/api-keys/${key.id}/rotate`, {})));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 409, 409],
  );
});
