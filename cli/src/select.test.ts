import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, standIn } from '../../sdk/test/stand-in.ts';
import { runCommand } from '../test/run-command.ts';
import { parsePath, selectLines } from './select.ts';

const VALUE = {
  contracts: [
    { id: 'con_1', tags: ['a', 'b'], end: null },
    { id: 'con_2', tags: [], volume: 1.5 },
  ],
  metadata: { 'cost center': '4711', 'a.b': { c: true } },
};
const select = (path: string, value: unknown = VALUE) => selectLines(value, parsePath(path));

test('a path selects members, items and all items of lists', () => {
  const cases: [path: string, lines: string][] = [
    ['contracts[].id', 'con_1\ncon_2\n'],
    ['contracts[0].tags', '["a","b"]\n'],
    ['contracts[].tags[]', 'a\nb\n'],
    ['contracts[-1].volume', '1.5\n'],
    ['contracts[7].id', ''],
    ['contracts[].end', 'null\n'],
    ['contracts.id', ''],
    ['nothing.at.all', ''],
    ['metadata."cost center"', '4711\n'],
    ['"metadata"."a.b".c', 'true\n'],
    ['toString', ''],
  ];
  for (const [path, lines] of cases) assert.equal(select(path), lines, path);
  assert.equal(select('[].id', VALUE.contracts), 'con_1\ncon_2\n');
  assert.equal(select('[0][1]', [['x', 'y']]), 'y\n');
});

test('text that is no path is a usage error', () => {
  for (const path of [
    '',
    '.',
    '.a',
    'a.',
    'a..b',
    'a[',
    'a]',
    'a[x]',
    'a[-]',
    'a b',
    '"a',
    'a[0]b',
    'a"b"',
    '$.a',
    '"\\q"',
    '"a\nb"',
    'a."\\u12"',
  ])
    assert.throws(() => parsePath(path), /is no path of --select/, path);
});

test('every command that prints JSON takes --select, and lists are arrays', async () => {
  const env = { SALDO_URL: 'https://saldo.test', SALDO_KEY: 'saldo_op_key' };
  const run = async (command: string, answer: object) => {
    const { fetch } = standIn(json(answer)).options;
    return runCommand('/', command, { env, fetch });
  };
  const brps = [{ id: 'brp_1' }, { id: 'brp_2' }];
  const list = await run('brps list --limit 2 --select [].id', { brps, pagination: { next_cursor: 'more' } });
  assert.deepEqual([list.code, list.out], [0, 'brp_1\nbrp_2\n']);
  assert.match(list.err, /more than these 2/);
  const quiet = await run('brps list --limit 2 --select [].id --quiet', {
    brps,
    pagination: { next_cursor: 'more' },
  });
  assert.deepEqual([quiet.out, quiet.err], ['brp_1\nbrp_2\n', ''], 'quiet silences notes');
  assert.equal((await run('brps show brp_1 --select name', { id: 'brp_1', name: 'Nord' })).out, 'Nord\n');
});
