import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { SaldoEvent } from '@saldo/api';
import { decodeId, encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { appendEvents, type NewEvent, type Tenant } from '../src/events/store.ts';
import { ownerKey } from '../src/platform/auth/principal.ts';
import { statement } from '../src/platform/db/statement.ts';
import { bindingOf, cursorSealer, readCursorSecret } from '../src/platform/http/cursor.ts';
import {
  type Answer,
  assertProblem,
  assertRefused,
  bodyOf,
  type Client,
  client,
  startTestPlatform,
} from './harness.ts';

/** Nothing that a tenant can read counts what others do: neither sequences nor ids, cursors and refusals. */

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { db, clock, world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());

const append = (...events: NewEvent[]) => db.transaction((tx) => appendEvents(tx, events, clock.now()));
const many = (count: number, one: () => NewEvent) => Array.from({ length: count }, one);
const published = (): NewEvent => ({
  type: 'asset.published',
  tenants: ['accounts'],
  data: { object: 'asset', id: 'ast_x' },
});

async function newReader() {
  const { no, key } = await world.brp();
  const tenants: Tenant[] = [`brp/${no}`];
  const created = (): NewEvent => ({
    type: 'contract.created',
    tenants,
    data: { object: 'contract', id: 'con_x' },
  });
  const assigned = (): NewEvent => ({
    type: 'customer.assigned',
    tenants,
    data: { object: 'customer', id: 'cust_x' },
  });
  const owner = ownerKey({ type: 'brp', brpNo: no });
  return { ask: client(platform.baseUrl, key), tenant: tenants[0]!, owner, created, assigned };
}

type Page = { events: SaldoEvent[]; pagination: { next_cursor: string; has_more: boolean } };
const page = (ask: Client, query: string): Promise<Page> => bodyOf(ask(`/v1/events?${query}`));
async function walk(ask: Client, query = ''): Promise<SaldoEvent[]> {
  const events: SaldoEvent[] = [];
  for (let after = ''; ; ) {
    const { events: some, pagination } = await page(ask, `limit=7&${query}${after}`);
    events.push(...some);
    if (!pagination.has_more) return events;
    after = `&after=${pagination.next_cursor}`;
  }
}
const NEWEST_OWNER = statement(
  'test_newest_owner',
  'select tenant from webhook_endpoint order by created_at desc, id desc limit 1',
);
const sequencesOf = (events: readonly SaldoEvent[]) => events.map(({ sequence }) => sequence);
const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);

test('the sequence counts the events of its reader, whatever others do', async () => {
  const [one, other] = [await newReader(), await newReader()];
  await append(one.created());
  await append(...many(50, other.created), one.created(), one.assigned());
  await append(...many(40, one.created));
  await append(...many(3, other.assigned));
  assert.deepEqual(sequencesOf(await walk(one.ask)), upTo(43));
  assert.deepEqual(sequencesOf(await walk(other.ask)), upTo(53));
});

test('an event has the same sequence in every page and alone, also in the two feeds of an account', async () => {
  const key = await world.accountKey();
  const ask = client(platform.customerUrl, key);
  const before = (await walk(ask)).length;
  const webhook = await ask.post('/v1/webhook-endpoints', { url: 'https://hooks.example/' });
  assert.equal(webhook.status, 201, webhook.text);
  const [{ tenant } = assert.fail()] = await db.query<{ tenant: Tenant }>(NEWEST_OWNER);
  const disabled = (): NewEvent => ({
    type: 'webhook.disabled',
    tenants: [tenant],
    data: { object: 'webhook_endpoint', id: webhook.body.id, reason: 'gone' },
  });
  for (let count = 0; count < 3; count++) {
    await append(...many(20, published));
    await append(disabled());
    await append((await newReader()).created(), published(), disabled());
  }
  const all = await walk(ask);
  assert.deepEqual(sequencesOf(all), upTo(before + 69));
  assert.deepEqual(await walk(ask, 'order=newest_first'), all.toReversed());
  for (const types of ['asset.*', 'webhook.*']) {
    const some = all.filter(({ type }) => type.startsWith(types.slice(0, -1)));
    assert.deepEqual(await walk(ask, `types=${types}`), some);
    assert.deepEqual(await walk(ask, `order=newest_first&types=${types}`), some.toReversed());
  }
  for (const event of all.slice(-10)) assert.deepEqual((await ask(`/v1/events/${event.id}`)).body, event);
});

/** Everything but the address, the request id and the time. */
const refusalOf = ({ status, body }: Answer) => [status, { ...body, instance: '' }];

/** The id that an event had when its place was readable. */
const readableId = (sequence: number) => {
  const hex = `${clock.now().toString(16).padStart(12, '0')}70008${sequence.toString(16).padStart(15, '0')}`;
  const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return encodeId(ID_PREFIX.event, uuid);
};

