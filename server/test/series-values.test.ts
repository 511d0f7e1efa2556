import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '@saldo/api';
import { addDays, slotCount } from '@saldo/core/delivery-day.ts';
import fc from 'fast-check';
import { runs } from '../../test/runs.ts';
import { overlap } from './blocked.ts';
import { followed } from './following.ts';
import { assertRefused, bodyOf, client, startTestPlatform } from './harness.ts';

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { clock, world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const SERIES = '/operator/v1/series';
const DAY = '2026-10-22';
/** The short, an ordinary and the long day. */
const DAYS = { '2026-03-29': 92, [DAY]: 96, '2026-10-25': 100 };

async function newSeries(
  kind = 'meter',
  owner?: object,
): Promise<{ id: string; path: string; owner: object }> {
  const asset = owner ?? { type: 'asset', id: (await world.asset()).id };
  const { id } = await bodyOf(operator.post(SERIES, { kind, owner: asset, name: 'Nord' }), 201);
  return { id, path: `${SERIES}/${id}`, owner: asset };
}
type Values = readonly (number | null)[];
const put = (path: string, day: string, body: object) => operator.put(`${path}/days/${day}`, body);
const write = (path: string, day: string, energy_kwh: Values) => bodyOf(put(path, day, { energy_kwh }));
/** The values of a day: slot, Wh and version. */
const read = async (path: string, day: string, query = ''): Promise<[number, number, number][]> =>
  (await bodyOf(operator(`${path}/values?delivery_date=${day}${query}`))).values.map(
    (value: { slot_number: number; energy_wh: number; version: number }) => [
      value.slot_number,
      value.energy_wh,
      value.version,
    ],
  );
/** A day with these first values and nothing else. */
const starting = (day: string, ...first: Values): Values => [
  ...first,
  ...Array<null>(slotCount(day) - first.length).fill(null),
];
const flat = (day: string, kwh: number): number[] => Array<number>(slotCount(day)).fill(kwh);

test('a day has 92, 96 or 100 values, which are kept in Wh', async () => {
  const { path } = await newSeries();
  for (const [day, slots] of Object.entries(DAYS)) {
    const values = Array.from({ length: slots }, (_, at) => at + 0.125);
    assert.deepEqual(await write(path, day, values), {
      ...{ created: slots, corrected: 0, unchanged: 0, revision: 1 },
    });
    assert.deepEqual(
      await read(path, day),
      values.map((kwh, at) => [at + 1, kwh * 1000, 1]),
    );
    for (const wrong of [slots - 1, slots + 1, 0]) {
      const refused = await put(path, day, { power_mw: Array<null>(wrong).fill(null) });
      assertRefused(refused, `power_mw value_too_${wrong > slots ? 'large' : 'small'}`);
      const message = `${day} has ${slots} slots, but there are ${wrong} values`;
      assert.equal(refused.body.errors[0].message, message);
    }
  }
});

test('the four units mean the same energy', async () => {
  for (const unit of [
    { energy_kwh: 1250.5 },
    { energy_mwh: 1.2505 },
    { power_kw: 5002 },
    { power_mw: 5.002 },
  ]) {
    const { path } = await newSeries();
    const [[name, value] = ['', 0]] = Object.entries(unit);
    const result = await bodyOf(put(path, DAY, { [name]: starting(DAY, value, null, 0) }));
    assert.deepEqual(result, { created: 2, corrected: 0, unchanged: 0, revision: 1 }, name);
    assert.deepEqual(
      await read(path, DAY),
      [
        [1, 1_250_500, 1],
        [3, 0, 1],
      ],
      name,
    );
  }
});

test('a day has exactly one unit', async () => {
  const { path } = await newSeries();
  assertRefused(await put(path, DAY, {}), ' required');
  const two = { energy_kwh: flat(DAY, 1), power_kw: flat(DAY, 4) };
  assertRefused(await put(path, DAY, two), ' validation_failed');
  assertRefused(await put(path, DAY, { energy_gwh: [] }), ' required', 'energy_gwh unknown_field');
  assertRefused(await put(path, DAY, { energy_kwh: null }), 'energy_kwh invalid_type');
  assertRefused(await put(path, DAY, []), ' invalid_type');
  assertRefused(await put(path, DAY, { energy_kwh: flat(DAY, 1), day: 1 }), 'day unknown_field');
  assert.deepEqual(await read(path, DAY), []);
});

test('wrong values are named with their index, and nothing is stored', async () => {
  const { path } = await newSeries();
  const wrong = [1.25, -0.001, 0.0005, 2_147_483.648, '1', true, 1];
  assertRefused(
    await put(path, DAY, { energy_kwh: [...wrong, ...flat(DAY, 1).slice(wrong.length)] }),
    'energy_kwh[1] value_too_small',
    'energy_kwh[2] validation_failed',
    'energy_kwh[3] value_too_large',
    'energy_kwh[4] invalid_type',
    'energy_kwh[5] invalid_type',
  );
  // 1 W over a quarter-hour is no whole Wh.
  const power = await put(path, DAY, { power_kw: starting(DAY, 0.004, 0.001) });
  assertRefused(power, 'power_kw[1] validation_failed');
  assert.equal(power.body.errors[0].message, 'must be a whole number of Wh over its interval');
  assert.deepEqual(await read(path, DAY), []);
});

test('a day must exist', async () => {
  const { path } = await newSeries();
  for (const day of ['2026-02-30', '26-10-22', 'x', '0001-01-01', '9999-12-31'])
    assertRefused(await put(path, day, { energy_kwh: [] }), 'delivery_date invalid_format');
  for (const day of ['0001-01-02', '9999-12-30']) {
    assert.equal((await write(path, day, flat(day, 1))).created, slotCount(day));
    assert.equal((await read(path, day)).length, slotCount(day));
  }
  for (const day of ['0001-01-01', '9999-12-31']) assert.deepEqual(await read(path, day), []);
});

test('another value is a next version, the same value and null are none, and revisions count the changes', async () => {
  const { path } = await newSeries();
  const nothing = { created: 0, corrected: 0, unchanged: 0 };
  assert.deepEqual(await write(path, DAY, starting(DAY)), { ...nothing, revision: null });
  assert.deepEqual(await write(path, DAY, starting(DAY, 1, 2)), { ...nothing, created: 2, revision: 1 });
  assert.deepEqual(await write(path, DAY, starting(DAY, 1, 2)), { ...nothing, unchanged: 2, revision: 1 });
  const mixed = await write(path, DAY, starting(DAY, null, 3, 4));
  assert.deepEqual(mixed, { created: 1, corrected: 1, unchanged: 0, revision: 2 });
  assert.deepEqual(await write(path, DAY, starting(DAY)), { ...nothing, revision: 2 });
  // A return to an earlier value is a version of its own.
  const back = await write(path, DAY, starting(DAY, 1, 2));
  assert.deepEqual(back, { created: 0, corrected: 1, unchanged: 1, revision: 3 });
  assert.deepEqual(await read(path, DAY), [
    [1, 1000, 1],
    [2, 2000, 3],
    [3, 4000, 1],
  ]);
  assert.deepEqual(await read(path, DAY, '&slot_number=2'), [
    [2, 2000, 3],
    [2, 3000, 2],
    [2, 2000, 1],
  ]);
  assert.deepEqual(await read(path, DAY, '&slot_number=4'), []);
  assert.deepEqual(await read(path, DAY, '&slot_number=100'), [], 'the day has no such slot');
  const slots = [0, 101, 'x'].map((slot) =>
    operator(`${path}/values?delivery_date=${DAY}&slot_number=${slot}`),
  );
  assertRefused((await slots[0])!, 'slot_number value_too_small');
  assertRefused((await slots[1])!, 'slot_number value_too_large');
  assertRefused((await slots[2])!, 'slot_number invalid_type');
  // Other days and series have revisions of their own.
  assert.equal((await write(path, '2026-10-23', flat('2026-10-23', 1))).revision, 1);
  assert.equal((await write((await newSeries()).path, DAY, flat(DAY, 1))).revision, 1);
});

test('`as_of` shows what was stored at an instant', async () => {
  const { path } = await newSeries();
  clock.set('2026-10-21T10:00:00.500Z');
  await write(path, DAY, starting(DAY, 1, 2));
  clock.set('2026-10-21T11:00:00Z');
  await write(path, DAY, starting(DAY, 5, null, 6));
  const [first, second] = [
    [
      [1, 1000, 1],
      [2, 2000, 1],
    ],
    [
      [1, 5000, 2],
      [2, 2000, 1],
      [3, 6000, 1],
    ],
  ];
  const asOf = (instant: string, more = '') =>
    read(path, DAY, `&as_of=${encodeURIComponent(instant)}${more}`);
  assert.deepEqual(await asOf('2026-10-21T10:00:00.499Z'), []);
  assert.deepEqual(await asOf('2026-10-21T10:00:00.500Z'), first);
  assert.deepEqual(await asOf('2026-10-21T12:59:59.999+02:00'), first);
  assert.deepEqual(await asOf('2026-10-21T13:00:00+02:00'), second);
  assert.deepEqual(await asOf('9999-12-31T23:59:59Z'), second);
  assert.deepEqual(await asOf('0001-01-01T00:00:00Z'), []);
  assert.deepEqual(await asOf('2026-10-21T10:30:00Z', '&slot_number=1'), [[1, 1000, 1]]);
  assertRefused(
    await operator(`${path}/values?delivery_date=${DAY}&as_of=2026-10-21`),
    'as_of invalid_format',
  );
  assertRefused(await operator(`${path}/values`), 'delivery_date required');
});

test('`as_of` shows a revision only with those before it, also when the clock was set back', async () => {
  const { path } = await newSeries();
  clock.set('2026-10-21T11:00:00Z');
  await write(path, DAY, starting(DAY, 1, 2));
  clock.set('2026-10-21T10:00:00Z');
  await write(path, DAY, starting(DAY, 5));
  assert.deepEqual(await read(path, DAY, '&as_of=2026-10-21T10:30:00Z'), []);
  assert.deepEqual(await read(path, DAY, '&as_of=2026-10-21T11:00:00Z'), [
    [1, 5000, 2],
    [2, 2000, 1],
  ]);
});

test('values of a day long ago are accepted', async () => {
  const { path } = await newSeries();
  assert.equal((await write(path, '2024-02-29', flat('2024-02-29', 1))).created, 96);
  assert.equal((await write(path, '2024-02-29', flat('2024-02-29', 2))).corrected, 96);
});

test('every change is audited with its series, day and revision, and the operator gets one event', async () => {
  const { id, path } = await newSeries();
  const news = await followed(operator, '/operator/v1/events');
  const brp = await world.brp();
  const newsOfBrp = await followed(client(platform.baseUrl, brp.key));
  await write(path, DAY, starting(DAY, 1, 2));
  await write(path, DAY, starting(DAY, 1, 2));
  await write(path, DAY, starting(DAY, 3));
  const event = (slots: number) => ({
    type: 'series.updated',
    data: { object: 'series', id, delivery_date: DAY, slots },
  });
  assert.deepEqual(
    (await news()).map(({ type, data }) => ({ type, data })),
    [event(2), event(1)],
  );
  assert.deepEqual(await newsOfBrp(), []);
  const { entries } = await bodyOf(operator(`/operator/v1/audit?subject=${id}&action=series_day.written`));
  const written = (revision: number, counts: object) => ({
    delivery_date: DAY,
    ...{ created: 0, corrected: 0, unchanged: 0, ...counts },
    revision,
  });
  assert.deepEqual(
    entries.map(({ after }: { after: object }) => after),
    [written(1, { created: 2 }), written(1, { unchanged: 2 }), written(2, { corrected: 1 })],
  );
});

test('two writers of one day at the same time make two revisions, and no value is lost', async () => {
  const { path } = await newSeries();
  const [one, other] = await overlap(
    platform,
    () => write(path, DAY, starting(DAY, 1, 7)),
    () => write(path, DAY, starting(DAY, 2, null, 9)),
  );
  assert.deepEqual(one, { created: 2, corrected: 0, unchanged: 0, revision: 1 });
  assert.deepEqual(other, { created: 1, corrected: 1, unchanged: 0, revision: 2 });
  assert.deepEqual(await read(path, DAY), [
    [1, 2000, 2],
    [2, 7000, 1],
    [3, 9000, 1],
  ]);
});

const deviation = async (path: string, from: string, to = from) =>
  (await bodyOf(operator(`${path}/deviation?from=${from}&to=${to}`))).days;
const NO_DEVIATION = { forecast_kwh: 0, meter_kwh: 0, error_kwh: 0, absolute_error_kwh: 0, slots_present: 0 };

test('the deviation compares meter and forecast per day, over the slots that have both', async () => {
  const forecast = await newSeries('forecast');
  const meter = await newSeries('meter', forecast.owner);
  const long = '2026-10-25';
  await write(forecast.path, long, starting(long, 1, 2.5, 3, null));
  await write(forecast.path, long, starting(long, 10));
  await write(meter.path, long, starting(long, 8.001, 4, null, 7));
  await write(forecast.path, '2026-10-26', flat('2026-10-26', 0.1));
  await write(meter.path, '2026-10-26', flat('2026-10-26', 0.3));
  const days = await deviation(forecast.path, '2026-10-24', '2026-10-26');
  assert.deepEqual(days, [
    { delivery_date: '2026-10-24', ...NO_DEVIATION },
    {
      delivery_date: long,
      forecast_kwh: 12.5,
      meter_kwh: 12.001,
      error_kwh: -0.499,
      absolute_error_kwh: 3.499,
      slots_present: 0.02,
    },
    {
      delivery_date: '2026-10-26',
      forecast_kwh: 9.6,
      meter_kwh: 28.8,
      error_kwh: 19.2,
      absolute_error_kwh: 19.2,
      slots_present: 1,
    },
  ]);
  assert.deepEqual(await deviation(meter.path, '2026-10-24', '2026-10-26'), days);
});

test('a deviation without one of the series has zeros', async () => {
  const { id } = await world.customer(await world.brp());
  const { path } = await newSeries('meter', { type: 'customer', id });
  await write(path, DAY, flat(DAY, 1));
  assert.deepEqual(await deviation(path, DAY), [{ delivery_date: DAY, ...NO_DEVIATION }]);
});

test('a deviation has a limited number of days, in their order', async () => {
  const { path } = await newSeries();
  const first = '2026-01-01';
  const last = addDays(first, LIMITS.deviationDays - 1);
  assert.equal((await deviation(path, first, last)).length, LIMITS.deviationDays);
  const ask = (from: string, to: string) => operator(`${path}/deviation?from=${from}&to=${to}`);
  assertRefused(await ask(first, addDays(last, 1)), 'to value_too_large');
  assertRefused(await ask('2026-10-25', '2026-10-24'), 'to validation_failed');
  assertRefused(await ask('2026-10-25', '2026-02-30'), 'to invalid_format');
  assertRefused(await operator(`${path}/deviation`), 'from required', 'to required');
  assert.deepEqual((await deviation(path, '0001-01-01'))[0], {
    delivery_date: '0001-01-01',
    ...NO_DEVIATION,
  });
  assert.deepEqual((await deviation(path, '9999-12-31'))[0], {
    delivery_date: '9999-12-31',
    ...NO_DEVIATION,
  });
});

/** What one request writes: a few slots of a day of one of two series. */
const writing = fc.constantFrom(...Object.entries(DAYS)).chain(([day, slots]) =>
  fc.record({
    series: fc.nat({ max: 1 }),
    day: fc.constant(day),
    cells: fc.dictionary(
      fc.integer({ min: 1, max: slots }).map(String),
      // Values on both sides of the two-byte limit of storage.
      fc.constantFrom(0, 1, 65_534, 65_535, 65_536, 2_147_483_647),
      { maxKeys: 6 },
    ),
  }),
);

test('values in any order have the versions and revisions of a list per slot', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(writing, { minLength: 1, maxLength: 8 }), async (writings) => {
      const series = [await newSeries(), await newSeries()];
      const chains = new Map<string, number[]>();
      const revisions = new Map<string, number>();
      const states: { series: number; day: string; at: string; values: number[][] }[] = [];
      const stateOf = (key: string) =>
        Array.from({ length: 100 }, (_, at) => [at + 1, chains.get(`${key} ${at + 1}`) ?? []] as const)
          .filter(([, chain]) => chain.length > 0)
          .map(([slot, chain]) => [slot, chain.at(-1)!, chain.length]);
      let minute = Date.parse('2026-10-21T00:00:00Z');
      for (const { series: at, day, cells } of writings) {
        const key = `${at} ${day}`;
        const expected = { created: 0, corrected: 0, unchanged: 0 };
        for (const [slot, wh] of Object.entries(cells)) {
          const chain = chains.getOrInsertComputed(`${key} ${slot}`, () => []);
          if (chain.at(-1) === wh) {
            expected.unchanged++;
            continue;
          }
          expected[chain.length === 0 ? 'created' : 'corrected']++;
          chain.push(wh);
        }
        const changes = expected.created + expected.corrected;
        if (changes > 0) revisions.set(key, (revisions.get(key) ?? 0) + 1);
        minute += 60_000;
        clock.set(new Date(minute).toISOString());
        const values = Array.from({ length: slotCount(day) }, (_, slot) => cells[slot + 1] ?? null);
        const body = { energy_kwh: values.map((wh) => (wh === null ? null : wh / 1000)) };
        const result = await bodyOf(put(series[at]!.path, day, body));
        assert.deepEqual(result, { ...expected, revision: revisions.get(key) ?? null });
        states.push({ series: at, day, at: new Date(minute).toISOString(), values: stateOf(key) });
      }
      for (const { series: at, day, at: instant, values } of states)
        assert.deepEqual(await read(series[at]!.path, day, `&as_of=${instant}`), values);
      for (const { series: at, day } of states)
        assert.deepEqual(await read(series[at]!.path, day), stateOf(`${at} ${day}`));
      for (const [key, chain] of [...chains].slice(0, 3)) {
        const [at = '', day = '', slot] = key.split(' ');
        const versions = chain.map((wh, index) => [Number(slot), wh, index + 1]).toReversed();
        assert.deepEqual(await read(series[Number(at)]!.path, day, `&slot_number=${slot}`), versions);
      }
    }),
    { numRuns: runs(10) },
  );
});
