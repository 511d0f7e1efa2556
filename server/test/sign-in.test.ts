import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statement } from '../src/platform/db/statement.ts';
import { type Browser, newUser, openBrowser } from './browser.ts';
import { type Answer, problemOf, startTestPlatform, type TestPlatform } from './harness.ts';

const NOW = '2026-10-20T08:00:00Z';
const OPERATOR = { type: 'operator' } as const;
const environment = { TRUST_PROXY: 'on' };
const platform = await startTestPlatform({ now: NOW, environment });
/** Another process on the same database. */
const other = await startTestPlatform({
  now: NOW,
  environment: { ...environment, DATABASE_URL: platform.databaseUrl },
});
const REQUESTS = 6;
const flooded = await startTestPlatform({
  now: NOW,
  environment: { ...environment, RATE_LIMIT: String(REQUESTS) },
});

/** Seconds since the beginning, for both processes. */
function setTime(seconds: number): void {
  const instant = new Date(Date.parse(NOW) + seconds * 1000).toISOString();
  for (const { clock } of [platform, other]) clock.set(instant);
}

type User = { readonly email: string; readonly password: string };
let addresses = 0;
/** An address without earlier attempts. */
const newAddress = () => `198.51.${Math.floor(++addresses / 250)}.${(addresses % 250) + 1}`;

const signIn = (browser: Browser, { email, password }: User, address: string): Promise<Answer> =>
  browser.request.post(
    '/portal/v1/session',
    { email, password },
    { headers: { 'x-forwarded-for': address } },
  );

/** An attempt with a wrong password, in a new browser. */
const guess = (email: string, address: string, where: Pick<TestPlatform, 'baseUrl'> = platform) =>
  signIn(openBrowser(where), { email, password: 'a wrong password' }, address);

async function guesses(count: number, email: string, addressOf: () => string): Promise<void> {
  for (let tries = 0; tries < count; tries++) {
    const answer = await guess(email, addressOf());
    assert.equal(answer.status, 401, answer.text);
  }
}

/** A user with a browser in which they have signed in before. */
async function newOwner(where = platform) {
  const user = await newUser(where, OPERATOR);
  const browser = openBrowser(where);
  assert.equal((await signIn(browser, user, newAddress())).status, 200);
  return { user, browser };
}

const outcome = ({ status, headers }: Answer) => [status, headers.get('retry-after')];

