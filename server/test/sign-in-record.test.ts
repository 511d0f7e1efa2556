import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '@saldo/api';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { pino } from 'pino';
import { statement } from '../src/platform/db/statement.ts';
import { newUser, openBrowser, signedIn } from './browser.ts';
import {
  type Answer,
  answerWithoutId,
  bodyOf,
  client,
  startTestPlatform,
  type TestPlatform,
} from './harness.ts';

const NOW = '2026-10-20T08:00:00Z';
const OPERATOR = { type: 'operator' } as const;
const lines: string[] = [];
const logger = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
const environment = { TRUST_PROXY: 'on' };
const platform = await startTestPlatform({ now: NOW, environment, logger });
const short = await startTestPlatform({
  now: NOW,
  environment: { ...environment, ADDRESSES: 'short' },
  logger,
});
const operator = client(platform.baseUrl, await platform.world.operatorKey());

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
let addresses = 0;
const newAddress = () => `198.51.${Math.floor(++addresses / 250)}.${(addresses % 250) + 1}`;

const signIn = (
  email: string,
  password: string,
  address = newAddress(),
  { on = platform, userAgent = BROWSER }: { on?: TestPlatform; userAgent?: string } = {},
): Promise<Answer> =>
  openBrowser(on).request.post(
    '/portal/v1/session',
    { email, password },
    { headers: { 'x-forwarded-for': address, 'user-agent': userAgent } },
  );

const WRONG = 'a wrong password';
const failures = async (query = '', of = operator) =>
  (await bodyOf(of(`/operator/v1/audit?action=user.sign_in_failed&limit=100&order=newest_first${query}`)))
    .entries;

async function results(on: TestPlatform): Promise<Record<string, number>> {
  const text = await (await fetch(`${on.adminUrl}/metrics`)).text();
  const found = [...text.matchAll(/^saldo_sign_ins_total\{result="(\w+)"\} (\d+)$/gm)];
  return Object.fromEntries(found.map(([, result = '', count]) => [result, Number(count)]));
}

const DISABLE = statement('test_disable_user', 'update app_user set disabled_at = now() where id = $1');

test('a failed sign-in is audited with its reason, address and browser, and answered like any other', async () => {
  const user = await newUser(platform, OPERATOR);
  const disabled = await newUser(platform, OPERATOR);
  await platform.db.transaction((tx) => tx.query(DISABLE, [disabled.id]));
  const before = await results(platform);
  const answers = [
    { result: 'wrong_password', of: user, answer: await signIn(user.email, WRONG, '203.0.113.7') },
    {
      result: 'disabled',
      of: disabled,
      answer: await signIn(disabled.email, disabled.password, '203.0.113.7'),
    },
    { result: 'unknown_user', of: null, answer: await signIn('nobody@saldo.example', WRONG, '203.0.113.7') },
  ];
  for (const { result, of, answer } of answers) {
    assert.equal(answer.status, 401);
    const subject = of === null ? 'unknown' : encodeId(ID_PREFIX.user, of.id);
    const [entry] = await failures(`&subject=${subject}`);
    assert.deepEqual(
      { ...entry, id: '' },
      {
        id: '',
        at: NOW,
        actor: 'anonymous',
        actor_name: null,
        action: 'user.sign_in_failed',
        subject,
        request_id: answer.headers.get('x-request-id'),
        address: '203.0.113.7',
        user_agent: BROWSER,
        before: null,
        after: { result },
      },
    );
    assert.deepEqual(answerWithoutId('', answer), answerWithoutId('', answers[0]!.answer), result);
  }
  const after = await results(platform);
  for (const { result } of answers) assert.equal(after[result], before[result]! + 1, result);
  assert.equal((await signIn(user.email, user.password, '203.0.113.7')).status, 200);
  assert.equal((await results(platform))['succeeded'], before['succeeded']! + 1);
});

const TEXTS = statement(
  'test_texts_of_sign_ins',
  `select (select string_agg(a::text, ' ') from audit a) || (select string_agg(t::text, ' ') from sign_in_try t) as text`,
);

test('a password that was typed as the email is stored nowhere', async () => {
  const typed = 'correct-horse@battery.staple';
  assert.equal((await signIn(typed, WRONG)).status, 401);
  const [row] = await platform.db.query<{ text: string }>(TEXTS);
  assert.match(row?.text ?? '', /sign_in_failed/);
  assert.doesNotMatch(row?.text ?? '', /correct-horse/);
  assert.equal(
    lines.some((line) => line.includes('correct-horse')),
    false,
  );
});

