import { globSync, statSync } from 'node:fs';
import path from 'node:path';

export const CHECKOUT = path.dirname(import.meta.dirname);

/** Files that need neither a database nor a build. */
const UNITS = [
  '{core,api,sdk,cli,simulator,portal}/src/**/*.test.ts',
  'server/src/*.test.ts',
  'server/src/!(platform)/**/*.test.ts',
  'server/src/platform/*.test.ts',
  'server/src/platform/!(db)/**/*.test.ts',
];
const PLATFORM = [
  'portal/test/*.test.ts',
  'server/test/*.test.ts',
  '{postgres/src,server/src/platform/db}/**/*.test.ts',
  '{lint,release,test}/**/*.test.ts',
];
/** Kills, fail-overs, restores, releases, every theme and size: only `npm run test:all` runs these. */
const LONG = /\.long\.test\.ts$/;

export type TestFiles = { readonly units: readonly string[]; readonly platform: readonly string[] };

/** The test files below the checkout, or those of them that are named. */
export function findTestFiles(isAll: boolean, named: readonly string[]): TestFiles {
  const wanted = new Set(named.map((name) => path.relative(CHECKOUT, path.resolve(name))));
  const isIncluded = (file: string) => (named.length > 0 ? wanted.delete(file) : isAll || !LONG.test(file));
  const find = (patterns: string[]) => globSync(patterns, { cwd: CHECKOUT }).filter(isIncluded);
  const files = { units: find(UNITS), platform: largestFirst(find(PLATFORM)) };
  if (wanted.size > 0) throw new Error(`No test file: ${[...wanted].join(', ')}`);
  return files;
}

/** Most of the longest files are large ones, or need a browser. Started last, one of them would keep a single worker busy. */
function largestFirst(files: string[]): string[] {
  const weight = (file: string) =>
    statSync(path.join(CHECKOUT, file)).size * (file.startsWith('portal') ? 3 : 1);
  return files.toSorted((a, b) => weight(b) - weight(a));
}
