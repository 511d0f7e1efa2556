import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '../platform/db/database.ts';
import { hotStatement } from '../platform/db/statement.ts';
import { marketList } from './lists.ts';

const PAGE = hotStatement('test_page', 'select');

test('a list whose version goes back while a page is read has the order of the earlier version', async () => {
  // A fail-over lost the versions 4 and 5: the first page was read before it.
  const published = [1, 2, 3];
  const numbersOnPage: number[][] = [];
  const versions = [5, 3];
  const db = {
    arrays: async (_statement: unknown, [after]: [number]) => [
      [3, published.filter((number) => number > after), null],
    ],
    hot: {
      arrays: async (_statement: unknown, range: number[]) => {
        numbersOnPage.push(range);
        return [[versions.shift()]];
      },
    },
  } as unknown as Db;
  const list = marketList<readonly [number]>(db, 'demands', { table: 'demand', page: PAGE });
  const { version, total } = (await list.read(1, 10, null)) as { version: number; total: number };
  assert.deepEqual([version, total, numbersOnPage.at(-1)], [3, 3, [1, 3]]);
});

test('an order that has lost versions is read anew', async () => {
  let [newest, published] = [3, [1, 2, 3]];
  const db = {
    arrays: async (_statement: unknown, [after]: [number]) => [
      [newest, published.filter((number) => number > after), null],
    ],
    hot: { arrays: async () => [[newest]] },
  } as unknown as Db;
  const list = marketList<readonly [number]>(db, 'demands', { table: 'demand', page: PAGE });
  await list.read(1, 10, null);
  [newest, published] = [2, [1, 2]];
  assert.equal(await list.read(1, 10, 4), 'unknown');
  [newest, published] = [3, [1, 2, 3]];
  const { total } = (await list.read(1, 10, null)) as { total: number };
  assert.equal(total, 3);
});
