import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { LIMITS } from '@saldo/api';
import { statement } from '../src/platform/db/statement.ts';
import { type Browser, newUser, openBrowser, signedIn } from './browser.ts';
import { type Answer, client, problemOf, startTestPlatform, type TestPlatform } from './harness.ts';
import { type Authenticator, createAuthenticator, type Deviation } from './passkey-authenticator.ts';
import { freePort } from './ports.ts';

const NOW = '2026-10-20T08:00:00Z';
const OPERATOR = { type: 'operator' } as const;
/** Every browser has an address: the audit trail has a limited number of failures of one address. */
const platform = await startTestPlatform({ now: NOW, environment: { TRUST_PROXY: 'on' } });
/** The same database, where users of the operator need a second factor. */
const strict = await startTestPlatform({
  now: NOW,
  environment: { DATABASE_URL: platform.databaseUrl, MFA: 'operators' },
});
const port = await freePort();
await startTestPlatform({
  environment: { BASE_URL: 'https://portal.saldo.example', PORT: String(port) },
});
const asOperator = client(platform.baseUrl, await platform.world.operatorKey());

/** Browsers accept `localhost` as the domain of passkeys, and no IP address. */
const originOf = ({ baseUrl }: Pick<TestPlatform, 'baseUrl'>) => baseUrl.replace('127.0.0.1', 'localhost');
const newAuthenticator = (where = platform) => createAuthenticator(originOf(where));

/** Seconds since the beginning, for both processes. */
function setTime(seconds: number): void {
  const instant = new Date(Date.parse(NOW) + seconds * 1000).toISOString();
  for (const { clock } of [platform, strict]) clock.set(instant);
}

