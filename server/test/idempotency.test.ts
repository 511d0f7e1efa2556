import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '@saldo/api';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { statement } from '../src/platform/db/statement.ts';
import { signedIn } from './browser.ts';
import { assertProblem, client, problemOf, startTestPlatform, walk } from './harness.ts';
import { newEic } from './world.ts';

const platform = await startTestPlatform();
const { world } = platform;
const operatorKey = await world.operatorKey();
const operator = client(platform.baseUrl, operatorKey);

let count = 0;
const newKey = () => `retry-${++count}`;
const post = (path: string, body: unknown, idempotencyKey: string, key = operatorKey) =>
  operator.post(`/operator/v1${path}`, body, { key, headers: { 'idempotency-key': idempotencyKey } });
const namesOf = async () => (await walk(operator, '/operator/v1/brps', 'brps', 100)).map((brp) => brp.name);
const countOf = async (name: string) => (await namesOf()).filter((known) => known === name).length;

test('a request repeated with its key gets the same status and bytes, and is applied once', async () => {
  const key = newKey();
  const first = await post('/brps', { name: 'Repeated' }, key);
  assert.equal(first.status, 201);
  assert.equal(first.headers.get('idempotent-replayed'), null);
  platform.clock.set('2026-10-21T08:00:00Z');
  for (let again = 0; again < 3; again++) {
    const repeated = await post('/brps', { name: 'Repeated' }, key);
    assert.deepEqual([repeated.status, repeated.text], [201, first.text]);
    assert.equal(repeated.headers.get('idempotent-replayed'), 'true');
    assert.equal(repeated.headers.get('content-type'), first.headers.get('content-type'));
  }
  assert.equal(await countOf('Repeated'), 1);
  const audit = await walk(operator, `/operator/v1/audit?subject=${first.body.id}`, 'entries', 10);
  assert.equal(audit.length, 1, 'one audit event');
});

test('without a key, or with another one, the same request is applied again', async () => {
  await post('/brps', { name: 'Twice' }, newKey());
  await post('/brps', { name: 'Twice' }, newKey());
  await operator.post('/operator/v1/brps', { name: 'Twice' });
  assert.equal(await countOf('Twice'), 3);
});

test('a key that was used for another body is rejected, and nothing is applied', async () => {
  const key = newKey();
  const first = await post('/brps', { name: 'One' }, key);
  const answer = await post('/brps', { name: 'Two' }, key);
  assert.deepEqual([answer.status, problemOf(answer).code], [409, 'idempotency_key_reused']);
  assert.equal(await countOf('Two'), 0);
  assert.equal(
    (await post('/brps', { name: 'One' }, key)).text,
    first.text,
    'the first request stays applied',
  );
});

test('a key belongs to one operation: for another one it is new', async () => {
  const key = newKey();
  const brp = await post('/brps', { name: 'Both' }, key);
  const account = await post('/accounts', { name: 'Both' }, key);
  assert.deepEqual([brp.status, account.status], [201, 201]);
  assert.notEqual(brp.body.id, account.body.id);
  for (const [path, first] of [['/brps', brp] as const, ['/accounts', account] as const])
    assert.equal((await post(path, { name: 'Both' }, key)).text, first.text);
});

test('the path’s parameters belong to the request', async () => {
  const brp = await world.brp();
  await world.key(brp);
  const keys = (await operator(`/operator/v1/api-keys?owner_id=${brp.id}`)).body.api_keys;
  const key = newKey();
  assert.equal((await post(`/api-keys/${keys[0].id}/rotate`, {}, key)).status, 201);
  const answer = await post(`/api-keys/${keys[1].id}/rotate`, {}, key);
  assert.equal(problemOf(answer).code, 'idempotency_key_reused');
});

const WEBHOOKS = '/v1/webhook-endpoints';
const HOOK = { url: 'https://hooks.example/saldo' };
const asBrp = client(platform.baseUrl);
const postHook = (idempotencyKey: string, key: string, body: object = HOOK) =>
  asBrp.post(WEBHOOKS, body, { key, headers: { 'idempotency-key': idempotencyKey } });
const hooksOf = async (key: string) => (await asBrp(WEBHOOKS, { key })).body.webhook_endpoints.length;

test('a repetition after the rotation of the API key finds the first answer', async () => {
  const brp = await world.brp();
  const key = await world.key(brp);
  const [retry, rotation] = [newKey(), newKey()];
  const first = await postHook(retry, key.secret);
  assert.equal(first.status, 201);
  const rotated = await post(`/api-keys/${encodeId(ID_PREFIX.key, key.id)}/rotate`, {}, rotation);
  assert.equal(rotated.status, 201, rotated.text);
  const repeated = await postHook(retry, rotated.body.secret);
  assert.deepEqual([repeated.status, repeated.text], [201, first.text]);
  assert.equal(repeated.headers.get('idempotent-replayed'), 'true');
  assert.equal(await hooksOf(brp.key), 1);
});

