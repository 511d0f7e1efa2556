import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOperatorClient } from '@saldo/sdk';
import { assertRefused, problemOf, startTestPlatform } from './harness.ts';
import { importing, rejections } from './importing.ts';

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world } = platform;
const { newContract, send: sendFile, stored } = await importing(platform);

const HEADER = 'contract;delivery_date;slot;volume\r\n';
const DAY = '2026-10-22';

/** A file in the form in which a German spreadsheet saves it: byte order mark, semicolons and CRLF. */
const fileOf = (contract: string, volumes: readonly string[]) =>
  `\u{feff}${HEADER}${volumes.map((volume, at) => `${contract};${DAY};${at + 1};${volume}\r\n`).join('')}`;
const send = (body: string, query = '', type = 'text/csv') => sendFile(type, body, { query });

const volumesOf = async (id: string): Promise<number[]> => (await stored({ id })).map(({ volume }) => volume);

async function accepted(volumes: readonly string[], query = ''): Promise<number[]> {
  const contract = await newContract();
  const answer = await send(fileOf(contract.externalId, volumes), query);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual([answer.body.created, answer.body.rejected], [volumes.length, []]);
  return volumesOf(contract.id);
}

test('a file with semicolons and decimal commas is imported to the kWh', async () => {
  assert.deepEqual(await accepted(['0,5', '1,234', '12', '1.234,5']), [0.5, 1.234, 12, 1234.5]);
});

test('a file with semicolons and a decimal point is imported if the point has one reading', async () => {
  assert.deepEqual(await accepted(['12', '1.234', '0.125']), [12, 1.234, 0.125]);
});

test('a file with tabs is imported, with decimal commas and points', async () => {
  for (const [volumes, query] of [
    [['0,5', '1,234'], ''],
    [['0.5', '1.234'], ''],
    [['1.234', '0.5'], '?decimal=point'],
  ] as const) {
    const contract = await newContract();
    const answer = await send(fileOf(contract.externalId, volumes).replaceAll(';', '\t'), query);
    assert.equal(answer.body.created, 2, answer.text);
    assert.deepEqual((await volumesOf(contract.id)).toSorted(), [0.5, 1.234]);
  }
});

test('a file that could be read in two ways is refused with the question, and nothing is stored', async () => {
  for (const volumes of [['1.234'], ['12', '28.500'], ['0,5', '1.234'], ['1.234', '0,5']]) {
    const contract = await newContract();
    const answer = await send(fileOf(contract.externalId, volumes));
    assertRefused(answer, 'decimal required');
    const line = 2 + volumes.findIndex((volume) => volume.includes('.'));
    assert.match(
      answer.body.errors[0].message,
      new RegExp(`^line ${line}: is [\\d.]+ a number with a decimal point, or \\d+ `),
    );
    assert.match(answer.body.errors[0].message, /decimal=point or decimal=comma/);
    assert.deepEqual(await volumesOf(contract.id), []);
  }
});

test('the answer to the question decides', async () => {
  assert.deepEqual(await accepted(['1.234', '12'], '?decimal=point'), [1.234, 12]);
  assert.deepEqual(await accepted(['1.234', '0,5'], '?decimal=comma'), [1234, 0.5]);
});

test('a number in the other notation is rejected with its line', async () => {
  const contract = await newContract();
  const answer = await send(fileOf(contract.externalId, ['0,5', '12.5']));
  assert.deepEqual(rejections(answer), ['3 invalid_volume']);
});

test('a file with commas keeps its decimal point', async () => {
  const contract = await newContract();
  const answer = await send(`contract,delivery_date,slot,volume\n${contract.externalId},${DAY},1,1.234\n`);
  assert.equal(answer.body.created, 1);
  assert.deepEqual(await volumesOf(contract.id), [1.234]);
});

test('the decimal mark is for CSV only', async () => {
  const line = JSON.stringify({ contract: 'PPA', delivery_date: DAY, slot: 1, volume: 1 });
  assertRefused(await send(line, '?decimal=comma', 'application/x-ndjson'), 'decimal validation_failed');
  assert.deepEqual(problemOf(await send(HEADER, '?decimal=dot')).errors, ['decimal invalid_enum_value']);
});

test('the SDK states the decimal mark', async () => {
  const contract = await newContract();
  const { volumes } = createOperatorClient({ baseUrl: platform.baseUrl, apiKey: await world.operatorKey() });
  const source = fileOf(contract.externalId, ['1.234']);
  const result = await volumes.importFile(source, { format: 'csv', decimal: 'comma' });
  assert.equal(result.created, 1);
  assert.deepEqual(await volumesOf(contract.id), [1234]);
});
