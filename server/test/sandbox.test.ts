import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movableClock } from '../src/platform/clock.ts';
import { followSandboxClock } from '../src/sandbox/operator-routes.ts';
import { assertProblem, client, problemOf, startTestPlatform } from './harness.ts';
import { makeDeal } from './nominated.ts';

/** The platform's time is the test clock plus the sandbox offset. The test clock itself stands still. */
const platform = await startTestPlatform({ now: '2026-11-01T00:00:00Z', environment: { SANDBOX: 'on' } });
const plain = await startTestPlatform();
const { world } = platform;

const operatorOf = async ({ baseUrl, world }: typeof platform) => client(baseUrl, await world.operatorKey());
const operator = await operatorOf(platform);

const setClock = async (now: string) => {
  const { status, body } = await operator.put('/operator/v1/clock', { now });
  assert.equal(status, 200);
  assert.equal(body.now, now);
};
const run = async () => (await operator.post('/operator/v1/nominations/run', {})).body;

test('the clock can be set forward and back', async () => {
  await setClock('2027-01-01T00:00:00Z');
  await setClock('2026-10-20T10:00:00Z');
  assert.deepEqual((await operator('/operator/v1/clock')).body, { now: '2026-10-20T10:00:00Z', moved: true });
});

test('an invalid time changes nothing', async () => {
  const before = (await operator('/operator/v1/clock')).body;
  for (const [body, error] of [
    [{ now: 'later' }, 'now invalid_format'],
    [{ now: '2026-02-30T00:00:00Z' }, 'now invalid_format'],
    [{}, 'now required'],
    [{ now: null }, 'now invalid_type'],
  ] as const) {
    const answer = await operator.put('/operator/v1/clock', body);
    assert.deepEqual(problemOf(answer), { code: 'validation', errors: [error] });
  }
  assert.deepEqual((await operator('/operator/v1/clock')).body, before);
});

test('a clock that was set stays set, whatever reads it at the same time', async () => {
  const { producer, seller } = await world.pair();
  const request = client(platform.baseUrl, seller.key);
  const path = `/v1/customers/${producer.id}/preview`;
  for (let day = 10; day < 30; day++) {
    const reading = Array.from({ length: 4 }, () => operator('/operator/v1/clock'));
    await setClock(`2026-11-${day}T10:00:00Z`);
    const [{ body }] = await Promise.all([request.post(path, {}), ...reading]);
    assert.equal(body.effective_day, `2026-11-${day + 1}`);
    assert.equal((await operator('/operator/v1/clock')).body.now, `2026-11-${day}T10:00:00Z`);
  }
});

test('a read of the clock that was overtaken by a later one has no effect', async () => {
  const clock = movableClock(platform.clock);
  const offsetMs = async () => {
    await followSandboxClock(platform.db, clock);
    return clock.offsetMs();
  };
  await setClock('2026-11-01T01:00:00Z');
  assert.equal(await offsetMs(), 3_600_000);
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const slow = {
    ...platform.db,
    async query(...call: Parameters<typeof platform.db.query>) {
      const rows = await platform.db.query(...call);
      await isReleased;
      return rows;
    },
  } as typeof platform.db;
  const overtaken = followSandboxClock(slow, clock);
  await setClock('2026-11-01T02:00:00Z');
  assert.equal(await offsetMs(), 7_200_000);
  release();
  await overtaken;
  assert.equal(clock.offsetMs(), 7_200_000);
});

test('outside of a sandbox the clock cannot be set', async () => {
  const answer = await (await operatorOf(plain)).put('/operator/v1/clock', { now: '2026-10-20T10:00:00Z' });
  assertProblem(answer, 404, 'not_found');
});

