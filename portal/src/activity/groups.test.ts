import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SaldoEvent } from '@saldo/api';
import { groupEvents } from './groups.ts';

const run = (type: string, count: number, from: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `evt_${from - at}`, type }) as SaldoEvent);

test('ten or more events of one type in a row are a group, and its key does not depend on the pages around it', () => {
  const [few, many] = [run('contract.created', 9, 100), run('transactions.created', 12, 80)];
  const groups = groupEvents([...few, ...many]);
  assert.deepEqual(
    groups.map(({ events }) => events.length),
    [...few.map(() => 1), 12],
  );
  assert.equal(groups.at(-1)?.key, 'evt_80');
  const older = groupEvents([...few, ...many, ...run('transactions.created', 30, 60)]);
  assert.deepEqual([older.at(-1)?.key, older.at(-1)?.events.length], ['evt_80', 42]);
  const [newest] = groupEvents(many);
  const [newer] = groupEvents([...run('transactions.created', 3, 83), ...many]);
  assert.deepEqual(
    [newest?.key, newer?.key, newer?.events.length],
    Array(2)
      .fill('newest transactions.created')
      .concat(15 as never),
  );
  assert.deepEqual(groupEvents([]), []);
});
