import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayEnd, dayStart, formatInstant } from '@saldo/core/delivery-day.ts';
import { runProfiles } from '../src/transactions/profiles.ts';
import { bodyOf, client, problemOf, startTestPlatform, walk } from './harness.ts';

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const { producer, consumer } = await world.pair();

let count = 0;
async function contract(
  ppaType: string,
  profile: object | null,
  [first, last]: [string, string] = ['2026-01-01', '2027-12-31'],
): Promise<string> {
  const answer = await operator.post('/operator/v1/contracts', {
    external_id: `PROFILE-${++count}`,
    type: 'ppa',
    ppa_type: ppaType,
    seller_customer_id: producer.id,
    buyer_customer_id: consumer.id,
    delivery_start: formatInstant(dayStart(first)),
    delivery_end: formatInstant(dayEnd(last)),
    ...(profile === null ? {} : { profile }),
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
}

const run = (body: object = {}) => bodyOf(operator.post('/operator/v1/profiles/run', body));
const volumes = async (id: string, day: string): Promise<number[]> =>
  (
    await walk(
      operator,
      `/operator/v1/transactions?contract_id=${id}&delivery_date=${day}`,
      'transactions',
      100,
    )
  ).map((transaction) => transaction.volume);
const repeat = (value: number, times: number) => Array.from({ length: times }, () => value);

test('baseload, peakload and shaped contracts generate their volumes, on clock-change days too', async () => {
  platform.clock.set('2026-10-22T10:00:00Z');
  const base = await contract('baseload', { power: 4 });
  const peak = await contract('peakload', { power: 2 });
  const hours = Array.from({ length: 24 }, (_, hour) => (hour * 4) / 10);
  const shaped = await contract('shaped', {
    power: Array.from({ length: 12 }, (_, month) => (month === 9 ? hours : hours.map(() => 0))),
  });
  await contract('produced', null);
  // Friday, Saturday, and the Sunday with 100 slots.
  assert.deepEqual(await run({ days: 3 }), { contracts: 3, days: 9, created: 3 * (96 + 96 + 100) });
  assert.deepEqual(await volumes(base, '2026-10-23'), repeat(1, 96));
  assert.deepEqual(await volumes(base, '2026-10-25'), repeat(1, 100));
  assert.deepEqual(await volumes(base, '2026-10-22'), [], 'today is not a coming day');
  assert.deepEqual(await volumes(peak, '2026-10-23'), [
    ...repeat(0, 32),
    ...repeat(0.5, 48),
    ...repeat(0, 16),
  ]);
  assert.deepEqual(await volumes(peak, '2026-10-24'), repeat(0, 96));
  const byHour = (order: number[]) => order.flatMap((hour) => repeat(Math.round(hour * 100) / 1000, 4));
  const plain = Array.from({ length: 24 }, (_, hour) => hour);
  assert.deepEqual(await volumes(shaped, '2026-10-23'), byHour(plain));
  assert.deepEqual(await volumes(shaped, '2026-10-25'), byHour([0, 1, 2, 2, ...plain.slice(3)]));
});

test('days that an earlier end took from a contract have its volumes again when the end moves later', async () => {
  platform.clock.set('2026-11-20T10:00:00Z');
  const base = await contract('baseload', { power: 4 });
  const moveEnd = (last: string) =>
    bodyOf(operator.patch(`/operator/v1/contracts/${base}`, { delivery_end: formatInstant(dayEnd(last)) }));
  const valid = (day: string) => volumes(base, `${day}&status=valid`);
  await run({ days: 2 });
  await moveEnd('2026-11-20');
  await run({ days: 3 });
  assert.deepEqual(await valid('2026-11-22'), []);
  await moveEnd('2026-12-31');
  await run({ days: 3 });
  for (const day of ['2026-11-21', '2026-11-22', '2026-11-23'])
    assert.deepEqual(await valid(day), repeat(1, 96));
});

test('in spring the missing hour delivers nothing', async () => {
  platform.clock.set('2027-03-27T10:00:00Z');
  const peak = await contract('peakload', { power: 4 });
  const base = await contract('baseload', { power: 4 });
  await run({ days: 2 });
  assert.deepEqual(await volumes(base, '2027-03-28'), repeat(1, 92));
  assert.deepEqual(await volumes(peak, '2027-03-28'), repeat(0, 92));
  // Easter Monday: peakload delivers on holidays.
  assert.deepEqual(await volumes(peak, '2027-03-29'), [...repeat(0, 32), ...repeat(1, 48), ...repeat(0, 16)]);
});

test('a day that has volumes is never overwritten, and a second run changes nothing', async () => {
  platform.clock.set('2026-11-10T10:00:00Z');
  await run({ days: 5 });
  const id = await contract('baseload', { power: 4 });
  const firstSlot = [0.5, ...Array.from({ length: 95 }, () => null)];
  const put = (day: string, values: (number | null)[]) =>
    operator.put(`/operator/v1/contracts/${id}/days/${day}`, { volumes: values });
  assert.equal((await put('2026-11-12', firstSlot)).status, 200);
  assert.deepEqual(await run({ days: 3 }), { contracts: 1, days: 2, created: 192 });
  assert.deepEqual(await volumes(id, '2026-11-12'), [0.5]);
  assert.deepEqual(await run({ days: 3 }), { contracts: 0, days: 0, created: 0 });
  const corrected = await put('2026-11-11', firstSlot);
  assert.deepEqual(corrected.body, { created: 0, corrected: 1, unchanged: 0, revision: 2 });
  assert.deepEqual(await run({ days: 3 }), { contracts: 0, days: 0, created: 0 });
});

test('only days within the delivery period are generated, and by default seven of them', async () => {
  platform.clock.set('2026-12-01T23:30:00Z');
  await run();
  // In local time it is already 2 December, so the coming days begin with the third.
  const short = await contract('baseload', { power: 4 }, ['2026-12-04', '2026-12-05']);
  const ended = await contract('baseload', { power: 4 }, ['2026-01-01', '2026-12-02']);
  const later = await contract('baseload', { power: 4 }, ['2026-12-10', '2026-12-31']);
  const long = await contract('baseload', { power: 4 });
  assert.deepEqual(await run(), { contracts: 2, days: 9, created: 9 * 96 });
  for (const [id, day, slots] of [
    [short, '2026-12-03', 0],
    [short, '2026-12-04', 96],
    [short, '2026-12-05', 96],
    [short, '2026-12-06', 0],
    [ended, '2026-12-03', 0],
    [later, '2026-12-10', 0],
    [long, '2026-12-03', 96],
    [long, '2026-12-09', 96],
    [long, '2026-12-10', 0],
  ] as const) {
    assert.equal((await volumes(id, day)).length, slots, `${id} ${day}`);
  }
});

test('concurrent runs generate every volume once, for more contracts than one transaction holds', async () => {
  platform.clock.set('2026-12-20T10:00:00Z');
  await run({ days: 2 });
  const ids: string[] = [];
  for (let made = 0; made < 45; made++) ids.push(await contract('baseload', { power: 0.4 }));
  const now = platform.clock.now();
  const runs = await Promise.all([1, 2, 3].map(() => runProfiles(platform.db, { now: () => now }, 2)));
  assert.equal(
    runs.reduce((sum, { created }) => sum + created, 0),
    45 * 2 * 96,
  );
  for (const id of [ids[0]!, ids[44]!]) assert.deepEqual(await volumes(id, '2026-12-22'), repeat(0.1, 96));
});

test('the number of days is a whole number from 1 to 62', async () => {
  for (const [days, code] of [
    [0, 'value_too_small'],
    [63, 'value_too_large'],
    [1.5, 'invalid_type'],
    ['7', 'invalid_type'],
  ] as const) {
    const answer = await operator.post('/operator/v1/profiles/run', { days });
    assert.deepEqual(problemOf(answer), { code: 'validation', errors: [`days ${code}`] });
  }
});

test('a run changes the positions of its contracts and has an audit event', async () => {
  platform.clock.set('2027-06-01T10:00:00Z');
  await run({ days: 1 });
  await world.nominate();
  await contract('baseload', { power: 4 });
  const answer = await operator.post('/operator/v1/profiles/run', { days: 1 });
  assert.equal((await world.nominate()).positions, 2);
  const { entries } = (await operator(`/operator/v1/audit?subject=${answer.headers.get('x-request-id')}`))
    .body;
  assert.deepEqual([entries[0].action, entries[0].after], ['profiles.run', answer.body]);
});
