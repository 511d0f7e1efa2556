import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { exampleValues, fillIn, placeholdersOf, RECIPE_FILES } from '../faults/ha/recipe.ts';
import { temporaryFolder } from './clean-up.ts';
import { CHECKOUT } from './markdown-blocks.ts';

const HAPROXY = '/usr/sbin/haproxy';

test('the files of the recipe need exactly the values that ha.env.example lists', async () => {
  const files = (await readdir(path.join(CHECKOUT, 'deploy/ha'))).filter((file) => file !== 'ha.env.example');
  assert.deepEqual(files.toSorted(), RECIPE_FILES.toSorted());
  const needed = new Set(RECIPE_FILES.flatMap(placeholdersOf));
  assert.deepEqual([...needed].toSorted(), Object.keys(exampleValues()).toSorted());
  for (const file of RECIPE_FILES) assert.doesNotMatch(fillIn(file, exampleValues()), /\$\{/);
  assert.throws(() => fillIn('saldo.env', {}), /a placeholder without a value/);
});

test('HAProxy accepts its configuration', { skip: !existsSync(HAPROXY) }, async () => {
  const folder = await temporaryFolder();
  const file = path.join(folder, 'haproxy.cfg');
  await writeFile(file, fillIn('haproxy.cfg', { ...exampleValues(), NODE_HOST: '127.0.0.1' }));
  // Rejects with the messages of HAProxy.
  await promisify(execFile)(HAPROXY, ['-c', '-f', file]);
});
