import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { keyIdOf } from '../src/platform/auth/sealed-secrets.ts';
import { statement } from '../src/platform/db/statement.ts';
import { readCursorSecret } from '../src/platform/http/cursor.ts';
import { SEALED_COLUMNS } from '../src/start/sealed-columns.ts';
import { newSecretsKey, readSecretsKeys, writeSecretsKeys } from '../src/start/secrets-key-file.ts';
import { beginStep, takeStep } from '../src/users/sign-in-steps.ts';
import { decodeBase32, userWithCodes } from './authenticator.ts';
import { newUser, openBrowser } from './browser.ts';
import { temporaryFolder } from './clean-up.ts';
import { runCommand } from './command-line.ts';
import { bodyOf, client, startTestPlatform } from './harness.ts';
import { dumpDatabase, revealedIn, type Secret } from './stored-text.ts';
import { appendEvent, type Received, startReceiver, webhookWorkerOf } from './webhook-receiver.ts';

const folder = await temporaryFolder();
const SECRETS_KEY_FILE = path.join(folder, 'secrets.key');
const platform = await startTestPlatform({
  // Signatures are verified by the clock of this machine.
  now: new Date().toISOString(),
  environment: { WEBHOOK_ALLOW_PRIVATE: 'on', SECRETS_KEY_FILE },
});
const { db, world, sealer } = platform;
const worker = webhookWorkerOf(platform);
const ENDPOINTS = '/v1/webhook-endpoints';

const saldo = (...args: string[]) =>
  runCommand(['secrets', ...args], {
    folder,
    env: { DATABASE_URL: platform.databaseUrl, SECRETS_KEY_FILE },
  });
const keyIds = () => readSecretsKeys(SECRETS_KEY_FILE).map(keyIdOf);

async function newEndpoint() {
  const brp = await world.brp();
  const request = client(platform.baseUrl, brp.key);
  const receiver = await startReceiver();
  const { id, secret } = await bodyOf(request.post(ENDPOINTS, { url: receiver.url }), 201);
  const deliver = async () => {
    await appendEvent(platform, { type: 'brp', brpNo: brp.no });
    await worker.deliver();
    return receiver.received.at(-1);
  };
  return { id: id as string, secret: secret as string, request, receiver, deliver };
}

const verify = (received: Received | undefined, secret: string) => {
  const { headers, body } = received ?? assert.fail('nothing was delivered');
  return new Webhook(secret).verify(body, headers as Record<string, string>);
};

const CHALLENGE = 'a-challenge-of-the-dump-test';
const newStep = (data: object) =>
  db.transaction((tx) => beginStep(tx, sealer, 'passkey_sign_in', data, Date.now()));

/** Makes secrets of every kind through the APIs. A new kind of secret is added here. */
async function makeSecrets(): Promise<Record<string, Secret>> {
  const { id, secret, request } = await newEndpoint();
  const headers = { 'idempotency-key': 'an-idempotency-key-of-the-dump-test' };
  const rotated = await bodyOf(request.post(`${ENDPOINTS}/${id}/rotate-secret`, undefined, { headers }));
  const operator = client(platform.baseUrl, await world.operatorKey());
  const brp = await bodyOf(operator.post('/operator/v1/brps', { name: 'Visible party' }), 201);
  const owner = { type: 'brp', id: brp.id };
  const key = await bodyOf(
    operator.post('/operator/v1/api-keys', { owner, name: 'Dumped' }, { headers }),
    201,
  );
  const user = await newUser(platform, { type: 'operator' });
  const browser = openBrowser(platform);
  assert.equal((await browser.signIn(user.email, user.password)).status, 200);
  const { secret: base32, recovery } = await userWithCodes(platform, { type: 'operator' });
  return {
    'secret of one-time codes': decodeBase32(base32),
    'secret of one-time codes as text': base32,
    'recovery code': recovery[0],
    'recovery code without hyphens': recovery[0].replaceAll('-', ''),
    'secret of a webhook endpoint': rotated.secret,
    'previous secret of a webhook endpoint': secret,
    'secret of cursors, positions and event ids': await readCursorSecret(db, sealer),
    'API key': key.secret,
    'Idempotency-Key': headers['idempotency-key'],
    password: user.password,
    'token of a sign-in step': await newStep({ challenge: CHALLENGE }),
    'data of a sign-in step': CHALLENGE,
    'session cookie': browser.cookie.split('=')[1] ?? '',
    'device cookie': browser.device.split('=')[1] ?? '',
    'key of the key file': readSecretsKeys(SECRETS_KEY_FILE)[0]!,
  };
}

