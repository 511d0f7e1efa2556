import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SETTINGS } from '../server/src/start/config-help.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SYSTEMD_ANALYZE = '/usr/bin/systemd-analyze';
/** Variables of PostgreSQL's image, Node.js and the C library. */
const FOREIGN = /^(POSTGRES_|NODE_OPTIONS$|MALLOC_)/;

const run = promisify(execFile);
const read = (file: string) => readFile(path.join(ROOT, file), 'utf8');

/** Names of environment variables that a file sets: `NAME=value` or `NAME: value` at the start of a line or after a blank. */
const variablesOf = (text: string): string[] =>
  [...text.matchAll(/(?<=^\s*|ENV |Environment=|[a-z0-9/.] )[A-Z][A-Z_]{3,}(?==\S|: )/gm)].map(
    ([name]) => name,
  );

test('the recipes set documented settings only', async () => {
  const documented = new Set(Object.values(SETTINGS).flatMap((settings) => settings.map(([name]) => name)));
  const files = ['Containerfile', 'compose.yaml', 'saldo.service', 'saldo.env.example'];
  for (const file of files) {
    const names = variablesOf(await read(path.join('deploy', file))).filter((name) => !FOREIGN.test(name));
    assert.ok(names.length >= 2, file);
    assert.deepEqual(
      names.filter((name) => !documented.has(name)),
      [],
      file,
    );
  }
});

test('the service and the container limit the memory as npm start does', async () => {
  const { scripts } = JSON.parse(await read('package.json')) as { scripts: { start: string } };
  const [, variables, option] = /^exec env ((?:\w+=\d+ ?)+) node (--[a-z-]+=\d+) /.exec(scripts.start)!;
  for (const file of ['Containerfile', 'saldo.service'])
    assert.ok(
      (await read(path.join('deploy', file))).includes(`NODE_OPTIONS=${option} ${variables}\n`),
      file,
    );
});

test('the unit of systemd is valid and restricts the service', {
  skip: !existsSync(SYSTEMD_ANALYZE),
}, async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'saldo-unit-'));
  t.after(() => rm(folder, { recursive: true }));
  const unit = await read('deploy/saldo.service');
  assert.match(unit, /^ExecStart=\/usr\/bin\/node \/opt\/saldo\/saldo\.js start$/m);
  // Fastify lists the network interfaces when HOST is 0.0.0.0, and fails to start where netlink is forbidden.
  assert.match(unit, /^RestrictAddressFamilies=.*\bAF_NETLINK\b/m);
  // The programs must exist for the check.
  const here = unit
    .replace('/usr/bin/node', process.execPath)
    .replace('/opt/saldo/saldo.js', `${ROOT}release/saldo.js`);
  const file = path.join(folder, 'saldo.service');
  await writeFile(file, here);
  const { stdout, stderr } = await run(SYSTEMD_ANALYZE, ['verify', '--man=no', file]);
  assert.equal(stdout + stderr, '');
  // Fails above an exposure of 2.0 of 10.
  await run(SYSTEMD_ANALYZE, ['security', '--offline=true', '--threshold=20', '--no-pager', file]);
});