const PATH = '/portal/v1';
const challengeOf = async ({ request }: Browser, path: string) => {
  const answer = await request.post(`${PATH}/${path}/challenge`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.public_key;
};

async function add(browser: Browser, authenticator: Authenticator, name = 'Laptop'): Promise<Answer> {
  const credential = authenticator.create(await challengeOf(browser, 'passkeys'));
  return browser.request.post(`${PATH}/passkeys`, { name, credential });
}

/** A user with a passkey, and the browser in which it was added. */
async function newOwner(where = platform, name = 'Laptop') {
  const { browser, user, state } = await signedIn(where, OPERATOR);
  const authenticator = newAuthenticator(where);
  const added = await add(browser, authenticator, name);
  assert.equal(added.status, 201, added.text);
  return { browser, user, authenticator, passkey: added.body, userId: state.user.id as string };
}

const send = ({ request }: Browser, credential: object, step = 'sign-in/passkey') =>
  request.post(`${PATH}/${step}`, { credential });

const signIn = async (authenticator: Authenticator, how: Deviation = {}, browser = openBrowser(platform)) =>
  send(browser, authenticator.get(await challengeOf(browser, 'sign-in/passkey'), how));

/** What the entries of the tests have in their records. */
type Recorded = { readonly name?: string; readonly result?: string } | null;
type Entry = { readonly action: string; readonly before: Recorded; readonly after: Recorded };

const entriesOf = async (subject: string): Promise<Entry[]> =>
  (await asOperator(`/operator/v1/audit?subject=${subject}&limit=100`)).body.entries;
const actionsOf = async (subject: string) => (await entriesOf(subject)).map(({ action }) => action);

const REFUSED = 'This passkey was not accepted. Try again, or sign in another way.';
function assertRefused(answer: Answer, what: string): void {
  assert.deepEqual([answer.status, problemOf(answer).code], [401, 'invalid_credentials'], what);
  assert.equal(answer.body.detail, REFUSED, what);
  assert.deepEqual(answer.headers.getSetCookie(), [], what);
}

function assertProblem(answer: Answer, status: number, code: string): void {
  assert.deepEqual([answer.status, problemOf(answer).code], [status, code], answer.text);
}

test('a passkey signs its user in without an email and without a password, and counts as two factors', async () => {
  const { userId, authenticator, browser } = await newOwner();
  const elsewhere = openBrowser(platform);
  const options = await challengeOf(elsewhere, 'sign-in/passkey');
  assert.deepEqual(
    [options.rpId, options.userVerification, options.allowCredentials],
    ['localhost', 'required', undefined],
  );
  const answer = await send(elsewhere, authenticator.get(options));
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual([answer.body.user.id, answer.body.pending], [userId, null]);
  assert.equal((await elsewhere.request('/operator/v1/brps')).status, 200);
  const [passkey] = (await browser.request(`${PATH}/passkeys`)).body.passkeys;
  assert.deepEqual([passkey.name, passkey.created_at, passkey.last_used_at], ['Laptop', NOW, NOW]);
  assert.deepEqual(await actionsOf(userId), ['user.signed_in', 'user.passkey_added', 'user.signed_in']);
  const where = { origin: originOf(strict) };
  assert.equal((await signIn(authenticator, where, openBrowser(strict))).body.pending, null);
});

test('a passkey is made for the domain of BASE_URL, verifies its user, and is not made twice by one authenticator', async () => {
  const { browser, authenticator, user } = await newOwner();
  const options = await challengeOf(browser, 'passkeys');
  assert.deepEqual(options.rp, { name: 'Saldo', id: 'localhost' });
  assert.deepEqual([options.user.name, options.attestation], [user.email, 'none']);
  const { residentKey, userVerification } = options.authenticatorSelection;
  assert.deepEqual([residentKey, userVerification], ['required', 'required']);
  assert.deepEqual(options.excludeCredentials, [
    { id: authenticator.id, transports: ['internal'], type: 'public-key' },
  ]);

  const origin = { headers: { origin: 'https://portal.saldo.example' } };
  const request = client(`http://127.0.0.1:${port}`);
  const started = await request.post(`${PATH}/sign-in/passkey/challenge`, undefined, origin);
  assert.equal(started.body.public_key.rpId, 'portal.saldo.example');
  assert.match(
    started.headers.getSetCookie().join(),
    /^__Host-saldo_passkey=[\w-]{43}; Max-Age=300; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  );
});

test('a challenge works once, in the browser that asked for it, for five minutes', async () => {
  const { authenticator } = await newOwner();
  const browser = openBrowser(platform);
  const credential = authenticator.get(await challengeOf(browser, 'sign-in/passkey'));
  const { challenge } = browser;
  const thief = openBrowser(platform);
  assertRefused(await send(thief, credential), 'without the cookie');
  await challengeOf(thief, 'sign-in/passkey');
  assertRefused(await send(thief, credential), 'with the cookie of another challenge');
  assert.equal((await send(browser, credential)).status, 200);
  const replaying = Object.assign(openBrowser(platform), { challenge });
  assertRefused(await send(replaying, authenticator.get(optionsOf(credential))), 'replayed');

  const late = openBrowser(platform);
  const inTime = authenticator.get(await challengeOf(late, 'sign-in/passkey'));
  setTime(299);
  assert.equal((await send(late, inTime)).status, 200);
  const tooLate = authenticator.get(await challengeOf(late, 'sign-in/passkey'));
  setTime(299 + 300);
  assertRefused(await send(late, tooLate), 'expired');
  setTime(0);
});

/** The options whose challenge a credential has signed, to sign them once more. */
const optionsOf = ({ response }: { response: { clientDataJSON: string } }) => {
  const { challenge } = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString());
  return { challenge, rpId: 'localhost' };
};

test('a wrong answer uses its challenge up', async () => {
  const { authenticator } = await newOwner();
  const browser = openBrowser(platform);
  const options = await challengeOf(browser, 'sign-in/passkey');
  assertRefused(await send(browser, authenticator.get(options, { isVerified: false })), 'not verified');
  assertRefused(await send(browser, authenticator.get(options)), 'the challenge is gone');
});

