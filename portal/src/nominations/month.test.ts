import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brpEndpoints } from '@saldo/api';
import { eventually } from '../../../server/test/until.ts';
import { find, press, show } from '../../test/components.ts';

const { nominations } = brpEndpoints.listNominations.example.response as {
  nominations: readonly { id: string; slots: readonly object[] }[];
};

for (const language of ['en', 'de'] as const)
  test(`a month is exported as CSV, with a line for each quarter-hour: ${language}`, ({ mock }) =>
    show('/month?month=2026-01', { language }, async () => {
      const saved: Blob[] = [];
      mock.method(URL, 'createObjectURL', (file: Blob) => {
        saved.push(file);
        return 'blob:';
      });
      await find('[role=img]', /MW$/);
      await press('main button', 'CSV');
      await eventually(async () => assert.equal(saved.length, 1));
      const [names, ...lines] = (await saved[0]!.text()).trim().split('\r\n');
      assert.match(names ?? '', /nomination_id/);
      assert.deepEqual(
        lines.map((line) => line.split(/[,;]/)[0]),
        nominations.flatMap(({ id, slots }) => slots.map(() => id)),
      );
    }));
