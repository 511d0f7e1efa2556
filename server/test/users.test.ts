import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { test } from 'node:test';
import { LIMITS } from '@saldo/api';
import type { Database } from '../src/platform/db/database.ts';
import { statement } from '../src/platform/db/statement.ts';
import { hashPassword } from '../src/users/passwords.ts';
import { acceptInvitation, setPassword, signIn } from '../src/users/sessions.ts';
import { untilBlocked } from './blocked.ts';
import { type Browser, newUser, openBrowser, signedIn } from './browser.ts';
import { type Answer, assertProblem, client, problemOf, startTestPlatform, walk } from './harness.ts';

const NOW = '2026-10-20T08:00:00Z';
const PASSWORD = 'nine gulls over the jetty';
const platform = await startTestPlatform({ now: NOW });
const { world } = platform;
const operatorKey = await world.operatorKey();
const operator = client(platform.baseUrl, operatorKey);
const brp = await world.brp();
const account = await world.account();
const OF_BRP = { type: 'brp', brpNo: brp.no } as const;
const OPERATOR = { type: 'operator' } as const;
const accountId = (await operator('/operator/v1/accounts')).body.accounts[0].id;

let count = 0;
const createUser = (more: object = {}) =>
  operator.post('/operator/v1/users', {
    email: `invited${++count}@saldo.example`,
    name: 'Invited',
    role: 'brp',
    permissions: 'admin',
    brp_id: brp.id,
    ...more,
  });
const update = (id: string, body: object) => operator.patch(`/operator/v1/users/${id}`, body);
const invite = async (id: string): Promise<{ token: string; link: string; expiresAt: string }> => {
  const { status, body } = await operator.post(`/operator/v1/users/${id}/invitation`);
  assert.equal(status, 201);
  return { token: new URL(body.link).hash.slice(1), link: body.link, expiresAt: body.expires_at };
};
const accept = (browser: Browser, token: string, password = PASSWORD) =>
  browser.request.post(`/portal/v1/invitations/${token}`, { password });
const codeOf = (answer: Answer) => [answer.status, problemOf(answer).code];

test('a user is created, invited, sets a password and is signed in', async () => {
  const { body: user } = await createUser({ email: 'Dispatch@Nordwind.example' });
  assert.deepEqual(
    [user.email, user.status, user.role, user.permissions, user.brp.id, user.account],
    ['dispatch@nordwind.example', 'invited', 'brp', 'admin', brp.id, null],
  );
  const { token, link, expiresAt } = await invite(user.id);
  assert.equal(link, `${platform.baseUrl}/invitation#${token}`);
  assert.equal(expiresAt, '2026-10-23T08:00:00Z');
  const browser = openBrowser(platform);
  const invitation = await browser.request(`/portal/v1/invitations/${token}`);
  assert.deepEqual(invitation.body, {
    email: user.email,
    name: user.name,
    role: 'brp',
    expires_at: expiresAt,
    providers: [],
  });
  const accepted = await accept(browser, token);
  assert.equal(accepted.status, 200);
  assert.equal(accepted.body.user.id, user.id);
  assert.equal((await browser.request('/v1/contracts')).status, 200);
  const { body: now } = await operator(`/operator/v1/users/${user.id}`);
  assert.deepEqual(
    [now.status, now.last_signed_in_at, now.invitation_expires_at],
    ['active', '2026-10-20T08:00:00Z', null],
  );
  for (const email of ['dispatch@nordwind.example', 'DISPATCH@nordwind.example']) {
    assert.equal((await openBrowser(platform).signIn(email, PASSWORD)).status, 200, email);
  }
});

test('an invitation works once', async () => {
  const { token } = await invite((await createUser()).body.id);
  const both = await Promise.all([
    accept(openBrowser(platform), token, 'the first of the two'),
    accept(openBrowser(platform), token, 'the second of the two'),
  ]);
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 404]);
  assert.deepEqual(codeOf(await accept(openBrowser(platform), token)), [404, 'invitation_not_found']);
  const read = await openBrowser(platform).request(`/portal/v1/invitations/${token}`);
  assert.deepEqual(codeOf(read), [404, 'invitation_not_found']);
});

