import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SaldoEvent } from '@saldo/api';
import pg from 'pg';
import { checkpointEvents, deleteOldEvents } from '../src/events/actions.ts';
import { appendEvents, EVENTS_PER_ROW, type NewEvent } from '../src/events/store.ts';
import { statement } from '../src/platform/db/statement.ts';
import { signedIn } from './browser.ts';
import { followed } from './following.ts';
import { answerWithoutId, assertProblem, assertRefused, client, startTestPlatform } from './harness.ts';

const platform = await startTestPlatform();
const { db, clock, world } = platform;
const [brp, other] = [await world.brp(), await world.brp()];
const ask = client(platform.baseUrl, brp.key);

const event = (type: 'contract.created' | 'customer.assigned', brpNo = brp.no): NewEvent => {
  const tenants = [`brp/${brpNo}`] as const;
  return type === 'contract.created'
    ? { type, tenants, data: { object: 'contract', id: 'con_x' } }
    : { type, tenants, data: { object: 'customer', id: 'cust_x' } };
};
const append = (...events: NewEvent[]) => db.transaction((tx) => appendEvents(tx, events, clock.now()));
const list = async (query = '', as = ask) => {
  const answer = await as(`/v1/events?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body as {
    events: SaldoEvent[];
    pagination: { limit: number; has_more: boolean; next_cursor: string };
  };
};
const COUNT_CHECKPOINTS = statement(
  'test_count_checkpoints',
  'select count(*)::int as count from event_checkpoint where tenant = $1',
);
const sequences = ({ events }: { events: SaldoEvent[] }) => events.map(({ sequence }) => sequence);

test('a reader that goes on from next_cursor reads every event once, in order, whatever the page size', async () => {
  await append(...Array.from({ length: 25 }, () => event('contract.created')));
  const all = sequences(await list('limit=100'));
  assert.equal(all.length, 25);
  assert.deepEqual(
    all,
    all.toSorted((one, two) => one - two),
  );
  const read: number[] = [];
  let after = '';
  for (const limit of [1, 10, 10, 10]) {
    const page = await list(`limit=${limit}${after}`);
    assert.equal(page.pagination.limit, limit);
    read.push(...sequences(page));
    assert.equal(page.pagination.has_more, read.length < 25);
    after = `&after=${page.pagination.next_cursor}`;
  }
  assert.deepEqual(read, all);
  const end = await list(after.slice(1));
  assert.deepEqual([end.events, end.pagination.has_more], [[], false]);
  await append(event('contract.created'));
  assert.equal((await list(`after=${end.pagination.next_cursor}`)).events.length, 1);
});

test('the default page has 10 events, from the oldest on', async () => {
  const page = await list();
  assert.deepEqual([page.events.length, page.pagination.limit, page.pagination.has_more], [10, 10, true]);
});

test('the place of a reader also moves past events that its filter skips, and is valid for other types', async () => {
  const { pagination } = await list('after=latest');
  await append(event('customer.assigned'), event('contract.created'));
  const skipped = await list(`after=${pagination.next_cursor}&types=nomination.*`);
  assert.deepEqual(skipped.events, []);
  assert.notEqual(skipped.pagination.next_cursor, pagination.next_cursor);
  assert.deepEqual((await list(`after=${skipped.pagination.next_cursor}`)).events, []);
  const all = await list(`after=${pagination.next_cursor}`);
  assert.deepEqual(
    all.events.map(({ type }) => type),
    ['customer.assigned', 'contract.created'],
  );
});

test('types select by name and by subject', async () => {
  const read = await followed(ask);
  await append(event('contract.created'), event('customer.assigned'));
  const from = await followed(ask);
  const types = async (query: string) => {
    const place = sequences(await list('limit=100&types=contract.*')).at(-1);
    const { events } = await list(`limit=100&types=${query}`);
    return events.filter(({ sequence }) => sequence >= (place ?? 0)).map(({ type }) => type);
  };
  assert.deepEqual(await types('contract.created'), ['contract.created']);
  assert.deepEqual(await types('contract.*,customer.*'), ['contract.created', 'customer.assigned']);
  assert.deepEqual(await types('customer.assigned,nomination.*'), ['customer.assigned']);
  assert.deepEqual(await types('nomination.*'), []);
  assert.equal((await read()).length, 2);
  assert.deepEqual(await from(), []);
});

test('after accepts the id of an event', async () => {
  const { events } = await list('limit=3');
  const [first, second, third] = events;
  assert.deepEqual(
    sequences(await list(`limit=2&after=${first?.id}`)),
    [second, third].map((one) => one?.sequence),
  );
});

test('newest_first reads the same events backwards, whatever the page size and the types', async () => {
  await append(...Array.from({ length: 12 }, () => event('contract.created')), event('customer.assigned'));
  for (const filter of ['', '&types=contract.*']) {
    const forwards = sequences(await list(`limit=100${filter}`));
    const backwards: number[] = [];
    for (let after = ''; ; ) {
      const page = await list(`order=newest_first&limit=7${filter}${after}`);
      backwards.push(...sequences(page));
      if (!page.pagination.has_more) break;
      after = `&after=${page.pagination.next_cursor}`;
      // Events that are appended meanwhile are at the other end.
      await append(event('contract.created'));
    }
    assert.deepEqual(backwards, forwards.toReversed());
  }
  const { events } = await list('limit=3');
  assert.deepEqual(
    sequences(await list(`order=newest_first&after=${events[2]?.id}`)),
    [events[1], events[0]].map((one) => one?.sequence),
  );
});

test('newest_first with types reads a bounded number of events per page', async () => {
  const reader = await world.brp();
  const as = client(platform.baseUrl, reader.key);
  await append(event('customer.assigned', reader.no));
  await append(...Array.from({ length: 16_100 }, () => event('contract.created', reader.no)));
  const first = await list('order=newest_first&types=customer.*', as);
  assert.deepEqual([first.events, first.pagination.has_more], [[], true]);
  const second = await list(`order=newest_first&types=customer.*&after=${first.pagination.next_cursor}`, as);
  assert.deepEqual(
    [second.events.map(({ type }) => type), second.pagination.has_more],
    [['customer.assigned'], false],
  );
});

test('invalid parameters are rejected together', async () => {
  const refused = (query: string, ...errors: string[]) =>
    ask(`/v1/events?${query}`).then((answer) => assertRefused(answer, ...errors));
  await refused('limit=0&wait=31', 'limit value_too_small', 'wait value_too_large');
  await refused('limit=101&wait=-1', 'limit value_too_large', 'wait value_too_small');
  await refused('order=newest_first&wait=1', 'wait validation_failed');
  await refused('types=contract.signed', 'types[0] invalid_enum_value');
  await refused('types=asset.*', 'types[0] invalid_enum_value');
  await refused('types=*', 'types[0] invalid_enum_value');
  await refused('types=', 'types value_too_small');
  await refused('after=nonsense&wait=x', 'after invalid_format', 'wait invalid_type');
  const [{ id } = assert.fail()] = (await list('limit=1')).events;
  await refused(`after=${id.slice(0, -1)}`, 'after invalid_format');
  await refused(`after=con_${id.slice(4)}`, 'after invalid_format');
});

test('an event is read by its id; a foreign one looks like an unknown one', async () => {
  const [first] = (await list('limit=1')).events;
  assert.ok(first);
  const answer = await ask(`/v1/events/${first.id}`);
  assert.deepEqual([answer.status, answer.body], [200, first]);
  const foreign = client(platform.baseUrl, other.key);
  const unknown = `${first.id.slice(0, -4)}zzzz`;
  assert.deepEqual(
    answerWithoutId(first.id, await foreign(`/v1/events/${first.id}`)),
    answerWithoutId(unknown, await foreign(`/v1/events/${unknown}`)),
  );
  for (const id of [
    unknown,
    'evt_x',
    first.id.replace('evt_', 'con_'),
    `${first.id.slice(0, 8)}0${first.id.slice(9)}`,
  ]) {
    if (id !== first.id) assertProblem(await ask(`/v1/events/${id}`), 404, 'event_not_found');
  }
});

test('each tenant reads its own events only, with a key or a session', async () => {
  const asOther = await followed(client(platform.baseUrl, other.key));
  const asOperator = await followed(
    client(platform.baseUrl, await world.operatorKey()),
    '/operator/v1/events',
  );
  const asAccount = await followed(client(platform.customerUrl, await world.accountKey()));
  const { request } = await signedIn(platform, { type: 'brp', brpNo: other.no }, 'viewer');
  const asUser = await followed(request);
  await append(event('contract.created', other.no));
  assert.equal((await asOther()).length, 1);
  assert.equal((await asUser()).length, 1);
  assert.deepEqual(await asOperator(), []);
  assert.deepEqual(await asAccount(), []);
});

test('a rolled-back change leaves no event', async () => {
  const read = await followed(ask);
  await assert.rejects(
    db.transaction(async (tx) => {
      await appendEvents(tx, [event('contract.created')], clock.now());
      throw new Error('rolled back');
    }),
  );
  assert.deepEqual(await read(), []);
  await append(event('contract.created'));
  assert.equal((await read()).length, 1);
});

test('events of one append that share a row are separate events, in order, also between two pages', async () => {
  const asOther = client(platform.baseUrl, other.key);
  const [read, readOther] = [await followed(ask), await followed(asOther)];
  const { next_cursor: start } = (await list('after=latest')).pagination;
  const named = (id: string): NewEvent => ({
    type: 'contract.created',
    tenants: [`brp/${brp.no}`, `brp/${other.no}`, `brp/${brp.no}`],
    data: { object: 'contract', id },
  });
  const ids = Array.from({ length: 2 * EVENTS_PER_ROW + 3 }, (_, at) => `con_${at}`);
  await append(named('con_first'));
  await append(...ids.map(named), event('customer.assigned'), named('con_last'));
  const events = await read();
  const expected = ['con_first', ...ids, 'cust_x', 'con_last'];
  assert.deepEqual(idsOf(events), expected);
  assert.deepEqual(
    idsOf(await readOther()),
    expected.filter((id) => id !== 'cust_x'),
  );
  for (const [at, { id, sequence }] of events.entries()) {
    if (at > 0) assert.ok(sequence > events[at - 1]!.sequence, 'sequences rise');
    assert.deepEqual((await ask(`/v1/events/${id}`)).body, events[at]);
    assertProblem(await asOther(`/v1/events/${id}`), 404, 'event_not_found');
    assert.deepEqual((await list(`after=${id}&limit=100`)).events, events.slice(at + 1));
  }
  const pages: SaldoEvent[] = [];
  for (let after = start; pages.length < events.length; ) {
    const page = await list(`after=${after}&limit=7`);
    pages.push(...page.events);
    after = page.pagination.next_cursor;
  }
  assert.deepEqual(pages, events);
  const { events: rare } = await list(`after=${start}&types=customer.*`);
  assert.deepEqual(idsOf(rare), ['cust_x']);
  const many = Array.from({ length: 30 * EVENTS_PER_ROW }, (_, at) => `\t"\\ä\n${at}`);
  await append(...many.map(named));
  assert.deepEqual(idsOf(await read()), many);
});

