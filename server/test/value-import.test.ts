import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { addDays, dayStart, formatInstant, SLOT_MS } from '@saldo/core/delivery-day.ts';
import { type Answer, problemOf, startTestPlatform } from './harness.ts';
import { importing, rejections } from './importing.ts';
import { valueImporting } from './value-importing.ts';

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { operator, newPlant, newSeries, send, csv, ndjson, stored, whOf } = await valueImporting(platform);
const volumes = await importing(platform);

const DAY = '2026-10-22';
const counts = ({ status, text, body }: Answer) => {
  assert.equal(status, 200, text);
  return [body.rows, body.created, body.corrected, body.unchanged, body.rejected_lines];
};

test('each unit of a CSV file is stored in Wh, with columns in any order', async () => {
  for (const [unit, value, wh] of [
    ['energy_kwh', '1.25', 1250],
    ['energy_mwh', '0.001253', 1253],
    ['power_kw', '5.012', 1253],
    ['power_mw', '0.005012', 1253],
  ] as const) {
    const series = await newSeries();
    assert.deepEqual(
      counts(
        await csv(
          `series,delivery_date,slot,${unit}\n${series.id},${DAY},1,${value}\n${series.id},${DAY},2,0\n`,
        ),
      ),
      [2, 2, 0, 0, 0],
    );
    assert.deepEqual(await whOf(series, DAY), { 1: wh, 2: 0 }, unit);
    const { market_location: location } = series;
    const other = `${unit},slot,resolution,kind,delivery_date,series\n"${value}",3,PT15M,,${DAY},${location}\n`;
    assert.deepEqual(counts(await csv(other)), [1, 1, 0, 0, 0]);
    assert.deepEqual(await whOf(series, DAY), { 1: wh, 2: 0, 3: wh });
  }
});

test('semicolons, tabs and decimal commas are read as in imports of volumes', async () => {
  const series = await newSeries();
  await csv(
    `series;delivery_date;slot;energy_kwh\n${series.id};${DAY};1;0,5\n${series.id};${DAY};2;1.250,125\n`,
  );
  assert.deepEqual(await whOf(series, DAY), { 1: 500, 2: 1_250_125 });
  const file = `series\tdelivery_date\tslot\tenergy_kwh\n${series.id}\t${DAY}\t1\t1.234\n`;
  assert.deepEqual(problemOf(await csv(file)).errors, ['decimal required']);
  assert.deepEqual(counts(await csv(file, '?decimal=comma')), [1, 0, 1, 0, 0]);
  assert.deepEqual(await whOf(series, DAY), { 1: 1_234_000, 2: 1_250_125 });
});

test('NDJSON has one value a line, or a list with a value or null for each slot of a day', async () => {
  for (const [unit, value] of [
    ['energy_kwh', 1.5],
    ['energy_mwh', 0.0015],
    ['power_kw', 6],
    ['power_mw', 0.006],
  ] as const) {
    const { meter, forecast } = await newPlant();
    const list = Array.from({ length: 96 }, (_, at) => (at < 2 ? null : value));
    const answer = await ndjson([
      { series: meter.id, delivery_date: DAY, slot: 1, [unit]: value },
      { [unit]: value, series: meter.id, delivery_start: '2026-10-22T00:15:00+02:00' },
      { series: meter.id, delivery_date: DAY, [unit]: list },
      { series: meter.market_location, kind: 'forecast', delivery_date: '2026-10-23', [unit]: list },
    ]);
    assert.deepEqual(counts(answer), [4, 190, 0, 0, 0]);
    assert.deepEqual(answer.body.incomplete_days, {
      count: 1,
      days: [{ series: meter.market_location, delivery_date: '2026-10-23', missing: 2 }],
    });
    assert.deepEqual(new Set(Object.values(await whOf(meter, DAY))), new Set([1500]));
    assert.equal((await stored(forecast, '2026-10-23')).length, 94);
  }
});