test('whatever is wrong with a passkey gets the same answer, which tells nothing about users, and is recorded', async () => {
  const owner = await newOwner();
  const { userId, authenticator } = owner;
  const wrong: Record<string, Deviation> = {
    'page of another site': { origin: 'https://saldo.evil.example' },
    'page of another port': { origin: 'http://localhost:1' },
    'passkey of another domain': { rpId: 'evil.example' },
    'user not verified': { isVerified: false },
    'user not present': { isPresent: false },
    'a registration': { type: 'webauthn.create' },
    'another challenge': { challenge: randomBytes(32).toString('base64url') },
    'handle of another user': { userHandle: randomBytes(16).toString('base64url') },
    'wrong signature': { signature: randomBytes(70) },
  };
  for (const [what, how] of Object.entries(wrong)) assertRefused(await signIn(authenticator, how), what);
  assert.equal((await signIn(authenticator)).status, 200, 'it works otherwise');
  const failed = (await entriesOf(userId)).filter(({ action }) => action === 'user.sign_in_failed');
  assert.deepEqual(
    failed.map(({ after }) => after?.result),
    Object.keys(wrong).map(() => 'passkey_failed'),
  );

  const unknown = newAuthenticator();
  unknown.create({ challenge: '', rp: { id: 'localhost' }, user: { id: owner.authenticator.id } });
  assertRefused(await signIn(unknown), 'unknown passkey');
  const forged = { ...authenticator.get({ challenge: '', rpId: 'localhost' }) };
  const nonsense = { ...forged.response, clientDataJSON: Buffer.from('null').toString('base64url') };
  assertRefused(await send(openBrowser(platform), { ...forged, response: nonsense }), 'nonsense');

  await asOperator.patch(`/operator/v1/users/${userId}`, { disabled: true });
  assertRefused(await signIn(authenticator), 'disabled user');
  const last = (await entriesOf(userId)).at(-1);
  assert.deepEqual([last?.action, last?.after?.result], ['user.sign_in_failed', 'disabled']);
});

test('a sign count that goes back is refused and audited as a copy, and the original goes on', async () => {
  const { userId, authenticator } = await newOwner(platform, 'Security key');
  assert.equal((await signIn(authenticator, { signCount: 7 })).status, 200);
  const clones = async () =>
    (await entriesOf(userId)).filter(({ action }) => action === 'user.passkey_cloned');
  for (const signCount of [6, 7, 0])
    assertRefused(await signIn(authenticator, { signCount }), `${signCount}`);
  assert.deepEqual(
    (await clones()).map(({ after }) => after?.name),
    ['Security key', 'Security key', 'Security key'],
  );
  assert.equal((await entriesOf(userId)).at(-1)?.after?.result, 'passkey_cloned');
  assertRefused(await signIn(authenticator, { signCount: 5, signature: randomBytes(70) }), 'forged');
  assert.equal((await clones()).length, 3, 'a copy cannot be reported without the key');
  assert.equal((await signIn(authenticator, { signCount: 8 })).status, 200);

  // Two answers with the same count, at once: one of them is a copy.
  const browsers = [openBrowser(platform), openBrowser(platform)];
  const answers = await Promise.all(browsers.map((own) => signIn(authenticator, { signCount: 9 }, own)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401]);
});

test('an authenticator that does not count is never a copy', async () => {
  const { browser } = await signedIn(platform, OPERATOR);
  const authenticator = newAuthenticator();
  const credential = authenticator.create(await challengeOf(browser, 'passkeys'), { signCount: 0 });
  assert.equal((await browser.request.post(`${PATH}/passkeys`, { name: 'Phone', credential })).status, 201);
  for (let times = 0; times < 3; times++)
    assert.equal((await signIn(authenticator, { signCount: 0 })).status, 200);
});

const STEP = 'session/second-factor/passkey';

