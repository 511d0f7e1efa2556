import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  brpEndpoints,
  type Endpoint,
  MFA_POLICIES,
  type MfaPolicy,
  marketEndpoints,
  operatorEndpoints,
  portalEndpoints,
  type UserRole,
} from '@saldo/api';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Owner } from '../src/platform/auth/principal.ts';
import { afterPassword, codeOf, sendCode, setUpCodes, userWithCodes } from './authenticator.ts';
import { type Browser, newUser, openBrowser } from './browser.ts';
import { type Answer, client, problemOf, startTestPlatform, type TestPlatform } from './harness.ts';

const off = await startTestPlatform();
/** Other processes on the same database, with another setting. */
const withPolicy = (MFA: MfaPolicy) =>
  startTestPlatform({ environment: { DATABASE_URL: off.databaseUrl, MFA } });
const platforms: Record<MfaPolicy, TestPlatform> = {
  off,
  operators: await withPolicy('operators'),
  all: await withPolicy('all'),
};
const { all } = platforms;
const operator = client(off.baseUrl, await off.world.operatorKey());
const brp = await off.world.brp();
const account = await off.world.account();
const OWNERS: Record<UserRole, Owner> = {
  operator: { type: 'operator' },
  brp: { type: 'brp', brpNo: brp.no },
  account: { type: 'account', accountNo: account.no },
};
const ROLES = Object.keys(OWNERS) as UserRole[];

const problemCode = (answer: Answer) => [answer.status, problemOf(answer).code];
const PENDING = [403, 'second_factor_required'];

async function signIn(platform: TestPlatform, user: { email: string; password: string }) {
  const browser = openBrowser(platform);
  const answer = await browser.signIn(user.email, user.password);
  return { browser, pending: answer.body.pending };
}

test('the policy decides by role whose users need a second factor', async () => {
  const needed: Record<MfaPolicy, UserRole[]> = { off: [], operators: ['operator'], all: ROLES };
  for (const policy of MFA_POLICIES) {
    for (const role of ROLES) {
      const user = await newUser(off, OWNERS[role]);
      const { browser, pending } = await signIn(platforms[policy], user);
      assert.equal(pending, needed[policy].includes(role) ? 'set_up' : null, `${policy} ${role}`);
      const factors = (await browser.request('/portal/v1/factors')).body;
      assert.deepEqual(factors, { is_required: pending !== null, passkeys: 0, one_time_code: null });
    }
  }
});

test('a factor that a user has set up is asked for under any policy', async () => {
  for (const role of ROLES) {
    const { user } = await userWithCodes(off, OWNERS[role]);
    for (const policy of MFA_POLICIES)
      assert.equal((await signIn(platforms[policy], user)).pending, 'second_factor', `${policy} ${role}`);
  }
});

test('a user without a factor sets one up at the sign-in, which completes the session with a new token', async () => {
  const user = await newUser(off, OWNERS.brp);
  const { browser } = await signIn(all, user);
  const before = browser.cookie;
  assert.deepEqual(problemCode(await browser.request('/v1/contracts')), PENDING);
  await setUpCodes(all, browser, {});
  assert.notEqual(browser.cookie, before);
  assert.equal((await browser.request('/portal/v1/session')).body.pending, null);
  assert.equal((await browser.request('/v1/contracts')).status, 200);
  const old = await openBrowser(all).request('/portal/v1/session', { headers: { cookie: before } });
  assert.deepEqual(problemCode(old), [401, 'invalid_session']);
});

test('a session from before the policy ends in every process that has it', async () => {
  const user = await newUser(off, OWNERS.operator);
  const { browser } = await signIn(off, user);
  const at = ({ baseUrl }: TestPlatform) =>
    openBrowser({ baseUrl }).request('/portal/v1/session', { headers: { cookie: browser.cookie } });
  assert.equal((await at(off)).status, 200);
  for (const policy of ['operators', 'all'] as const)
    assert.deepEqual(problemCode(await at(platforms[policy])), [401, 'invalid_session']);
  await setUpCodes(off, browser, { password: user.password });
  for (const policy of MFA_POLICIES)
    assert.equal((await at(platforms[policy])).status, 200, 'the session has proved a factor since');
});

test('the last factor cannot be removed while one is required, and the code is not used up', async () => {
  const { browser, code } = await userWithCodes(off, OWNERS.operator);
  const remove = ({ baseUrl }: TestPlatform) =>
    client(baseUrl).post(
      '/portal/v1/one-time-code/remove',
      { code: code() },
      { headers: { cookie: browser.cookie, origin: baseUrl } },
    );
  assert.deepEqual(problemCode(await remove(all)), [409, 'invalid_status_transition']);
  assert.equal((await remove(off)).status, 204);
});

test('a user whose factors were reset sets up a new one', async () => {
  const { user } = await userWithCodes(off, OWNERS.brp);
  await operator.delete(`/operator/v1/users/${encodeId(ID_PREFIX.user, user.id)}/factors`);
  assert.equal((await signIn(all, user)).pending, 'set_up');
});

const PASSWORD = 'nine gulls over the jetty';
const invitationOf = async (userId: string): Promise<string> => {
  const path = `/operator/v1/users/${encodeId(ID_PREFIX.user, userId)}/invitation`;
  return new URL((await operator.post(path)).body.link).hash.slice(1);
};

