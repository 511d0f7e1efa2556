import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '@saldo/api';
import { addDays, slotCount as slotsOf } from '@saldo/core/delivery-day.ts';
import { type Answer, startTestPlatform } from './harness.ts';
import { importing } from './importing.ts';

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world } = platform;
const { newContract, send: sendFile, stored } = await importing(platform);

const HEADER = 'contract,delivery_date,slot,volume';
const DAY = '2026-10-22';

async function send(lines: readonly (string | Buffer)[], type = 'text/csv', query = ''): Promise<Answer> {
  const body = Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')]));
  const answer = await sendFile(type, body, { query });
  assert.equal(answer.status, 200, answer.text);
  return answer;
}

const csvDay = (name: string, day = DAY, slots = 96) =>
  Array.from({ length: slots }, (_, at) => `${name},${day},${at + 1},1.25`);
const ndjsonDay = (name: string, day = DAY, slots = 96) =>
  Array.from({ length: slots }, (_, at) =>
    JSON.stringify({ contract: name, delivery_date: day, slot: at + 1, volume: 1.25 }),
  );

/** Lines that cannot be read, by format. */
const UNREADABLE: readonly (readonly [
  type: string,
  name: string,
  line: (name: string) => string | Buffer,
])[] = [
  ['text/csv', 'too few fields', (name) => `${name},${DAY},48`],
  ['text/csv', 'too many fields', (name) => `${name},${DAY},48,1,25`],
  ['text/csv', 'an open quote', (name) => `"${name},${DAY},48,1.25`],
  ['text/csv', 'not UTF-8', (name) => Buffer.from(`${name},${DAY},48,1.25\xe4`, 'latin1')],
  ['text/csv', 'too long', () => 'x'.repeat(LIMITS.importLineBytes + 1)],
  ['text/csv', 'far too long', () => 'x'.repeat(5 * LIMITS.importLineBytes)],
  ['application/x-ndjson', 'broken JSON', (name) => `{"contract":"${name}","delivery_date":"${DAY}",`],
  ['application/x-ndjson', 'no object', () => '48'],
  ['application/x-ndjson', 'not UTF-8', () => Buffer.from('{"contract":"\xe4"}', 'latin1')],
  [
    'application/x-ndjson',
    'a misspelt member',
    (name) => JSON.stringify({ contract: name, delivery_date: DAY, slot: 48, volum: 1.25 }),
  ],
  [
    'application/x-ndjson',
    'a contract that is no text',
    () => JSON.stringify({ contract: 7, delivery_date: DAY, slot: 48, volume: 1.25 }),
  ],
];

for (const [type, name, unreadable] of UNREADABLE) {
  test(`${type}: a line that cannot be read takes the day around it: ${name}`, async () => {
    const [broken, good] = [await newContract(), await newContract()];
    const linesOf = type === 'text/csv' ? csvDay : ndjsonDay;
    const lines: (string | Buffer)[] = [...linesOf(broken.externalId), ...linesOf(good.externalId)];
    lines[47] = unreadable(broken.externalId);
    if (type === 'text/csv') lines.unshift(HEADER);
    for (const query of ['?dry_run=true', '']) {
      const { body } = await send(lines, type, query);
      const { rows, created, rejected_lines, rejected_days } = body;
      assert.deepEqual(
        { rows, created, rejected_lines, rejected_days },
        { rows: 192, created: 96, rejected_lines: 1, rejected_days: 1 },
      );
      assert.deepEqual(
        body.rejected.map(({ line }: { line: number }) => line),
        [type === 'text/csv' ? 49 : 48],
      );
    }
    assert.deepEqual(await stored(broken, DAY), []);
    assert.equal((await stored(good, DAY)).length, 96);
  });
}

test('between two days, before the first and after the last one an unreadable line falls alone', async () => {
  const contract = await newContract();
  const [one, two] = [csvDay(contract.externalId), csvDay(contract.externalId, '2026-10-23')];
  const { body } = await send([HEADER, 'first', ...one, 'between', 'and again', ...two, 'last']);
  assert.deepEqual([body.rows, body.created, body.rejected_lines, body.rejected_days], [196, 192, 4, 0]);
  assert.equal((await stored(contract, DAY)).length, 96);
});