const APPEND = `select append_events(array['brp/${brp.no}'], array['contract.created'], '2026-10-20T08:00:00Z', array[$1])`;
const NAMED = (id: string) => [JSON.stringify([{ object: 'contract', id }])];
const idsOf = (events: SaldoEvent[]) => events.map(({ data }) => ('id' in data ? data.id : null));

async function connected(t: { after(end: () => Promise<void>): void }): Promise<pg.Client> {
  const own = new pg.Client({ connectionString: platform.databaseUrl });
  await own.connect();
  t.after(() => own.end());
  return own;
}

test('an event is shown only when no earlier one can still be committed', async (t) => {
  const [slow, fast] = [await connected(t), await connected(t)];
  const read = await followed(ask);
  await slow.query('begin');
  await slow.query(APPEND, NAMED('slow'));
  await fast.query(APPEND, NAMED('fast'));
  await slow.query(APPEND, NAMED('slow again'));
  assert.deepEqual(await read(), [], 'an open transaction holds back later events');
  await slow.query('commit');
  assert.deepEqual(idsOf(await read()), ['slow', 'fast', 'slow again']);

  await slow.query('begin');
  await slow.query(APPEND, NAMED('undone'));
  await fast.query(APPEND, NAMED('kept'));
  assert.deepEqual(await read(), []);
  await slow.query('rollback');
  assert.deepEqual(idsOf(await read()), ['kept']);
});

