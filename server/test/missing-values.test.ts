import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Alarm } from '@saldo/api';
import { addDays, slotCount } from '@saldo/core/delivery-day.ts';
import { MAX_MISSING_ALARMS } from '../src/exchange/process/missing-values.ts';
import { watchExchange, watchValues } from '../src/exchange/process/watch.ts';
import { statement } from '../src/platform/db/statement.ts';
import { storeValues } from '../src/sources/actions.ts';
import { operating } from './exchanging.ts';
import { client, startTestPlatform } from './harness.ts';
import { newSeries, setSource, type WorldSeries, type WorldSource } from './source-rows.ts';
import type { WorldContract } from './world.ts';

/** Each test has its own contracts and days. 12:00 in winter is 11:00Z. */
const platform = await startTestPlatform({ now: '2026-11-16T08:00:00Z' });
const flooded = await startTestPlatform({ now: '2026-11-17T11:00:00Z' });
const { clock, db, exchange, world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const { producer, consumer } = await world.pair();

type Terms = NonNullable<Parameters<typeof world.contract>[2]>;
/** A contract with a source until the end of the test. */
async function sourced(t: TestContext, source: WorldSource, terms: Terms = {}): Promise<WorldContract> {
  const contract = await world.contract(producer, consumer, terms);
  await setSource(db, contract, source);
  t.after(() => endSource(contract));
  return contract;
}

const END_SOURCE = statement('test_end_source', 'delete from contract_source where contract_no = $1');
const endSource = ({ no }: WorldContract) => db.transaction((tx) => tx.query(END_SOURCE, [no]));

/** Stores 1 kWh for each slot of a day, or for those from `first` to `last`. */
const fill = (series: WorldSeries, day: string, first = 1, last = slotCount(day)) =>
  db.transaction((tx) => {
    const valuesWh = Array.from({ length: slotCount(day) }, (_, at) =>
      at + 1 >= first && at + 1 <= last ? 1_000 : null,
    );
    return storeValues(tx, [{ series, day, valuesWh }], clock.now());
  });

/** Runs both jobs in several processes at once. */
async function watchAt(instant: string): Promise<void> {
  clock.set(instant);
  await Promise.all([1, 2, 3].map(() => watchValues(db, clock, exchange)));
  await Promise.all([1, 2, 3].map(() => watchExchange(db, clock, exchange)));
}
const alarmsOf = async ({ id }: WorldContract, state = 'open'): Promise<Alarm[]> => {
  const { body } = await operator(`/operator/v1/exchange/alarms?limit=100&state=${state}`);
  return (body.alarms as Alarm[]).filter(({ contract_id }) => contract_id === id);
};
/** The open alarms of a contract at an instant, as kind, severity and day. */
async function watchedAt(instant: string, contract: WorldContract): Promise<string[]> {
  await watchAt(instant);
  const alarms = await alarmsOf(contract);
  return alarms.map(({ kind, severity, delivery_date }) => `${kind} ${severity} ${delivery_date}`).toSorted();
}

/** The alarm events of a contract, as type, kind and severity. */
async function eventsOf({ id }: WorldContract): Promise<string[]> {
  const { body } = await operator('/operator/v1/events?limit=100&order=newest_first&types=exchange.*');
  type AlarmEvent = { type: string; data: { contract_id: string | null; kind: string; severity: string } };
  return (body.events as AlarmEvent[])
    .filter(({ data }) => data.contract_id === id)
    .map(({ type, data }) => `${type} ${data.kind} ${data.severity}`)
    .toReversed();
}

test('a missing forecast of tomorrow is a warning from 12:00 on, critical from 14:00 on, and over at midnight', async (t) => {
  const day = '2026-11-18';
  const contract = await sourced(
    t,
    { forecast: await newSeries(world, 'forecast') },
    { externalId: 'PPA-WIND' },
  );
  assert.deepEqual(await watchedAt('2026-11-17T10:59:59Z', contract), []);
  assert.deepEqual(await watchedAt('2026-11-17T11:00:00Z', contract), [`forecast_missing warning ${day}`]);
  const [begun] = await alarmsOf(contract);
  assert.deepEqual(
    [begun?.since, begun?.tso, begun?.message_id, begun?.text],
    [
      '2026-11-17T11:00:00Z',
      null,
      null,
      'Contract PPA-WIND has no forecast for 96 of 96 quarter-hours of 18 Nov 2026 (series forecast of a plant).',
    ],
  );
  assert.equal((await operator('/operator/v1/health')).body.alarms.forecast_missing, 1);
  assert.deepEqual(await watchedAt('2026-11-17T12:59:59Z', contract), [`forecast_missing warning ${day}`]);
  assert.deepEqual(await eventsOf(contract), ['exchange.alarm forecast_missing warning']);

  assert.deepEqual(await watchedAt('2026-11-17T13:00:00Z', contract), [`forecast_missing critical ${day}`]);
  const raised = await alarmsOf(contract);
  assert.deepEqual(raised, [{ ...begun, severity: 'critical' }], 'the same alarm');
  await watchExchange(db, { now: () => clock.now() - 1_000 }, exchange);
  assert.deepEqual(await alarmsOf(contract), raised, 'a process whose clock is behind does not lower it');
  assert.deepEqual(await watchedAt('2026-11-17T22:59:59Z', contract), [`forecast_missing critical ${day}`]);
  assert.deepEqual(await eventsOf(contract), [
    'exchange.alarm forecast_missing warning',
    'exchange.alarm forecast_missing critical',
  ]);

  assert.deepEqual(await watchedAt('2026-11-17T23:00:00Z', contract), []);
  const [ended] = await alarmsOf(contract, 'resolved');
  assert.deepEqual([ended?.id, ended?.ended_at], [begun?.id, '2026-11-17T23:00:00Z']);
  assert.equal((await eventsOf(contract)).at(-1), 'exchange.alarm_resolved forecast_missing critical');
  assert.equal((await operator('/operator/v1/health')).body.alarms.forecast_missing, 0);
});

test('the alarm says how many quarter-hours are missing in both languages, and values end it at once', async (t) => {
  const day = '2026-11-20';
  const forecast = await newSeries(world, 'forecast');
  const contract = await sourced(t, { forecast }, { externalId: 'PPA-PARTS' });
  await fill(forecast, day, 1, 50);
  assert.deepEqual(await watchedAt('2026-11-19T12:00:00Z', contract), [`forecast_missing warning ${day}`]);
  assert.match((await alarmsOf(contract))[0]?.text ?? '', / no forecast for 46 of 96 quarter-hours /);
  await fill(forecast, day, 40, 92);
  await watchAt('2026-11-19T12:01:00Z');
  const { body } = await operator('/operator/v1/exchange/alarms', { headers: { 'accept-language': 'de' } });
  assert.ok(
    body.alarms.some(({ text }: Alarm) =>
      text.startsWith(
        'Für den Vertrag PPA-PARTS fehlt die Prognose von 4 der 96 Viertelstunden des 20.11.2026 ',
      ),
    ),
    JSON.stringify(body.alarms),
  );
  assert.equal((await eventsOf(contract)).length, 1, 'a part is no event');
  await fill(forecast, day, 93, 96);
  clock.set('2026-11-19T12:02:00Z');
  await watchExchange(db, clock, exchange);
  assert.deepEqual(await alarmsOf(contract), []);
  assert.deepEqual(await watchedAt('2026-11-19T14:00:00Z', contract), []);
});

test('a metered value counts where the forecast of tomorrow has a gap', async (t) => {
  const day = '2026-11-22';
  const [forecast, meter] = [await newSeries(world, 'forecast'), await newSeries(world, 'meter')];
  const contract = await sourced(t, { forecast, meter });
  for (const old of days('2026-11-06', '2026-11-21')) await fill(meter, old);
  await fill(forecast, day, 2, 96);
  await fill(meter, day, 2, 3);
  assert.deepEqual(await watchedAt('2026-11-21T12:00:00Z', contract), [`forecast_missing warning ${day}`]);
  assert.match((await alarmsOf(contract))[0]?.text ?? '', / 1 of 96 /);
  await fill(meter, day, 1, 1);
  assert.deepEqual(await watchedAt('2026-11-21T12:00:01Z', contract), []);
});

const days = (first: string, last: string): string[] => {
  const all: string[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) all.push(day);
  return all;
};

test('a missing meter is a warning from 00:00 of the second working day after delivery on', async (t) => {
  const meter = await newSeries(world, 'meter');
  const contract = await sourced(t, { meter, firstDay: '2026-11-13' });
  const missing = (...found: string[]) => found.map((day) => `meter_missing warning ${day}`);
  // Friday, Saturday and Sunday are due on Tuesday.
  assert.deepEqual(await watchedAt('2026-11-16T22:59:59Z', contract), []);
  assert.deepEqual(
    await watchedAt('2026-11-16T23:00:00Z', contract),
    missing('2026-11-13', '2026-11-14', '2026-11-15'),
  );
  const texts = (await alarmsOf(contract)).map(({ text }) => text);
  assert.ok(texts.some((text) => / no metered value for 96 of 96 quarter-hours of 13 Nov 2026 /.test(text)));
  for (const day of days('2026-11-13', '2026-11-15')) await fill(meter, day);
  assert.deepEqual(await watchedAt('2026-11-16T23:00:01Z', contract), []);
  // Wednesday the 18th is a holiday in Saxony: Monday is due on Thursday, and Tuesday on Friday.
  assert.deepEqual(await watchedAt('2026-11-18T22:59:59Z', contract), []);
  assert.deepEqual(await watchedAt('2026-11-18T23:00:00Z', contract), missing('2026-11-16'));
  assert.deepEqual(
    await watchedAt('2026-11-19T23:00:00Z', contract),
    missing('2026-11-16', '2026-11-17', '2026-11-18'),
  );
  await fill(meter, '2026-11-16', 1, 95);
  assert.equal((await watchedAt('2026-11-20T10:00:00Z', contract)).length, 3, 'one value is still missing');
  for (const day of days('2026-11-16', '2026-11-30')) await fill(meter, day);
  assert.deepEqual(await watchedAt('2026-11-20T10:00:01Z', contract), []);
});

test('days with a clock change have 92 and 100 quarter-hours, and their noon is local', async (t) => {
  const [forecast, meter] = [await newSeries(world, 'forecast'), await newSeries(world, 'meter')];
  const [sunny, metered] = [
    await sourced(t, { forecast, firstDay: '2026-10-25' }, { last: '2026-10-25' }),
    await sourced(t, { meter, firstDay: '2026-03-29' }, { last: '2026-03-29' }),
  ];
  await fill(forecast, '2026-10-25', 1, 96);
  assert.deepEqual(await watchedAt('2026-10-24T09:59:59Z', sunny), []);
  assert.deepEqual(await watchedAt('2026-10-24T10:00:00Z', sunny), ['forecast_missing warning 2026-10-25']);
  assert.match((await alarmsOf(sunny))[0]?.text ?? '', / 4 of 100 /);
  await fill(forecast, '2026-10-25');
  assert.deepEqual(await watchedAt('2026-10-24T10:00:01Z', sunny), []);

  await fill(meter, '2026-03-29', 1, 91);
  // Sunday is due on Tuesday, in summer time.
  assert.deepEqual(await watchedAt('2026-03-30T21:59:59Z', metered), []);
  assert.deepEqual(await watchedAt('2026-03-30T22:00:00Z', metered), ['meter_missing warning 2026-03-29']);
  assert.match((await alarmsOf(metered))[0]?.text ?? '', / 1 of 92 /);
  await fill(meter, '2026-03-29');
  assert.deepEqual(await watchedAt('2026-03-30T22:00:01Z', metered), []);
});

test('a contract that does not take values of the series on the day has no alarm', async (t) => {
  const day = '2026-11-25';
  const forecast = await newSeries(world, 'forecast');
  const meter = await newSeries(world, 'meter');
  for (const old of days('2026-11-01', '2026-11-24')) await fill(meter, old);
  const quiet = {
    'a meter only': await sourced(t, { meter }),
    'no source': await world.contract(producer, consumer),
    'a source that begins later': await sourced(t, { forecast, firstDay: addDays(day, 1) }),
    'an end before the day': await sourced(t, { forecast }, { last: addDays(day, -1) }),
    'an end within the day': await sourced(t, { forecast }, { first: addDays(day, 1) }),
    'no dates': await sourced(t, { forecast }, { first: null, last: null }),
  };
  const replaced = await sourced(t, { forecast });
  await setSource(db, replaced, { meter, firstDay: day });
  const loud = await sourced(t, { forecast, firstDay: day });
  assert.deepEqual(await watchedAt('2026-11-24T12:00:00Z', loud), [`forecast_missing warning ${day}`]);
  for (const [why, contract] of Object.entries({ ...quiet, 'a meter from the day on': replaced })) {
    assert.deepEqual(await alarmsOf(contract), [], why);
  }
});

const STOP = statement('test_stop_contract', 'update contract set rests_from = $2 where no = $1');
const ACTIVATED = statement('test_activate_contract', 'update contract set is_activated = $2 where no = $1');

test('an alarm ends when the contract or a customer is not active, and when the source ends', async (t) => {
  const day = '2026-12-02';
  const noon = '2026-12-01T11:00:00Z';
  const open = [`forecast_missing warning ${day}`];
  const contract = await sourced(t, { forecast: await newSeries(world, 'forecast') });
  const set = (one: typeof STOP, ...values: unknown[]) =>
    db.transaction((tx) => tx.query(one, [contract.no, ...values]));
  assert.deepEqual(await watchedAt(noon, contract), open);
  await set(STOP, day);
  assert.deepEqual(await watchedAt(noon, contract), [], 'a customer is deactivated from the day on');
  await set(STOP, addDays(day, 1));
  assert.deepEqual(await watchedAt(noon, contract), open, 'the condition exists again');
  await set(ACTIVATED, false);
  assert.deepEqual(await watchedAt(noon, contract), []);
  await set(ACTIVATED, true);
  assert.deepEqual(await watchedAt(noon, contract), open);
  await endSource(contract);
  assert.deepEqual(await watchedAt(noon, contract), []);
});

test('an acknowledged alarm stays quiet, at 14:00 too', async (t) => {
  const day = '2026-12-04';
  const contract = await sourced(t, { forecast: await newSeries(world, 'forecast') });
  assert.deepEqual(await watchedAt('2026-12-03T11:00:00Z', contract), [`forecast_missing warning ${day}`]);
  const [alarm] = await alarmsOf(contract);
  const note = { note: 'The plant stands still.' };
  const { status } = await operator.post(`/operator/v1/exchange/alarms/${alarm?.id}/acknowledge`, note);
  assert.equal(status, 200);
  for (const time of ['11:00:01', '13:00:00', '22:00:00']) {
    assert.deepEqual(await watchedAt(`2026-12-03T${time}Z`, contract), []);
  }
  assert.equal((await eventsOf(contract)).length, 2);
  assert.deepEqual(await watchedAt('2026-12-04T11:00:00Z', contract), [
    `forecast_missing warning ${addDays(day, 1)}`,
  ]);
});

test('a meter is looked back for 14 days, an open alarm has no limit, and neither extends the watch of messages', async (t) => {
  const meter = await newSeries(world, 'meter');
  const contract = await sourced(t, { meter }, { first: '2026-12-01', last: '2026-12-02' });
  assert.deepEqual(await watchedAt('2026-12-16T11:00:00Z', contract), ['meter_missing warning 2026-12-02']);
  clock.set('2026-12-16T11:30:00Z');
  await world.volumes(await world.contract(producer, consumer), '2026-12-17', 100);
  await world.nominate();
  const { send, answer } = operating(platform, operator);
  await send({ delivery_date: '2026-12-17' });
  await answer({ rejections: [{ tso: 'DE_AMPRION', day: '2026-12-17' }] });
  assert.deepEqual(await watchedAt('2027-06-01T11:00:00Z', contract), ['meter_missing warning 2026-12-02']);
  const { body } = await operator('/operator/v1/exchange/alarms?limit=100&kind=rejected');
  assert.deepEqual(body.alarms, []);
  await fill(meter, '2026-12-02');
  assert.deepEqual(await watchedAt('2027-06-01T11:00:01Z', contract), []);
});

test('the open alarms of a kind are limited, and others begin as these end', async () => {
  const { producer: seller, consumer: buyer } = await flooded.world.pair();
  const forecast = await newSeries(flooded.world, 'forecast');
  const number = MAX_MISSING_ALARMS + 2;
  for (let at = 0; at < number; at++) {
    await setSource(flooded.db, await flooded.world.contract(seller, buyer), { forecast });
  }
  const watch = () => watchValues(flooded.db, flooded.clock, flooded.exchange);
  assert.equal((await watch()).length, MAX_MISSING_ALARMS);
  assert.equal((await watch()).length, 0);
  const asOperator = client(flooded.baseUrl, await flooded.world.operatorKey());
  const { body } = await asOperator('/operator/v1/exchange/alarms?limit=1');
  const id = body.alarms[0].id;
  await asOperator.post(`/operator/v1/exchange/alarms/${id}/acknowledge`, { note: 'seen' });
  assert.equal((await watch()).length, 1, 'an acknowledged one leaves its place to another one');
});
