import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { find, findText, press, show } from '../../test/components.ts';

for (const [language, done] of [
  ['en', /96 records/],
  ['de', /96 Datensätze/],
] as const)
  test(`a month is exported as CSV, with a line for each quarter-hour: ${language}`, () =>
    show('/month?month=2026-01', { language }, async () => {
      const saved: Blob[] = [];
      mock.method(URL, 'createObjectURL', (file: Blob) => {
        saved.push(file);
        return 'blob:';
      });
      await find('[role=img]', /MW$/);
      await press('main button', 'CSV');
      await findText(done);
      const lines = (await saved[0]!.text()).trim().split(/\r?\n/);
      assert.match(lines[0]!, /nomination_id/);
      assert.equal(lines.length, 97);
    }));