/** Corrects one slot of a day at some time. Returns the gate of the new version, or the rejection. */
async function gateOf(day: string, at: string, slot: number, slots: number): Promise<string> {
  const { contract, asSeller } = await makeDeal(platform);
  await setClock('2026-03-01T10:00:00Z');
  await world.volumes(contract, day, 100);
  await run();
  await setClock(at);
  await world.volumes(
    contract,
    day,
    Array.from({ length: slots }, (_, index) => (index + 1 === slot ? 150 : null)),
  );
  const result = await run();
  if (result.too_late > 0) {
    assert.deepEqual(result, { positions: 2, created: 0, unchanged: 0, too_late: 2 });
    assert.equal((await run()).too_late, 0, 'a rejected change is not counted again');
    return 'too late';
  }
  assert.deepEqual(result, { positions: 2, created: 2, unchanged: 0, too_late: 0 });
  const { body } = await asSeller('/v1/nominations?status=pending');
  return body.nominations[0].gate_closure;
}

test('a change gets the gate of its time, around both clock changes and before a holiday', async () => {
  const cases: [day: string, slots: number, at: string, slot: number, gate: string][] = [
    // An ordinary summer day, a Thursday: slot 61 begins at 13:00 UTC.
    ['2026-10-15', 96, '2026-10-14T12:29:59Z', 61, '2026-10-14T12:30:00Z'],
    ['2026-10-15', 96, '2026-10-14T12:30:00Z', 61, '2026-10-15T12:45:00Z'],
    ['2026-10-15', 96, '2026-10-15T12:44:59Z', 61, '2026-10-15T12:45:00Z'],
    ['2026-10-15', 96, '2026-10-15T12:45:00Z', 61, '2026-10-16T14:00:00Z'],
    ['2026-10-15', 96, '2026-10-16T13:59:59Z', 61, '2026-10-16T14:00:00Z'],
    ['2026-10-15', 96, '2026-10-16T14:00:00Z', 61, 'too late'],
    // The clocks go forward: the day before is still winter time, the day after summer time.
    ['2026-03-29', 92, '2026-03-28T13:29:59Z', 9, '2026-03-28T13:30:00Z'],
    ['2026-03-29', 92, '2026-03-28T13:30:00Z', 9, '2026-03-29T00:45:00Z'],
    ['2026-03-29', 92, '2026-03-29T22:00:00Z', 9, '2026-03-30T14:00:00Z'],
    // The clocks go back.
    ['2026-10-25', 100, '2026-10-24T12:30:00Z', 100, '2026-10-25T22:30:00Z'],
    ['2026-10-25', 100, '2026-10-25T23:00:00Z', 100, '2026-10-26T15:00:00Z'],
    // A Friday: the next working day is Monday, the third calendar day.
    ['2026-11-13', 96, '2026-11-14T12:00:00Z', 1, '2026-11-16T15:00:00Z'],
    // Maundy Thursday: Good Friday to Easter Monday are holidays, so the third calendar day counts.
    ['2026-04-02', 96, '2026-04-03T12:00:00Z', 1, '2026-04-05T14:00:00Z'],
    ['2026-04-02', 96, '2026-04-05T14:00:00Z', 1, 'too late'],
  ];
  for (const [day, slots, at, slot, gate] of cases) {
    assert.equal(await gateOf(day, at, slot, slots), gate, `${day}, slot ${slot}, changed at ${at}`);
  }
});

test('contract statuses and key expiry follow the clock', async () => {
  const { producer, consumer, seller } = await world.pair();
  const contract = await world.contract(producer, consumer, { first: '2026-06-01', last: '2026-06-30' });
  const { secret } = await world.key(seller, ['contracts:read'], Date.parse('2026-07-15T00:00:00Z'));
  const request = client(platform.baseUrl, secret);
  const seen: string[] = [];
  for (const now of ['2026-05-31T21:59:59Z', '2026-05-31T22:00:00Z', '2026-06-30T22:00:00Z']) {
    await setClock(now);
    seen.push((await request(`/v1/contracts/${contract.id}`)).body.status);
  }
  assert.deepEqual(seen, ['pending', 'in_progress', 'completed']);
  await setClock('2026-07-15T00:00:00Z');
  assert.equal((await request(`/v1/contracts/${contract.id}`)).status, 401);
});