test('wrong passwords of one address for one account are delayed increasingly, by a minute at most', async () => {
  const { user } = await newOwner();
  const address = newAddress();
  await guesses(5, user.email, () => address);
  const delays: number[] = [];
  let seconds = 0;
  for (let tries = 0; tries < 9; tries++) {
    const refused = await guess(user.email, address);
    assert.deepEqual([refused.status, problemOf(refused).code], [429, 'rate_limited']);
    const wait = Number(refused.headers.get('retry-after'));
    delays.push(wait);
    setTime((seconds += wait) - 0.001);
    assert.equal((await guess(user.email, address)).status, 429, 'not a moment earlier');
    setTime(seconds);
    assert.equal((await guess(user.email, address)).status, 401);
  }
  assert.deepEqual(delays, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
  assert.equal((await guess(user.email, newAddress())).status, 401, 'other addresses are not delayed');
  setTime((seconds += 15 * 60));
  assert.equal((await guess(user.email, address)).status, 401, 'reset after a quarter of an hour');
  setTime(0);
});

test('during attempts of others at its address, the owner signs in at once on a known device, and after the delay on another', async () => {
  const { user, browser } = await newOwner();
  const address = newAddress();
  await guesses(5, user.email, () => address);
  assert.equal((await guess(user.email, address)).status, 429);
  assert.equal((await signIn(browser, user, address)).status, 200);
  assert.equal((await guess(user.email, address)).status, 429, 'other clients of the address stay delayed');
  const elsewhere = openBrowser(platform);
  assert.deepEqual(outcome(await signIn(elsewhere, user, address)), [429, '1']);
  setTime(1);
  assert.equal((await signIn(elsewhere, user, address)).status, 200);
  setTime(0);
});

test('during attempts from many addresses, a new one is delayed for half a minute, and a known device is not', async () => {
  const { user, browser } = await newOwner();
  await guesses(20, user.email, newAddress);
  const [one, another] = [newAddress(), newAddress()];
  assert.deepEqual(outcome(await guess(user.email, one)), [429, '32']);
  assert.equal((await signIn(browser, user, another)).status, 200, 'a known device');
  assert.equal((await signIn(browser, user, one)).status, 200, 'from any address');
  const elsewhere = openBrowser(platform);
  assert.deepEqual(outcome(await signIn(elsewhere, user, another)), [429, '32']);
  setTime(31.999);
  assert.deepEqual(outcome(await signIn(elsewhere, user, another)), [429, '1']);
  setTime(32);
  assert.equal((await guess(user.email, one)).status, 401);
  assert.deepEqual(outcome(await guess(user.email, one)), [429, '60'], 'one attempt per minute and address');
  assert.equal((await signIn(elsewhere, user, another)).status, 200);
  assert.equal((await signIn(elsewhere, user, newAddress())).status, 200, 'now this device is known too');
  setTime(0);
});

test('addresses of one IPv6 network count as one', async () => {
  const { user } = await newOwner();
  let host = 0;
  await guesses(5, user.email, () => `2001:db8:7:${(host & 0xff).toString(16)}::${(++host).toString(16)}`);
  assert.equal((await guess(user.email, '2001:db8:7:99::1')).status, 429);
  assert.equal((await guess(user.email, '2001:db8:8::1')).status, 401);
});

test('concurrent attempts in several processes do not avoid the delay', async () => {
  const { user } = await newOwner();
  const address = newAddress();
  const tries = Array.from({ length: 20 }, (_, at) =>
    guess(user.email, address, at % 2 === 0 ? platform : other),
  );
  const statuses = (await Promise.all(tries)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 401).length, 5);
  assert.equal(statuses.filter((status) => status === 429).length, 15);
});

test('all processes share known devices and delays', async () => {
  const { user, browser } = await newOwner();
  const address = newAddress();
  await guesses(5, user.email, () => address);
  assert.equal((await guess(user.email, address, other)).status, 429);
  const there = openBrowser(other);
  there.device = browser.device;
  assert.equal((await signIn(there, user, address)).status, 200);
});

test('an unknown email is delayed with the same answers as a user’s', async () => {
  const { user } = await newOwner();
  const answersFor = async (email: string) => {
    const address = newAddress();
    const answers = [];
    for (let tries = 0; tries < 5; tries++) answers.push(await guess(email, address));
    answers.push(await guess(email, address));
    for (let tries = 0; tries < 15; tries++) answers.push(await guess(email, newAddress()));
    answers.push(await guess(email, newAddress()));
    return answers.map((answer) => [...outcome(answer), answer.text]);
  };
  const known = await answersFor(user.email);
  assert.deepEqual(await answersFor('unknown@saldo.example'), known);
  assert.deepEqual([known[5]?.[0], known[21]?.[0]], [429, 429]);
});

const SPEND = statement('test_spend_tries', 'update sign_in_try set count = 100 where count = 5');

test('an address that tries many accounts is delayed for all of them, except on known devices', async () => {
  const address = newAddress();
  const { user, browser } = await newOwner();
  for (let tries = 0; tries < 5; tries++) await guess(`unknown${tries}@saldo.example`, address);
  // Simulates a hundred attempts, which would take too long.
  await platform.db.transaction((tx) => tx.query(SPEND));
  const elsewhere = openBrowser(platform);
  assert.deepEqual(outcome(await signIn(elsewhere, user, address)), [429, '1']);
  assert.equal((await signIn(browser, user, address)).status, 200);
  setTime(1);
  assert.equal((await signIn(elsewhere, user, address)).status, 200);
  setTime(0);
});