test('a transaction without events, reading or writing, delays no event', async (t) => {
  const [reader, writer, fast] = [await connected(t), await connected(t), await connected(t)];
  const read = await followed(ask);
  await reader.query('begin isolation level repeatable read read only');
  await reader.query('select count(*) from event');
  await writer.query('begin');
  await writer.query("update brp set name = name || '.' where no = $1", [brp.no]);
  await fast.query(APPEND, NAMED('at once'));
  assert.deepEqual(idsOf(await read()), ['at once']);
  await writer.query(APPEND, NAMED('last'));
  await fast.query(APPEND, NAMED('after it'));
  assert.deepEqual(await read(), []);
  await writer.query('commit');
  assert.deepEqual(idsOf(await read()), ['last', 'after it'], 'in the order of the changes');
});

test('a savepoint that is rolled back takes its events and its place with it', async (t) => {
  const [nested, fast] = [await connected(t), await connected(t)];
  const read = await followed(ask);
  await nested.query('begin; savepoint nested');
  await nested.query(APPEND, NAMED('undone'));
  await nested.query('rollback to savepoint nested');
  await fast.query(APPEND, NAMED('between'));
  assert.deepEqual(idsOf(await read()), ['between']);
  await nested.query(APPEND, NAMED('kept'));
  await fast.query(APPEND, NAMED('held back'));
  assert.deepEqual(await read(), []);
  await nested.query('commit');
  assert.deepEqual(idsOf(await read()), ['kept', 'held back']);
});

