import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { afterPassword, codeOf, sendCode, userWithCodes } from './authenticator.ts';
import { type Browser, newUser, openBrowser, signedIn } from './browser.ts';
import { type Answer, client, problemOf, startTestPlatform } from './harness.ts';

// What an attacker tries at the sign-in, by name. Attacks that other tests cover name their test; the last test checks that
// it exists.

const platform = await startTestPlatform();
const { baseUrl, clock, world } = platform;
const operatorKey = await world.operatorKey();
const operator = client(baseUrl, operatorKey);
const brp = await world.brp();
const OF_BRP = { type: 'brp', brpNo: brp.no } as const;
const OPERATOR = { type: 'operator' } as const;

const codeAndStatus = (answer: Answer) => [answer.status, problemOf(answer).code];
const errorsOf = (answer: Answer) => problemOf(answer).errors ?? [];
const isRefused = (answer: Answer) =>
  assert.deepEqual([answer.status, ...errorsOf(answer)], [400, 'code validation_failed']);
const withCookie = (cookie: string, path = '/portal/v1/session') =>
  client(baseUrl)(path, { headers: { cookie } });

/** The test that covers an attack: its file and its name. */
type Pin = readonly [file: string, name: string];
const pinned: Pin[] = [];
const covered = (file: string, name: string) => void pinned.push([file, name]);
const attack = (name: string, run: () => Promise<void>) => void test(`attack: ${name}`, run);

// # Passwords

/** The number of password hashes that are computed meanwhile. */
async function hashesDuring(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({ init: (_id, type) => void (count += /argon2/i.test(type) ? 1 : 0) }).enable();
  await work();
  hook.disable();
  return count;
}

attack('learn from the time of the answer whether a user exists', async () => {
  const [known, disabled] = [await newUser(platform, OF_BRP), await newUser(platform, OF_BRP)];
  await operator.patch(`/operator/v1/users/${encodeId(ID_PREFIX.user, disabled.id)}`, { disabled: true });
  const guess = (email: string) => openBrowser(platform).signIn(email, 'a wrong password');
  for (const email of [known.email, disabled.email, 'nobody@saldo.example'])
    assert.equal(await hashesDuring(() => guess(email)), 1, 'one hash, which takes nearly all of the time');
});

attack('send something else than a text as the password', async () => {
  const { email } = await newUser(platform, OF_BRP);
  for (const password of [null, true, 0, [], {}, [''], { $ne: '' }, '']) {
    const answer = await client(baseUrl).post(
      '/portal/v1/session',
      { email, password },
      { headers: { origin: baseUrl } },
    );
    assert.equal(answer.status, 400, JSON.stringify(password));
  }
});

attack('make the server hash very long passwords', async () => {
  const { email } = await newUser(platform, OF_BRP);
  const tooLong = () => openBrowser(platform).signIn(email, 'x'.repeat(129));
  assert.equal(await hashesDuring(tooLong), 0);
  assert.deepEqual(errorsOf(await tooLong()), ['password value_too_large']);
});

attack('set members of the session in the body of the sign-in', async () => {
  const { user } = await userWithCodes(platform, OF_BRP);
  const { email, password } = user;
  for (const more of [{ pending: null }, { role: 'operator' }, { has_second_factor: true }]) {
    const answer = await openBrowser(platform).request.post('/portal/v1/session', {
      email,
      password,
      ...more,
    });
    assert.deepEqual([answer.status, ...errorsOf(answer)], [400, `${Object.keys(more)[0]} unknown_field`]);
  }
});

attack('send the password in the address, where logs and histories keep it', async () => {
  const { email, password } = await newUser(platform, OF_BRP);
  const answer = await openBrowser(platform).request.post(
    `/portal/v1/session?email=${email}&password=${encodeURIComponent(password)}`,
    {},
  );
  assert.equal(answer.status, 400);
  assert.deepEqual(answer.headers.getSetCookie(), []);
});

