/** Entry point of `saldo backup` and `saldo restore`. */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { backUp } from './backup.ts';
import { explain } from './explain.ts';
import { openBackupFile } from './file.ts';
import { BackupFileError } from './format.ts';
import { openSource, openTarget } from './place.ts';
import { createProgress, formatBytes, formatCount, secondsSince } from './progress.ts';
import { checkMigrations, restore } from './restore.ts';

const EXIT = { problem: 1, interrupted: 130 } as const;

const say = (text: string) => process.stdout.write(`${text}\n`);
const progress = createProgress(process.stderr);

/** No validation here: the command line tool has validated the arguments. */
function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { without: { type: 'string', multiple: true, default: [] } },
  });
  const [command = '', file = ''] = positionals;
  return { command, file, without: values.without };
}

async function runBackup(file: string, signal: AbortSignal): Promise<void> {
  const startedAt = Date.now();
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { version: saldo } = JSON.parse(manifest) as { version: string };
  const source = await openSource(process.env, say);
  try {
    const { tables, rows, bytes } = await backUp(source.url, file, { saldo, progress, signal });
    progress.stop();
    say(
      `Backed up ${source.name} to ${file}: ${formatCount(rows)} rows of ${tables} tables, ` +
        `${formatBytes(bytes)}, ${secondsSince(startedAt)} s.`,
    );
  } finally {
    await source.close();
  }
}

async function runRestore(file: string, without: readonly string[], signal: AbortSignal): Promise<void> {
  const startedAt = Date.now();
  progress.start('Checking the file', 0);
  const backup = await openBackupFile(file, (bytes) => progress.add({ done: 0, bytes }));
  try {
    await checkMigrations(backup.header);
    signal.throwIfAborted();
    progress.stop();
    const target = await openTarget(process.env, say);
    try {
      const { tables, rows } = await restore(target.url, backup, { without, progress, signal });
      progress.stop();
      say(
        `Restored ${target.name} as of ${backup.header.createdAt}: ${formatCount(rows)} rows of ${tables} tables, ` +
          `compared with the backup, ${secondsSince(startedAt)} s. The server can be started.`,
      );
    } finally {
      await target.close();
    }
  } finally {
    await backup.close();
  }
}

const reasonOf = (error: unknown, file: string): string =>
  error instanceof BackupFileError ? `${file} ${error.message}.` : explain(error);

async function main(): Promise<void> {
  const interrupt = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupt.abort());
  const { command, file, without } = readArguments();
  const isRestore = command === 'restore';
  try {
    await (isRestore ? runRestore(file, without, interrupt.signal) : runBackup(file, interrupt.signal));
  } catch (error) {
    progress.stop();
    const isInterrupted = interrupt.signal.aborted;
    const reason = isInterrupted ? 'Interrupted.' : reasonOf(error, file);
    process.stderr.write(`${isRestore ? 'Nothing was restored' : 'No backup was made'}: ${reason}\n`);
    process.exitCode = isInterrupted ? EXIT.interrupted : EXIT.problem;
  }
}

await main();
