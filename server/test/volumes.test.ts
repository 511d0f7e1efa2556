import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, assertRefused, problemOf, startTestPlatform } from './harness.ts';
import { importing, rejections } from './importing.ts';
import type { WorldContract } from './world.ts';

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world } = platform;
const { operator, newContract, send, stored } = await importing(platform);

const put = (id: string, day: string, volumes: unknown) =>
  operator.put(`/operator/v1/contracts/${id}/days/${day}`, { volumes });
const day = (slots: number, mwh: number | null) => Array.from({ length: slots }, () => mwh);

type Cell = { slot_number: number; volume: number; version: number; status: string };
const cellsOf: (contract: WorldContract, day: string) => Promise<Cell[]> = stored;
const current = async (contract: WorldContract, deliveryDate: string) =>
  Object.fromEntries(
    (await cellsOf(contract, deliveryDate))
      .filter(({ status }) => status === 'valid')
      .map(({ slot_number, volume }) => [slot_number, volume]),
  );

const HEADER = 'contract,delivery_date,slot,volume\n';
const csv = (lines: string, query = '') => send('text/csv', HEADER + lines, { query });
const ndjson = (lines: readonly object[], query = '') =>
  send('application/x-ndjson', lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { query });
const counts = ({ status, body }: Answer) => {
  assert.equal(status, 200, JSON.stringify(body));
  const { rows, created, corrected, unchanged, rejected_lines, rejected_days } = body;
  return { rows, created, corrected, unchanged, rejected_lines, rejected_days };
};
const none = { rows: 0, created: 0, corrected: 0, unchanged: 0, rejected_lines: 0, rejected_days: 0 };

test('a written day creates new cells, then corrections, then nothing', async () => {
  const contract = await newContract();
  const first = await put(contract.id, '2026-10-22', [...day(95, 1.25), null]);
  assert.deepEqual(first.body, { created: 95, corrected: 0, unchanged: 0, revision: 1 });
  assert.equal(first.status, 200);
  const second = await put(contract.id, '2026-10-22', [2.5, ...day(94, 1.25), 0.001]);
  assert.deepEqual(second.body, { created: 1, corrected: 1, unchanged: 94, revision: 2 });
  const again = await put(contract.id, '2026-10-22', [2.5, ...day(94, 1.25), 0.001]);
  assert.deepEqual(again.body, { created: 0, corrected: 0, unchanged: 96, revision: 2 });
  const cells = await cellsOf(contract, '2026-10-22');
  assert.equal(cells.length, 97);
  assert.deepEqual(
    cells.slice(0, 2).map(({ version, status, volume }) => [version, status, volume]),
    [
      [1, 'superseded', 1.25],
      [2, 'valid', 2.5],
    ],
  );
});

test('a day of nulls changes nothing and creates no revision', async () => {
  const contract = await newContract();
  const answer = await put(contract.id, '2026-10-22', day(96, null));
  assert.deepEqual(answer.body, { created: 0, corrected: 0, unchanged: 0, revision: null });
});

test('the same volume on an invalid cell makes it valid again as a new version', async () => {
  const contract = await newContract();
  await put(contract.id, '2026-10-22', day(96, 1));
  const [cell] = await stored(contract, '2026-10-22');
  await world.invalidate(cell.id);
  const answer = await put(contract.id, '2026-10-22', day(96, 1));
  assert.deepEqual(answer.body, { created: 0, corrected: 1, unchanged: 95, revision: 2 });
  const versions = (await cellsOf(contract, '2026-10-22')).filter(({ slot_number }) => slot_number === 1);
  assert.deepEqual(
    versions.map(({ version, status }) => [version, status]),
    [
      [1, 'superseded'],
      [2, 'valid'],
    ],
  );
});

test('clock-change days accept 92 and 100 volumes, and report another number', async () => {
  const contract = await newContract();
  for (const [date, slots] of [
    ['2026-03-29', 92],
    ['2026-10-25', 100],
    ['2026-10-26', 96],
  ] as const) {
    assert.equal((await put(contract.id, date, day(slots, 1))).body.created, slots);
    for (const [wrong, code] of [
      [slots - 1, 'value_too_small'],
      [slots + 1, 'value_too_large'],
    ] as const) {
      const answer = await put(contract.id, date, day(wrong, 1));
      assert.deepEqual(problemOf(answer), { code: 'validation', errors: [`volumes ${code}`] });
      assert.match(answer.body.errors[0].message, new RegExp(`has ${slots} slots`));
    }
  }
});

