import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { statement } from '../src/platform/db/statement.ts';
import { createUser } from '../src/users/actions.ts';
import { startSession } from '../src/users/session-start.ts';
import { afterPassword, codeOf, sendCode, setUpCodes, toNextCode, userWithCodes } from './authenticator.ts';
import { openBrowser, signedIn } from './browser.ts';
import { type Answer, client, problemOf, startTestPlatform } from './harness.ts';

const platform = await startTestPlatform({ environment: { TRUST_PROXY: 'on' } });
const operator = client(platform.baseUrl, await platform.world.operatorKey());
const brp = await platform.world.brp();
const OF_BRP = { type: 'brp', brpNo: brp.no } as const;

const WRONG_CODE = [400, 'code validation_failed'];
const errorsOf = (answer: Answer) => [answer.status, ...(problemOf(answer).errors ?? [])];
const problemCode = (answer: Answer) => [answer.status, problemOf(answer).code];
const factorsOf = async ({ request }: ReturnType<typeof openBrowser>) =>
  (await request('/portal/v1/factors')).body;
/** What users did, without what came before: the user was created and has signed in. */
const auditOf = async (userId: string): Promise<string[]> => {
  const subject = encodeId(ID_PREFIX.user, userId);
  const { entries } = (await operator(`/operator/v1/audit?subject=${subject}&limit=100`)).body;
  return entries.map(({ action }: { action: string }) => action.replace('user.', ''));
};

/** A browser of a user without a password, who has signed in by a provider. */
async function createUserOfProvider() {
  const now = platform.clock.now();
  const names = { email: 'provided@saldo.example', name: 'Provided', permissions: 'admin' } as const;
  const client = {
    address: '192.0.2.1',
    recordedAddress: '192.0.2.1',
    userAgent: null,
    device: null,
    requestId: 'test',
    oldToken: null,
    countSignIn: () => {},
  };
  const signIn = { method: 'provider', hasSecondFactor: false, policy: 'off' } as const;
  const { token } = await platform.db.transaction(async (tx) => {
    const { id } = await createUser(tx, { ...names, owner: OF_BRP }, now);
    return startSession(tx, { id }, signIn, client, { now, machineNow: now });
  });
  const browser = openBrowser(platform);
  browser.cookie = `saldo_session=${token}`;
  return browser;
}

test('after one-time codes are set up, a password alone starts a session that a code completes with a new token', async () => {
  const { user, code } = await userWithCodes(platform, OF_BRP);
  const browser = await afterPassword(platform, user);
  const old = { ...openBrowser(platform), cookie: browser.cookie };
  const tenMinutes = new Date(platform.clock.now() + 10 * 60_000).toISOString().replace('.000', '');
  assert.equal((await browser.request('/portal/v1/session')).body.expires_at, tenMinutes);
  assert.deepEqual(problemCode(await browser.request('/v1/contracts')), [403, 'second_factor_required']);
  const completed = await sendCode(browser, code());
  assert.deepEqual([completed.status, completed.body.pending], [200, null], completed.text);
  const week = new Date(platform.clock.now() + 7 * 24 * 3_600_000).toISOString().replace('.000', '');
  assert.equal(completed.body.expires_at, week);
  assert.equal((await browser.request('/v1/contracts')).status, 200);
  assert.notEqual(browser.cookie, old.cookie);
  const withOldToken = await openBrowser(platform).request('/portal/v1/session', {
    headers: { cookie: old.cookie },
  });
  assert.deepEqual(problemCode(withOldToken), [401, 'invalid_session']);
  assert.deepEqual(await auditOf(user.id), ['signed_in', 'factor_added', 'signed_in']);
});

test('a sign-in is recorded when it is complete', async () => {
  const { user, code } = await userWithCodes(platform, OF_BRP);
  const lastSignIn = async () =>
    (await operator(`/operator/v1/users/${encodeId(ID_PREFIX.user, user.id)}`)).body.last_signed_in_at;
  const before = await lastSignIn();
  toNextCode(platform);
  const browser = await afterPassword(platform, user);
  assert.equal(await lastSignIn(), before);
  await sendCode(browser, code());
  assert.notEqual(await lastSignIn(), before);
});