test('an invitation is valid for 72 hours, or until a newer one is created', async () => {
  const { body: user } = await createUser();
  const { token: first } = await invite(user.id);
  const { token } = await invite(user.id);
  assert.equal((await accept(openBrowser(platform), first)).status, 404);
  const path = `/portal/v1/invitations/${token}`;
  platform.clock.set('2026-10-23T07:59:59Z');
  assert.equal((await openBrowser(platform).request(path)).status, 200);
  platform.clock.set('2026-10-23T08:00:00Z');
  assert.equal((await openBrowser(platform).request(path)).status, 404);
  assert.deepEqual(codeOf(await accept(openBrowser(platform), token)), [404, 'invitation_not_found']);
  platform.clock.set(NOW);
});

test('an unknown or malformed invitation is 404', async () => {
  for (const token of ['x', 'a'.repeat(43), '%00', encodeURIComponent('ü'), 'a'.repeat(5000)]) {
    const answer = await openBrowser(platform).request(`/portal/v1/invitations/${token}`);
    assert.deepEqual(codeOf(answer), [404, 'invitation_not_found'], token);
  }
});

test('a new invitation resets a lost password and ends the user’s sessions', async () => {
  const user = await newUser(platform, OF_BRP);
  const before = openBrowser(platform);
  await before.signIn(user.email, user.password);
  const { id } = (await operator(`/operator/v1/users?email=${user.email}`)).body.users[0];
  const { token } = await invite(id);
  assert.equal((await before.request('/portal/v1/session')).status, 200, 'valid until the link is used');
  assert.equal((await accept(openBrowser(platform), token)).status, 200);
  assert.equal((await before.request('/portal/v1/session')).status, 401);
  assert.equal((await openBrowser(platform).signIn(user.email, user.password)).status, 401);
  assert.equal((await openBrowser(platform).signIn(user.email, PASSWORD)).status, 200);
});

test('a password has 12 to 128 characters and is not the email; violations are reported', async () => {
  const { body: user } = await createUser();
  const { token } = await invite(user.id);
  const refusals: [password: unknown, error: string][] = [
    ['short', 'password value_too_small'],
    ['x'.repeat(LIMITS.password.minimum - 1), 'password value_too_small'],
    ['x'.repeat(LIMITS.password.maximum + 1), 'password value_too_large'],
    ['nul\0'.repeat(10), 'password invalid_format'],
    [user.email.toUpperCase(), 'password validation_failed'],
    [12, 'password invalid_type'],
  ];
  for (const [password, error] of refusals) {
    const answer = await accept(openBrowser(platform), token, password as string);
    assert.deepEqual(problemOf(answer), { code: 'validation', errors: [error] });
  }
  const twelve = '🔋🌊🏭🐟⚡🦢🍏🥨🚲🎻🐌🌋';
  assert.equal((await accept(openBrowser(platform), token, twelve)).status, 200);
  assert.equal((await openBrowser(platform).signIn(user.email, twelve)).status, 200);
});

test('a guessable new password is rejected with advice, and an existing one stays valid', async () => {
  const { body: user } = await createUser({ name: 'Dora Dunkel' });
  const { token } = await invite(user.id);
  const weak = [
    'passwordpassword',
    'P@ssw0rd1234',
    'qwertzuiop123',
    'Willkommen2026',
    'DoraDunkel2026',
    user.email,
  ];
  for (const password of weak) {
    const answer = await accept(openBrowser(platform), token, password);
    assertProblem(answer, 400, 'validation', ['password validation_failed'], password);
  }
  const refused = await accept(openBrowser(platform), token, 'passwordpassword');
  assert.match(refused.body.errors[0].message, /too easy to guess; several words/);

  const old = await newUser(platform, OF_BRP);
  const hash = await hashPassword('passwordpassword');
  await platform.db.transaction((tx) => setPassword(tx, old.id, hash));
  const browser = openBrowser(platform);
  assert.equal((await browser.signIn(old.email, 'passwordpassword')).status, 200);
  const change = (next: string) =>
    browser.request.put('/portal/v1/password', { current: 'passwordpassword', new: next });
  assert.deepEqual(problemOf(await change('1q2w3e4r5t6y')).errors, ['new validation_failed']);
  assert.equal((await change(PASSWORD)).status, 204);
});

