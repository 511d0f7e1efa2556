import { globSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/**
 * Runs one part of the test files of the parent folder in this process. Loading the server and compiling its schemas
 * takes longer than the tests of most files, so files share that work. A new shard is a new file beside this one.
 */
export function runShard(url: string): void {
  const shards = globSync('shard-*.ts', { cwd: import.meta.dirname }).toSorted();
  const shard = shards.indexOf(path.basename(fileURLToPath(url)));
  const folder = path.dirname(import.meta.dirname);
  runFiles(folder, (at) => at % shards.length === shard);
}

/** Time limit of a file: longer than `--test-timeout`, which is for one test. Node.js ignores `Infinity` here. */
const FILE_MS = 2_700_000;

/**
 * Runs test files of a folder one after the other. Each file is a test whose subtests are the tests of the file: its
 * `after` hooks run when the file ends, and its failures are listed under its name.
 */
export function runFiles(folder: string, isIncluded: (at: number) => boolean = () => true): void {
  const files = globSync('*.test.ts', { cwd: folder }).toSorted();
  for (const file of files.filter((_, at) => isIncluded(at))) {
    test(file, { timeout: FILE_MS }, async () => {
      await import(path.join(folder, file));
    });
  }
}