test('a code is accepted one step early or late, not more', async () => {
  const { user, secret } = await userWithCodes(platform, OF_BRP);
  for (let steps = 0; steps < 3; steps++) toNextCode(platform);
  for (const steps of [-2, 2]) {
    const answer = await sendCode(await afterPassword(platform, user), codeOf(platform, secret, steps));
    assert.deepEqual(errorsOf(answer), WRONG_CODE, String(steps));
  }
  for (const steps of [-1, 0, 1]) {
    const answer = await sendCode(await afterPassword(platform, user), codeOf(platform, secret, steps));
    assert.equal(answer.status, 200, String(steps));
  }
});

test('a code works once, and no earlier code works after it', async () => {
  const { user, secret, code } = await userWithCodes(platform, OF_BRP);
  const atConfirmation = codeOf(platform, secret, -1);
  assert.deepEqual(errorsOf(await sendCode(await afterPassword(platform, user), atConfirmation)), WRONG_CODE);
  toNextCode(platform);
  const missed = codeOf(platform, secret, -1);
  assert.equal((await sendCode(await afterPassword(platform, user), code())).status, 200);
  for (const used of [code(), missed])
    assert.deepEqual(errorsOf(await sendCode(await afterPassword(platform, user), used)), WRONG_CODE);
});

test('of several concurrent sign-ins with the same code, one succeeds', async () => {
  const { user, code, recovery } = await userWithCodes(platform, OF_BRP);
  for (const same of [code(), recovery[0]]) {
    const browsers = await Promise.all(Array.from({ length: 5 }, () => afterPassword(platform, user)));
    const answers = await Promise.all(browsers.map((browser) => sendCode(browser, same)));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 400, 400, 400, 400],
    );
  }
});

