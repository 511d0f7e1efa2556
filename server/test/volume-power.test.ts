import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemOf, startTestPlatform } from './harness.ts';
import { importing, rejections } from './importing.ts';
import type { WorldContract } from './world.ts';

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { newContract, send, stored } = await importing(platform);

const DAY = '2026-10-22';
const csv = (body: string, query = '') => send('text/csv', body, { query });
const ndjson = (...lines: object[]) =>
  send('application/x-ndjson', lines.map((line) => JSON.stringify(line)).join('\n'));
/** The newest MWh by slot. */
const volumesOf = async (contract: WorldContract, day = DAY): Promise<Record<number, number>> =>
  Object.fromEntries(
    (await stored(contract, day))
      .filter(({ status }) => status === 'valid')
      .map(({ slot_number, volume }) => [slot_number, volume]),
  );

test('power in MW or kW is imported as the energy of its quarter-hours, with columns in any order', async () => {
  for (const [unit, value] of [
    ['power_mw', '10'],
    ['power_kw', '10000'],
  ] as const) {
    const contract = await newContract();
    const answer = await csv(
      `slot,${unit},contract,delivery_date\n1,${value},${contract.externalId},${DAY}\n2,0,${contract.externalId},${DAY}\n`,
    );
    assert.equal(answer.body.created, 2, answer.text);
    assert.deepEqual(await volumesOf(contract), { 1: 2.5, 2: 0 });
  }
});

test('power that is no whole kWh is rounded half up over the sum of the block, and a gap restarts nothing', async () => {
  // 2 kW are 0.5 kWh a quarter-hour: the sums 0.5, 1, 1.5 and 2 kWh are rounded to 1, 1, 2 and 2.
  const expected = { 1: 0.001, 2: 0, 7: 0.001, 8: 0 };
  const slots = [1, 2, 7, 8];
  for (const order of [slots, slots.toReversed()]) {
    const [lines, json, day] = [await newContract(), await newContract(), await newContract()];
    await csv(
      `contract,delivery_date,slot,power_kw\n${order.map((slot) => `${lines.id},${DAY},${slot},2\n`).join('')}`,
    );
    assert.deepEqual(await volumesOf(lines), expected);
    await ndjson(...order.map((slot) => ({ contract: json.id, delivery_date: DAY, slot, power_mw: 0.002 })));
    assert.deepEqual(await volumesOf(json), expected);
    const list = Array.from({ length: 96 }, (_, at) => (slots.includes(at + 1) ? 2 : null));
    const answer = await ndjson({ contract: day.id, delivery_date: DAY, power_kw: list });
    assert.equal(answer.body.created, 4, answer.text);
    assert.deepEqual(await volumesOf(day), expected);
  }
});

test('each block has a sum of its own', async () => {
  const contract = await newContract();
  const other = await newContract();
  const line = (name: string, slot: number) => `${name},${DAY},${slot},2\n`;
  await csv(
    `contract,delivery_date,slot,power_kw\n${line(contract.id, 1)}${line(other.id, 1)}${line(contract.id, 2)}`,
  );
  assert.deepEqual(await volumesOf(contract), { 1: 0.001, 2: 0.001 });
});

test('a start replaces day and slot, also in the hour that the clocks repeat', async () => {
  const contract = await newContract();
  const day = '2026-10-25';
  const answer = await csv(
    `delivery_start;volume;contract\n2026-10-25T02:00:00+02:00;1,5;${contract.id}\n` +
      `2026-10-25T02:00:00+01:00;2,5;${contract.id}\n2026-10-25T22:45:00Z;3,5;${contract.id}\n` +
      `2026-10-25T23:00:00Z;4,5;${contract.id}\n`,
  );
  assert.equal(answer.body.created, 4, answer.text);
  assert.deepEqual(await volumesOf(contract, day), { 9: 1.5, 13: 2.5, 100: 3.5 });
  assert.deepEqual(await volumesOf(contract, '2026-10-26'), { 1: 4.5 });
  const again = await ndjson({ contract: contract.id, delivery_start: '2026-10-25T00:00:00Z', power_mw: 6 });
  assert.deepEqual([again.body.unchanged, again.body.rejected_lines], [1, 0]);
});

test('a start within a quarter-hour rejects its day, and one that is no instant the day around it', async () => {
  const contract = await newContract();
  const file = (...starts: string[]) =>
    `contract,delivery_start,power_kw\n${starts.map((start) => `${contract.id},${start},4\n`).join('')}`;
  const within = await csv(file('2026-10-22T10:00:00Z', '2026-10-22T10:14:59Z'));
  assert.deepEqual(rejections(within), ['3 invalid_slot']);
  const text = await csv(file('2026-10-22T10:00:00Z', '2026-10-22 10:15', '2026-10-22T10:30:00Z'));
  assert.deepEqual(rejections(text), ['3 invalid_date']);
  assert.deepEqual(await volumesOf(contract), {});
});

test('a power that is negative, too precise or too large is rejected', async () => {
  const contract = await newContract();
  for (const [power, code] of [
    ['-1', 'negative_volume'],
    ['0.0001', 'too_many_decimals'],
    ['8589934588.001', 'volume_too_large'],
    ['much', 'invalid_volume'],
  ] as const) {
    const answer = await csv(`contract,delivery_date,slot,power_kw\n${contract.id},${DAY},1,${power}\n`);
    assert.deepEqual(rejections(answer), [`2 ${code}`], power);
    assert.match(answer.body.rejected[0].message, /^power_kw must /);
  }
  const largest = await csv(`contract,delivery_date,slot,power_kw\n${contract.id},${DAY},1,8589934588\n`);
  assert.equal(largest.body.created, 1);
  assert.deepEqual(await volumesOf(contract), { 1: 2_147_483.647 });
});

test('a file has one unit and one time, and so has a block of NDJSON lines', async () => {
  const both = await csv('contract,delivery_date,slot,volume,power_mw\n');
  assert.deepEqual(problemOf(both).errors, ['power_mw validation_failed']);
  const times = await csv('contract,delivery_start,delivery_date,slot,volume\n');
  assert.deepEqual(problemOf(times).errors, ['delivery_date validation_failed', 'slot validation_failed']);
  const contract = await newContract();
  const line = (slot: number, value: object) => ({
    contract: contract.id,
    delivery_date: DAY,
    slot,
    ...value,
  });
  const mixed = await ndjson(line(1, { volume: 1 }), line(2, { power_kw: 4 }), line(3, { volume: 1 }));
  assert.deepEqual(rejections(mixed), ['2 malformed_line']);
  assert.deepEqual(await volumesOf(contract), {});
  const apart = await ndjson(
    line(1, { volume: 1 }),
    { ...line(1, { power_kw: 4 }), delivery_date: '2026-10-23' },
    line(2, { power_kw: 4 }),
  );
  assert.equal(apart.body.created, 3, apart.text);
  assert.deepEqual(await volumesOf(contract), { 1: 1, 2: 0.001 });
});
