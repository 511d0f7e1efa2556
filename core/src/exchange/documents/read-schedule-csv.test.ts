import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCharacter } from '../../eic.ts';
import { formatMessage } from '../../messages/message.ts';
import { readScheduleCsv } from './read-schedule-csv.ts';

const OPERATOR = '11XSALDO-------Z';
const HEADER = 'delivery_date,eic,tso,direction,slot_number,power_mw';

function read(csv: string) {
  const steps = readScheduleCsv(Buffer.from(csv), OPERATOR, null);
  let count = 0;
  for (;;) {
    const step = steps.next();
    if (step.done) return { ...step.value, steps: count };
    count++;
  }
}
const faultsOf = (csv: string) => {
  const result = read(csv);
  assert.ok('faults' in result, JSON.stringify(result));
  return result.faults.map((fault) => formatMessage(fault, 'en'));
};
const dayOf = (eic: string, slots = 96) =>
  Array.from({ length: slots }, (_, at) => `2026-10-22,${eic},DE_TENNET,out,${at + 1},1.5`);

function* eics(): Generator<string> {
  for (let number = 1; ; number++) {
    const stem = `11XTEST${String(number).padStart(8, '-')}`;
    const check = checkCharacter(stem);
    if (check !== '-') yield stem + check;
  }
}

test('a long file is read in steps', () => {
  const lines = eics()
    .take(100)
    .flatMap((eic) => dayOf(eic));
  const result = read([HEADER, ...lines].join('\n'));
  assert.ok('series' in result);
  assert.equal(result.series.length, 100);
  assert.ok(result.steps > 5);
});

test('a hostile header or line is rejected without being split', () => {
  assert.deepEqual(faultsOf('a,'.repeat(5_000_000)), ['line 1: the line is longer than 2000 characters']);
  const [first] = faultsOf(`${HEADER}\n${'a,'.repeat(5_000_000)}\n`);
  assert.equal(first, 'line 2: the line is longer than 2000 characters');
});

test('series beyond the limit are rejected, and not more than 100 faults are listed', () => {
  const lines = eics()
    .take(3200)
    .map((eic) => `2026-10-22,${eic},DE_TENNET,out,1,1.5`);
  const faults = faultsOf([HEADER, ...lines].join('\n'));
  assert.equal(faults.length, 100);
  assert.equal(faults[0], 'line 3002: the file has more than 3000 series');
});

test('a file that is not UTF-8 or has no lines is rejected', () => {
  const steps = readScheduleCsv(Buffer.from([0xff, 0xfe, 0x41]), OPERATOR, null);
  assert.deepEqual(steps.next().value, { faults: [{ key: 'document.csv_encoding' }] });
  for (const empty of ['', ' ', '\r\n']) assert.deepEqual(faultsOf(empty), ['the file is empty']);
});