test('a new password by invitation does not replace the second factor', async () => {
  const { user, code } = await userWithCodes(off, OWNERS.brp);
  const browser = openBrowser(off);
  const path = `/portal/v1/invitations/${await invitationOf(user.id)}`;
  assert.equal((await browser.request.post(path, { password: PASSWORD })).body.pending, 'second_factor');
  assert.deepEqual(problemCode(await browser.request('/v1/contracts')), PENDING);
  assert.equal((await sendCode(browser, code())).status, 200);
  const fresh = await newUser(off, OWNERS.brp);
  const first = `/portal/v1/invitations/${await invitationOf(fresh.id)}`;
  assert.equal((await openBrowser(all).request.post(first, { password: PASSWORD })).body.pending, 'set_up');
});

test('a changed password keeps the second factor, and a pending session cannot change it', async () => {
  const { user, browser } = await userWithCodes(off, OWNERS.brp);
  const change = { current: user.password, new: PASSWORD };
  const pending = await afterPassword(off, user);
  assert.deepEqual(problemCode(await pending.request.put('/portal/v1/password', change)), PENDING);
  assert.equal((await browser.request.put('/portal/v1/password', change)).status, 204);
  assert.equal((await signIn(off, { ...user, password: PASSWORD })).pending, 'second_factor');
});

test('a pending session cannot set up a factor once its user has one', async () => {
  const user = await newUser(off, OWNERS.brp);
  const [{ browser: attacker }, { browser }] = [await signIn(all, user), await signIn(all, user)];
  const begun = (await attacker.request.post('/portal/v1/one-time-code', {})).body;
  await setUpCodes(all, browser, {});
  const confirm = ({ request }: Browser) =>
    request.put('/portal/v1/one-time-code', { token: begun.token, code: codeOf(all, begun.secret) });
  assert.deepEqual(problemCode(await confirm(attacker)), [401, 'invalid_session']);
  const pending = await afterPassword(all, user);
  for (const proof of [{}, { password: user.password }])
    assert.deepEqual(problemCode(await pending.request.post('/portal/v1/one-time-code', proof)), PENDING);
  assert.deepEqual(problemCode(await confirm(pending)), PENDING);
});

test('a pending session ends after ten minutes, even when used', async () => {
  const { user, secret } = await userWithCodes(off, OWNERS.brp);
  const browser = await afterPassword(off, user);
  const began = off.clock.now();
  off.clock.set(new Date(began + 10 * 60_000 - 1).toISOString());
  assert.equal((await browser.request('/portal/v1/session')).status, 200);
  off.clock.set(new Date(began + 10 * 60_000).toISOString());
  assert.equal((await sendCode(browser, codeOf(off, secret))).status, 401);
  off.clock.set(new Date(began).toISOString());
});

/** What a session may do before its sign-in is complete, and what needs no session. */
const ALLOWED = new Set<Endpoint>([
  portalEndpoints.getSession,
  portalEndpoints.signOut,
  portalEndpoints.getFactors,
  portalEndpoints.completeSignIn,
  portalEndpoints.beginOneTimeCode,
  portalEndpoints.confirmOneTimeCode,
  portalEndpoints.startPasskeyStep,
  portalEndpoints.completeWithPasskey,
  portalEndpoints.startPasskeyRegistration,
  portalEndpoints.addPasskey,
  portalEndpoints.startPasskeySignIn,
  portalEndpoints.signInWithPasskey,
  portalEndpoints.listSignInProviders,
  portalEndpoints.startProviderSignIn,
  portalEndpoints.completeProviderSignIn,
  portalEndpoints.signIn,
  portalEndpoints.getInvitation,
  portalEndpoints.acceptInvitation,
]);

test('a pending session is refused by every other operation of every API', async () => {
  const apis: [string, UserRole, readonly Endpoint[]][] = [
    [all.baseUrl, 'brp', Object.values(brpEndpoints)],
    [all.baseUrl, 'operator', Object.values(operatorEndpoints)],
    [all.customerUrl, 'account', Object.values(marketEndpoints)],
    ...ROLES.map(
      (role) => [all.baseUrl, role, Object.values(portalEndpoints)] as [string, UserRole, Endpoint[]],
    ),
  ];
  for (const [baseUrl, role, endpoints] of apis) {
    const { user } = await userWithCodes(off, OWNERS[role]);
    const pendingSetUp = await signIn(all, await newUser(off, OWNERS[role]));
    const pendingCode = await signIn(all, user);
    assert.deepEqual([pendingSetUp.pending, pendingCode.pending], ['set_up', 'second_factor']);
    for (const { method, path, ...endpoint } of endpoints.filter((known) => !ALLOWED.has(known))) {
      for (const { browser } of [pendingSetUp, pendingCode]) {
        const answer = await client(baseUrl)(path.replaceAll(/\{.*?\}/g, 'x'), {
          method,
          headers: { cookie: browser.cookie, origin: baseUrl },
          ...(endpoint.body === null ? {} : { body: {} }),
        });
        assert.deepEqual(problemCode(answer), PENDING, `${role} ${method} ${path}`);
      }
    }
  }
});