test('the order of events is that of the changes of a record, whichever transaction began first', async (t) => {
  const [early, late] = [await connected(t), await connected(t)];
  const read = await followed(ask);
  await early.query('begin');
  await early.query('select pg_current_xact_id()');
  await late.query(APPEND, NAMED('changed first'));
  await early.query(APPEND, NAMED('changed second'));
  await early.query('commit');
  assert.deepEqual(idsOf(await read()), ['changed first', 'changed second']);
});

/** Goes on from page to page until there is no more. */
async function walkTypes(types: string) {
  const events: SaldoEvent[] = [];
  for (let [after, pages] = ['', 1]; ; pages++) {
    const page = await list(`types=${types}&limit=100${after}`);
    events.push(...page.events);
    if (!page.pagination.has_more) return { events, pages };
    after = `&after=${page.pagination.next_cursor}`;
  }
}

test('sequences stay the same whether events are counted from a checkpoint or not, and when events are deleted', async () => {
  const [reader, idle] = [await world.brp(), await world.brp()];
  const [as, asIdle] = [client(platform.baseUrl, reader.key), client(platform.baseUrl, idle.key)];
  const early = clock.now();
  await append(event('contract.created', idle.no));
  const { next_cursor: idleCursor } = (await list('after=latest', asIdle)).pagination;
  /** Events of one type share rows of the log, others do not. */
  const fill = (rows: number) =>
    append(
      ...Array.from({ length: rows }, (_, at) =>
        event(at % 2 === 0 ? 'contract.created' : 'customer.assigned', reader.no),
      ),
      ...Array.from({ length: 100 }, () => event('contract.created', reader.no)),
    );
  /** The first and the last sequences, and those of single events. */
  const ends = async () => {
    const oldest = await list('limit=3', as);
    const { events } = await list('order=newest_first&limit=40', as);
    for (const one of events.slice(-3)) assert.deepEqual((await as(`/v1/events/${one.id}`)).body, one);
    return [...sequences(oldest), ...sequences({ events: events.slice(0, 3) })];
  };
  const countCheckpoints = async () =>
    (await db.query<{ count: number }>(COUNT_CHECKPOINTS, [`brp/${reader.no}`]))[0]?.count ?? 0;
  for (let count = 0; count < 3; count++) await fill(700);
  assert.deepEqual(await ends(), [1, 2, 3, 2400, 2399, 2398]);
  await checkpointEvents(db);
  assert.ok((await countCheckpoints()) > 1);
  assert.deepEqual(await ends(), [1, 2, 3, 2400, 2399, 2398]);

  clock.set('2026-10-20T09:00:00Z');
  await fill(10);
  await deleteOldEvents(db, early + 1);
  assert.deepEqual(await ends(), [2401, 2402, 2403, 2510, 2509, 2508]);
  assert.equal(await countCheckpoints(), 1, 'only that of the deleted events is left');
  // The events of others after the place were deleted, and none of its reader.
  assert.deepEqual((await list(`after=${idleCursor}`, asIdle)).events, []);
  await append(event('contract.created', idle.no));
  assert.deepEqual(sequences(await list(`after=${idleCursor}`, asIdle)), [2]);
  for (let count = 0; count < 2; count++) await fill(700);
  await checkpointEvents(db);
  assert.deepEqual(await ends(), [2401, 2402, 2403, 4110, 4109, 4108]);
  assert.ok((await countCheckpoints()) > 1);
});