test('a dump of the database reveals no secret', async () => {
  const secrets = await makeSecrets();
  for (const [name, secret] of Object.entries(secrets)) assert.ok(secret.length >= 16, name);
  const dump = await dumpDatabase(platform.databaseUrl);
  assert.deepEqual(revealedIn(dump, secrets), []);
  // The search finds what is there, as text, in hexadecimal, and decoded.
  const digest = randomBytes(32);
  const INSERT = statement('test_insert_secret', 'insert into secret (name, value) values ($1, $2)');
  await db.transaction((tx) => tx.query(INSERT, [`visible ${digest.toString('base64')}`, digest]));
  const visible = await dumpDatabase(platform.databaseUrl);
  const there = { text: 'Visible party', bytes: digest, decoded: `whsec_${digest.toString('base64')}` };
  assert.deepEqual(revealedIn(visible, there), Object.keys(there));
  const DELETE = statement('test_delete_secret', "delete from secret where name like 'visible %'");
  await db.transaction((tx) => tx.query(DELETE));
});

test('every sealed column of the schema can be sealed again', async () => {
  // The answer of a repeated request is sealed with the Idempotency-Key, which its caller has.
  const COLUMNS = statement(
    'test_sealed_columns',
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public' and column_name like 'sealed\\_%' and data_type = 'bytea' and table_name <> 'idempotent_answer' order by 1`,
  );
  const found = await db.query<{ name: string }>(COLUMNS);
  assert.deepEqual(
    SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).toSorted(),
    found.map(({ name }) => name),
  );
});

const INSERT_CODE = statement(
  'test_insert_code',
  // A record of whatever columns the table has.
  `insert into one_time_code select (jsonb_populate_record(null::one_time_code, jsonb_build_object('user_id', $1::uuid,
     'sealed_secret', $2::bytea, 'created_at', now(), 'confirmed_at', now(), 'last_step', 0))).*`,
);
const FIND_CODE = statement('test_find_code', 'select sealed_secret from one_time_code where user_id = $1');

test('a rotation seals everything with a new key, which the running server notices', async () => {
  const endpoint = await newEndpoint();
  verify(await endpoint.deliver(), endpoint.secret);
  const page = await endpoint.request('/v1/events?limit=1');
  const token = await newStep({ challenge: CHALLENGE });
  const user = await newUser(platform, { type: 'operator' });
  const code = sealer.seal(Buffer.from('a secret'), `one_time_code ${user.id}`);
  await db.transaction((tx) => tx.query(INSERT_CODE, [user.id, code]));
  const [old] = keyIds();
  const run = await saldo('rotate');
  assert.deepEqual([run.code, run.err], [0, ''], run.out);
  const [current, ...others] = keyIds();
  assert.notEqual(current, old);
  assert.deepEqual(others, [old]);
  assert.match(run.out, new RegExp(`Only earlier backups need the key ${old}\\.`));
  assert.match(
    (await saldo('status')).out,
    new RegExp(`^${current}  [1-9]\\d* secrets, seals new ones\\n${old}  0 secrets\\n$`),
  );
  // The worker and the server have read the file before the rotation.
  verify(await endpoint.deliver(), endpoint.secret);
  const step = await db.transaction((tx) => takeStep(tx, sealer, 'passkey_sign_in', token, Date.now()));
  assert.deepEqual(step, { challenge: CHALLENGE });
  const [{ sealed_secret: sealed } = assert.fail()] = await db.query<{ sealed_secret: Buffer }>(FIND_CODE, [
    user.id,
  ]);
  assert.equal(sealer.open(sealed, `one_time_code ${user.id}`).toString(), 'a secret');
  const later = await newEndpoint();
  verify(await later.deliver(), later.secret);
  const after = page.body.pagination.next_cursor;
  assert.equal((await endpoint.request(`/v1/events?limit=1&after=${after}`)).status, 200);
  assert.match(
    (await saldo('status')).out,
    new RegExp(`\\n${old}  0 secrets\\n$`),
    'new ones have the new key',
  );
});

test('a key that no secret needs is removed on request, and never one that is needed', async () => {
  const before = keyIds();
  const forgotten = await saldo('rotate', '--forget');
  assert.equal(forgotten.code, 0, forgotten.err);
  assert.deepEqual(keyIds(), before.slice(0, 1));
  assert.match(forgotten.out, new RegExp(`^Removed the key ${before[1]}\\. Backups that need it `));
  const again = await saldo('rotate', '--forget');
  assert.deepEqual([again.code, again.out, again.err], [0, '', '']);
  const endpoint = await newEndpoint();
  verify(await endpoint.deliver(), endpoint.secret);
});

