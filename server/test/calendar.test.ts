import assert from 'node:assert/strict';
import { test } from 'node:test';
import { client, problemOf, startTestPlatform } from './harness.ts';

const platform = await startTestPlatform();
const { world } = platform;
const brp = await world.brp();
const { secret } = await world.key(brp, []);
const request = client(platform.baseUrl, secret);

const gatesOf = async (day: string) =>
  Object.fromEntries(
    (await request(`/v1/delivery-days/${day}`)).body.gates.map(
      ({ phase, closes_at, open }: { phase: string; closes_at: string; open: boolean }) => [
        phase,
        [closes_at, open],
      ],
    ),
  );

test('a delivery day has its slots with UTC bounds, and the clock change if there is one', async () => {
  for (const [day, count, change, start, end] of [
    ['2026-03-29', 92, 'forward', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    ['2026-10-25', 100, 'back', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    ['2026-01-15', 96, null, '2026-01-14T23:00:00Z', '2026-01-15T23:00:00Z'],
  ] as const) {
    const { body } = await request(`/v1/delivery-days/${day}`);
    assert.deepEqual(
      [body.date, body.time_zone, body.slot_count, body.clock_change],
      [day, 'Europe/Berlin', count, change],
    );
    assert.equal(body.slots.length, count);
    assert.equal(body.slots[0].delivery_start, start);
    assert.equal(body.slots.at(-1).delivery_end, end);
    for (const [at, slot] of body.slots.entries()) {
      assert.equal(slot.slot_number, at + 1);
      if (at > 0) assert.equal(slot.delivery_start, body.slots[at - 1].delivery_end);
    }
  }
  const { body } = await request('/v1/delivery-days/2026-01-15');
  assert.equal(body.slots[60].delivery_start, '2026-01-15T14:00:00Z');
});

test('gates close at their local times, and are open until that instant', async () => {
  platform.clock.set('2026-10-24T12:29:59Z');
  assert.deepEqual(await gatesOf('2026-10-25'), {
    day_ahead: ['2026-10-24T12:30:00Z', true],
    wait: ['2026-10-24T14:00:00Z', true],
    intraday: ['2026-10-25T22:30:00Z', true],
    // Monday 26 October, in winter time.
    day_after: ['2026-10-26T15:00:00Z', true],
  });
  platform.clock.set('2026-10-24T12:30:00Z');
  assert.deepEqual((await gatesOf('2026-10-25'))['day_ahead'], ['2026-10-24T12:30:00Z', false]);
  assert.deepEqual((await gatesOf('2026-10-25'))['wait'], ['2026-10-24T14:00:00Z', true]);
});

test('before holidays the day-after gate waits for the next working day, at most three days', async () => {
  // Good Friday to Easter Monday 2026: the limit of three calendar days applies.
  assert.deepEqual((await gatesOf('2026-04-02'))['day_after']?.[0], '2026-04-05T14:00:00Z');
  // A Friday: Monday is the third calendar day.
  assert.deepEqual((await gatesOf('2026-11-13'))['day_after']?.[0], '2026-11-16T15:00:00Z');
  // 30 October 2026 is a Friday; Monday 2 November is a working day although 31 and 1 are holidays.
  assert.deepEqual((await gatesOf('2026-10-30'))['day_after']?.[0], '2026-11-02T15:00:00Z');
});

test('a date that does not exist is refused', async () => {
  for (const date of ['2026-02-30', 'today', '2026-1-1', '0000-01-01', '9999-12-31']) {
    const answer = await request(`/v1/delivery-days/${date}`);
    assert.equal(answer.status, 400, date);
    assert.deepEqual(problemOf(answer).errors, ['date invalid_format']);
  }
});

test('the calendar is readable with any valid key, and not without one', async () => {
  assert.equal((await request('/v1/delivery-days/2026-10-25')).status, 200);
  assert.equal((await request('/v1/delivery-days/2026-10-25', { key: null })).status, 401);
});

test('the operator reads the same calendar', async () => {
  const operator = client(platform.baseUrl, await world.operatorKey());
  const [own, of] = [
    await request('/v1/delivery-days/2026-10-25'),
    await operator('/operator/v1/delivery-days/2026-10-25'),
  ];
  assert.equal(of.status, 200);
  assert.deepEqual(of.body, own.body);
});