test('a rate-limited address does not prevent a known device there from signing in', async () => {
  const { user, browser } = await newOwner(flooded);
  const address = newAddress();
  const statuses = [];
  for (let count = 0; count <= REQUESTS; count++) {
    statuses.push((await guess(`x${count}@saldo.example`, address, flooded)).status);
  }
  assert.equal(statuses.at(-1), 429);
  assert.equal(
    (await signIn(openBrowser(flooded), user, address)).status,
    429,
    'an unknown device is counted by address',
  );
  assert.equal((await signIn(browser, user, address)).status, 200);
});

test('a device is known for the users who signed in on it, until their password changes', async () => {
  const { user, browser } = await newOwner();
  const colleague = await newUser(platform, OPERATOR);
  const attacked = async () => {
    const address = newAddress();
    for (const { email } of [user, colleague]) await guesses(5, email, () => address);
    return address;
  };
  const first = await attacked();
  assert.equal((await signIn(browser, colleague, first)).status, 429, 'not yet known for them');
  assert.equal((await signIn(browser, colleague, newAddress())).status, 200);
  for (const who of [user, colleague]) assert.equal((await signIn(browser, who, first)).status, 200);

  const copy = openBrowser(platform);
  copy.device = browser.device;
  const changed = { email: user.email, password: 'seven owls behind the mill' };
  assert.equal((await signIn(browser, user, newAddress())).status, 200);
  const change = await browser.request.put('/portal/v1/password', {
    current: user.password,
    new: changed.password,
  });
  assert.equal(change.status, 204, change.text);
  assert.equal((await signIn(copy, changed, first)).status, 429, 'as it was before the change');
  assert.equal((await signIn(browser, changed, first)).status, 200, 'where it was changed');
});

test('a forged cookie makes no device known', async () => {
  const { user, browser } = await newOwner();
  const stranger = await newOwner();
  const [name = '', value = ''] = browser.device.split('=');
  const [id = '', seal = '', tag = ''] = value.split('.');
  const strange = stranger.browser.device.split('=')[1]?.split('.') ?? [];
  const address = newAddress();
  await guesses(5, user.email, () => address);
  for (const forged of [
    '',
    '.',
    '...',
    'x'.repeat(5000),
    id,
    `${id}.${seal}`,
    `${id}.${seal}.${seal}`,
    `${id}.${tag}.${seal}`,
    `${id}.${seal}.${tag.slice(0, -1)}`,
    `${strange[0]}.${strange[1]}.${tag}`,
    `${id}.${seal}.${strange[2]}`,
    strange.join('.'),
  ]) {
    const thief = openBrowser(platform);
    thief.device = `${name}=${forged}`;
    assert.equal((await signIn(thief, user, address)).status, 429, forged);
  }
  assert.equal((await signIn(browser, user, address)).status, 200);
});

test('a stolen device is delayed too, and delays no other device', async () => {
  const { user, browser } = await newOwner();
  const thief = openBrowser(platform);
  thief.device = browser.device;
  const wrong = { email: user.email, password: 'a wrong password' };
  for (let tries = 0; tries < 10; tries++) {
    assert.equal((await signIn(thief, wrong, newAddress())).status, 401);
  }
  assert.deepEqual(outcome(await signIn(thief, wrong, newAddress())), [429, '1']);
  assert.equal((await signIn(openBrowser(platform), user, newAddress())).status, 200);
});

const ROWS = statement(
  'test_tries',
  'select *, ctid::text, xmin::text, xmax::text from sign_in_try order by subject',
);

test('a delayed attempt writes nothing, and past attempts are deleted', async () => {
  const { user } = await newOwner();
  const address = newAddress();
  await guesses(5, user.email, () => address);
  const before = await platform.db.query(ROWS);
  for (let tries = 0; tries < 20; tries++) assert.equal((await guess(user.email, address)).status, 429);
  assert.deepEqual(await platform.db.query(ROWS), before);
  setTime(3600);
  // Each attempt deletes up to a hundred rows.
  await guesses(3, user.email, () => address);
  // The address, the account, both together, and the audit events of both.
  assert.equal((await platform.db.query(ROWS)).length, 4);
  setTime(0);
});