test('each of ten recovery codes completes a sign-in once, however it is typed', async () => {
  const { user, browser, recovery } = await userWithCodes(platform, OF_BRP);
  assert.equal(recovery.length, 10);
  assert.equal(new Set(recovery).size, 10);
  for (const [at, code] of recovery.entries()) {
    assert.match(code, /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
    const typed = [code, code.toUpperCase(), code.replaceAll('-', ' '), ` ${code.replaceAll('-', '')} `][
      at % 4
    ];
    assert.equal((await sendCode(await afterPassword(platform, user), typed)).status, 200, typed);
    assert.deepEqual(errorsOf(await sendCode(await afterPassword(platform, user), code)), WRONG_CODE);
    toNextCode(platform);
  }
  assert.equal((await factorsOf(browser)).one_time_code.recovery_codes, 0);
  assert.equal((await auditOf(user.id)).filter((action) => action === 'recovery_code_used').length, 10);
});

test('recovery codes do not work without the one-time codes that they stand for', async () => {
  const { user, recovery } = await userWithCodes(platform, OF_BRP);
  const waiting = await afterPassword(platform, user);
  const remove = statement('remove_codes', 'delete from one_time_code where user_id = $1');
  await platform.db.transaction((tx) => tx.query(remove, [user.id]));
  assert.deepEqual(errorsOf(await sendCode(waiting, recovery[0])), WRONG_CODE);
});

test('new recovery codes replace the old ones, and need a code', async () => {
  const { user, browser, code, recovery } = await userWithCodes(platform, OF_BRP);
  const renew = (proof: string) => browser.request.post('/portal/v1/recovery-codes', { code: proof });
  assert.deepEqual(errorsOf(await renew('000000')), WRONG_CODE);
  const renewed = await renew(code());
  assert.equal(renewed.body.recovery_codes.length, 10);
  assert.deepEqual(errorsOf(await sendCode(await afterPassword(platform, user), recovery[0])), WRONG_CODE);
  const [fresh] = renewed.body.recovery_codes;
  assert.equal((await sendCode(await afterPassword(platform, user), fresh)).status, 200);
  assert.ok((await auditOf(user.id)).includes('recovery_codes_renewed'));
});

test('setting up needs the password, ends all other sessions, and has no effect until a code confirms it', async () => {
  const { browser, user } = await signedIn(platform, OF_BRP);
  const elsewhere = openBrowser(platform);
  await elsewhere.signIn(user.email, user.password);
  const begin = (proof: object) => browser.request.post('/portal/v1/one-time-code', proof);
  assert.deepEqual(errorsOf(await begin({})), [400, 'password required']);
  assert.deepEqual(errorsOf(await begin({ password: 'wrong' })), [400, 'password validation_failed']);
  const { token, secret, uri } = (await begin({ password: user.password })).body;
  assert.match(uri, new RegExp(`^otpauth://totp/Saldo%20Clearing:user.*secret=${secret}&`));
  assert.equal((await openBrowser(platform).signIn(user.email, user.password)).body.pending, null);
  assert.equal((await factorsOf(browser)).one_time_code, null);
  const confirm = (code: string) => browser.request.put('/portal/v1/one-time-code', { token, code });
  assert.deepEqual(errorsOf(await confirm('000000')), WRONG_CODE);
  const code = codeOf(platform, secret);
  assert.equal((await confirm(`${code.slice(0, 3)} ${code.slice(3)}`)).status, 200);
  assert.deepEqual(errorsOf(await confirm(code)), [400, 'token validation_failed']);
  assert.equal((await elsewhere.request('/portal/v1/session')).status, 401);
  const { one_time_code, is_required } = await factorsOf(browser);
  assert.deepEqual([one_time_code.recovery_codes, is_required], [10, false]);
});

test('a user without a password sets up one-time codes in a session of the last 15 minutes', async () => {
  const user = await createUserOfProvider();
  const begin = () => user.request.post('/portal/v1/one-time-code', {});
  assert.equal((await begin()).status, 200);
  for (let steps = 0; steps < 30; steps++) toNextCode(platform);
  assert.deepEqual(problemCode(await begin()), [403, 'recent_sign_in_required']);
});

test('a set-up belongs to its session and ends after ten minutes', async () => {
  const { browser, user } = await signedIn(platform, OF_BRP);
  const { browser: other } = await signedIn(platform, OF_BRP);
  const begin = async () =>
    (await browser.request.post('/portal/v1/one-time-code', { password: user.password })).body;
  const begun = await begin();
  const confirm = ({ request }: typeof browser) =>
    request.put('/portal/v1/one-time-code', { token: begun.token, code: codeOf(platform, begun.secret) });
  assert.deepEqual(errorsOf(await confirm(other)), [400, 'token validation_failed']);
  for (let steps = 0; steps < 20; steps++) toNextCode(platform);
  assert.deepEqual(errorsOf(await confirm(browser)), [400, 'token validation_failed']);
});

test('one-time codes on a new phone replace the old ones, and need a code or a recovery code', async () => {
  const { user, browser, code, recovery } = await userWithCodes(platform, OF_BRP);
  const begin = (proof: object) => browser.request.post('/portal/v1/one-time-code', proof);
  assert.deepEqual(errorsOf(await begin({ password: user.password })), [400, 'code required']);
  assert.equal((await begin({ code: recovery[0] })).status, 200);
  const old = code();
  assert.equal((await sendCode(await afterPassword(platform, user), old)).status, 200, 'valid until then');
  toNextCode(platform);
  const replaced = await setUpCodes(platform, browser, { code: recovery[1] });
  assert.deepEqual(errorsOf(await sendCode(await afterPassword(platform, user), code())), WRONG_CODE);
  assert.deepEqual(errorsOf(await sendCode(await afterPassword(platform, user), recovery[2])), WRONG_CODE);
  assert.equal((await sendCode(await afterPassword(platform, user), replaced.code())).status, 200);
});

test('removing one-time codes needs a code, and then a password is enough again', async () => {
  const { user, browser, code } = await userWithCodes(platform, OF_BRP);
  const remove = (proof: string) => browser.request.post('/portal/v1/one-time-code/remove', { code: proof });
  assert.deepEqual(errorsOf(await remove(user.password.slice(0, 20))), WRONG_CODE);
  assert.equal((await remove(code())).status, 204);
  assert.equal((await factorsOf(browser)).one_time_code, null);
  assert.equal((await openBrowser(platform).signIn(user.email, user.password)).body.pending, null);
  assert.equal((await auditOf(user.id)).at(-2), 'factor_removed');
});

test('wrong codes are delayed in every session of the user, except on known devices, and are in the audit trail', async () => {
  const { user, browser: known, code } = await userWithCodes(platform, OF_BRP);
  for (let guesses = 0; guesses < 10; guesses++) {
    const browser = await afterPassword(platform, user);
    assert.deepEqual(errorsOf(await sendCode(browser, '000000')), WRONG_CODE);
    assert.equal(browser.device, '', 'a password makes no device known');
  }
  const refused = await sendCode(await afterPassword(platform, user), code());
  assert.deepEqual([...problemCode(refused), refused.headers.get('retry-after')], [429, 'rate_limited', '1']);
  assert.match(refused.body.detail, /code was wrong too often/);
  const own = openBrowser(platform);
  own.device = known.device;
  await own.signIn(user.email, user.password);
  assert.equal((await sendCode(own, code())).status, 200);
  assert.equal((await auditOf(user.id)).filter((action) => action === 'sign_in_failed').length, 10);
});

test('the operator resets the factors of a user who lost them, which ends the user’s sessions', async () => {
  const { user, browser, code } = await userWithCodes(platform, OF_BRP);
  const pending = await afterPassword(platform, user);
  const id = encodeId(ID_PREFIX.user, user.id);
  const reset = await operator.delete(`/operator/v1/users/${id}/factors`);
  assert.equal(reset.status, 204);
  assert.equal((await browser.request('/portal/v1/session')).status, 401);
  assert.equal((await sendCode(pending, code())).status, 401);
  assert.equal((await openBrowser(platform).signIn(user.email, user.password)).body.pending, null);
  assert.equal((await auditOf(user.id)).at(-2), 'factors_reset');
  const unknown = await operator.delete('/operator/v1/users/user_01jhm3w4t9e3rvbq6d8n2k5x7c/factors');
  assert.deepEqual(problemCode(unknown), [404, 'user_not_found']);
});

test('operators cannot reset their own factors, and read-only ones none', async () => {
  const { user, browser } = await userWithCodes(platform, { type: 'operator' });
  const reset = ({ request }: typeof browser, userId: string) =>
    request.delete(`/operator/v1/users/${encodeId(ID_PREFIX.user, userId)}/factors`);
  assert.deepEqual(problemCode(await reset(browser, user.id)), [409, 'invalid_status_transition']);
  const { browser: reader } = await signedIn(platform, { type: 'operator' }, 'viewer');
  assert.deepEqual(problemCode(await reset(reader, user.id)), [403, 'insufficient_scopes']);
  assert.notEqual((await factorsOf(browser)).one_time_code, null);
});

const EVERYTHING = statement(
  'test_all_factors',
  `select coalesce((select string_agg(to_jsonb(c)::text, '') from one_time_code c), '') ||
     coalesce((select string_agg(to_jsonb(r)::text, '') from recovery_code r), '') ||
     coalesce((select string_agg(to_jsonb(s)::text, '') from sign_in_step s), '') as text`,
);

test('the database has sealed secrets and hashes of recovery codes only, and the audit trail has neither', async () => {
  const { user, secret, recovery } = await userWithCodes(platform, OF_BRP);
  const [row] = await platform.db.query<{ text: string }>(EVERYTHING);
  const subject = encodeId(ID_PREFIX.user, user.id);
  const audit = (await operator(`/operator/v1/audit?subject=${subject}`)).text;
  for (const hidden of [secret, ...recovery, ...recovery.map((code: string) => code.replaceAll('-', ''))])
    for (const form of [hidden, Buffer.from(hidden).toString('hex')])
      assert.ok(!`${row?.text} ${audit}`.toLowerCase().includes(form.toLowerCase()));
});
