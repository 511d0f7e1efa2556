import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATOR_SCOPES, type OperatorScope, SCOPES } from '@saldo/api';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { overlap } from './blocked.ts';
import { newUser, signedIn } from './browser.ts';
import { type Answer, assertProblem, client, problemOf, startTestPlatform } from './harness.ts';

/** Keys and users grant only rights that they have. */
const platform = await startTestPlatform();
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const keyWith = async (...scopes: OperatorScope[]) =>
  client(platform.baseUrl, await world.operatorKey(scopes));
const brp = await world.brp();
const account = encodeId(ID_PREFIX.account, (await world.account()).id);
const OF_OPERATOR = { type: 'operator' };
const OF_BRP = { type: 'brp', id: brp.id };
const OF_ACCOUNT = { type: 'account', id: account };

const KEYS = '/operator/v1/api-keys';
const USERS = '/operator/v1/users';
const created = async (answer: Answer) => {
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};
const assertLacking = (answer: Answer, ...scopes: string[]) => {
  assertProblem(answer, 403, 'insufficient_scopes');
  for (const scope of scopes) assert.match(answer.body.detail, new RegExp(`\\b${scope}\\b`));
};
let count = 0;
const userBody = (role: string, permissions: string) => ({
  ...{ email: `granted${++count}@saldo.example`, name: 'Granted', role, permissions },
  ...(role === 'brp' ? { brp_id: brp.id } : {}),
  ...(role === 'account' ? { account_id: account } : {}),
});

test('an operator’s key gets the scopes that are asked for, by default all of its creator', async () => {
  const narrow = await created(
    await operator.post(KEYS, { owner: OF_OPERATOR, name: 'meters', scopes: ['read', 'series:write'] }),
  );
  assert.deepEqual(narrow.scopes, ['read', 'series:write']);
  const asMeters = client(platform.baseUrl, narrow.secret);
  assert.equal((await asMeters('/operator/v1/brps')).status, 200);
  assertLacking(await asMeters.post('/operator/v1/brps', { name: 'X' }), 'parties:write');
  assert.deepEqual((await created(await operator.post(KEYS, { owner: OF_OPERATOR, name: 'all' }))).scopes, [
    ...OPERATOR_SCOPES,
  ]);
  const clerk = await keyWith('keys:write', 'read', 'parties:write');
  const own = await created(await clerk.post(KEYS, { owner: OF_OPERATOR, name: 'own' }));
  assert.deepEqual(own.scopes, ['read', 'parties:write', 'keys:write']);
  const ofBrp = await created(await clerk.post(KEYS, { owner: OF_BRP, name: 'all that it may' }));
  const granted = SCOPES.filter((scope) => !['webhooks:write', 'requests:read'].includes(scope));
  assert.deepEqual(ofBrp.scopes, granted);
});

test('a key cannot create a stronger key, for no owner', async () => {
  const clerk = await keyWith('keys:write');
  for (const [owner, scopes] of [
    [OF_OPERATOR, ['keys:write', 'read']],
    [OF_BRP, ['contracts:read']],
  ] as const) {
    const answer = await clerk.post(KEYS, { owner, name: 'x', scopes });
    assert.deepEqual(problemOf(answer), { code: 'validation', errors: ['scopes validation_failed'] });
  }
  assertLacking(await clerk.post(KEYS, { owner: OF_ACCOUNT, name: 'x' }), 'read', 'webhooks:write');
  const stronger = await keyWith('keys:write', 'read', 'webhooks:write');
  await created(await stronger.post(KEYS, { owner: OF_ACCOUNT, name: 'x' }));
  await created(await stronger.post(KEYS, { owner: OF_BRP, name: 'x', scopes: ['contracts:read'] }));
});