test('a market location means the meter unless the kind says forecast, and an id its own series', async () => {
  const { meter, forecast } = await newPlant();
  const { market_location: location } = meter;
  const answer = await csv(
    `series,kind,delivery_date,slot,energy_kwh\n${location},,${DAY},1,1\n${location},forecast,${DAY},1,2\n` +
      `${location},meter,${DAY},2,3\n${forecast.id},forecast,${DAY},2,4\n${forecast.id},,${DAY},3,5\n`,
  );
  assert.deepEqual(counts(answer), [5, 5, 0, 0, 0]);
  assert.deepEqual(await whOf(meter, DAY), { 1: 1000, 2: 3000 });
  assert.deepEqual(await whOf(forecast, DAY), { 1: 2000, 2: 4000, 3: 5000 });
  const wrong = await csv(
    `series,kind,delivery_date,slot,energy_kwh\n${forecast.id},meter,${DAY},9,1\n${location},both,${DAY},9,1\n`,
  );
  assert.deepEqual(rejections(wrong), ['2 unknown_series', '3 malformed_line']);
  assert.match(wrong.body.rejected[0].message, /^the series is a forecast, not a meter$/);
});

test('hours fill their four quarter-hours by instant, also when the clocks change', async () => {
  for (const [day, slots] of [
    ['2026-03-29', 92],
    ['2026-10-25', 100],
    [DAY, 96],
  ] as const) {
    const [bySlot, byStart] = [await newSeries(), await newSeries()];
    const hours = Array.from({ length: slots / 4 }, (_, hour) => hour);
    const wh = (hour: number) => 10 + hour;
    const lines = (time: (hour: number) => string, id: string) =>
      hours.map((hour) => `${id},${time(hour)},PT60M,0.0${wh(hour)}\n`).join('');
    const slotFile = `series,delivery_date,slot,resolution,energy_kwh\n${lines((hour) => `${day},${hour * 4 + 1}`, bySlot.id)}`;
    const instant = (hour: number) => formatInstant(dayStart(day) + hour * 4 * SLOT_MS);
    const startFile = `series,delivery_start,resolution,energy_kwh\n${lines(instant, byStart.id)}`;
    for (const [series, file] of [
      [bySlot, slotFile],
      [byStart, startFile],
    ] as const) {
      const answer = await csv(file);
      assert.deepEqual(counts(answer), [hours.length, slots, 0, 0, 0]);
      assert.equal(answer.body.incomplete_days.count, 0);
      const values = await whOf(series, day);
      for (const hour of hours) {
        const quarters = [1, 2, 3, 4].map((quarter) => values[hour * 4 + quarter]!);
        assert.equal(
          quarters.reduce((sum, quarter) => sum + quarter, 0),
          wh(hour),
        );
        assert.ok(Math.max(...quarters) - Math.min(...quarters) <= 1);
      }
    }
  }
});

test('the two hours that the clocks show twice in October are distinguished by their offset', async () => {
  const series = await newSeries();
  const line = (start: string, value: number) => ({
    ...{ series: series.id, delivery_start: start, resolution: 'PT60M', power_kw: value },
  });
  const answer = await ndjson([
    line('2026-10-25T02:00:00+02:00', 1),
    line('2026-10-25T02:00:00+01:00', 2),
    line('2026-10-25T02:00:00Z', 3),
  ]);
  assert.deepEqual(counts(answer), [3, 12, 0, 0, 0]);
  const values = await whOf(series, '2026-10-25');
  assert.deepEqual(
    [9, 12, 13, 16, 17, 20].map((slot) => values[slot]),
    [250, 250, 500, 500, 750, 750],
  );
});

test('an interval that starts within its quarter-hour or hour is rejected with its day', async () => {
  const series = await newSeries();
  const file = (resolution: string, ...starts: string[]) =>
    `series,delivery_start,resolution,energy_kwh\n${starts.map((start) => `${series.id},${start},${resolution},1\n`).join('')}`;
  const quarter = await csv(file('', '2026-10-22T10:00:00Z', '2026-10-22T10:10:00Z'));
  assert.deepEqual(rejections(quarter), ['3 invalid_slot']);
  const hour = await csv(file('PT60M', '2026-10-22T10:15:00Z'));
  assert.deepEqual(rejections(hour), ['2 invalid_slot']);
  const slot = await csv(`series,delivery_date,slot,resolution,energy_kwh\n${series.id},${DAY},2,PT60M,1\n`);
  assert.deepEqual(rejections(slot), ['2 invalid_slot']);
  const unknown = await csv(file('PT30M', '2026-10-22T10:00:00Z'));
  assert.deepEqual(rejections(unknown), ['2 malformed_line']);
  assert.deepEqual(await stored(series, DAY), []);
});

