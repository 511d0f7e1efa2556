import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { globalSetup, globalTeardown } from '../server/test/global-setup.ts';
import { findTestFiles } from './files.ts';
import { type FileResult, runFiles } from './pool.ts';
import { LONG_VARIABLE } from './runs.ts';

/**
 * npm test [-- file …]       what decides whether a change is right
 * npm run test:all           all of that with five times the runs of property tests, and the long tests
 * --retry                    runs each failed file once more, alone; one that passes then is unstable
 */
const { values, positionals } = parseArgs({
  options: { all: { type: 'boolean', default: false }, retry: { type: 'boolean', default: false } },
  allowPositionals: true,
});
/** With more of them a change that makes tests unstable would be hidden. */
const MAX_UNSTABLE = 3;
const SLOWEST = 10;

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

function show(result: FileResult): void {
  const { file, passed, skipped, failures, ms } = result;
  const counts = `${passed} passed${failures.length > 0 ? `, ${failures.length} failed` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  say(`${failures.length > 0 ? '✖' : '✔'} ${file}  ${counts}  ${seconds(ms)}`);
}

function showFailures({ file, failures, output }: FileResult): void {
  for (const { test, error } of failures) say(`\n✖ ${file}: ${test}\n${indent(error)}`);
  if (output.trim() !== '') say(`\n  Its output:\n${indent(output.trim())}`);
}

const indent = (text: string): string => text.replaceAll(/^/gm, '  ');

async function main(): Promise<void> {
  const startedAt = performance.now();
  if (values.all) process.env[LONG_VARIABLE] = '1';
  const { units, platform } = findTestFiles(values.all, positionals);
  const results: FileResult[] = [];
  const onResult = (result: FileResult) => {
    results.push(result);
    show(result);
  };
  const again: FileResult[] = [];
  try {
    // Units need nothing of the set-up, which mostly waits.
    await Promise.all([globalSetup(), runFiles(units, 1, onResult)]);
    await runFiles(platform, availableParallelism() + 1, onResult);
    const failed = results.filter(({ failures }) => failures.length > 0).map(({ file }) => file);
    if (values.retry && failed.length > 0) {
      say('\nOnce more, alone:');
      for (const file of failed) {
        await runFiles([file], 1, (result) => {
          again.push(result);
          show(result);
        });
      }
    }
  } finally {
    await globalTeardown();
  }
  summarize(results, again, performance.now() - startedAt);
}

function summarize(results: readonly FileResult[], again: readonly FileResult[], ms: number): void {
  const passedAgain = new Set(again.filter(({ failures }) => failures.length === 0).map(({ file }) => file));
  const failed = results.filter(({ failures }) => failures.length > 0);
  const [unstable, broken] = [
    failed.filter(({ file }) => passedAgain.has(file)),
    failed.filter(({ file }) => !passedAgain.has(file)),
  ];
  for (const result of broken) showFailures(result);
  if (unstable.length > 0) say('\nUnstable: failed, and passed alone.');
  for (const result of unstable) showFailures(result);
  const slowest = results.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  say(`\nThe slowest files:\n${slowest.map(({ file, ms: own }) => `  ${seconds(own)}  ${file}`).join('\n')}`);
  const sum = (of: (result: FileResult) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  const lost = broken.reduce((total, { failures }) => total + failures.length, 0);
  say(`\n${results.length} files, ${seconds(ms)}`);
  say(`${unstable.length} unstable`);
  say(`${sum(({ passed }) => passed)} passed, ${lost} failed, ${sum(({ skipped }) => skipped)} skipped`);
  if (broken.length > 0 || unstable.length > MAX_UNSTABLE) process.exitCode = 1;
}

await main();