test('a delayed sign-in is counted, but not audited', async () => {
  const user = await newUser(platform, OPERATOR);
  const address = newAddress();
  for (let tries = 0; tries < 5; tries++)
    assert.equal((await signIn(user.email, WRONG, address)).status, 401);
  const before = await results(platform);
  const audited = await failures(`&subject=${encodeId(ID_PREFIX.user, user.id)}`);
  assert.equal(audited.length, 5);
  for (let tries = 0; tries < 3; tries++)
    assert.equal((await signIn(user.email, WRONG, address)).status, 429);
  assert.equal((await results(platform))['limited'], before['limited']! + 3);
  assert.deepEqual(await failures(`&subject=${encodeId(ID_PREFIX.user, user.id)}`), audited);
});

test('attempts of one network with many emails leave ten audit events in a quarter of an hour', async () => {
  const address = '192.0.2.1';
  const ofNetwork = async () =>
    (await failures('&subject=unknown')).filter((entry: { address: string }) => entry.address === address);
  for (let tries = 0; tries < 12; tries++)
    assert.equal((await signIn(`nobody${tries}@saldo.example`, WRONG, address)).status, 401);
  assert.equal((await ofNetwork()).length, 10);
  platform.clock.set('2026-10-20T08:15:00Z');
  assert.equal((await signIn('nobody@saldo.example', WRONG, address)).status, 401);
  assert.equal((await ofNetwork()).length, 11);
  platform.clock.set(NOW);
});

const FILL = statement(
  'test_fill_audit',
  `insert into audit (at, actor, action, subject)
   select $1, 'anonymous', 'user.sign_in_failed', 'unknown' from generate_series(1, 250)`,
);
const COUNT = statement(
  'test_count_failed',
  `select count(*)::int as count from audit where action = 'user.sign_in_failed'`,
);

test('attempts from many networks leave a bounded number of audit events', async () => {
  const countOf = async () => (await platform.db.query<{ count: number }>(COUNT))[0]?.count;
  platform.clock.set('2026-10-20T09:00:00Z');
  await platform.db.transaction((tx) => tx.query(FILL, ['2026-10-20T09:00:00Z']));
  const full = await countOf();
  const before = await results(platform);
  assert.equal((await signIn('nobody@saldo.example', WRONG)).status, 401);
  assert.equal(await countOf(), full);
  assert.equal(
    (await results(platform))['unknown_user'],
    before['unknown_user']! + 1,
    'but they are counted',
  );
  platform.clock.set('2026-10-20T09:15:00.001Z');
  assert.equal((await signIn('nobody@saldo.example', WRONG)).status, 401);
  assert.equal(await countOf(), full! + 1);
  platform.clock.set(NOW);
});

test('users list their sessions with address and browser, and end one', async () => {
  const { browser, user } = await signedIn(platform, OPERATOR);
  const elsewhere = openBrowser(platform);
  const signedInThere = await elsewhere.request.post(
    '/portal/v1/session',
    { email: user.email, password: user.password },
    { headers: { 'x-forwarded-for': '203.0.113.7', 'user-agent': BROWSER.repeat(10) } },
  );
  assert.equal(signedInThere.status, 200);
  const { browser: ofOther } = await signedIn(platform, OPERATOR);
  const list = async () => (await bodyOf(browser.request('/portal/v1/sessions'))).sessions;
  const [there, here, ...rest] = await list();
  assert.equal(rest.length, 0, 'not those of other users');
  assert.deepEqual([here.current, here.method, here.address], [true, 'password', browser.address]);
  assert.deepEqual(there, {
    id: there.id,
    created_at: NOW,
    last_seen_at: NOW,
    expires_at: '2026-10-27T08:00:00Z',
    method: 'password',
    address: '203.0.113.7',
    user_agent: BROWSER.repeat(10).slice(0, LIMITS.userAgentLength),
    current: false,
  });
  const end = (from: typeof browser, id: string) => from.request.delete(`/portal/v1/sessions/${id}`);
  assert.equal((await end(ofOther, there.id)).status, 404, 'a session of another user');
  assert.equal((await elsewhere.request('/portal/v1/session')).status, 200);
  assert.equal((await end(browser, there.id)).status, 204);
  assert.equal((await elsewhere.request('/portal/v1/session')).status, 401);
  assert.equal((await end(browser, there.id)).status, 404);
  assert.deepEqual(await list(), [here]);
  const [entry] = (await bodyOf(operator('/operator/v1/audit?action=user.session_ended'))).entries;
  assert.deepEqual([entry.subject, entry.before.id], [entry.actor, there.id]);
  assert.equal((await end(browser, here.id)).status, 204);
  assert.equal(browser.cookie, '', 'the cookie of the own session is removed');
});