attack('avoid the delay of an address by a forged X-Forwarded-For', async () => {
  const { email } = await newUser(platform, OF_BRP);
  const statuses: number[] = [];
  for (let at = 1; at <= 6; at++) {
    const headers = { 'x-forwarded-for': `198.51.100.${at}`, forwarded: `for=198.51.100.${at}` };
    const body = { email, password: 'a wrong password' };
    statuses.push((await openBrowser(platform).request.post('/portal/v1/session', body, { headers })).status);
  }
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429]);
});

attack('sign in by a form of another site, whose type needs no preflight', async () => {
  const { email, password } = await newUser(platform, OF_BRP);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const headers = { 'content-type': type, origin: 'https://evil.example' };
    const answer = await client(baseUrl).post('/portal/v1/session', JSON.stringify({ email, password }), {
      headers,
    });
    assert.ok([403, 415].includes(answer.status), type);
    assert.deepEqual(answer.headers.getSetCookie(), []);
  }
});

attack('make the link of an invitation point to another host by headers of proxies', async () => {
  const { id } = await newUser(platform, OF_BRP);
  const headers = { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
  const path = `/operator/v1/users/${encodeId(ID_PREFIX.user, id)}/invitation`;
  const { link } = (await operator.post(path, undefined, { headers })).body;
  assert.equal(new URL(link).origin, baseUrl);
});

covered('users', 'unknown email, missing password, disabled user and wrong password get the same bytes');
covered('sign-in', 'an unknown email is delayed with the same answers as a user’s');
covered(
  'sign-in',
  'wrong passwords of one address for one account are delayed increasingly, by a minute at most',
);
covered('sign-in', 'addresses of one IPv6 network count as one');
covered('sign-in', 'concurrent attempts in several processes do not avoid the delay');
covered('sign-in', 'an address that tries many accounts is delayed for all of them, except on known devices');
covered(
  'sign-in',
  'during attempts from many addresses, a new one is delayed for half a minute, and a known device is not',
);
covered(
  'sign-in',
  'during attempts of others at its address, the owner signs in at once on a known device, and after the delay on another',
);
covered('sign-in', 'a forged cookie makes no device known');
covered('sign-in', 'a stolen device is delayed too, and delays no other device');
covered('users', 'guessing the current password within a session is limited');
covered('users', 'a deceptive email is rejected, and existing users with one can sign in');
covered('users', 'an invitation works once');
covered('users', 'an unknown or malformed invitation is 404');
covered('users', 'the database has hashes of passwords, tokens and links only');
covered('sessions', 'a page of another site cannot sign a user in');

// # Sessions

attack('fix the token of a session before the user signs in', async () => {
  const { email, password } = await newUser(platform, OF_BRP);
  const fixed = `saldo_session=${'A'.repeat(43)}`;
  const browser = openBrowser(platform);
  browser.cookie = fixed;
  assert.equal((await browser.signIn(email, password)).status, 200);
  assert.notEqual(browser.cookie, fixed);
  assert.equal((await withCookie(fixed)).status, 401);
});

attack('keep a session that was open in the browser when another user signs in', async () => {
  const { browser } = await signedIn(platform, OF_BRP);
  const before = browser.cookie;
  const other = await newUser(platform, OF_BRP);
  await browser.signIn(other.email, other.password);
  assert.equal((await withCookie(before)).status, 401);
});

attack('send a token in a form that is not one', async () => {
  const { browser } = await signedIn(platform, OF_BRP);
  const token = browser.cookie.split('=')[1] ?? '';
  const forms = [
    token.slice(1),
    `${token}A`,
    `"${token}"`,
    `${token}%00`,
    "' or 1=1 --",
    '',
    '../../x',
    token.toLowerCase(),
  ];
  for (const form of forms) assert.equal((await withCookie(`saldo_session=${form}`)).status, 401, form);
});

attack('send the token of a session as an API key, or a key as a token', async () => {
  const { browser } = await signedIn(platform, OPERATOR);
  const token = browser.cookie.split('=')[1] ?? '';
  assert.equal((await client(baseUrl, token)('/operator/v1/brps')).status, 401);
  assert.equal((await withCookie(`saldo_session=${operatorKey}`, '/operator/v1/brps')).status, 401);
});

attack('change something by a GET with the method in a header', async () => {
  const { browser } = await signedIn(platform, OF_BRP);
  const headers = { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' };
  assert.equal((await browser.request('/portal/v1/session', { headers })).status, 200);
  assert.equal((await browser.request('/portal/v1/session')).status, 200, 'the session has not ended');
});

covered('sessions', 'both cookies are HttpOnly and SameSite=Strict, and Secure under HTTPS');
covered('sessions', 'a change with a cookie is accepted from our own pages only');
covered('sessions', 'a key takes precedence over a cookie, also when the key is invalid');
covered('sessions', 'each role has access to its own API only');
covered('sessions', 'signing out ends this session at once, and only this one');
covered('sessions', 'a session ends after a week, even when used');
covered('sessions', 'moving a sandbox’s clock ends no session');
covered('sessions', 'every process rejects an ended session within 5 seconds');
covered('users', 'disabling a user ends their sessions at once, and enabling lets them sign in again');
covered('users', 'a changed password ends a session that is being opened with the old one');
covered('portal-endpoints', 'a change requires the header that only our own pages send');
covered('rate-limit', 'an address with too many invalid keys is limited, and valid keys from it are not');
covered('transport', 'no CORS headers are sent unless origins are configured');
covered('portal-serving', 'a page loads scripts and styles of its own origin only, and sends no referrer');
covered('../../portal/test/session', 'an address on another site is not followed after signing in');

// # Second factors

attack('use a code or a recovery code of another user', async () => {
  const [own, other] = [await userWithCodes(platform, OF_BRP), await userWithCodes(platform, OF_BRP)];
  for (const code of [own.code(), own.recovery[0]])
    isRefused(await sendCode(await afterPassword(platform, other.user), code));
  assert.equal((await sendCode(await afterPassword(platform, own.user), own.recovery[0])).status, 200);
});

attack('send something else than a code', async () => {
  const { user, secret } = await userWithCodes(platform, OF_BRP);
  const { request } = await afterPassword(platform, user);
  const send = (code: unknown) => request.post('/portal/v1/session/second-factor', { code });
  for (const code of [null, true, 0, [], {}, '', [codeOf(platform, secret)], 'x'.repeat(41)])
    assert.equal((await send(code)).status, 400, JSON.stringify(code));
  for (const code of ['%', '______', '0x0000', '-00000', '１２３４５６']) isRefused(await send(code));
});

attack('complete a session without its token, or twice', async () => {
  const { user, recovery } = await userWithCodes(platform, OF_BRP);
  isRefused(await sendCode(await afterPassword(platform, user), '000000'));
  assert.equal((await sendCode(openBrowser(platform), recovery[0])).status, 401);
  const browser = await afterPassword(platform, user);
  assert.equal((await sendCode(browser, recovery[0])).status, 200);
  assert.deepEqual(codeAndStatus(await sendCode(browser, recovery[1])), [409, 'invalid_status_transition']);
});

attack('complete one pending session twice at once, to get two tokens', async () => {
  const { user, recovery } = await userWithCodes(platform, OF_BRP);
  const { cookie } = await afterPassword(platform, user);
  const copies = recovery.slice(0, 4).map(async (code: string) => {
    const browser = openBrowser(platform);
    browser.cookie = cookie;
    return (await sendCode(browser, code)).status;
  });
  const statuses: number[] = await Promise.all(copies);
  assert.deepEqual(statuses.filter((status) => status === 200).length, 1, statuses.join());
});

attack('guess codes in many sessions at once', async () => {
  const { user } = await userWithCodes(platform, OF_BRP);
  const browsers: Browser[] = [];
  while (browsers.length < 20) browsers.push(await afterPassword(platform, user));
  const guesses = await Promise.all(browsers.map((browser) => sendCode(browser, '000000')));
  const admitted = guesses.filter(({ status }) => status === 400).length;
  assert.equal(admitted, 10);
  assert.equal(guesses.filter(({ status }) => status === 429).length, 10);
});

attack('reset the count of wrong codes by signing in again', async () => {
  const { user } = await userWithCodes(platform, OF_BRP);
  for (let guesses = 0; guesses < 10; guesses++)
    isRefused(await sendCode(await afterPassword(platform, user), '000000'));
  assert.equal((await sendCode(await afterPassword(platform, user), '000000')).status, 429);
  const start = clock.now();
  clock.set(new Date(start + 16 * 60_000).toISOString());
  // Wrong passwords would be forgotten by now.
  isRefused(await sendCode(await afterPassword(platform, user), '000000'));
  assert.equal(
    (await sendCode(await afterPassword(platform, user), '000000')).headers.get('retry-after'),
    '2',
  );
  clock.set(new Date(start).toISOString());
});

attack('learn from the answer to a wrong password whether a user has a second factor', async () => {
  const [{ user }, plain] = [await userWithCodes(platform, OF_BRP), await newUser(platform, OF_BRP)];
  const answers = await Promise.all(
    [user.email, plain.email].map((email) => openBrowser(platform).signIn(email, 'a wrong password')),
  );
  const shown = answers.map(({ status, body, headers }) => [status, body.detail, headers.getSetCookie()]);
  assert.deepEqual(shown[0], shown[1]);
});

attack('read a code or a secret in the audit trail', async () => {
  const { user, secret, recovery } = await userWithCodes(platform, OF_BRP);
  await sendCode(await afterPassword(platform, user), recovery[0]);
  await sendCode(await afterPassword(platform, user), '000000');
  const audit = (await operator('/operator/v1/audit?order=newest_first&limit=20')).text;
  for (const hidden of [secret, recovery[0], '000000']) assert.ok(!audit.includes(hidden));
});

covered(
  'one-time-codes',
  'after one-time codes are set up, a password alone starts a session that a code completes with a new token',
);
covered('one-time-codes', 'a code is accepted one step early or late, not more');
covered('one-time-codes', 'a code works once, and no earlier code works after it');
covered('one-time-codes', 'of several concurrent sign-ins with the same code, one succeeds');
covered('one-time-codes', 'each of ten recovery codes completes a sign-in once, however it is typed');
covered('one-time-codes', 'a set-up belongs to its session and ends after ten minutes');
covered(
  'one-time-codes',
  'one-time codes on a new phone replace the old ones, and need a code or a recovery code',
);
covered('one-time-codes', 'removing one-time codes needs a code, and then a password is enough again');
covered(
  'one-time-codes',
  'wrong codes are delayed in every session of the user, except on known devices, and are in the audit trail',
);
covered('one-time-codes', 'operators cannot reset their own factors, and read-only ones none');
covered(
  'one-time-codes',
  'the database has sealed secrets and hashes of recovery codes only, and the audit trail has neither',
);
covered('second-factor-policy', 'a pending session is refused by every other operation of every API');
covered('second-factor-policy', 'a pending session ends after ten minutes, even when used');
covered('second-factor-policy', 'a session from before the policy ends in every process that has it');
covered(
  'second-factor-policy',
  'the last factor cannot be removed while one is required, and the code is not used up',
);
covered('second-factor-policy', 'a new password by invitation does not replace the second factor');
covered(
  'second-factor-policy',
  'a changed password keeps the second factor, and a pending session cannot change it',
);
covered('second-factor-policy', 'a pending session cannot set up a factor once its user has one');

test('every attack that another test covers names one that exists', async () => {
  for (const [file, name] of pinned) {
    const source = await readFile(new URL(`${file}.test.ts`, import.meta.url), 'utf8');
    assert.ok(source.includes(`test('${name}'`), `${file}: ${name}`);
  }
});
