import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { pino } from 'pino';
import { statement } from '../src/platform/db/statement.ts';
import { createUser, inviteUser } from '../src/users/actions.ts';
import { hashPassword } from '../src/users/passwords.ts';
import { setPassword } from '../src/users/sessions.ts';
import { sendCode, setUpCodes } from './authenticator.ts';
import { type Browser, openBrowser } from './browser.ts';
import { type Answer, assertRefused, client, problemOf, startTestPlatform } from './harness.ts';
import { complete, DOMAINS, prepareProviders, reachCallback, signInWith } from './oidc-provider.ts';

const providers = await prepareProviders();
/** Every browser has an address: the audit trail has a limited number of failures of one address. */
const BEHIND_PROXY = { TRUST_PROXY: 'on' };
const platform = await startTestPlatform({ environment: { ...BEHIND_PROXY, OIDC_FILE: providers.file } });
/** The log of the second platform. */
const log: string[] = [];
const strict = await startTestPlatform({
  logger: pino({ level: 'info' }, { write: (line) => log.push(line) }),
  environment: {
    ...BEHIND_PROXY,
    OIDC_FILE: providers.file,
    DATABASE_URL: platform.databaseUrl,
    MFA: 'all',
  },
});
const { db, world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const PASSWORD = 'a password of these users';
const passwordHash = await hashPassword(PASSWORD);

before(() => providers.start(platform, strict));
// Tokens of the provider have the time of the machine.
beforeEach(() => {
  for (const { clock } of [platform, strict]) clock.set(new Date().toISOString());
});

let count = 0;
/** A user of the operator. */
async function newUser({ domain = DOMAINS.plain, hasPassword = true } = {}) {
  const email = `person${++count}@${domain}`;
  const { id } = await db.transaction(async (tx) => {
    const owner = { type: 'operator' } as const;
    const user = await createUser(
      tx,
      { email, name: `Person ${count}`, owner, permissions: 'admin' },
      platform.clock.now(),
    );
    if (hasPassword) await setPassword(tx, user.id, passwordHash);
    return user;
  });
  return { id, email, publicId: encodeId(ID_PREFIX.user, id) };
}

const verified = (email: string) => ({ email, verified: 'yes' });
const invite = ({ publicId }: { publicId: string }) =>
  db.transaction((tx) => inviteUser(tx, 'all', publicId, platform.clock.now()));
const userOf = async (browser: Browser) => (await browser.request('/portal/v1/session')).body.user?.email;
const stored = async ({ publicId }: { publicId: string }) =>
  (await operator(`/operator/v1/users/${publicId}`)).body;
const auditOf = async (subject: string): Promise<string[]> =>
  (await operator(`/operator/v1/audit?subject=${subject}&limit=100`)).body.entries.map(
    ({ action }: { action: string }) => action,
  );

const REFUSED =
  'You could not be signed in with Nordwind directory. Please ask the operator of the platform.';
const OUTDATED =
  'This sign-in has expired, was already used, or was started in another browser. Please start again.';

/** A refused sign-in has a sentence, no session, and an entry in the audit trail. */
async function assertSignInRefused(
  answer: Answer,
  sentence: string,
  browser: Browser,
  subject = 'unknown',
): Promise<void> {
  assert.deepEqual([answer.status, problemOf(answer).code], [403, 'sign_in_refused'], answer.text);
  assert.equal(answer.body.detail, sentence);
  assert.equal(browser.cookie, '');
  const { entries } = (await operator(`/operator/v1/audit?subject=${subject}&order=newest_first&limit=1`))
    .body;
  const [{ action, request_id, after }] = entries;
  assert.deepEqual(
    [action, request_id, after],
    ['user.sign_in_failed', answer.headers.get('x-request-id'), { result: 'provider_failed' }],
  );
}

test('the first sign-in links the user by a verified email, and later ones go by subject', async () => {
  const user = await newUser();
  const browser = openBrowser(platform);
  const first = await signInWith(
    browser,
    { ...verified(user.email.toUpperCase()), sub: 'first' },
    'nordwind',
    {
      return_to: '/operator/users?role=brp',
    },
  );
  assert.equal(first.status, 200, first.text);
  assert.equal(first.body.session.user.email, user.email);
  assert.equal(first.body.return_to, '/operator/users?role=brp');
  assert.equal(await userOf(browser), user.email);
  assert.deepEqual((await stored(user)).providers, [providers.issuers.nordwind]);
  assert.deepEqual(await auditOf(user.publicId), ['user.provider_linked', 'user.signed_in']);

  const renamed = openBrowser(platform);
  const later = await signInWith(renamed, { email: 'another@elsewhere.example', sub: 'first' });
  assert.equal(later.status, 200, later.text);
  assert.equal(later.body.return_to, '/');
  assert.equal(await userOf(renamed), user.email, 'the email no longer matters');
});

test('a user without a password is active after the first sign-in, which ends the invitation', async () => {
  const user = await newUser({ hasPassword: false });
  const { token } = await invite(user);
  assert.equal((await stored(user)).status, 'invited');
  assert.equal((await signInWith(openBrowser(platform), verified(user.email))).status, 200);
  const { status, invitation_expires_at } = await stored(user);
  assert.deepEqual([status, invitation_expires_at], ['active', null]);
  assert.equal((await client(platform.baseUrl)(`/portal/v1/invitations/${token}`)).status, 404);
});

test('the email counts in the ID token too, and verified by its domain, as Entra ID says it', async () => {
  const user = await newUser({ domain: DOMAINS.other });
  const browser = openBrowser(platform);
  assert.equal((await signInWith(browser, verified(user.email), 'other')).status, 200);
  const entra = await newUser();
  const answer = await signInWith(openBrowser(platform), { email: entra.email, edov: 'yes' });
  assert.equal(answer.status, 200, answer.text);
});

test('unknown, disabled and foreign users and unverified emails get the same answer', async () => {
  const user = await newUser();
  const disabled = await newUser();
  await operator.patch(`/operator/v1/users/${disabled.publicId}`, { disabled: true });
  const foreign = await newUser({ domain: DOMAINS.other });
  const cases: [person: Record<string, string>, subject?: string][] = [
    [{ email: user.email }],
    [{ email: user.email, verified: 'no' }],
    [verified(`nobody@${DOMAINS.plain}`)],
    [verified(disabled.email), disabled.publicId],
    [verified(foreign.email)],
    // A compatible form of the letter p is another mailbox.
    [verified(user.email.replace('p', 'ｐ'))],
    [{ ...verified(user.email), aud: 'another-client' }],
    [{ ...verified(user.email), nonce: 'another-nonce' }],
    [{ ...verified(user.email), 'foreign-key': 'yes' }],
  ];
  const answers = new Set<string>();
  for (const [person, subject] of cases) {
    const browser = openBrowser(platform);
    const answer = await signInWith(browser, { ...person, sub: `case ${JSON.stringify(person)}` });
    await assertSignInRefused(answer, REFUSED, browser, subject);
    answers.add(answer.text);
  }
  assert.equal(answers.size, 1);
  assert.deepEqual((await stored(user)).providers, []);
});

test('a user who is disabled after the link cannot sign in', async () => {
  const user = await newUser();
  assert.equal((await signInWith(openBrowser(platform), verified(user.email))).status, 200);
  await operator.patch(`/operator/v1/users/${user.publicId}`, { disabled: true });
  const browser = openBrowser(platform);
  await assertSignInRefused(await signInWith(browser, verified(user.email)), REFUSED, browser, user.publicId);
});

test('another subject with the email of a linked user is refused, until the user is invited again', async () => {
  const user = await newUser();
  const before = openBrowser(platform);
  assert.equal((await signInWith(before, { ...verified(user.email), sub: 'old' })).status, 200);
  const anew = { ...verified(user.email), sub: 'new' };
  const browser = openBrowser(platform);
  await assertSignInRefused(await signInWith(browser, anew), REFUSED, browser, user.publicId);
  const other = await newUser();
  const { token: foreign } = await invite(other);
  const stolen = await signInWith(browser, anew, 'nordwind', { invitation: foreign });
  await assertSignInRefused(stolen, REFUSED, browser, user.publicId);
  const { token } = await invite(user);
  const accepted = await signInWith(browser, anew, 'nordwind', { invitation: token });
  assert.equal(accepted.status, 200, accepted.text);
  assert.equal(await userOf(before), undefined, 'earlier sessions end');
  const old = openBrowser(platform);
  const refused = await signInWith(old, { ...verified(user.email), sub: 'old' });
  await assertSignInRefused(refused, REFUSED, old, user.publicId);
});

test('a state works once, for five minutes, and not at all when it is unknown', async () => {
  const user = await newUser();
  const browser = openBrowser(platform);
  const query = await reachCallback(browser, verified(user.email));
  assert.equal((await complete(browser, query)).status, 200);
  const replayed = openBrowser(platform);
  replayed.step = browser.step;
  await assertSignInRefused(await complete(replayed, query), OUTDATED, replayed);

  const slow = openBrowser(platform);
  const late = await reachCallback(slow, verified(user.email));
  platform.clock.set(new Date(platform.clock.now() + 5 * 60_000).toISOString());
  await assertSignInRefused(await complete(slow, late), OUTDATED, slow);
  for (const wrong of ['', '?code=x', '?state=x&code=x', `?code=x&state=${'x'.repeat(43)}`])
    await assertSignInRefused(await complete(slow, wrong), OUTDATED, slow);
});

test('a code works once, also with a new state', async () => {
  const user = await newUser();
  const browser = openBrowser(platform);
  const used = new URLSearchParams(await reachCallback(browser, verified(user.email)));
  assert.equal((await complete(browser, `?${used}`)).status, 200);
  const again = openBrowser(platform);
  const fresh = new URLSearchParams(await reachCallback(again, verified(user.email)));
  fresh.set('code', used.get('code') ?? '');
  await assertSignInRefused(await complete(again, `?${fresh}`), REFUSED, again);
});

test('a sign-in that another browser has started is refused', async () => {
  const attacker = await newUser();
  const query = await reachCallback(openBrowser(platform), verified(attacker.email));
  const victim = openBrowser(platform);
  await assertSignInRefused(await complete(victim, query), OUTDATED, victim);
  const busy = openBrowser(platform);
  await busy.request.post('/portal/v1/sign-in/providers/nordwind', {});
  const other = await reachCallback(openBrowser(platform), verified(attacker.email));
  await assertSignInRefused(await complete(busy, other), OUTDATED, busy);
});

test('sign-ins in two tabs of a browser do not disturb each other', async () => {
  const user = await newUser();
  const browser = openBrowser(platform);
  const [one, two] = [
    await reachCallback(browser, verified(user.email)),
    await reachCallback(browser, verified(user.email)),
  ];
  assert.deepEqual(
    [(await complete(browser, one)).status, (await complete(browser, two)).status],
    [200, 200],
  );
});

test('the answer of one provider is not accepted for another', async () => {
  const user = await newUser();
  const browser = openBrowser(platform);
  const query = await reachCallback(browser, verified(user.email), 'other');
  await assertSignInRefused(await complete(browser, query, 'nordwind'), OUTDATED, browser);
  const mixed = new URLSearchParams(await reachCallback(browser, verified(user.email)));
  mixed.set('iss', providers.issuers.other);
  await assertSignInRefused(await complete(browser, `?${mixed}`), REFUSED, browser);
  const unnamed = new URLSearchParams(await reachCallback(browser, verified(user.email)));
  unnamed.delete('iss');
  await assertSignInRefused(await complete(browser, `?${unnamed}`), REFUSED, browser);
  const doubled = await reachCallback(browser, verified(user.email));
  await assertSignInRefused(await complete(browser, `${doubled}&code=x`), REFUSED, browser);
});

test('a cancelled sign-in says so, in the language of the page', async () => {
  const browser = openBrowser(platform);
  const answer = await signInWith(browser, 'cancel');
  await assertSignInRefused(answer, 'The sign-in with Nordwind directory was cancelled.', browser);
  const query = await reachCallback(browser, 'cancel');
  const german = await browser.request.post(
    '/portal/v1/sign-in/providers/nordwind/callback',
    { query },
    { headers: { 'accept-language': 'de' } },
  );
  assert.equal(german.body.detail, 'Die Anmeldung mit Nordwind directory wurde abgebrochen.');
});

test('the clocks of provider and platform may differ by two minutes', async () => {
  const user = await newUser();
  for (const [minutes, status] of [
    [-1.5, 200],
    [1.5, 200],
    [-3, 403],
    [3, 403],
  ] as const) {
    platform.clock.set(new Date(Date.now() + minutes * 60_000).toISOString());
    const browser = openBrowser(platform);
    const answer = await signInWith(browser, verified(user.email));
    assert.equal(answer.status, status, `${minutes} minutes: ${answer.text}`);
    if (status === 403) await assertSignInRefused(answer, REFUSED, browser);
  }
});

test('only paths of the portal are returned to', async () => {
  const browser = openBrowser(platform);
  for (const return_to of [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'evil',
    '',
  ]) {
    const answer = await browser.request.post('/portal/v1/sign-in/providers/nordwind', { return_to });
    assertRefused(answer, 'return_to validation_failed');
  }
});

test('an unknown provider and an unknown invitation start nothing', async () => {
  const browser = openBrowser(platform);
  const unknown = await browser.request.post('/portal/v1/sign-in/providers/unknown', {});
  assert.equal(unknown.body.detail, 'There is no such identity provider.');
  const uninvited = await browser.request.post('/portal/v1/sign-in/providers/nordwind', { invitation: 'x' });
  assert.equal(problemOf(uninvited).code, 'invitation_not_found');
  assert.equal(browser.step, '');
});

test('where a provider is required, a right password is answered like a wrong one and an unknown user', async () => {
  const user = await newUser({ domain: DOMAINS.required });
  const answers = [
    await openBrowser(platform).signIn(user.email, PASSWORD),
    await openBrowser(platform).signIn(user.email.toUpperCase(), PASSWORD),
    await openBrowser(platform).signIn(user.email, 'a wrong password'),
    await openBrowser(platform).signIn(`nobody@${DOMAINS.required}`, PASSWORD),
    await openBrowser(platform).signIn(`nobody@${DOMAINS.plain}`, PASSWORD),
  ];
  for (const answer of answers)
    assert.deepEqual([answer.status, answer.text], [401, answers[0]?.text], answer.text);
  const free = await newUser();
  assert.equal((await openBrowser(platform).signIn(free.email, PASSWORD)).status, 200);
});

test('an invitation ends at the provider where it is required, and no password is set', async () => {
  const user = await newUser({ domain: DOMAINS.required, hasPassword: false });
  const { token } = await invite(user);
  const browser = openBrowser(platform);
  const invitation = await browser.request(`/portal/v1/invitations/${token}`);
  assert.deepEqual(invitation.body.providers, [{ id: 'nordwind', label: 'Nordwind directory' }]);
  const password = await browser.request.post(`/portal/v1/invitations/${token}`, {
    password: 'nine gulls over it',
  });
  assert.equal(problemOf(password).code, 'sign_in_refused');
  assert.equal(
    password.body.detail,
    `Users of ${DOMAINS.required} sign in with Nordwind directory, and have no password.`,
  );
  const answer = await signInWith(browser, verified(user.email), 'nordwind', { invitation: token });
  assert.equal(answer.status, 200, answer.text);
  assert.equal((await browser.request(`/portal/v1/invitations/${token}`)).status, 404);
});

test('the providers of a domain are listed, with those that are required', async () => {
  const ask = client(platform.baseUrl);
  const listed = async (query = '') =>
    (await ask(`/portal/v1/sign-in/providers${query}`)).body.providers.map(
      ({ id, required }: { id: string; required: boolean }) => `${id} ${required}`,
    );
  assert.deepEqual(await listed(), ['nordwind false', 'other false']);
  assert.deepEqual(await listed('?domain=NORDWIND.example'), ['nordwind false', 'other false']);
  assert.deepEqual(await listed(`?domain=${DOMAINS.required}`), ['nordwind true']);
  assert.deepEqual(await listed('?domain=unknown.example'), []);
});

test('a second factor counts if the provider names it; otherwise the session is pending where it is required', async () => {
  const user = await newUser();
  for (const [amr, pending] of [
    ['pwd', 'set_up'],
    ['pwd sms', 'set_up'],
    ['pwd mfa', null],
    ['otp', null],
    ['hwk', null],
    ['swk', null],
    ['sc', null],
  ] as const) {
    const answer = await signInWith(openBrowser(strict), { ...verified(user.email), amr });
    assert.equal(answer.body.session.pending, pending, amr);
  }
  const unnamed = await signInWith(openBrowser(strict), verified(user.email));
  assert.equal(unnamed.body.session.pending, 'set_up');
  const free = await signInWith(openBrowser(platform), verified(user.email));
  assert.equal(free.body.session.pending, null, 'where it is not required');
});

test('the first sign-in with a provider asks a user with a second factor for it', async () => {
  const user = await newUser();
  const browser = openBrowser(platform);
  assert.equal((await browser.signIn(user.email, PASSWORD)).status, 200);
  const { code } = await setUpCodes(platform, browser, { password: PASSWORD });
  const linking = openBrowser(platform);
  const first = await signInWith(linking, verified(user.email));
  assert.equal(first.body.session.pending, 'second_factor');
  assert.equal((await sendCode(linking, code())).status, 200);
  const later = await signInWith(openBrowser(platform), verified(user.email));
  assert.equal(later.body.session.pending, null);
});

test('the log has the reason of a refusal, and neither codes nor personal data', async () => {
  const { email } = await newUser();
  const browser = openBrowser(strict);
  const query = await reachCallback(browser, { email, verified: 'no' });
  log.length = 0;
  // The provider sends the browser to this page first.
  await fetch(
    `${strict.baseUrl}/sign-in/return/nordwind${query}&iss=https%3A%2F%2Fsso.example%2Fsaldo_brp_x`,
  );
  assert.equal((await complete(browser, query)).status, 403);
  await signInWith(browser, { ...verified(email), aud: 'another-client' });
  const text = log.join('');
  assert.match(text, /"url":"\/sign-in\/return\/nordwind\?…"/);
  assert.match(text, /"msg":"sign-in refused: the provider has sent no verified email address"/);
  assert.match(text, /"msg":"sign-in refused: unexpected JWT claim value encountered/);
  const parameters = new URLSearchParams(query);
  for (const secret of [email, parameters.get('code'), parameters.get('state')]) {
    assert.ok(secret);
    assert.ok(!text.includes(secret), secret);
  }
});

test('a user unlinks a provider only if another way to sign in is left', async () => {
  const issuer = encodeURIComponent(providers.issuers.nordwind);
  const user = await newUser();
  const browser = openBrowser(platform);
  await signInWith(browser, verified(user.email));
  const { links } = (await browser.request('/portal/v1/provider-links')).body;
  assert.deepEqual(
    links.map(({ label, removable }: { label: string; removable: boolean }) => [label, removable]),
    [['Nordwind directory', true]],
  );
  assert.equal((await browser.request.delete(`/portal/v1/provider-links?issuer=${issuer}`)).status, 204);
  assert.deepEqual((await browser.request('/portal/v1/provider-links')).body.links, []);
  assert.ok((await auditOf(user.publicId)).includes('user.provider_unlinked'));

  // Without a password, and with one that is not accepted.
  for (const bound of [await newUser({ hasPassword: false }), await newUser({ domain: DOMAINS.required })]) {
    const only = openBrowser(platform);
    await signInWith(only, verified(bound.email));
    assert.equal((await only.request('/portal/v1/provider-links')).body.links[0].removable, false);
    const refused = await only.request.delete(`/portal/v1/provider-links?issuer=${issuer}`);
    assert.deepEqual([refused.status, problemOf(refused).code], [409, 'invalid_status_transition']);
    assert.equal((await only.request('/portal/v1/provider-links')).body.links.length, 1);
  }
});

test('signing out leads to the provider that signed the user in', async () => {
  const user = await newUser();
  const browser = openBrowser(platform);
  await signInWith(browser, verified(user.email));
  const { provider_url } = (await browser.request.delete('/portal/v1/session')).body;
  const url = new URL(provider_url);
  assert.equal(url.origin, providers.issuers.nordwind);
  assert.equal(url.searchParams.get('client_id'), 'saldo');
  assert.equal(url.searchParams.get('post_logout_redirect_uri'), `${platform.baseUrl}/sign-in`);
  assert.equal((await fetch(url)).status, 200, 'the provider knows the address');
  await browser.signIn(user.email, PASSWORD);
  assert.equal((await browser.request.delete('/portal/v1/session')).body.provider_url, null);
});

const STEPS = statement('test_steps', 'select count(*)::int as count from sign_in_step');

test('a provider that is down is named, stores nothing, stops no password, and is found again', async () => {
  const user = await newUser();
  const [linked, waiting] = [openBrowser(platform), openBrowser(platform)];
  await signInWith(linked, verified(user.email));
  const query = await reachCallback(waiting, verified(user.email));
  await providers.kill();
  const sentence = 'Nordwind directory does not answer at the moment. Please try again later.';
  await assertSignInRefused(await complete(waiting, query), sentence, waiting);

  const fresh = await startTestPlatform({
    environment: { ...BEHIND_PROXY, OIDC_FILE: providers.file, DATABASE_URL: platform.databaseUrl },
  });
  const browser = openBrowser(fresh);
  const [before] = await db.query(STEPS);
  const started = await browser.request.post('/portal/v1/sign-in/providers/nordwind', {});
  assert.equal(started.body.detail, sentence);
  assert.deepEqual((await db.query(STEPS))[0], before);
  assert.equal((await openBrowser(fresh).signIn(user.email, PASSWORD)).status, 200);

  await providers.start(platform);
  assert.equal((await browser.request.post('/portal/v1/sign-in/providers/nordwind', {})).status, 200);
  assert.equal((await signInWith(openBrowser(platform), verified(user.email))).status, 200);
});
