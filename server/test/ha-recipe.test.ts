import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { exampleValues, fillIn, placeholdersOf, RECIPE_FILES } from '../faults/ha/recipe.ts';
import { CHECKOUT } from './markdown-blocks.ts';

test('the files of the recipe need exactly the values that ha.env.example lists', async () => {
  const files = (await readdir(path.join(CHECKOUT, 'deploy/ha'))).filter((file) => file !== 'ha.env.example');
  assert.deepEqual(files.toSorted(), RECIPE_FILES.toSorted());
  const needed = new Set(RECIPE_FILES.flatMap(placeholdersOf));
  assert.deepEqual([...needed].toSorted(), Object.keys(exampleValues()).toSorted());
  for (const file of RECIPE_FILES) assert.doesNotMatch(fillIn(file, exampleValues()), /\$\{/);
  assert.throws(() => fillIn('saldo.env', {}), /a placeholder without a value/);
});
