import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
// The rules apply to files under core/src.
const folder = await mkdtemp(path.join(root, 'core', 'src', '.trial-'));
after(() => rm(folder, { recursive: true, force: true }));

const REJECTED: Readonly<Record<string, string>> = {
  "import fs from 'node:fs';\nexport const use = fs;": 'no-restricted-imports',
  "import { Type } from 'typebox';\nexport const use = Type;": 'no-restricted-imports',
  "import { TSOS } from '@saldo/api';\nexport const use = TSOS;": 'no-restricted-imports',
  "import { use } from '../../../server/src/clock.ts';\nexport const other = use;": 'no-restricted-imports',
  "import { use } from '../../test/schedule-worlds.ts';\nexport const other = use;": 'no-restricted-imports',
  'export const use = process.env;': 'no-restricted-globals',
  "export const use = Buffer.from('');": 'no-restricted-globals',
  'export const use = () => setTimeout(() => {}, 1);': 'no-restricted-globals',
  'export const use = Temporal;': 'no-restricted-globals',
  'export const use = () => Date.now();': 'no-restricted-properties',
  'export const use = () => Math.random();': 'no-restricted-properties',
};
const ACCEPTED = [
  "import { addDays } from '../delivery-day.ts';\nexport const use = addDays;",
  'export const use = new Date(0).toISOString();',
];

/** Writes each piece of code to a file of its own and returns the linter's reports by file name. */
async function lint(codes: readonly string[]): Promise<Map<string, string>> {
  await Promise.all(codes.map((code, at) => writeFile(path.join(folder, `${at}.ts`), `${code}\n`)));
  const options = ['--config', path.join(root, '.oxlintrc.json'), '--format=unix', folder];
  const output = await new Promise<string>((resolve) => {
    execFile(path.join(root, 'node_modules/.bin/oxlint'), options, { cwd: root }, (_error, stdout) =>
      resolve(stdout),
    );
  });
  const reports = Map.groupBy(output.split('\n'), (line) => path.basename(line.split(':', 1)[0] ?? ''));
  return new Map(codes.map((code, at) => [code, (reports.get(`${at}.ts`) ?? []).join('\n')]));
}

test('core imports nothing but itself and uses no clock, timer, environment or Node API', async () => {
  const reports = await lint([...Object.keys(REJECTED), ...ACCEPTED]);
  for (const [code, rule] of Object.entries(REJECTED)) {
    assert.match(reports.get(code) ?? '', new RegExp(rule), code);
  }
  for (const code of ACCEPTED) assert.equal(reports.get(code), '', code);
});