test('with a file that was edited by hand, a rotation adds no key and seals with the first one', async () => {
  const endpoint = await newEndpoint();
  const added = newSecretsKey();
  await writeSecretsKeys(SECRETS_KEY_FILE, [added, ...readSecretsKeys(SECRETS_KEY_FILE)]);
  const expected = keyIds();
  const run = await saldo('rotate');
  assert.equal(run.code, 0, run.err);
  assert.deepEqual(keyIds(), expected);
  assert.match((await saldo('status')).out, new RegExp(`\\n${expected[1]}  0 secrets\\n$`));
  verify(await endpoint.deliver(), endpoint.secret);
});

const SWAP = statement(
  'test_swap_webhook_secret',
  `update webhook_endpoint set sealed_secret = (select sealed_secret from webhook_endpoint where id <> $1 limit 1)
   where id = $1 returning id`,
);
const FIND_NEWEST = statement(
  'test_newest_endpoint',
  'select id from webhook_endpoint order by created_at desc, id desc limit 1',
);

test('a secret that cannot be opened fails its own deliveries, with the reason, and a rotation names it', async () => {
  const healthy = await newEndpoint();
  const damaged = await newEndpoint();
  const [{ id } = assert.fail()] = await db.query<{ id: string }>(FIND_NEWEST);
  // Sealed text of another row, as an attacker with write access to the database would copy it.
  await db.transaction((tx) => tx.query(SWAP, [id]));
  assert.equal(await damaged.deliver(), undefined);
  const [delivery] = (await damaged.request(`${ENDPOINTS}/${damaged.id}/deliveries`)).body.deliveries;
  const reason =
    'The platform cannot read the secret of this endpoint at the moment. Please contact its operator.';
  assert.deepEqual([delivery.state, delivery.error], ['pending', reason]);
  const tried = await bodyOf(damaged.request.post(`${ENDPOINTS}/${damaged.id}/test`));
  assert.deepEqual([tried.succeeded, tried.error], [false, reason]);
  verify(await healthy.deliver(), healthy.secret);
  const run = await saldo('rotate');
  assert.equal(run.code, 1);
  assert.match(
    run.out,
    new RegExp(`\\nThis secret is damaged and keeps its key: webhook_endpoint ${damaged.id}\\n`),
  );
  verify(await healthy.deliver(), healthy.secret);
  // Its owner repairs it. After the first rotation the damaged one is the previous secret.
  const rotated = async () =>
    (await bodyOf(damaged.request.post(`${ENDPOINTS}/${damaged.id}/rotate-secret`))).secret as string;
  await rotated();
  const secret = await rotated();
  verify(await damaged.deliver(), secret);
});

test('without its file the server serves what it has opened, and makes no secret that the next start could not open', async () => {
  const endpoint = await newEndpoint();
  const content = await readFile(SECRETS_KEY_FILE, 'utf8');
  await writeFile(SECRETS_KEY_FILE, '');
  assert.equal((await endpoint.request.post(ENDPOINTS, { url: endpoint.receiver.url })).status, 500);
  assert.ok((await endpoint.deliver()) !== undefined);
  await writeFile(SECRETS_KEY_FILE, content);
  assert.equal((await endpoint.request.post(ENDPOINTS, { url: endpoint.receiver.url })).status, 201);
});

test('a lost key: what it sealed is replaced, and what follows is printed', async () => {
  const endpoint = await newEndpoint();
  const kept = keyIds();
  const unchanged = await saldo('reset');
  assert.deepEqual([unchanged.code, unchanged.err], [0, '']);
  assert.match(unchanged.out, /^Nothing was changed: .+ has the key of every secret\.\n$/);
  assert.deepEqual(keyIds(), kept);
  await writeSecretsKeys(SECRETS_KEY_FILE, [newSecretsKey()]);
  const refused = await saldo('rotate');
  assert.equal(refused.code, 1);
  assert.match(
    refused.err,
    new RegExp(`^Not completed: SECRETS_KEY_FILE must have the key.* ${kept[0]}.*saldo secrets reset\\.\\n$`),
  );
  const run = await saldo('reset');
  assert.deepEqual([run.code, run.err], [0, '']);
  assert.match(run.out, /The platform has a new secret: restart its servers\./);
  assert.match(
    run.out,
    new RegExp(
      `Webhook endpoints have a new secret, which was shown to no owner\\.[^]*\\n  webhook_endpoint ${endpoint.id}\\n`,
    ),
  );
  assert.deepEqual((await saldo('status')).out.split('\n').length, 2, 'one key seals everything');
  const received = await endpoint.deliver();
  assert.throws(() => verify(received, endpoint.secret), /No matching signature/);
  const { secret } = await bodyOf(endpoint.request.post(`${ENDPOINTS}/${endpoint.id}/rotate-secret`));
  verify(await endpoint.deliver(), secret);
});
