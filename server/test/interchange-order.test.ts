import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayStart, SLOT_MS } from '@saldo/core/delivery-day.ts';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { interchange, line, message, profile, quantity } from '../../core/test/mscons-documents.ts';
import { DatabaseStalled, DatabaseUnavailable } from '../src/platform/db/connection.ts';
import { type Database, openDatabase } from '../src/platform/db/database.ts';
import { statement } from '../src/platform/db/statement.ts';
import { storeInterchange } from '../src/sources/interchange-store.ts';
import { applyUnread } from '../src/sources/read-interchange.ts';
import { untilBlocked } from './blocked.ts';
import { atEnd } from './clean-up.ts';
import { bodyOf, client, startTestPlatform } from './harness.ts';
import { INTERCHANGES, meteringOf, newMalo } from './interchanging.ts';

const platform = await startTestPlatform({ now: '2026-11-18T08:00:00Z' });
const { clock, db, world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const { createMeter, send, valuesOf } = meteringOf(platform, operator);

const DAY = '2026-11-16';
const OBIS = '2.29.0';
const start = (slot: number) => dayStart(DAY) + (slot - 1) * SLOT_MS;
let references = 0;
const nextReference = () => `ORDER${++references}`;
/** Values in kWh by slot. */
type Values = Readonly<Record<number, number>>;
const messageOf = (location: string, values: Values, reference = 'M1') =>
  message(
    [
      ...line(location, OBIS),
      ...Object.entries(values).flatMap(([slot, kwh]) => quantity(start(Number(slot)), String(kwh))),
    ],
    reference,
  );
const interchangeOf = (location: string, values: Values) =>
  interchange([messageOf(location, values)], nextReference());
const deliver = (location: string, values: Values) => bodyOf(send(interchangeOf(location, values)));
const putValues = (series: string, values: Values) =>
  bodyOf(
    operator.put(`/operator/v1/series/${series}/days/${DAY}`, {
      energy_kwh: Array.from({ length: 96 }, (_, at) => values[at + 1] ?? null),
    }),
  );
const setLocation = (series: string, location: string | null) =>
  bodyOf(operator.patch(`/operator/v1/series/${series}`, { market_location: location }));
const unknownOf = async (id: string) => (await bodyOf(operator(`${INTERCHANGES}/${id}`))).unknown;
const actionsOf = async (subject: string): Promise<string[]> =>
  (await bodyOf(operator(`/operator/v1/audit?subject=${subject}`))).entries.map(
    ({ action }: { action: string }) => action,
  );
/** Stores an interchange as a process does that dies before it reads it. */
const storeOnly = (text: string) =>
  db.transaction((tx) =>
    storeInterchange(tx, {
      ...{ actor: 'key_test', request_id: 'req_test', bytes: Buffer.from(text) },
      ...{ sender: '9900000000001', reference: /\+(ORDER\d+)\+/.exec(text)?.[1] ?? null },
      receivedAt: clock.now(),
    }),
  );
const LOCK_SERIES = statement('test_lock_series', 'select from series where id = $1 for no key update');
const LATEST = statement('test_latest_interchange', 'select id from interchange order by no desc limit 1');
/** Its own connections: code inside a transaction must not use those of the same database. */
const locker = openDatabase(platform.databaseUrl);
atEnd(() => locker.close());
/** Runs `work` while a series is locked. */
const whileLocked = <T>(series: string, work: () => Promise<T>) =>
  locker.transaction(async (tx) => {
    await tx.query(LOCK_SERIES, [decodeId(ID_PREFIX.series, series)]);
    return work();
  });

test('values of an unknown market location are listed, and applied in their order when its series is created', async () => {
  const [location, known] = [newMalo(), newMalo()];
  const series = await createMeter(known);
  const first = await bodyOf(
    send(
      interchange(
        [
          messageOf(location, { 1: 1, 2: 1 }),
          messageOf(known, { 1: 9 }, 'M2'),
          messageOf(location, { 2: 2 }, 'M3'),
        ],
        nextReference(),
      ),
    ),
  );
  assert.deepEqual([first.unknown, first.unknown_locations, first.rejected], [[location], 1, []]);
  assert.deepEqual(await valuesOf(series, DAY), { 1: 9000 });
  const second = await deliver(location, { 2: 3, 3: 3 });
  assert.deepEqual(second.unknown, [location]);

  const created = await createMeter(location);
  assert.deepEqual(await valuesOf(created, DAY), { 1: 1000, 2: 3000, 3: 3000 });
  assert.deepEqual([await unknownOf(first.id), await unknownOf(second.id)], [[], []]);
  assert.deepEqual(await actionsOf(created), ['series.created', 'series_day.written', 'series_day.written']);
  // A repeated delivery answers that nothing is unknown any more, and changes nothing.
  await putValues(created, { 1: 7 });
  assert.deepEqual(await valuesOf(created, DAY), { 1: 7000, 2: 3000, 3: 3000 });
});

test('a forecast does not take metered values, and the series of a customer takes its direction only', async () => {
  const location = newMalo();
  const { id } = await deliver(location, { 1: 1 });
  const asset = await world.asset();
  await bodyOf(
    operator.post('/operator/v1/series', {
      ...{ kind: 'forecast', owner: { type: 'asset', id: asset.id }, name: 'Forecast' },
      market_location: location,
    }),
    201,
  );
  assert.deepEqual(await unknownOf(id), [location]);
  const customer = await createMeter(location, 'customer');
  assert.deepEqual(await unknownOf(id), []);
  assert.deepEqual(await valuesOf(customer, DAY), {});
});

test('a series that gets its market location later keeps the values that were written after the interchange', async () => {
  const location = newMalo();
  clock.set('2026-11-18T08:10:00Z');
  const series = await createMeter(null);
  await putValues(series, { 1: 1, 2: 1 });
  clock.set('2026-11-18T08:20:00Z');
  await deliver(location, { 1: 2, 2: 2, 3: 2, 4: 2 });
  clock.set('2026-11-18T08:30:00Z');
  await putValues(series, { 2: 3, 3: 3 });
  clock.set('2026-11-18T08:40:00Z');
  await setLocation(series, location);
  assert.deepEqual(await valuesOf(series, DAY), { 1: 2000, 2: 3000, 3: 3000, 4: 2000 });
});

test('a stored interchange that was not read is read later, once, with the actor of its delivery', async () => {
  const location = newMalo();
  const series = await createMeter(location);
  const text = interchangeOf(location, { 1: 1 });
  const { id } = await storeOnly(text);
  const [newest] = (await bodyOf(operator(`${INTERCHANGES}?limit=1`))).interchanges;
  assert.deepEqual([newest.state, newest.messages], ['stored', 0]);
  await Promise.all([applyUnread(db, clock), applyUnread(db, clock)]);
  assert.deepEqual(await valuesOf(series, DAY), { 1: 1000 });
  const read = await bodyOf(operator(`${INTERCHANGES}/${newest.id}`));
  assert.deepEqual([decodeId(ID_PREFIX.interchange, read.id), read.state], [id, 'applied']);
  const { entries } = await bodyOf(operator(`/operator/v1/audit?subject=${newest.id}`));
  assert.deepEqual(
    entries.map(({ actor, request_id }: { actor: string; request_id: string }) => [actor, request_id]),
    [['key_test', 'req_test']],
  );
  await putValues(series, { 1: 2 });
  await applyUnread(db, clock);
  assert.deepEqual(await valuesOf(series, DAY), { 1: 2000 });
});

test('an interchange that fails with the database does not delay others, unless the database has stalled', async () => {
  const [first, second] = [newMalo(), newMalo()];
  const series = [await createMeter(first), await createMeter(second)];
  await storeOnly(interchangeOf(first, { 1: 1 }));
  await storeOnly(interchangeOf(second, { 1: 2 }));
  const values = () => Promise.all(series.map((id) => valuesOf(id, DAY)));
  /** Fails with the first interchange. */
  const failing = (failure: Error): Database => {
    let calls = 0;
    const exclusively: Database['exclusively'] = async (name, work) => {
      if (++calls === 1) throw failure;
      return db.exclusively(name, work);
    };
    return { ...db, exclusively };
  };
  await assert.rejects(applyUnread(failing(new DatabaseStalled('no answer')), clock), DatabaseStalled);
  assert.deepEqual(await values(), [{}, {}]);
  const lost = new DatabaseUnavailable('connection lost');
  await assert.rejects(applyUnread(failing(lost), clock), DatabaseUnavailable);
  assert.deepEqual(await values(), [{}, { 1: 2000 }]);
  await applyUnread(db, clock);
  assert.deepEqual(await values(), [{ 1: 1000 }, { 1: 2000 }]);
});

test('the sender of an interchange that was not read can send it again, and gets its answer', async () => {
  const location = newMalo();
  const series = await createMeter(location);
  const text = interchangeOf(location, { 1: 1 });
  await storeOnly(text);
  assert.equal((await bodyOf(send(text))).messages, 1);
  assert.deepEqual(await valuesOf(series, DAY), { 1: 1000 });
});

test('an older interchange that is read late replaces no value of a later one, even an equal one', async () => {
  const location = newMalo();
  const series = await createMeter(location);
  clock.set('2026-11-18T09:00:00Z');
  await deliver(location, { 1: 5, 2: 5 });
  clock.set('2026-11-18T09:10:00Z');
  await storeOnly(interchangeOf(location, { 1: 1, 2: 1, 3: 1, 4: 1 }));
  clock.set('2026-11-18T09:20:00Z');
  // The first value is the one that is stored already.
  await deliver(location, { 1: 5, 3: 6 });
  clock.set('2026-11-18T09:30:00Z');
  await putValues(series, { 4: 7 });
  clock.set('2026-11-18T09:40:00Z');
  await applyUnread(db, clock);
  assert.deepEqual(await valuesOf(series, DAY), { 1: 5000, 2: 1000, 3: 6000, 4: 7000 });
});

test('a later message that is read long after its receipt still replaces the values of an earlier one', async () => {
  const location = newMalo();
  const series = await createMeter(location);
  clock.set('2026-11-18T10:00:00Z');
  await storeOnly(interchangeOf(location, { 1: 1 }));
  clock.set('2026-11-18T10:10:00Z');
  await storeOnly(interchangeOf(location, { 1: 2 }));
  clock.set('2026-11-18T10:20:00Z');
  await applyUnread(db, clock);
  assert.deepEqual(await valuesOf(series, DAY), { 1: 2000 });
});

test('two deliveries of an interchange at the same time store and apply it once', async () => {
  const location = newMalo();
  const series = await createMeter(location);
  const text = interchange([message(profile(location, OBIS, DAY, String))], nextReference());
  const both = await whileLocked(series, async () => {
    const sent = [send(text), send(text)];
    await untilBlocked(db, 2);
    return sent;
  });
  const [one, other] = await Promise.all(both);
  assert.deepEqual([one?.status, other?.status, other?.body], [200, 200, one?.body]);
  assert.equal(Object.keys(await valuesOf(series, DAY)).length, 96);
  const { values } = await bodyOf(
    operator(`/operator/v1/series/${series}/values?delivery_date=${DAY}&slot_number=1`),
  );
  assert.equal(values.length, 1);
  assert.deepEqual(await actionsOf(one?.body.id), ['interchange.received']);
});

test('two interchanges of a series at the same time end with the values of the later one', async () => {
  const location = newMalo();
  const series = await createMeter(location);
  for (let round = 1; round <= 5; round++) {
    const sent = await Promise.all(
      [1, 2, 3, 4].map(async (kwh) => ({ kwh, ...(await deliver(location, { [round]: kwh, 96: kwh })) })),
    );
    const [latest] = await db.query<{ id: string }>(LATEST);
    const kwh = sent.find(({ id }) => decodeId(ID_PREFIX.interchange, id) === latest?.id)?.kwh ?? 0;
    const values = await valuesOf(series, DAY);
    assert.deepEqual([values[round], values[96]], [kwh * 1000, kwh * 1000]);
  }
});

test('a series that is created while an interchange is read gets its values', async () => {
  const [location, locked] = [newMalo(), newMalo()];
  const held = await createMeter(locked);
  const many = Array.from({ length: 300 }, (_, at) => messageOf(newMalo(), { 1: 1 }, `U${at}`));
  const text = interchange(
    [messageOf(location, { 1: 1 }, 'M1'), ...many, messageOf(locked, { 1: 2 }, 'M2')],
    nextReference(),
  );
  // The first batch finds no series for the location; the last one waits for the lock.
  const { sent, series } = await whileLocked(held, async () => {
    const sending = bodyOf(send(text));
    await untilBlocked(db);
    return { sent: [sending], series: await createMeter(location) };
  });
  const [answer] = await Promise.all(sent);
  assert.deepEqual([answer.unknown.includes(location), answer.unknown_locations], [false, 300]);
  assert.deepEqual([await valuesOf(series, DAY), await valuesOf(held, DAY)], [{ 1: 1000 }, { 1: 2000 }]);
});