test('all errors of a day are reported together, and nothing of it is stored', async () => {
  const contract = await newContract();
  const volumes: unknown[] = day(97, 1);
  volumes.splice(0, 6, '1', -1, 1.2345, 2_147_483.648, true, -0.00001);
  const answer = await put(contract.id, '2026-10-22', volumes);
  assert.deepEqual(problemOf(answer), {
    code: 'validation',
    errors: [
      'volumes value_too_large',
      'volumes[0] invalid_type',
      'volumes[1] value_too_small',
      'volumes[2] invalid_format',
      'volumes[3] value_too_large',
      'volumes[4] invalid_type',
      'volumes[5] value_too_small',
    ],
  });
  const dated = await put(contract.id, '2026-02-30', ['1']);
  assert.deepEqual(problemOf(dated).errors, ['delivery_date invalid_format', 'volumes[0] invalid_type']);
  assert.deepEqual(await cellsOf(contract, '2026-10-22'), []);
});

test('a day outside of the contract, a contract without volumes and an unknown contract have different errors', async () => {
  const contract = await newContract({ first: '2026-02-01', last: '2026-10-31' });
  for (const date of ['2026-01-31', '2026-11-01']) {
    const answer = await put(contract.id, date, day(96, 1));
    assertRefused(answer, 'delivery_date validation_failed');
  }
  assert.equal((await put(contract.id, '2026-02-01', day(96, 1))).status, 200);
  assert.equal((await put(contract.id, '2026-10-31', day(96, 1))).status, 200);
  for (const options of [{ type: 'day_ahead' as const }, { first: null }, { last: null }]) {
    const answer = await put((await newContract(options)).id, '2026-10-22', day(96, 1));
    assert.deepEqual([answer.status, problemOf(answer).code], [409, 'contract_without_volumes']);
  }
  for (const id of ['con_01jhm3wa2fe5h8x2z6tdq9vn4m', 'con_x', contract.externalId]) {
    const answer = await put(id, '2026-10-22', day(96, 1));
    assert.deepEqual([answer.status, problemOf(answer).code], [404, 'contract_not_found']);
  }
});

test('CSV and NDJSON have the same effect: slots and days, contracts by id and by external id', async () => {
  const [one, two, three] = [await newContract(), await newContract(), await newContract()];
  const lines = Array.from({ length: 96 }, (_, at) => `${one.externalId},2026-10-22,${at + 1},${at}.5\n`);
  assert.deepEqual(counts(await csv(lines.join('') + `${two.id},2026-10-22,7,0.125\n`)), {
    ...none,
    rows: 97,
    created: 97,
  });
  assert.equal((await current(one, '2026-10-22'))[96], 95.5);
  assert.deepEqual(await current(two, '2026-10-22'), { 7: 0.125 });
  const answer = await ndjson([
    { contract: three.externalId, delivery_date: '2026-10-25', volumes: [null, ...day(99, 1.5)] },
    { contract: three.externalId, delivery_date: '2026-10-25', slot: 1, volume: 0 },
    { contract: two.id, delivery_date: '2026-10-22', slot: 7, volume: 0.125 },
    { contract: two.id, delivery_date: '2026-10-22', slot: 8, volume: 1e-3 },
  ]);
  assert.deepEqual(counts(answer), { ...none, rows: 4, created: 101, unchanged: 1 });
  assert.equal((await current(three, '2026-10-25'))[1], 0);
  assert.deepEqual(await current(two, '2026-10-22'), { 7: 0.125, 8: 0.001 });
});

