import assert from 'node:assert/strict';
import { test } from 'node:test';
import { directionOf, isSort, nextSort, sortRows } from './sort.ts';

test('clicks on a column sort ascending, descending, and not at all', () => {
  assert.deepEqual([nextSort(undefined, 'energy'), nextSort('energy', 'energy')], ['energy', '-energy']);
  assert.deepEqual([nextSort('-energy', 'energy'), nextSort('-energy', 'group')], [undefined, 'group']);
  assert.deepEqual(
    ['energy', '-energy', 'group', undefined].map((sort) => directionOf(sort, 'energy')),
    ['ascending', 'descending', null, null],
  );
  assert.deepEqual(['-energy', 'external_id', 'a b', '--a', ''].map(isSort), [
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('rows are sorted by number or by text of the language, and those without a value come last', () => {
  const rows = ['Zulu', 'Äpfel 10', null, 'Äpfel 9', 'Bär'];
  const value = (row: string | null) => row;
  assert.deepEqual(sortRows(rows, value, 'ascending', 'de'), ['Äpfel 9', 'Äpfel 10', 'Bär', 'Zulu', null]);
  assert.deepEqual(sortRows(rows, value, 'descending', 'de'), ['Zulu', 'Bär', 'Äpfel 10', 'Äpfel 9', null]);
  assert.deepEqual(
    sortRows([10, 9, -1], (row) => row, 'descending', 'en'),
    [10, 9, -1],
  );
});
