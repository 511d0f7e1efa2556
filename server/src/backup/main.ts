/** Entry point of `saldo backup` and `saldo restore`. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { keyIdOf } from '../platform/auth/sealed-secrets.ts';
import { readSecretsKeyFile } from '../start/config.ts';
import { readSecretsKeys } from '../start/secrets-key-file.ts';
import { backUp } from './backup.ts';
import { explain } from './explain.ts';
import { openBackupFile } from './file.ts';
import { BackupFileError, type BackupHeader } from './format.ts';
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
    const { tables, rows, bytes, secretsKeys } = await backUp(source.url, file, { saldo, progress, signal });
    progress.stop();
    say(
      `Backed up ${source.name} to ${file}: ${formatCount(rows)} rows of ${tables} tables, ` +
        `${formatBytes(bytes)}, ${secondsSince(startedAt)} s.`,
    );
    if (secretsKeys.length > 0)
      say(
        `Its secrets need ${named(secretsKeys)} of SECRETS_KEY_FILE: keep a copy of that file, apart from backups.`,
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
    // A key file that cannot be read is reported before the restore, not instead of its result.
    const next = describeNext(backup.header);
    const target = await openTarget(process.env, say);
    try {
      const { tables, rows } = await restore(target.url, backup, { without, progress, signal });
      progress.stop();
      say(
        `Restored ${target.name} as of ${backup.header.createdAt}: ${formatCount(rows)} rows of ${tables} tables, ` +
          `compared with the backup, ${secondsSince(startedAt)} s. ${next}`,
      );
    } finally {
      await target.close();
    }
  } finally {
    await backup.close();
  }
}

const named = (keys: readonly string[]) => `${keys.length === 1 ? 'the key' : 'the keys'} ${keys.join(', ')}`;

/** The rows are restored without the keys, because the file with them can be copied later. */
function describeNext({ secretsKeys = [] }: BackupHeader): string {
  const file = readSecretsKeyFile(process.env);
  const known = new Set(existsSync(file) ? readSecretsKeys(file).map(keyIdOf) : []);
  const missing = secretsKeys.filter((id) => !known.has(id));
  return missing.length === 0
    ? 'The server can be started.'
    : `Before the server can be started: its secrets need ${named(missing)}. Copy the file with ${missing.length === 1 ? 'it' : 'them'} to ` +
        `${file} (SECRETS_KEY_FILE), or, if the file is lost, run saldo secrets reset.`;
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