const PENDING = statement(
  'test_pend_session',
  `update user_session set pending = 'second_factor' where user_id = $1 and id = (
     select id from user_session where user_id = $1 order by id desc limit 1)`,
);

test('sessions that have ended or lack a second factor are not listed', async () => {
  const { browser, user } = await signedIn(platform, OPERATOR);
  await signIn(user.email, user.password);
  await platform.db.transaction((tx) => tx.query(PENDING, [user.id]));
  const list = async () => (await bodyOf(browser.request('/portal/v1/sessions'))).sessions;
  assert.deepEqual(
    (await list()).map(({ current }: { current: boolean }) => current),
    [true],
  );
  await signIn(user.email, user.password);
  assert.equal((await list()).length, 2);
  // Half a day without a request ends the other one.
  platform.clock.set('2026-10-20T19:00:00Z');
  await browser.request('/portal/v1/session');
  await platform.flush();
  platform.clock.set('2026-10-20T21:00:00Z');
  assert.equal((await list()).length, 1);
  platform.clock.set(NOW);
});

test('the operator ends all sessions of a user', async () => {
  const { browser, state } = await signedIn(platform, OPERATOR);
  const { browser: other } = await signedIn(platform, OPERATOR);
  assert.equal((await operator.delete(`/operator/v1/users/${state.user.id}/sessions`)).status, 204);
  assert.equal((await browser.request('/portal/v1/session')).status, 401);
  assert.equal((await other.request('/portal/v1/session')).status, 200);
  assert.equal((await operator.delete('/operator/v1/users/user_x/sessions')).status, 404);
  const query = `subject=${state.user.id}&action=user.sessions_ended`;
  const { entries } = await bodyOf(operator(`/operator/v1/audit?${query}`));
  assert.deepEqual(
    entries.map(({ after }: { after: object }) => after),
    [{ name: state.user.name }],
  );
});

test('with ADDRESSES=short, audit, sessions and the log have the network only, and limits the whole address', async () => {
  lines.length = 0;
  const user = await newUser(short, OPERATOR);
  const asOperator = client(short.baseUrl, await short.world.operatorKey());
  const [one, neighbour] = ['203.0.113.7', '203.0.113.8'];
  for (let tries = 0; tries < 5; tries++)
    assert.equal((await signIn(user.email, WRONG, one, { on: short })).status, 401);
  assert.equal((await signIn(user.email, WRONG, one, { on: short })).status, 429);
  const browser = openBrowser(short);
  const headers = { 'x-forwarded-for': neighbour };
  const body = { email: user.email, password: user.password };
  assert.equal((await browser.request.post('/portal/v1/session', body, { headers })).status, 200);
  const [session] = (await bodyOf(browser.request('/portal/v1/sessions'))).sessions;
  assert.equal(session.address, '203.0.113.0/24');
  const subject = `&subject=${encodeId(ID_PREFIX.user, user.id)}`;
  for (const entry of await failures(subject, asOperator)) assert.equal(entry.address, '203.0.113.0/24');
  assert.ok(lines.every((line) => !line.includes(one) && !line.includes(neighbour)));
  assert.ok(lines.some((line) => line.includes('"address":"203.0.113.0/24"')));
});

test('each line of the request log has the address of the client', async () => {
  lines.length = 0;
  const answer = await operator('/operator/v1/brps', { headers: { 'x-forwarded-for': '2001:db8::7' } });
  const forged = await operator('/operator/v1/brps', { headers: { 'x-forwarded-for': '"}, {"x' } });
  const logged = lines.map((line) => JSON.parse(line));
  const of = ({ headers }: Answer) =>
    logged.find((line) => line.request_id === headers.get('x-request-id'))?.address;
  assert.deepEqual([of(answer), of(forged)], ['2001:db8::7', 'unknown']);
});
