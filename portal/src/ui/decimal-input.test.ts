import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMwh } from '@saldo/core/energy.ts';
import fc from 'fast-check';
import { cellsOf, parseTyped, readShape } from './decimal-input.ts';

test('a formatted number is parsed unchanged, with a point or a comma', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999 }), (thousandths) => {
      const written = formatMwh(thousandths);
      assert.equal(parseTyped(written), thousandths);
      assert.equal(parseTyped(` ${written.replace('.', ',')} `), thousandths);
    }),
  );
});

test('signs, digit groups, four decimals and words are rejected as volumes', () => {
  for (const typed of ['', '-1', '+1', '1.2345', '1.234,5', '1e3', 'x', '.5', '1.']) {
    assert.equal(parseTyped(typed), null, typed);
  }
  assert.equal(parseTyped('0,5'), 500);
});

test('tabs, semicolons and blanks separate cells, and empty lines are skipped', () => {
  assert.deepEqual(cellsOf('1,5\t2\r\n\r\n3; 4\n5 6'), [
    ['1,5', '2'],
    ['3', '4'],
    ['5', '6'],
  ]);
});

test('a shape is 12 lines of 24 numbers, and each fault is reported with its place', () => {
  const line = Array.from({ length: 24 }, (_, hour) => `${hour},5`).join('\t');
  const whole = Array.from({ length: 12 }, () => line);
  const read = readShape(whole.join('\n'));
  assert.ok('powersMw' in read);
  assert.deepEqual([read.powersMw.length, read.powersMw[11]?.[23]], [12, 23.5]);
  assert.deepEqual(readShape(whole.slice(1).join('\n')), { problem: 'rows', row: 11, found: '11' });
  assert.deepEqual(readShape(whole.with(2, '1 2').join('\n')), { problem: 'columns', row: 3, found: '2' });
  assert.deepEqual(readShape(whole.with(3, line.replace('5,5', 'x')).join('\n')), {
    problem: 'number',
    row: 4,
    found: 'x',
  });
});
