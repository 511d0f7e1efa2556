import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/clean-up.ts';
import { PACKAGES } from './pages.ts';
import { createSite } from './site.ts';

test('packages are served after another server of the checkout has deleted their folder', async () => {
  const folder = await temporaryFolder();
  for (const name of PACKAGES) await writeFile(path.join(folder, name), name);
  const site = createSite([], async () => folder);
  assert.ok(await site.find(`/packages/${PACKAGES[0]}`));
  await rm(folder, { recursive: true });
  for (const name of PACKAGES) assert.ok(await site.find(`/packages/${name}`), name);
});

test('packages that cannot be read are read again at the next request', async () => {
  const folder = await temporaryFolder();
  for (const name of PACKAGES) await writeFile(path.join(folder, name), name);
  let attempts = 0;
  const site = createSite([], async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('too many open files');
    return folder;
  });
  await assert.rejects(site.find(`/packages/${PACKAGES[0]}`), /too many open files/);
  assert.ok(await site.find(`/packages/${PACKAGES[0]}`));
});

test('a build of packages that has failed is not repeated, and other names do not cause one', async () => {
  let builds = 0;
  const site = createSite([], async () => {
    builds += 1;
    return null;
  });
  assert.equal(await site.find('/packages/other.tgz'), null);
  assert.equal(builds, 0);
  for (const name of PACKAGES) assert.equal(await site.find(`/packages/${name}`), null, name);
  assert.equal(builds, 1);
});
