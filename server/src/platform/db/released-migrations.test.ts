import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../../test/clean-up.ts';

/**
 * Databases have applied the migrations of every release, so a released file never changes. The history is the record:
 * no later commit can edit it. A release is a tag `v…`, and in clones without tags the commit that added the line of its
 * heading to the changelog.
 */
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const FOLDER = 'server/src/platform/db/migrations';
const BASELINE = `${FOLDER}/001-schema.sql`;
const CHANGELOG = 'CHANGELOG.md';
const HEADING = /^## \[\d+\.\d+\.\d+.*/gm;

const run = promisify(execFile);
/** The checkout may belong to another user than the one who runs its tests. */
const ANY_OWNER = ['-c', 'safe.directory=*'];
const git = async (repository: string, ...args: string[]): Promise<string[]> =>
  (await run('git', [...ANY_OWNER, ...args], { cwd: repository })).stdout
    .split('\n')
    .filter((line) => line !== '');

const isShallow = async (repository: string): Promise<boolean> =>
  (await git(repository, 'rev-parse', '--is-shallow-repository'))[0] !== 'false';

const hasGit = await run('git', ['--version']).then(
  () => true,
  () => false,
);
const withGit = { skip: hasGit ? false : 'Git is not installed' };

/** The commits of releases. */
async function listReleases(repository: string): Promise<string[]> {
  const releases = await git(repository, 'tag', '--merged', 'HEAD', '--list', 'v[0-9]*');
  const known = new Set<string>();
  const edits = await git(
    repository,
    'log',
    '--reverse',
    '--diff-filter=AM',
    '--format=%H',
    '-G^## \\[[0-9]',
    '--',
    CHANGELOG,
  );
  for (const commit of edits) {
    const headings =
      (await git(repository, 'show', `${commit}:${CHANGELOG}`)).join('\n').match(HEADING) ?? [];
    if (headings.some((heading) => !known.has(heading))) releases.push(commit);
    for (const heading of headings) known.add(heading);
  }
  return releases;
}

/** The released migrations that are missing or differ in the working tree, apart from line endings that Git converts. */
async function listChanged(repository: string): Promise<string[]> {
  const changed = new Set<string>();
  for (const release of await listReleases(repository)) {
    const files = new Map<string, string>();
    for (const line of await git(repository, 'ls-tree', release, `${FOLDER}/`)) {
      const [, blob = '', file = ''] = /^\d+ blob (\w+)\t(.+)$/.exec(line) ?? [];
      files.set(file, blob);
    }
    // The changelog had a heading of a release before there was one.
    if (!files.has(BASELINE)) continue;
    for (const [file, blob] of files) {
      const isThere = existsSync(path.join(repository, file));
      if (!isThere || (await git(repository, 'hash-object', file))[0] !== blob)
        changed.add(path.basename(file));
    }
  }
  return [...changed].toSorted();
}

test('the migrations of all releases are as they were released', withGit, async (t) => {
  if (!existsSync(path.join(ROOT, '.git'))) return t.skip('this copy has no Git history');
  if (await isShallow(ROOT)) return t.skip('this clone lacks the history: git fetch --unshallow --tags');
  const changed = await listChanged(ROOT);
  assert.deepEqual(
    changed,
    [],
    'Restore these files as they were released, and put the change into a new file.',
  );
});

/** A repository with the baseline, and functions that change it. */
async function createRepository() {
  const repository = await temporaryFolder();
  const fileOf = (name: string) => path.join(repository, FOLDER, name);
  const commit = async (...more: string[]) => {
    await git(repository, 'add', '--all');
    const author = [
      '-c',
      'user.name=test',
      '-c',
      'user.email=test@example.org',
      '-c',
      'commit.gpgsign=false',
    ];
    await git(repository, ...author, 'commit', '--message', 'change', ...more);
  };
  await git(repository, 'init', '--quiet');
  await mkdir(path.join(repository, FOLDER), { recursive: true });
  await writeFile(path.join(repository, CHANGELOG), '# Changelog\n\n## [Unreleased]\n');
  await writeFile(fileOf('001-schema.sql'), 'create table a ();\n');
  await commit();
  return {
    repository,
    commit,
    write: (name: string, text: string) => writeFile(fileOf(name), text),
    remove: (name: string) => rm(fileOf(name)),
    async release(heading: string) {
      await appendFile(path.join(repository, CHANGELOG), `\n${heading}\n`);
      await commit();
    },
    async clone(...options: string[]) {
      const target = path.join(await temporaryFolder(), 'clone');
      await git(repository, 'clone', '--quiet', ...options, `file://${repository}`, target);
      return target;
    },
  };
}

test('a migration may change until its release, and not after it', withGit, async () => {
  const { repository, commit, write, remove, release } = await createRepository();
  await write('001-schema.sql', 'create table b ();\n');
  await commit();
  assert.deepEqual(await listChanged(repository), []);
  await release('## [0.1.0] - 2027-01-01');
  await write('002-later.sql', 'create table c ();\n');
  assert.deepEqual(await listChanged(repository), []);
  await write('001-schema.sql', 'create table b (); \n');
  assert.deepEqual(await listChanged(repository), ['001-schema.sql'], 'not committed');
  await writeFile(path.join(repository, CHANGELOG), '# Changelog\n');
  await commit();
  assert.deepEqual(await listChanged(repository), ['001-schema.sql'], 'committed, without the heading');
  await remove('001-schema.sql');
  assert.deepEqual(await listChanged(repository), ['001-schema.sql'], 'removed');
  await write('001-schema.sql', 'create table b ();\n');
  await write('002-later.sql', 'create table d ();\n');
  await release('## [0.2.0] - 2027-02-01');
  assert.deepEqual(await listChanged(repository), []);
  await write('002-later.sql', 'create table e ();\n');
  assert.deepEqual(await listChanged(repository), ['002-later.sql']);
});

test('a tag is a release, and every clone knows the release by its heading', withGit, async () => {
  const { repository, write, release, clone } = await createRepository();
  await git(repository, 'tag', 'v0.1.0');
  await write('001-schema.sql', 'create table b ();\n');
  assert.deepEqual(await listChanged(repository), ['001-schema.sql']);
  await git(repository, 'tag', '--delete', 'v0.1.0');
  assert.deepEqual(await listChanged(repository), []);
  await release('## [0.1.0] - 2027-01-01');
  const whole = await clone('--no-tags');
  assert.deepEqual(await listChanged(whole), []);
  await writeFile(path.join(whole, BASELINE), 'create table a ();\n');
  assert.deepEqual(await listChanged(whole), ['001-schema.sql']);
  assert.ok(await isShallow(await clone('--depth', '1')));
  assert.ok(!(await isShallow(whole)));
});

test('a heading from before the baseline is no release', withGit, async () => {
  const { repository, commit, write, remove, release } = await createRepository();
  await remove('001-schema.sql');
  await write('001-platform.sql', 'create table a ();\n');
  await release('## [0.1.0] - 2026-01-01');
  await remove('001-platform.sql');
  await write('001-schema.sql', 'create table a ();\n');
  await commit();
  await write('001-schema.sql', 'create table b ();\n');
  assert.deepEqual(await listChanged(repository), []);
});