test('a deceptive email is rejected, and existing users with one can sign in', async () => {
  const refused: [email: string, why: RegExp][] = [
    ['аnna@saldo.example', /different scripts/],
    ['anna@sаldo.example', /different scripts/],
    ['an\u200bna@saldo.example', /invisible/],
    ['an\u202ena@saldo.example', /invisible/],
  ];
  for (const [email, why] of refused) {
    const answer = await createUser({ email });
    assert.deepEqual(problemOf(answer), { code: 'validation', errors: ['email invalid_format'] }, email);
    assert.match(answer.body.errors[0].message, why);
  }
  assert.equal((await createUser({ email: ' ＦＩＯＮＡ@saldo.example ' })).body.email, 'fiona@saldo.example');
  assert.deepEqual(codeOf(await createUser({ email: 'ﬁona@saldo.example' })), [409, 'already_exists']);

  const old = await newUser(platform, OF_BRP);
  await platform.db.transaction((tx) => tx.query(SET_EMAIL, [old.id, 'аn\u200bna@saldo.example']));
  for (const email of ['аn\u200bna@saldo.example', 'АN\u200bNA@saldo.example']) {
    assert.equal(
      (await openBrowser(platform).signIn(email, old.password)).status,
      200,
      JSON.stringify(email),
    );
  }
  const found = await operator(`/operator/v1/users?email=${encodeURIComponent('аn\u200bna@saldo.example')}`);
  assert.equal(found.body.users.length, 1);
});

const SET_EMAIL = statement('test_set_email', 'update app_user set email = $2 where id = $1');

test('unknown email, missing password, disabled user and wrong password get the same bytes', async () => {
  const { body: uninvited } = await createUser();
  const disabled = await newUser(platform, OF_BRP);
  const known = await newUser(platform, OF_BRP);
  const { id } = (await operator(`/operator/v1/users?email=${disabled.email}`)).body.users[0];
  await update(id, { disabled: true });
  const texts = new Set<string>();
  for (const [email, password] of [
    ['unknown@saldo.example', PASSWORD],
    [uninvited.email, PASSWORD],
    [disabled.email, disabled.password],
    [known.email, `${known.password}!`],
    [known.email, known.password.slice(0, -1)],
  ] as const) {
    const answer = await openBrowser(platform).signIn(email, password);
    assert.deepEqual(codeOf(answer), [401, 'invalid_credentials'], email);
    assert.deepEqual(answer.headers.getSetCookie(), []);
    texts.add(answer.text);
  }
  assert.equal(texts.size, 1);
});

test('disabling a user ends their sessions at once, and enabling lets them sign in again', async () => {
  const { browser, state, user } = await signedIn(platform, OF_BRP);
  assert.equal((await browser.request('/v1/contracts')).status, 200);
  const disabled = await update(state.user.id, { disabled: true });
  assert.deepEqual([disabled.body.status, disabled.body.disabled_at], ['disabled', NOW]);
  assert.equal((await browser.request('/v1/contracts')).status, 401);
  const invitation = await operator.post(`/operator/v1/users/${state.user.id}/invitation`);
  assert.deepEqual(codeOf(invitation), [409, 'invalid_status_transition']);
  assert.equal((await update(state.user.id, { disabled: false })).body.status, 'active');
  assert.equal((await browser.request('/v1/contracts')).status, 401, 'the old session has ended for good');
  assert.equal((await openBrowser(platform).signIn(user.email, user.password)).status, 200);
});

test('an invitation ends when its user is disabled', async () => {
  const { body: user } = await createUser();
  const { token } = await invite(user.id);
  await update(user.id, { disabled: true });
  assert.equal((await accept(openBrowser(platform), token)).status, 404);
  await update(user.id, { disabled: false });
  assert.equal((await accept(openBrowser(platform), token)).status, 404);
});