test('a key cannot replace a stronger key, and the stronger one stays as it is', async () => {
  const clerk = await keyWith('keys:write');
  for (const owner of [OF_OPERATOR, OF_BRP, OF_ACCOUNT]) {
    const { id, secret } = await created(await operator.post(KEYS, { owner, name: 'strong' }));
    assertLacking(await clerk.post(`${KEYS}/${id}/rotate`, { grace_s: 60 }), 'read');
    const { api_keys } = (await operator(`${KEYS}?limit=100`)).body;
    const stored = api_keys.find((key: { id: string }) => key.id === id);
    assert.deepEqual([stored.expires_at, stored.revoked_at], [null, null]);
    const rotated = await created(await operator.post(`${KEYS}/${id}/rotate`, {}));
    assert.notEqual(rotated.secret, secret);
  }
  const weak = await created(
    await operator.post(KEYS, { owner: OF_OPERATOR, name: 'weak', scopes: ['keys:write'] }),
  );
  await created(await clerk.post(`${KEYS}/${weak.id}/rotate`, {}));
});

test('scopes are those of the owner’s API', async () => {
  for (const [owner, scopes] of [
    [OF_OPERATOR, ['contracts:read']],
    [OF_BRP, ['read']],
    [OF_ACCOUNT, ['requests:read']],
  ] as const) {
    const answer = await operator.post(KEYS, { owner, name: 'x', scopes });
    assert.deepEqual(problemOf(answer), { code: 'validation', errors: ['scopes validation_failed'] });
  }
});

test('a key cannot create, promote, enable or invite a stronger user, or reset its factors', async () => {
  const clerk = await keyWith('users:write');
  for (const role of ['operator', 'brp', 'account']) {
    assertLacking(await clerk.post(USERS, userBody(role, 'viewer')), 'read');
    assertLacking(await clerk.post(USERS, userBody(role, 'admin')), 'read', 'keys:write');
    const { id } = await created(await operator.post(USERS, userBody(role, 'viewer')));
    assertLacking(await clerk.post(`${USERS}/${id}/invitation`), 'read');
    assertLacking(await clerk.delete(`${USERS}/${id}/factors`), 'read');
    assertLacking(await clerk.patch(`${USERS}/${id}`, { permissions: 'admin' }), 'keys:write');
    assert.equal((await operator(`${USERS}/${id}`)).body.permissions, 'viewer');
    assert.equal((await clerk.patch(`${USERS}/${id}`, { name: 'Renamed', disabled: true })).status, 200);
    assertLacking(await clerk.patch(`${USERS}/${id}`, { disabled: false }), 'read');
    const after = (await operator(`${USERS}/${id}`)).body;
    assert.deepEqual([after.status, after.invitation_expires_at], ['disabled', null]);
  }
  const reader = await keyWith('users:write', 'read', 'requests:read');
  const { id } = await created(await reader.post(USERS, userBody('operator', 'viewer')));
  await created(await reader.post(`${USERS}/${id}/invitation`));
  assertLacking(await reader.patch(`${USERS}/${id}`, { permissions: 'member' }), 'parties:write');
});

test('the operator keeps an administrator, also if two of them remove each other at once', async () => {
  const [first, second] = [
    await signedIn(platform, { type: 'operator' }),
    await signedIn(platform, { type: 'operator' }),
  ];
  const idOf = ({ state }: typeof first) => state.user.id as string;
  const answers = await overlap(
    platform,
    () => first.request.patch(`${USERS}/${idOf(second)}`, { disabled: true }),
    () => second.request.patch(`${USERS}/${idOf(first)}`, { permissions: 'member' }),
  );
  const left = (await operator(`${USERS}?role=operator&limit=100`)).body.users.filter(
    (user: { permissions: string; status: string }) =>
      user.permissions === 'admin' && user.status !== 'disabled',
  );
  assert.equal(left.length, 1, answers.map(({ text }) => text).join('\n'));
  for (const body of [{ disabled: true }, { permissions: 'member' }, { permissions: 'viewer' }])
    assertProblem(await operator.patch(`${USERS}/${left[0].id}`, body), 409, 'invalid_status_transition');
  assert.equal((await operator.patch(`${USERS}/${left[0].id}`, { name: 'Renamed' })).status, 200);
  const next = encodeId(ID_PREFIX.user, (await newUser(platform, { type: 'operator' }, 'viewer')).id);
  assert.equal((await operator.patch(`${USERS}/${next}`, { permissions: 'admin' })).status, 200);
  assert.equal((await operator.patch(`${USERS}/${left[0].id}`, { permissions: 'viewer' })).status, 200);
});
