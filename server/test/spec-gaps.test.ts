import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

const ROOT = new URL('../../', import.meta.url);
const HEADER = '| # | what is not shown | our choice | pinned by |';
const RULE = '|---|---|---|---|';
const NOT_BUILT = 'not built yet';
/** A test file, and the name of a test as in its source. */
const PIN = /^`((?:core\/src|api\/src|server\/(?:src|test))\/[\w./-]+\.test\.ts)` — "([^"]+)"$/;
const TITLE = /^\s*test\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gm;

const page = await readFile(new URL('docs/spec-gaps.md', ROOT), 'utf8');
const rowsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|') && line !== HEADER && line !== RULE)
    .map((line) => line.slice(1, -1).split('|'))
    .map((cells) => cells.map((cell) => cell.trim()));
const rows = rowsOf(page);
const pinsOf = (row: readonly string[]) => (row[3] === NOT_BUILT ? [] : (row[3] ?? '').split('<br>'));

test('every section of the spec gaps is one table, whose rows have all four cells and are numbered in order', () => {
  const sections = page.split(/^## /m).slice(1);
  assert.ok(sections.length > 0 && rows.length > sections.length);
  const letters = new Set<string>();
  for (const section of sections) {
    assert.equal(section.split(`\n${HEADER}\n${RULE}\n|`).length, 2, section);
    const numbers = rowsOf(section).map(([number = '']) => number.split(' ', 1)[0] ?? '');
    const letter = numbers[0]?.[0] ?? '';
    assert.deepEqual(
      numbers,
      numbers.map((_, at) => `${letter}${at + 1}`),
    );
    letters.add(letter);
  }
  assert.equal(letters.size, sections.length);
  for (const row of rows) assert.ok(row.length === 4 && row.every((cell) => cell !== ''), row.join(' | '));
});

test('every choice in the spec gaps names existing tests, or is marked as not built yet', async () => {
  const titles = new Map<string, Set<string>>();
  for (const row of rows) {
    for (const pin of pinsOf(row)) {
      const [, file = '', title = ''] = PIN.exec(pin) ?? [];
      assert.ok(file, `${row[0]}: "${pin}" is no test`);
      if (!titles.has(file)) {
        const source = await readFile(new URL(file, ROOT), 'utf8');
        titles.set(file, new Set([...source.matchAll(TITLE)].map(([, , name = '']) => name)));
      }
      assert.ok(titles.get(file)?.has(title), `${row[0]}: ${file} has no test "${title}"`);
    }
  }
});