test('a JSON line that names its contract and day takes that day, wherever it stands', async () => {
  const contract = await newContract();
  const lines = ndjsonDay(contract.externalId);
  lines[95] = lines[95]!.replace('volume', 'volum');
  const { body } = await send(
    [...lines, ...ndjsonDay(contract.externalId, '2026-10-23')],
    'application/x-ndjson',
  );
  assert.deepEqual([body.created, body.rejected_lines, body.rejected_days], [96, 1, 1]);
  assert.deepEqual(await stored(contract, DAY), []);
});

test('several unreadable lines within a day reject it once, also where a batch ends between them', async () => {
  const [one, two, contract] = [await newContract(), await newContract(), await newContract()];
  const lines = [one, two].flatMap(({ externalId }) =>
    Array.from({ length: 300 }, (_, at) => `${externalId},${addDays('2026-01-01', at)},1,1`),
  );
  const broken = csvDay(contract.externalId).flatMap((line) => [line, 'x'.repeat(60_000)]);
  const { body } = await send([HEADER, ...lines, ...broken]);
  assert.deepEqual([body.created, body.rejected_lines, body.rejected_days], [600, 96, 1]);
  assert.deepEqual(await stored(contract, DAY), []);
});

test('the days of a file that have slots without a volume after it are counted, and the first ones listed', async () => {
  const [whole, partial, filled] = [await newContract(), await newContract(), await newContract()];
  const lines = [
    ...csvDay(whole.externalId),
    ...csvDay(partial.externalId, '2026-10-25', 96),
    ...csvDay(filled.externalId).slice(1),
  ];
  const missing = (contract: string, delivery_date: string, slots: number) => ({
    contract,
    delivery_date,
    missing: slots,
  });
  const first = [missing(partial.externalId, '2026-10-25', 4), missing(filled.externalId, DAY, 1)];
  for (const query of ['?dry_run=true', '']) {
    const { body } = await send([HEADER, ...lines], 'text/csv', query);
    assert.deepEqual(body.incomplete_days, { count: 2, days: first });
  }
  // The slot that is missing comes later in the same file, and another day of the file stays as it is stored.
  const later = await send([HEADER, `${filled.id},${DAY},1,2`, `${partial.id},2026-10-25,1,1.25`]);
  assert.deepEqual(later.body.incomplete_days, { count: 1, days: [missing(partial.id, '2026-10-25', 4)] });
  const [cell] = await stored(whole, DAY);
  await world.invalidate(cell.id);
  const again = await send([HEADER, `${whole.externalId},${DAY},2,1.25`]);
  assert.deepEqual(again.body.incomplete_days, { count: 1, days: [missing(whole.externalId, DAY, 1)] });
});

test('a day that is rejected is incomplete as it is stored; one that takes no volumes is not counted', async () => {
  const contract = await newContract();
  const broken = csvDay(contract.externalId).with(50, 'broken');
  const rejected = await send([
    HEADER,
    ...broken,
    'UNKNOWN,2026-10-22,1,1',
    `${contract.externalId},2027-06-01,1,1`,
    `${contract.externalId},2026-02-30,1,1`,
  ]);
  const day = { contract: contract.externalId, delivery_date: DAY, missing: 96 };
  assert.deepEqual(rejected.body.incomplete_days, { count: 1, days: [day] });
  assert.equal(rejected.body.rejected_days, 4);
  await send([HEADER, ...csvDay(contract.externalId)]);
  assert.deepEqual((await send([HEADER, ...broken])).body.incomplete_days, { count: 0, days: [] });
});

test('incomplete days of a large file are counted once, and those that a later batch completes are not', async () => {
  const [one, two] = [await newContract(), await newContract()];
  const dayOf = (at: number) => addDays('2026-01-01', at);
  const started = [one, two].flatMap(({ externalId }) =>
    Array.from({ length: 300 }, (_, at) => `${externalId},${dayOf(at)},1,1`),
  );
  const rest = Array.from({ length: 260 }, (_, at) => csvDay(one.externalId, dayOf(at), slotsOf(dayOf(at))));
  for (const query of ['?dry_run=true', '']) {
    const { body } = await send(
      [HEADER, ...started, ...rest.flatMap((lines) => lines.slice(1)), ...started],
      'text/csv',
      query,
    );
    assert.equal(body.incomplete_days.count, 340);
    assert.deepEqual(
      body.incomplete_days.days,
      Array.from({ length: LIMITS.incompleteDays }, (_, at) => ({
        contract: one.externalId,
        delivery_date: dayOf(260 + at),
        missing: slotsOf(dayOf(260 + at)) - 1,
      })),
    );
  }
});
