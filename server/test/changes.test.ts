import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appendEvents, type NewEvent, type Tenant } from '../src/events/store.ts';
import type { Owner } from '../src/platform/auth/principal.ts';
import { signedIn } from './browser.ts';
import { assertProblem, assertRefused, bodyOf, client, startTestPlatform } from './harness.ts';
import { until } from './until.ts';
import { untilReadersWait } from './waiting-readers.ts';

const platform = await startTestPlatform();
const { db, clock, world } = platform;
const [brp, other] = [await world.brp(), await world.brp()];
const account = await world.account();
const OF_BRP = { type: 'brp', brpNo: brp.no } as const;
const OPERATOR = { type: 'operator' } as const;

const append = (...events: NewEvent[]) => db.transaction((tx) => appendEvents(tx, events, clock.now()));
const created = (tenant: Tenant): NewEvent => ({
  type: 'contract.created',
  tenants: [tenant],
  data: { object: 'contract', id: 'con_x' },
});
const assigned = (tenant: Tenant): NewEvent => ({
  type: 'customer.assigned',
  tenants: [tenant],
  data: { object: 'customer', id: 'cust_x' },
});

/** A page of a new user, at its first place. */
async function openPage(owner: Owner) {
  const { browser } = await signedIn(platform, owner);
  const read = (query: string): Promise<{ changed: string[]; server_time: string; next: string }> =>
    bodyOf(browser.request(`/portal/v1/changes?${query}`));
  const { changed, next, server_time } = await read('wait=30');
  assert.deepEqual(changed, [], 'the first place is answered at once');
  assert.equal(Date.parse(server_time), Math.floor(clock.now() / 1000) * 1000);
  return { browser, next, since: (after: string, wait = 0) => read(`after=${after}&wait=${wait}`) };
}

const untilWaiting = (count: number) => untilReadersWait(platform.adminUrl, count);

test('a page reads each type once, however many events there are, and goes on from there', async () => {
  const { since, next } = await openPage(OF_BRP);
  const own = `brp/${brp.no}` as const;
  await append(created(own), created(own), assigned(own), created(`brp/${other.no}`));
  const first = await since(next, 30);
  assert.deepEqual(first.changed.toSorted(), ['contract.created', 'customer.assigned']);
  assert.deepEqual((await since(first.next)).changed, []);
});

test('a waiting page of a BRP gets its own events only', async () => {
  const { since, next } = await openPage(OF_BRP);
  const answer = since(next, 30);
  await untilWaiting(1);
  await append(created(`brp/${other.no}`), created('operator'), created('accounts'));
  await append(assigned(`brp/${brp.no}`));
  assert.deepEqual((await answer).changed, ['customer.assigned']);
});

test('a waiting page of an account gets its own events and those of all accounts', async () => {
  const owner = { type: 'account', accountNo: account.no } as const;
  for (const tenant of [`account/${account.no}`, 'accounts'] as const) {
    const { since, next } = await openPage(owner);
    const answer = since(next, 30);
    await untilWaiting(1);
    await append(created(`brp/${brp.no}`));
    const data = { object: 'asset', id: 'ast_x' } as const;
    await append({ type: 'asset.published', tenants: [tenant], data });
    assert.deepEqual((await answer).changed, ['asset.published']);
  }
});

test('a waiting page of the operator gets the events of all parties', async () => {
  const { since, next } = await openPage(OPERATOR);
  const answer = since(next, 30);
  await untilWaiting(1);
  await append(created(`brp/${other.no}`));
  assert.deepEqual((await answer).changed, ['contract.created']);
});

test('a waiting page of the operator gets changes by requests and messages, which have no events', async () => {
  const page = await openPage(OPERATOR);
  const operator = client(platform.baseUrl, await world.operatorKey());
  const named = page.since(page.next, 30);
  await untilWaiting(1);
  const made = await operator.post('/operator/v1/brps', { name: 'Ostwind' });
  assert.equal(made.status, 201);
  const afterName = await named;
  assert.deepEqual(afterName.changed, ['audit']);
  const received = page.since(afterName.next, 30);
  await untilWaiting(1);
  const headers = { 'content-type': 'application/xml' };
  await operator.post('/operator/v1/exchange/receive', '<nonsense/>', { headers });
  assert.ok((await received).changed.includes('message'));
});

test('a page that was away for too long reads everything anew', async () => {
  const { since, next } = await openPage(OF_BRP);
  await append(...Array.from({ length: 16_000 }, () => created(`brp/${brp.no}`)));
  const { changed, next: after } = await since(next);
  assert.deepEqual(changed, ['*']);
  assert.deepEqual((await since(after)).changed, []);
});

test('without a change the answer is empty after the time', async () => {
  const { since, next } = await openPage(OF_BRP);
  const { changed, next: after } = await since(next, 1);
  assert.deepEqual(changed, []);
  await append(created(`brp/${brp.no}`));
  assert.deepEqual((await since(after)).changed, ['contract.created']);
});

test('a place of another user’s party is refused, and so is too long a wait', async () => {
  const { next } = await openPage(OPERATOR);
  const { browser } = await signedIn(platform, OF_BRP);
  const refused = await browser.request(`/portal/v1/changes?after=${next}&wait=31`);
  assertRefused(refused, 'after invalid_format', 'wait value_too_large');
});

test('a session that ends during the waiting gets no changes', async () => {
  const { browser, next } = await openPage(OF_BRP);
  const answer = browser.request(`/portal/v1/changes?after=${next}&wait=30`);
  await untilWaiting(1);
  const { cookie } = browser;
  await browser.request.delete('/portal/v1/session');
  const ask = client(platform.baseUrl);
  await until(async () => (await ask('/portal/v1/session', { headers: { cookie } })).status === 401);
  await append(created(`brp/${brp.no}`));
  assertProblem(await answer, 401, 'invalid_session');
});