test('a passkey is the second step after a password: a new token, the whole lifetime, and nothing before it', async () => {
  const { authenticator, user, userId } = await newOwner();
  const browser = openBrowser(platform);
  const pending = await browser.signIn(user.email, user.password);
  assert.deepEqual([pending.status, pending.body.pending], [200, 'second_factor']);
  const [token, early] = [browser.cookie, pending.body.expires_at];
  assertProblem(await browser.request('/operator/v1/brps'), 403, 'second_factor_required');
  assertProblem(await browser.request(`${PATH}/passkeys`), 403, 'second_factor_required');
  assertProblem(await browser.request.post(`${PATH}/passkeys/challenge`), 403, 'second_factor_required');
  const options = await challengeOf(browser, STEP);
  assert.deepEqual(
    options.allowCredentials.map(({ id }: { id: string }) => id),
    [authenticator.id],
  );
  const complete = await send(browser, authenticator.get(options), STEP);
  assert.equal(complete.status, 200, complete.text);
  assert.deepEqual([complete.body.pending, complete.body.user.id], [null, userId]);
  assert.ok(complete.body.expires_at > early);
  assert.notEqual(browser.cookie, token);
  assert.equal((await browser.request('/operator/v1/brps')).status, 200);
  const old = Object.assign(openBrowser(platform), { cookie: token });
  assertProblem(await old.request(`${PATH}/session`), 401, 'invalid_session');
  assertProblem(await browser.request.post(`${PATH}/${STEP}/challenge`), 409, 'invalid_status_transition');
  const again = await send(browser, authenticator.get(options), STEP);
  assertProblem(again, 409, 'invalid_status_transition');
});

test('the second step takes the passkey of its own user only, for a challenge of its own', async () => {
  const [victim, thief] = [await newOwner(), await newOwner()];
  const browser = openBrowser(platform);
  await browser.signIn(victim.user.email, victim.user.password);
  assertRefused(
    await send(browser, thief.authenticator.get(await challengeOf(browser, STEP)), STEP),
    'passkey of another user',
  );
  const failure = (await entriesOf(victim.userId)).at(-1);
  assert.deepEqual([failure?.action, failure?.after?.result], ['user.sign_in_failed', 'passkey_failed']);
  const ofThief = (await entriesOf(thief.userId)).map(({ action }) => action);
  assert.ok(!ofThief.includes('user.sign_in_failed'), 'the failure belongs to the session’s user');
  const open = await challengeOf(browser, 'sign-in/passkey');
  assertRefused(await send(browser, victim.authenticator.get(open), STEP), 'challenge of a sign-in');
  const step = await challengeOf(browser, STEP);
  assertRefused(await send(browser, victim.authenticator.get(step)), 'challenge of a second step');
  assert.equal((await browser.request(`${PATH}/session`)).body.pending, 'second_factor');
});

test('a user has several passkeys with names, renames and removes them, and all of it is audited', async () => {
  const { browser, passkey, authenticator, userId } = await newOwner();
  const second = newAuthenticator();
  assert.equal((await add(browser, second, 'Phone')).status, 201);
  const renamed = await browser.request.patch(`${PATH}/passkeys/${passkey.id}`, { name: 'Old laptop' });
  assert.equal(renamed.body.name, 'Old laptop');
  const list = async () =>
    (await browser.request(`${PATH}/passkeys`)).body.passkeys.map(({ name }: { name: string }) => name);
  assert.deepEqual(await list(), ['Old laptop', 'Phone']);
  assert.equal((await browser.request.delete(`${PATH}/passkeys/${passkey.id}`)).status, 204);
  assert.deepEqual(await list(), ['Phone']);
  assertRefused(await signIn(authenticator), 'removed');
  assert.equal((await signIn(second)).status, 200);
  const changes = (await entriesOf(userId)).filter(({ action }) => action.startsWith('user.passkey'));
  assert.deepEqual(
    changes.map(({ action, before, after }) => [action, before?.name, after?.name]),
    [
      ['user.passkey_added', undefined, 'Laptop'],
      ['user.passkey_added', undefined, 'Phone'],
      ['user.passkey_renamed', 'Laptop', 'Old laptop'],
      ['user.passkey_removed', 'Old laptop', undefined],
    ],
  );
});