test('columns have any order, quotes, BOM and CRLF are accepted, and blank lines are skipped', async () => {
  const contract = await newContract({ externalId: 'PPA "Nord", Süd' });
  const body =
    '\ufeff"volume",slot,contract,"delivery_date"\r\n' +
    '1.5,1,"PPA ""Nord"", Süd",2026-10-22\r\n\r\n"2.5","2","PPA ""Nord"", Süd","2026-10-22"';
  assert.deepEqual(counts(await send('text/csv; charset=UTF-8', body)), { ...none, rows: 2, created: 2 });
  assert.deepEqual(await current(contract, '2026-10-22'), { 1: 1.5, 2: 2.5 });
  const json = `\ufeff${JSON.stringify({ contract: 'PPA "Nord", Süd', delivery_date: '2026-10-22', slot: 3, volume: 1 })}`;
  assert.deepEqual(counts(await send('application/x-ndjson', json)), { ...none, rows: 1, created: 1 });
  const lone = await newContract();
  const bare = `${lone.externalId},2026-10-22,1,1\r\n${lone.externalId},2026-10-22,2,2\r\n`;
  assert.deepEqual(counts(await csv(bare)), { ...none, rows: 2, created: 2 });
});

test('a re-import corrects only what changed', async () => {
  const contract = await newContract();
  const file = (volume: number) =>
    Array.from(
      { length: 96 },
      (_, at) => `${contract.id},2026-10-22,${at + 1},${at === 5 ? volume : 1}\n`,
    ).join('');
  assert.equal(counts(await csv(file(1))).created, 96);
  assert.deepEqual(counts(await csv(file(2))), { ...none, rows: 96, corrected: 1, unchanged: 95 });
  assert.deepEqual(counts(await csv(file(2))), { ...none, rows: 96, unchanged: 96 });
  assert.equal((await cellsOf(contract, '2026-10-22')).length, 97);
});

test('one faulty line rejects its whole day and no other', async () => {
  const [bad, good] = [await newContract(), await newContract()];
  const answer = await csv(
    `${bad.id},2026-10-22,1,1\n${bad.id},2026-10-22,2,-1\n${bad.id},2026-10-22,3,1\n` +
      `${bad.id},2026-10-23,1,1\n${good.id},2026-10-22,1,1\n`,
  );
  assert.deepEqual(counts(answer), { ...none, rows: 5, created: 2, rejected_lines: 1, rejected_days: 1 });
  assert.deepEqual(rejections(answer), ['3 negative_volume']);
  assert.deepEqual(await cellsOf(bad, '2026-10-22'), []);
  assert.deepEqual(await current(bad, '2026-10-23'), { 1: 1 });
});

test('an unreadable line between the lines of a day rejects the day, after its last line only itself', async () => {
  const contract = await newContract();
  const one = `${contract.id},2026-10-22,1,1\n`;
  const answer = await csv(`${one}what is this\n${contract.id},2026-10-22,2,2\n`);
  assert.deepEqual(counts(answer), { ...none, rows: 3, rejected_lines: 1, rejected_days: 1 });
  assert.deepEqual(rejections(answer), ['3 malformed_line']);
  assert.deepEqual(await cellsOf(contract, '2026-10-22'), []);
  assert.deepEqual(counts(await csv(`${one}what is this\n`)), {
    ...none,
    rows: 2,
    created: 1,
    rejected_lines: 1,
  });
});

test('the later line of a duplicate is rejected; the same day later in the file is a further change', async () => {
  const [one, two] = [await newContract(), await newContract()];
  const doubled = await csv(`${one.id},2026-10-22,1,1\n${one.id},2026-10-22,1,2\n`);
  assert.deepEqual(rejections(doubled), ['3 duplicate_slot']);
  assert.deepEqual(counts(doubled), { ...none, rows: 2, rejected_lines: 1, rejected_days: 1 });
  const further = await csv(
    `${one.id},2026-10-22,1,1\n${two.id},2026-10-22,1,1\n${one.id},2026-10-22,1,2\n${two.id},2026-10-22,1,1\n`,
  );
  assert.deepEqual(counts(further), { ...none, rows: 4, created: 2, corrected: 1, unchanged: 1 });
  assert.deepEqual(
    (await cellsOf(one, '2026-10-22')).map(({ version, status, volume }) => [version, status, volume]),
    [
      [1, 'superseded', 1],
      [2, 'valid', 2],
    ],
  );
});