test('a place that is not one of the reader is 410, the same whatever the platform has done', async () => {
  const [reader, other] = [await newReader(), await newReader()];
  await append(reader.created(), other.created());
  const [own = assert.fail()] = await walk(reader.ask);
  const [foreign = assert.fail()] = await walk(other.ask);
  const cursorOf = async (ask: Client) => (await page(ask, 'after=latest')).pagination.next_cursor;
  const foreignCursor = await cursorOf(other.ask);
  const ownCursor = await cursorOf(reader.ask);
  const changed = (text: string, at: number) =>
    text.slice(0, at) + (text[at] === '7' ? '6' : '7') + text.slice(at + 1);
  const noPlaces = [
    foreign.id,
    foreignCursor,
    ...upTo(10).map(() => encodeId(ID_PREFIX.event, randomUUID())),
    ...[1, 16, 32, 1_000, 10_000, 2 ** 40].map(readableId),
    ...upTo(20).map((back) => changed(own.id, own.id.length - back)),
    ...upTo(8).map((back) => changed(ownCursor, ownCursor.length - back)),
  ];
  const refusals = async () => {
    const found = new Set<string>();
    for (const order of ['oldest_first', 'newest_first'])
      for (const place of noPlaces) {
        const answer = await reader.ask(`/v1/events?after=${place}&order=${order}`);
        assertProblem(answer, 410, 'events_expired');
        found.add(JSON.stringify(refusalOf(answer)));
      }
    return [...found];
  };
  const before = await refusals();
  assert.equal(before.length, 1, before.join('\n'));
  await append(...many(2_000, other.created));
  assert.deepEqual(await refusals(), before);
  for (const place of [own.id, ownCursor])
    assert.deepEqual((await page(reader.ask, `after=${place}`)).events, []);
  for (const malformed of [
    'nonsense',
    'evt_',
    'evt_x',
    own.id.slice(0, -1),
    `con_${own.id.slice(4)}`,
    `${ownCursor}0`,
  ])
    assertRefused(await reader.ask(`/v1/events?after=${malformed}`), 'after invalid_format');
  assertProblem(await reader.ask(`/v1/events/${foreign.id}`), 404, 'event_not_found');
  assertProblem(await reader.ask(`/v1/events/${ownCursor}`), 404, 'event_not_found');
});

test('a cursor of an earlier version, which is a signed number, still leads to its place', async () => {
  const reader = await newReader();
  await append(...many(3, reader.created));
  const [first = assert.fail(), ...later] = await walk(reader.ask);
  const { sequence } = platform.eventIds.placeOf(reader.tenant, first.id) ?? assert.fail();
  const value = await readCursorSecret(db, platform.sealer);
  const sealed = (place: number) =>
    cursorSealer(value).seal(bindingOf(reader.owner, '/v1/events', {}), [place]);
  assert.deepEqual((await page(reader.ask, `after=${sealed(sequence)}`)).events, later);
  const forged = sealed(sequence).replace(/^..../, 'WzEw');
  assertRefused(await reader.ask(`/v1/events?after=${forged}`), 'after invalid_format');
});

test('ids and cursors are not countable', async () => {
  const reader = await newReader();
  const cursors: string[] = [];
  for (let count = 0; count < 30; count++) {
    await append(reader.created());
    cursors.push((await page(reader.ask, 'after=latest')).pagination.next_cursor);
  }
  const ids = (await walk(reader.ask)).map(({ id }) => id);
  for (const texts of [ids, cursors]) {
    assert.equal(new Set(texts).size, 30);
    assert.notDeepEqual(texts.toSorted(), texts, 'not in their order');
    // The last 48 bits. A counter, or one that is masked, would use a small part of them.
    const numbers = texts.map((text) => {
      const uuid = decodeId(ID_PREFIX.event, text.replace('feed_', 'evt_')) ?? assert.fail(text);
      return Number.parseInt(uuid.slice(-12), 16);
    });
    const spread = Math.max(...numbers) - Math.min(...numbers);
    assert.ok(spread > 2 ** 42, String(spread));
  }
});

test('request ids are unique and not countable', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 50; count++)
    ids.push((await operator('/operator/v1/brps?limit=1')).headers.get('x-request-id') ?? '');
  assert.equal(new Set(ids).size, 50);
  assert.notDeepEqual(ids.toSorted(), ids, 'not in their order');
  for (const [at, id] of ids.slice(1).entries()) {
    const common = [...id].findIndex((character, nth) => character !== ids[at]?.[nth]);
    assert.ok(common < 12, `${ids[at]} and ${id} have a common prefix`);
  }
});