test('passkeys of others can be neither changed nor registered again', async () => {
  const [owner, other] = [await newOwner(), await newOwner()];
  const path = `${PATH}/passkeys/${owner.passkey.id}`;
  assertProblem(await other.browser.request.patch(path, { name: 'Mine' }), 404, 'passkey_not_found');
  assertProblem(await other.browser.request.delete(path), 404, 'passkey_not_found');
  const known = await add(other.browser, owner.authenticator);
  assert.deepEqual([known.status, problemOf(known).errors], [400, ['credential validation_failed']]);
  assert.equal((await other.browser.request(`${PATH}/passkeys`)).body.passkeys.length, 1);
});

test('a credential is added only for a challenge of this user, from our page, with its user verified', async () => {
  const { browser } = await signedIn(platform, OPERATOR);
  const { browser: other } = await signedIn(platform, OPERATOR);
  const refused = async (what: string, how: Deviation, asked = browser, sent = browser) => {
    const credential = newAuthenticator().create(await challengeOf(asked, 'passkeys'), how);
    sent.challenge = asked.challenge;
    const answer = await sent.request.post(`${PATH}/passkeys`, { name: 'x', credential });
    assert.deepEqual(
      [answer.status, problemOf(answer).errors],
      [400, ['credential validation_failed']],
      what,
    );
  };
  await refused('page of another site', { origin: 'https://saldo.evil.example' });
  await refused('another domain', { rpId: 'evil.example' });
  await refused('user not verified', { isVerified: false });
  await refused('a sign-in', { type: 'webauthn.get' });
  await refused('another challenge', { challenge: 'AAAA' });
  await refused('challenge of another user', {}, other, browser);
  const authenticator = newAuthenticator();
  const credential = authenticator.create(await challengeOf(browser, 'passkeys'));
  const renamed = { ...credential, id: 'AAAA', rawId: 'AAAA' };
  assert.equal(
    (await browser.request.post(`${PATH}/passkeys`, { name: 'x', credential: renamed })).status,
    400,
  );
  assert.equal(
    (await browser.request.post(`${PATH}/passkeys`, { name: 'x', credential })).status,
    400,
    'replayed',
  );
  assert.deepEqual((await browser.request(`${PATH}/passkeys`)).body.passkeys, []);
});

test('an authenticator may attest itself, but not by a certificate', async () => {
  const { browser } = await signedIn(platform, OPERATOR);
  const post = async (hasCertificate: boolean) => {
    const authenticator = newAuthenticator();
    const options = await challengeOf(browser, 'passkeys');
    const credential = authenticator.create(options, {}, authenticator.attested(hasCertificate));
    return (await browser.request.post(`${PATH}/passkeys`, { name: 'Attested', credential })).status;
  };
  assert.deepEqual([await post(false), await post(true)], [201, 400]);
});

test('passkeys are added and removed within 15 minutes of a sign-in, however it was made', async () => {
  const { browser, passkey, authenticator } = await newOwner();
  setTime(15 * 60);
  assertProblem(await browser.request.post(`${PATH}/passkeys/challenge`), 403, 'recent_sign_in_required');
  const remove = (by: Browser) => by.request.delete(`${PATH}/passkeys/${passkey.id}`);
  assertProblem(await remove(browser), 403, 'recent_sign_in_required');
  assert.equal((await browser.request.patch(`${PATH}/passkeys/${passkey.id}`, { name: 'New' })).status, 200);
  const again = openBrowser(platform);
  assert.equal((await signIn(authenticator, {}, again)).status, 200);
  assert.equal((await add(again, newAuthenticator())).status, 201);
  assert.equal((await remove(again)).status, 204);
  setTime(0);
});