test('a start that is no instant rejects the day of the lines around it, elsewhere only its line', async () => {
  const series = await newSeries();
  const line = (start: string) => `${series.id},${start},1\n`;
  const file = (...starts: string[]) => `series,delivery_start,energy_kwh\n${starts.map(line).join('')}`;
  const within = await csv(file('2026-10-22T10:00:00Z', 'noon', '2026-10-22T10:15:00Z'));
  assert.deepEqual(rejections(within), ['3 invalid_date']);
  assert.deepEqual([within.body.created, within.body.rejected_days], [0, 1]);
  const between = await csv(file('2026-10-22T10:00:00Z', '2026-10-22T10:00:00', '2026-10-23T10:00:00Z'));
  assert.deepEqual(rejections(between), ['3 invalid_date']);
  assert.equal(between.body.created, 2);
});

test('one faulty line rejects its whole day and no other; a duplicate names its slot', async () => {
  const [one, other] = [await newSeries(), await newSeries()];
  const answer = await csv(
    `series,delivery_date,slot,energy_kwh\n${one.id},${DAY},1,1\n${one.id},${DAY},1,1\n${one.id},2026-10-23,1,1\n` +
      `${other.id},${DAY},1,-1\n${other.id},${DAY},2,1\n${other.id},2026-10-23,1,1\n`,
  );
  assert.deepEqual(rejections(answer), ['3 duplicate_slot', '5 negative_volume']);
  assert.match(answer.body.rejected[0].message, /^slot 1 of 2026-10-22 already has a value/);
  assert.deepEqual([answer.body.created, answer.body.rejected_days], [2, 2]);
  const hours = await csv(
    `series,delivery_date,slot,resolution,energy_kwh\n${one.id},2026-10-24,1,PT60M,1\n${one.id},2026-10-24,4,PT15M,1\n`,
  );
  assert.deepEqual(rejections(hours), ['3 duplicate_slot']);
});

test('a later value is a next version, and the same one is none', async () => {
  const series = await newSeries();
  const file = (...values: number[]) =>
    `series,delivery_date,slot,energy_kwh\n${values.map((value, at) => `${series.id},${DAY},${at + 1},${value}\n`).join('')}`;
  assert.deepEqual(counts(await csv(file(1, 2, 3))), [3, 3, 0, 0, 0]);
  assert.deepEqual(counts(await csv(file(1, 2, 3))), [3, 0, 0, 3, 0]);
  assert.deepEqual(counts(await csv(file(1, 5, 3, 4))), [4, 1, 1, 2, 0]);
  assert.deepEqual(
    (await stored(series, DAY)).map(({ energy_wh, version }) => [energy_wh, version]),
    [
      [1000, 1],
      [5000, 2],
      [3000, 1],
      [4000, 1],
    ],
  );
});

test('a day that is stored and comes twice in a file has each change once, in the order of the file', async () => {
  const series = await newSeries();
  const file = (...values: number[]) =>
    `series,delivery_date,slot,energy_kwh\n${values.map((value) => `${series.id},${DAY},1,${value}\n${series.id},2026-10-23,1,1\n`).join('')}`;
  await csv(file(1));
  await csv(file(2));
  const dry = await csv(file(3, 4, 4), '?dry_run=true');
  assert.deepEqual(counts(dry), [6, 0, 2, 4, 0]);
  assert.deepEqual(counts(await csv(file(3, 4, 4))), [6, 0, 2, 4, 0]);
  assert.deepEqual(await stored(series, DAY), [{ slot_number: 1, energy_wh: 4000, version: 4 }]);
});

test('a dry run predicts the exact result, also of a day that is repeated much later, and changes nothing', async () => {
  const series = await newSeries();
  await csv(`series,delivery_date,slot,energy_kwh\n${series.id},${DAY},1,1\n`);
  const days = Array.from({ length: 900 }, (_, at) => addDays('2024-01-01', at));
  const lines = [DAY, ...days, DAY, days[0]!].map(
    (day, at) => `${series.id},${day},1,${at + 1}\n${series.id},${day},2,7\n`,
  );
  const file = `series,delivery_date,slot,energy_kwh\n${lines.join('')}${series.id},${DAY},1,x\n`;
  const dry = await csv(file, '?dry_run=true');
  assert.deepEqual(await whOf(series, DAY), { 1: 1000 });
  const subject = dry.headers.get('x-request-id');
  assert.deepEqual((await operator(`/operator/v1/audit?subject=${subject}`)).body.entries, []);
  const real = await csv(file);
  assert.deepEqual({ ...dry.body, dry_run: false }, real.body);
  assert.equal(real.body.created, 1801);
  assert.equal(real.body.incomplete_days.count, 901);
});