test('any key or session of an owner that may do the operation finds the first answer, all others do not', async () => {
  const [brp, other] = [await world.brp(), await world.brp()];
  const second = await world.key(brp, ['webhooks:write']);
  const retry = newKey();
  const first = await postHook(retry, brp.key);
  assert.equal((await postHook(retry, second.secret)).text, first.text);
  const owner = { type: 'brp', brpNo: brp.no } as const;
  const [manager, reader] = [await signedIn(platform, owner), await signedIn(platform, owner, 'viewer')];
  const bySession = { method: 'POST', body: HOOK, headers: { 'idempotency-key': retry } };
  assert.equal((await manager.request(WEBHOOKS, bySession)).text, first.text);
  assertProblem(await reader.request(WEBHOOKS, bySession), 403, 'insufficient_scopes');
  const withoutScope = await world.key(brp, ['events:read']);
  assertProblem(await postHook(retry, withoutScope.secret), 403, 'insufficient_scopes');
  assertProblem(
    await postHook(retry, second.secret, { url: 'https://hooks.example/two' }),
    409,
    'idempotency_key_reused',
  );
  const foreign = await postHook(retry, other.key);
  assert.equal(foreign.headers.get('idempotent-replayed'), null);
  assert.notEqual(foreign.body.secret, first.body.secret);
  assert.deepEqual([await hooksOf(brp.key), await hooksOf(other.key)], [1, 1]);
});

test('an operation without a transaction of its own is repeated by another key of the owner too', async () => {
  const [retry, other] = [newKey(), await world.operatorKey()];
  const run = (key: string) => post('/nominations/run', {}, retry, key);
  const first = await run(operatorKey);
  const repeated = await run(other);
  assert.deepEqual([repeated.text, repeated.headers.get('idempotent-replayed')], [first.text, 'true']);
});

test('of two equal concurrent requests one is applied, and both get its answer', async () => {
  const key = newKey();
  const keys = [operatorKey, await world.operatorKey()];
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, at) => post('/brps', { name: 'Twin' }, key, keys[at % keys.length])),
  );
  assert.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
  assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
  assert.equal(await countOf('Twin'), 1);
});

test('a failed request is not stored: a repetition is applied', async () => {
  const key = newKey();
  const brp = await world.brp();
  const eic = newEic();
  const body = { brp_id: brp.id, eic, name: 'x', tsos: ['DE_TENNET'] };
  await operator.post('/operator/v1/balance-groups', { ...body, name: 'first' });
  const conflict = await post('/balance-groups', body, key);
  assert.equal(problemOf(conflict).code, 'already_exists');
  const wrong = await post('/balance-groups', { ...body, eic: 'x' }, key);
  assert.equal(problemOf(wrong).code, 'validation');
  const other = await post('/balance-groups', { ...body, eic: newEic() }, key);
  assert.equal(other.status, 201, 'the key is still free');
});

const REMEMBERED = statement(
  'test_remembered',
  'select to_jsonb(a)::text as record from idempotent_answer a',
);

test('a repetition returns the secret of a new key again, and the database never has it in clear text', async () => {
  const brp = await world.brp();
  const key = newKey();
  const body = { owner: { type: 'brp', id: brp.id }, name: 'secret' };
  const first = await post('/api-keys', body, key);
  assert.equal((await post('/api-keys', body, key)).body.secret, first.body.secret);
  const records = await platform.db.query<{ record: string }>(REMEMBERED);
  assert.ok(records.length > 0);
  const { secret } = first.body;
  const forms = [
    secret,
    secret.slice(-20),
    Buffer.from(secret).toString('hex'),
    key,
    Buffer.from(key).toString('hex'),
  ];
  for (const { record } of records)
    for (const form of forms) assert.ok(!record.includes(form), 'neither the secret nor the key');
});

const AGE = statement(
  'test_age_answers',
  "update idempotent_answer set created_at = created_at - interval '24 hours'",
);

test('after 24 hours a key can be reused, and the stored answer is deleted', async () => {
  const key = newKey();
  await post('/brps', { name: 'Yesterday' }, key);
  await platform.db.transaction((tx) => tx.query(AGE));
  assert.equal((await post('/brps', { name: 'Today' }, key)).status, 201);
  assert.equal((await platform.db.query(REMEMBERED)).length, 1);
});

test('a key has 1 to 200 characters', async () => {
  for (const key of ['', 'x'.repeat(LIMITS.idempotencyKeyLength + 1)]) {
    const answer = await post('/brps', { name: 'Long' }, key);
    assert.deepEqual(problemOf(answer), { code: 'validation', errors: ['Idempotency-Key invalid_format'] });
  }
  assert.equal(
    (await post('/brps', { name: 'Longest' }, 'x'.repeat(LIMITS.idempotencyKeyLength))).status,
    201,
  );
});
