import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { AT_ONCE } from './filling.ts';
import { testForms } from './forms.ts';

const cases = await testForms(AT_ONCE);

test('every form of the portal is tested here', async () => {
  const folder = path.join(import.meta.dirname, '../src');
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.tsx'));
  const forms = await Promise.all(
    files.map(async (file) => {
      const found = (await readFile(path.join(folder, file), 'utf8')).match(/<Form\s/g) ?? [];
      return found.map(() => file.replaceAll('\\', '/'));
    }),
  );
  const tested = cases.flatMap(({ file }) => file ?? []);
  assert.deepEqual(forms.flat().toSorted(), tested.toSorted());
});