test('a new passkey ends the other sessions of its user, which have not proved it', async () => {
  const { browser, user } = await signedIn(platform, OPERATOR);
  const elsewhere = openBrowser(platform);
  assert.equal((await elsewhere.signIn(user.email, user.password)).body.pending, null);
  assert.equal((await add(browser, newAuthenticator())).status, 201);
  assertProblem(await elsewhere.request(`${PATH}/session`), 401, 'invalid_session');
  assert.equal((await browser.request(`${PATH}/session`)).status, 200);
});

test('the last passkey of a user without another way to sign in cannot be removed', async () => {
  const { browser, user, passkey, authenticator } = await newOwner();
  const FORGET = statement('test_forget_password', 'update app_user set password_hash = null where id = $1');
  await platform.db.transaction((tx) => tx.query(FORGET, [user.id]));
  const path = `${PATH}/passkeys/${passkey.id}`;
  assertProblem(await browser.request.delete(path), 409, 'invalid_status_transition');
  assert.equal((await signIn(authenticator)).status, 200);
  assert.equal((await add(browser, newAuthenticator())).status, 201);
  assert.equal((await browser.request.delete(path)).status, 204);
});

test('a user who needs a second factor sets up a passkey first, which completes the sign-in with a new token', async () => {
  const user = await newUser(strict, OPERATOR);
  const browser = openBrowser(strict);
  const pending = await browser.signIn(user.email, user.password);
  assert.equal(pending.body.pending, 'set_up');
  const token = browser.cookie;
  const authenticator = newAuthenticator(strict);
  const added = await add(browser, authenticator);
  assert.equal(added.status, 201, added.text);
  assert.notEqual(browser.cookie, token);
  const state = (await browser.request(`${PATH}/session`)).body;
  assert.equal(state.pending, null);
  assert.ok(state.expires_at > pending.body.expires_at);
  const old = Object.assign(openBrowser(strict), { cookie: token });
  assertProblem(await old.request(`${PATH}/session`), 401, 'invalid_session');

  const path = `${PATH}/passkeys/${added.body.id}`;
  assertProblem(await browser.request.delete(path), 409, 'invalid_status_transition');
  assert.equal((await add(browser, newAuthenticator(strict))).status, 201);
  assert.equal((await browser.request.delete(path)).status, 204, 'another one is left');
});

test('once a user has a factor, a session that began without one cannot add another', async () => {
  const user = await newUser(strict, OPERATOR);
  const [thief, owner] = [openBrowser(strict), openBrowser(strict)];
  for (const browser of [thief, owner]) await browser.signIn(user.email, user.password);
  const options = await challengeOf(thief, 'passkeys');
  assert.equal((await add(owner, newAuthenticator(strict))).status, 201);
  const credential = newAuthenticator(strict).create(options);
  const late = await thief.request.post(`${PATH}/passkeys`, { name: 'Mine', credential });
  assertProblem(late, 401, 'invalid_session');
  assertProblem(await thief.request.post(`${PATH}/passkeys/challenge`), 401, 'invalid_session');
});

const COUNT = statement('count_passkeys', 'select count(*)::int as count from passkey where user_id = $1');

test('a user has twenty passkeys at most, also when several are added at once', async () => {
  const { browser, user } = await signedIn(platform, OPERATOR);
  for (let count = 0; count < LIMITS.passkeys - 1; count++)
    assert.equal((await add(browser, newAuthenticator())).status, 201);
  const tabs = [browser, Object.assign(openBrowser(platform), { cookie: browser.cookie })];
  const credentials: object[] = [];
  for (const tab of tabs) credentials.push(newAuthenticator().create(await challengeOf(tab, 'passkeys')));
  const answers = await Promise.all(
    tabs.map((tab, at) => tab.request.post(`${PATH}/passkeys`, { name: 'x', credential: credentials[at] })),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409]);
  assertProblem(await browser.request.post(`${PATH}/passkeys/challenge`), 409, 'too_many_passkeys');
  assert.deepEqual(await platform.db.query(COUNT, [user.id]), [{ count: LIMITS.passkeys }]);
});