test('a dry run predicts the exact result, also of a day that is repeated much later, and changes nothing', async () => {
  const [contract, other] = [await newContract(), await newContract()];
  await put(contract.id, '2026-10-22', day(96, 1));
  // So many days in between that the two cannot be in one transaction.
  const between = Array.from({ length: 300 }, (_, at) => {
    const date = new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10);
    return Array.from({ length: 8 }, (_, slot) => `${other.id},${date},${slot + 1},${slot}\n`).join('');
  }).join('');
  const third = await newContract();
  const file =
    `${contract.id},2026-10-22,1,2\n${third.id},2026-10-22,1,1\n${between}` +
    `${contract.id},2026-10-22,1,3\n${between}${contract.id},2026-10-22,1,3\n${third.id},2026-10-22,1,1\n`;
  const dry = await csv(file, '?dry_run=true');
  assert.equal(dry.body.dry_run, true);
  assert.deepEqual(await cellsOf(third, '2026-10-22'), []);
  assert.equal((await cellsOf(contract, '2026-10-22')).length, 96);
  const wet = await csv(file, '?dry_run=false');
  assert.deepEqual(counts(dry), counts(wet));
  assert.deepEqual(counts(wet), { ...none, rows: 4805, created: 2401, corrected: 2, unchanged: 2402 });
});

test('an import changes the positions of its contracts, and a dry run does not', async () => {
  const contract = await newContract();
  await world.nominate();
  const run = () => world.nominate();
  await csv(`${contract.id},2026-11-20,1,1\n`, '?dry_run=true');
  assert.equal((await run()).positions, 0);
  await csv(`${contract.id},2026-11-20,1,1\n`);
  assert.equal((await run()).positions, 2);
  await csv(`${contract.id},2026-11-20,1,1\n`);
  assert.equal((await run()).positions, 0);
});

test('with an Idempotency-Key an import is applied once, and another body with the key is rejected', async () => {
  const contract = await newContract();
  const headers = { 'idempotency-key': `import-${contract.id}` };
  const file = `${HEADER}${contract.id},2026-10-22,1,1\n`;
  const first = await send('text/csv', file, { headers });
  const again = await send('text/csv', file, { headers });
  assert.equal(first.body.created, 1);
  assert.equal(again.text, first.text);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  for (const [body, query] of [
    [`${HEADER}${contract.id},2026-10-22,1,2\n`, ''],
    [file, '?dry_run=true'],
  ] as const) {
    const other = await send('text/csv', body, { headers, query });
    assert.deepEqual([other.status, problemOf(other).code], [409, 'idempotency_key_reused']);
  }
  assert.deepEqual(await current(contract, '2026-10-22'), { 1: 1 });
  const both = { 'idempotency-key': `both-${contract.id}` };
  const twice = `${HEADER}${contract.id},2026-10-23,1,1\n${contract.id},2026-10-24,1,1\n${contract.id},2026-10-23,1,2\n`;
  const answers = await Promise.all([1, 2, 3].map(() => send('text/csv', twice, { headers: both })));
  assert.deepEqual(new Set(answers.map(({ text }) => text)).size, 1);
  assert.equal((await cellsOf(contract, '2026-10-23')).length, 2);
});

test('imports and days are in the audit trail with their counts', async () => {
  const contract = await newContract();
  const answer = await csv(`${contract.id},2026-10-22,1,1\nwrong\n`);
  const subject = answer.headers.get('x-request-id');
  const { entries } = (await operator(`/operator/v1/audit?subject=${subject}`)).body;
  assert.equal(entries.length, 1);
  assert.equal(entries[0].action, 'volumes.imported');
  assert.deepEqual(entries[0].after, {
    ...none,
    ...{ rows: 2, created: 1, rejected_lines: 1, incomplete_days: 1 },
  });
  await put(contract.id, '2026-10-22', day(96, 2));
  const written = (await operator(`/operator/v1/audit?subject=${contract.id}`)).body.entries;
  assert.deepEqual(
    written.map(({ action, after }: { action: string; after: object }) => [action, after]),
    [
      [
        'contract_day.written',
        { delivery_date: '2026-10-22', created: 95, corrected: 1, unchanged: 0, revision: 2 },
      ],
    ],
  );
});