test('removed permissions have effect at once', async () => {
  // The last administrator could not be demoted.
  await newUser(platform, OPERATOR);
  const { browser, state } = await signedIn(platform, OPERATOR);
  const create = () => browser.request.post('/operator/v1/brps', { name: 'X' });
  assert.equal((await create()).status, 201);
  await update(state.user.id, { permissions: 'viewer' });
  assert.equal((await create()).status, 403);
});

test('users cannot disable themselves or give up their own administrator’s rights', async () => {
  const { browser, state } = await signedIn(platform, OPERATOR);
  const change = (body: object) => browser.request.patch(`/operator/v1/users/${state.user.id}`, body);
  for (const body of [{ disabled: true }, { permissions: 'member' }, { permissions: 'viewer' }]) {
    assert.deepEqual(codeOf(await change(body)), [409, 'invalid_status_transition']);
  }
  assert.equal((await change({ name: 'Myself', disabled: false })).status, 200);
});

const FIND_HASH = statement('test_password_hash', 'select password_hash from app_user where id = $1');

/** A hash of the password with lower cost parameters than the current ones. */
function weakHash(password: string): string {
  const cost = { memory: 64, passes: 1, parallelism: 1 };
  const nonce = Buffer.alloc(16, 'salt');
  const tag = argon2Sync('argon2id', { ...cost, message: password, nonce, tagLength: 32 });
  const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=64,t=1,p=1$${text(nonce)}$${text(tag)}`;
}

test('a password hashed with weaker parameters still works, and is rehashed', async () => {
  const user = await newUser(platform, OF_BRP);
  await platform.db.transaction((tx) => setPassword(tx, user.id, weakHash(user.password)));
  assert.equal((await openBrowser(platform).signIn(user.email, user.password)).status, 200);
  const [row] = await platform.db.query<{ password_hash: string }>(FIND_HASH, [user.id]);
  assert.match(row?.password_hash ?? '', /\$m=19456,t=2,p=1\$/);
  assert.equal((await openBrowser(platform).signIn(user.email, user.password)).status, 200);
});

test('a changed password replaces the old one and ends all other sessions', async () => {
  const user = await newUser(platform, OF_BRP);
  const [one, other] = [openBrowser(platform), openBrowser(platform)];
  for (const browser of [one, other]) await browser.signIn(user.email, user.password);
  const change = (current: string, next: string) =>
    one.request.put('/portal/v1/password', { current, new: next });
  assert.deepEqual(problemOf(await change('not the password', PASSWORD)).errors, [
    'current validation_failed',
  ]);
  assert.deepEqual(problemOf(await change(user.password, 'short')).errors, ['new value_too_small']);
  assert.deepEqual(problemOf(await change(user.password, user.email)).errors, ['new validation_failed']);
  assert.equal((await other.request('/portal/v1/session')).status, 200);
  assert.equal((await change(user.password, PASSWORD)).status, 204);
  assert.equal((await one.request('/portal/v1/session')).status, 200);
  assert.equal((await other.request('/portal/v1/session')).status, 401);
  assert.equal((await openBrowser(platform).signIn(user.email, user.password)).status, 401);
  assert.equal((await openBrowser(platform).signIn(user.email, PASSWORD)).status, 200);
});

const CLIENT = {
  address: '192.0.2.1',
  recordedAddress: '203.0.113.7',
  userAgent: null,
  countSignIn: () => {},
  device: null,
  requestId: 'test',
  oldToken: null,
};
const times = () => ({ now: platform.clock.now(), machineNow: platform.clock.now() });

/** The database, with every transaction that changes sessions kept open until `commit` is called. */
function holdCommits() {
  const [isReady, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held: Database = {
    ...platform.db,
    transaction: (work) =>
      platform.db.transaction(async (tx) => {
        let changesSessions = false;
        const query: typeof tx.query = (asked, values) => {
          changesSessions ||= asked.text.includes('user_session');
          return tx.query(asked, values);
        };
        const result = await work({ ...tx, query });
        if (changesSessions) {
          isReady.resolve();
          await mayCommit.promise;
        }
        return result;
      }),
  };
  return { held, isReady: isReady.promise, commit: mayCommit.resolve };
}

/** Runs `work` while a new invitation of the user is being accepted. The acceptance commits when `work` waits for it. */
async function whileReset<T>(email: string, work: () => Promise<T>): Promise<T> {
  const { id } = (await operator(`/operator/v1/users?email=${email}`)).body.users[0];
  const { token } = await invite(id);
  const { held, isReady, commit } = holdCommits();
  const reset = acceptInvitation(held, token, PASSWORD, CLIENT, times(), 'off');
  await isReady;
  const worked = work();
  await untilBlocked(platform.db);
  commit();
  await reset;
  return worked;
}

for (const [title, hashOf] of [
  ['an old password', hashPassword],
  ['an old password with an outdated hash', async (password: string) => weakHash(password)],
] as const)
  test(`${title} that is verified while it is replaced opens no session and stays replaced`, async () => {
    const user = await newUser(platform, OF_BRP);
    const hash = await hashOf(user.password);
    await platform.db.transaction((tx) => setPassword(tx, user.id, hash));
    const browser = openBrowser(platform);
    const answer = await whileReset(user.email, () => browser.signIn(user.email, user.password));
    assertProblem(answer, 401, 'invalid_credentials');
    assert.equal(browser.cookie, '');
    assert.equal((await openBrowser(platform).signIn(user.email, user.password)).status, 401);
    assert.equal((await openBrowser(platform).signIn(user.email, PASSWORD)).status, 200);
  });

test('two sign-ins at once succeed when both find an outdated hash', async () => {
  const user = await newUser(platform, OF_BRP);
  await platform.db.transaction((tx) => setPassword(tx, user.id, weakHash(user.password)));
  const { held, isReady, commit } = holdCommits();
  const first = signIn(held, user, CLIENT, times(), 'off');
  await isReady;
  const second = openBrowser(platform).signIn(user.email, user.password);
  await untilBlocked(platform.db);
  commit();
  assert.ok((await first).token);
  assert.equal((await second).status, 200);
});

test('a change of a password that is replaced meanwhile is rejected', async () => {
  const { browser, user } = await signedIn(platform, OF_BRP);
  const body = { current: user.password, new: 'six herons beside the lock' };
  const answer = await whileReset(user.email, () => browser.request.put('/portal/v1/password', body));
  assert.equal(answer.status, 400, answer.text);
  assert.deepEqual(problemOf(answer).errors, ['current validation_failed']);
  assert.equal((await openBrowser(platform).signIn(user.email, body.new)).status, 401);
  assert.equal((await openBrowser(platform).signIn(user.email, PASSWORD)).status, 200);
});

test('a changed password ends a session that is being opened with the old one', async () => {
  const { browser, user } = await signedIn(platform, OF_BRP);
  const { held, isReady, commit } = holdCommits();
  const opened = signIn(held, user, CLIENT, times(), 'off');
  await isReady;
  const body = { current: user.password, new: PASSWORD };
  const change = browser.request.put('/portal/v1/password', body);
  await untilBlocked(platform.db);
  commit();
  const cookie = `saldo_session=${(await opened).token}`;
  assert.equal((await change).status, 204);
  const answer = await client(platform.baseUrl)('/portal/v1/session', { headers: { cookie } });
  assert.deepEqual(codeOf(answer), [401, 'invalid_session']);
});

test('guessing the current password within a session is limited', async () => {
  const { browser } = await signedIn(platform, OF_BRP);
  const guess = () => browser.request.put('/portal/v1/password', { current: 'a guess', new: PASSWORD });
  for (let tries = 0; tries < 10; tries++) assert.equal((await guess()).status, 400);
  assert.deepEqual(codeOf(await guess()), [429, 'rate_limited']);
});

test('an email is unique, ignoring case', async () => {
  assert.equal((await createUser({ email: 'once@saldo.example' })).status, 201);
  for (const email of ['once@saldo.example', 'Once@SALDO.example']) {
    assert.deepEqual(codeOf(await createUser({ email })), [409, 'already_exists']);
  }
});

test('a user belongs to the operator, one BRP or one account, and all errors are reported', async () => {
  const wrong: [more: object, errors: string[]][] = [
    [{ email: 'no address' }, ['email invalid_format']],
    [{ email: `${'a'.repeat(65)}@saldo.example` }, ['email invalid_format']],
    [{ email: `a@${'b'.repeat(300)}` }, ['email value_too_large']],
    [{ name: '' }, ['name value_too_small']],
    [{ role: 'admin' }, ['role invalid_enum_value']],
    [{ permissions: undefined }, ['permissions required']],
    [{ brp_id: undefined }, ['brp_id required']],
    [{ brp_id: 'brp_x' }, ['brp_id validation_failed']],
    [{ brp_id: accountId }, ['brp_id validation_failed']],
    [{ account_id: accountId }, ['account_id validation_failed']],
    [{ role: 'account' }, ['brp_id validation_failed']],
    [{ role: 'account', brp_id: undefined }, ['account_id required']],
    [
      { role: 'operator', account_id: accountId },
      ['account_id validation_failed', 'brp_id validation_failed'],
    ],
    [{ password: PASSWORD }, ['password unknown_field']],
  ];
  for (const [more, errors] of wrong) {
    assert.deepEqual(problemOf(await createUser(more)), { code: 'validation', errors }, JSON.stringify(more));
  }
  const holder = await createUser({ role: 'account', brp_id: undefined, account_id: accountId });
  assert.equal(holder.body.account.id, accountId);
});

test('a user’s email and role never change, and an empty change changes nothing', async () => {
  const { body: user } = await createUser();
  const refused = await update(user.id, { email: 'x@y.z', role: 'operator', brp: null });
  assert.deepEqual(problemOf(refused).errors, [
    'brp read_only_field',
    'email read_only_field',
    'role read_only_field',
  ]);
  assert.deepEqual((await update(user.id, {})).body, user);
  assert.equal((await update(user.id, { name: 'Renamed' })).body.name, 'Renamed');
});

test('users are listed by role, party and email, page by page', async () => {
  const allUsers = await walk(operator, '/operator/v1/users', 'users', 7);
  const ids = (users: { id: string }[]) => users.map(({ id }) => id);
  for (const [query, fits] of [
    ['role=operator', ({ role }) => role === 'operator'],
    ['role=account', ({ role }) => role === 'account'],
    [`brp_id=${brp.id}`, ({ brp: of }) => of?.id === brp.id],
    [`account_id=${accountId}`, ({ account: of }) => of?.id === accountId],
    ['email=ONCE@saldo.example', ({ email }) => email === 'once@saldo.example'],
    ['brp_id=brp_x', () => false],
  ] as [string, (user: (typeof allUsers)[number]) => boolean][]) {
    const found = await walk(operator, `/operator/v1/users?${query}`, 'users', 7);
    assert.deepEqual(ids(found), ids(allUsers.filter(fits)), query);
  }
});

test('own keys are those of the user’s party: they are created, rotated and revoked, and other keys are inaccessible', async () => {
  const stranger = await world.brp();
  const { browser, state } = await signedIn(platform, OF_BRP);
  const made = await browser.request.post('/portal/v1/api-keys', {
    name: 'mine',
    scopes: ['contracts:read'],
  });
  assert.equal(made.status, 201);
  assert.deepEqual(made.body.owner, { type: 'brp', id: brp.id });
  assert.equal((await client(platform.baseUrl, made.body.secret)('/v1/contracts')).status, 200);
  assert.equal((await client(platform.baseUrl, made.body.secret)('/v1/customers')).status, 403);
  const { api_keys: own } = (await browser.request('/portal/v1/api-keys?limit=100')).body;
  const { api_keys: all } = (await operator(`/operator/v1/api-keys?owner_id=${brp.id}&limit=100`)).body;
  assert.deepEqual(own, all);

  const { api_keys: foreign } = (await operator(`/operator/v1/api-keys?owner_id=${stranger.id}`)).body;
  const { api_keys: ofOperator } = (await operator('/operator/v1/api-keys?owner_type=operator')).body;
  for (const { id } of [...foreign, ...ofOperator]) {
    const revoke = await browser.request.delete(`/portal/v1/api-keys/${id}`);
    assert.deepEqual(codeOf(revoke), [404, 'api_key_not_found']);
    const rotate = await browser.request.post(`/portal/v1/api-keys/${id}/rotate`, {});
    assert.deepEqual(codeOf(rotate), [404, 'api_key_not_found']);
  }
  assert.equal((await client(platform.baseUrl, stranger.key)('/v1/contracts')).status, 200);

  const path = `/portal/v1/api-keys/${made.body.id}`;
  const rotated = await browser.request.post(`${path}/rotate`, {});
  assert.deepEqual(
    [rotated.status, rotated.body.name, rotated.body.scopes],
    [201, 'mine', ['contracts:read']],
  );
  const revoked = await browser.request.delete(`/portal/v1/api-keys/${rotated.body.id}`);
  assert.equal(revoked.status, 204);
  const { entries } = (await operator(`/operator/v1/audit?actor=${state.user.id}&limit=100`)).body;
  assert.deepEqual(
    entries.map(({ action }: { action: string }) => action),
    ['user.signed_in', 'api_key.created', 'api_key.rotated', 'api_key.created', 'api_key.revoked'],
  );
});

test('an account holder’s keys carry no scopes, and a key’s settings are checked', async () => {
  const { browser } = await signedIn(platform, { type: 'account', accountNo: account.no });
  const create = (body: object) => browser.request.post('/portal/v1/api-keys', body);
  assert.deepEqual((await create({ name: 'plain' })).body.scopes, []);
  assert.deepEqual(problemOf(await create({ name: 'x', scopes: ['contracts:read'] })).errors, [
    'scopes validation_failed',
  ]);
  assert.deepEqual(problemOf(await create({ name: 'x', expires_at: '2020-01-01T00:00:00Z' })).errors, [
    'expires_at validation_failed',
  ]);
  assert.deepEqual(problemOf(await create({ name: 'x', owner: { type: 'operator' } })).errors, [
    'owner unknown_field',
  ]);
});

test('audit events of users have no passwords, tokens or hashes', async () => {
  const { body: user } = await createUser();
  const { token } = await invite(user.id);
  await accept(openBrowser(platform), token);
  await update(user.id, { permissions: 'viewer' });
  const { entries } = (await operator(`/operator/v1/audit?subject=${user.id}&limit=100`)).body;
  assert.deepEqual(
    entries.map(({ action, actor }: { action: string; actor: string }) => [action, actor.split('_')[0]]),
    [
      ['user.created', 'key'],
      ['user.invited', 'key'],
      ['user.password_set', 'user'],
      ['user.updated', 'key'],
    ],
  );
  assert.doesNotMatch(JSON.stringify(entries), new RegExp(`${token}|argon2|${PASSWORD}`));
});

const EVERYTHING = statement(
  'test_all_users',
  `select coalesce(string_agg(to_jsonb(u)::text, ''), '') || (select coalesce(string_agg(to_jsonb(s)::text, ''), '')
     from user_session s) as text from app_user u`,
);

test('the database has hashes of passwords, tokens and links only', async () => {
  const { body: user } = await createUser();
  const { token } = await invite(user.id);
  const { browser, user: other } = await signedIn(platform, OF_BRP);
  const [row] = await platform.db.query<{ text: string }>(EVERYTHING);
  assert.match(row?.text ?? '', /\$argon2id\$v=19\$m=\d{5},t=\d,p=\d\$/);
  for (const secret of [token, other.password, browser.cookie.split('=')[1] ?? '']) {
    assert.ok(!row?.text.includes(secret));
    assert.ok(!row?.text.includes(Buffer.from(secret).toString('hex')));
  }
});