test('an import is in the audit trail with its counts, days and revisions', async () => {
  const series = await newSeries();
  const days = Array.from({ length: 120 }, (_, at) => addDays('2026-01-01', at));
  const file = (value: number) =>
    `series,delivery_date,slot,energy_kwh\n${days.map((day) => `${series.id},${day},1,${value}\n`).join('')}x\n`;
  await csv(file(1));
  const answer = await csv(file(2));
  const { entries } = (await operator(`/operator/v1/audit?subject=${answer.headers.get('x-request-id')}`))
    .body;
  assert.equal(entries.length, 1);
  assert.equal(entries[0].action, 'series_values.imported');
  const { changed_days: changed, ...counted } = entries[0].after;
  assert.deepEqual(counted, {
    ...{ rows: 121, created: 0, corrected: 120, unchanged: 0, rejected_lines: 1, rejected_days: 0 },
    incomplete_days: 120,
  });
  assert.deepEqual([changed.count, changed.first.length], [120, 100]);
  assert.deepEqual(changed.first[0], { series: series.id, delivery_date: '2026-01-01', revision: 2 });
  const same = await csv(file(2));
  const unchanged = (await operator(`/operator/v1/audit?subject=${same.headers.get('x-request-id')}`)).body
    .entries[0].after;
  assert.equal('changed_days' in unchanged, false);
});

test('with an Idempotency-Key a file is applied once, and another file with the key is rejected', async () => {
  const series = await newSeries();
  const headers = { 'idempotency-key': `values-${series.id}` };
  const file = `series,delivery_date,slot,energy_kwh\n${series.id},${DAY},1,1\n`;
  const first = await send('text/csv', file, { headers });
  await csv(file.replace(',1\n', ',2\n'));
  const again = await send('text/csv', gzipSync(file), { headers: { 'content-encoding': 'gzip' } });
  assert.equal(again.body.corrected, 1);
  await csv(file.replace(',1\n', ',2\n'));
  const repeated = await send('text/csv', file, { headers });
  assert.equal(repeated.text, first.text);
  assert.equal(repeated.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(await whOf(series, DAY), { 1: 2000 });
  const other = await send('text/csv', file.replace(',1\n', ',3\n'), { headers });
  assert.equal(problemOf(other).code, 'idempotency_key_reused');
});

test('two imports at the same time for the same series lose nothing, in either order of their lines', async () => {
  const series = await Promise.all(Array.from({ length: 12 }, () => newSeries()));
  const days = Array.from({ length: 60 }, (_, at) => addDays('2026-02-01', at));
  const file = (slot: number, order: typeof series) => {
    const lines = order.flatMap(({ id }) => days.map((day) => `${id},${day},${slot},${slot}\n`));
    return `series,delivery_date,slot,energy_kwh\n${lines.join('')}`;
  };
  const answers = await Promise.all([
    csv(file(1, series)),
    csv(file(2, series.toReversed())),
    csv(file(3, series)),
  ]);
  for (const answer of answers) assert.deepEqual(counts(answer), [720, 720, 0, 0, 0]);
  for (const one of series) {
    assert.deepEqual(await whOf(one, days[0]!), { 1: 1000, 2: 2000, 3: 3000 });
    assert.deepEqual(await whOf(one, days.at(-1)!), { 1: 1000, 2: 2000, 3: 3000 });
  }
});

test('imports of volumes and of values run beside each other', async () => {
  const [series, contract] = [await newSeries(), await volumes.newContract()];
  const days = Array.from({ length: 250 }, (_, at) => addDays('2026-02-01', at));
  const file = (header: string, id: string) => header + days.map((day) => `${id},${day},1,1\n`).join('');
  const [values, written] = await Promise.all([
    csv(file('series,delivery_date,slot,energy_kwh\n', series.id)),
    volumes.send('text/csv', file('contract,delivery_date,slot,volume\n', contract.id)),
  ]);
  assert.deepEqual([values.body.created, written.body.created], [250, 250]);
});
