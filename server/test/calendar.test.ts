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

test('a date that does not exist is refused', async () => {
  for (const date of ['2026-02-30', 'today', '2026-1-1', '0000-01-01', '9999-12-31']) {
    const answer = await request(`/v1/delivery-days/${date}`);
    assert.equal(answer.status, 400, date);
    assert.deepEqual(problemOf(answer).errors, ['date invalid_format']);
  }
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