test('old events are deleted in batches, and a place before them is 410', async () => {
  await append(event('contract.created'), event('contract.created'), event('contract.created'));
  const [{ id } = assert.fail()] = (await list('limit=1')).events;
  const { next_cursor: old } = (await list('limit=2')).pagination;
  const before = clock.now();
  clock.set('2026-10-21T08:00:00Z');
  await append(
    ...Array.from({ length: 20_000 }, () => event('contract.created')),
    event('customer.assigned'),
  );
  const { next_cursor: current } = (await list('after=latest')).pagination;
  await deleteOldEvents(db, before);
  assert.equal((await list('limit=1')).events[0]?.id, id, 'nothing is old enough');
  await deleteOldEvents(db, before + 1);
  const left = await list('limit=100');
  assert.equal(left.events[0]?.occurred_at, '2026-10-21T08:00:00Z');
  assertProblem(await ask(`/v1/events?after=${old}`), 410, 'events_expired');
  assertProblem(await ask(`/v1/events?after=${id}&wait=5`), 410, 'events_expired');
  assertProblem(await ask(`/v1/events/${id}`), 404, 'event_not_found');
  assert.deepEqual((await list(`after=${current}`)).events, []);
  const rare = await walkTypes('customer.assigned');
  assert.deepEqual([rare.events.length, rare.pages > 1], [1, true], 'a rare type is found in bounded steps');
  clock.set('2026-10-22T08:00:00Z');
  await deleteOldEvents(db, clock.now());
  const empty = await list();
  assert.deepEqual(empty.events, []);
  await append(event('contract.created'));
  assert.equal((await list(`after=${empty.pagination.next_cursor}`)).events.length, 1);
});
