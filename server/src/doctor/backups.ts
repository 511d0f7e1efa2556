import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Check, ok, warning } from '@saldo/core/check.ts';
import { readBackupHeader } from '../backup/file.ts';
import { BackupFileError } from '../backup/format.ts';

const HOUR_MS = 3_600_000;
/** A backup of every night is at most a day old, and takes some time. */
const MAX_AGE_HOURS = 26;
const HOW = 'Back up every night: see docs/backup.md.';

/** The platform does not know where its backups are, so that the folder is an argument. */
export async function checkBackups(folder: string | undefined, now: number): Promise<Check> {
  if (folder === undefined)
    return warning(
      'backup',
      'The age of the newest backup is unknown.',
      'Name the folder of the backups: saldo doctor --backups /var/backups/saldo',
    );
  const newest = await findNewest(folder).catch((error: Error) => error);
  if (newest instanceof Error)
    return warning('backup', `The backups cannot be read: ${newest.message}`, 'Check --backups.');
  if (newest === null) return warning('backup', `There is no backup in ${folder}.`, HOW);
  const hours = Math.floor((now - newest.createdAt) / HOUR_MS);
  const fact = `The newest backup, ${newest.file}, is ${hours} h old.`;
  return hours > MAX_AGE_HOURS ? warning('backup', fact, HOW) : ok('backup', fact);
}

async function findNewest(folder: string): Promise<{ file: string; createdAt: number } | null> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ name }) => ({ name, at: (await stat(path.join(folder, name))).mtimeMs })),
  );
  for (const { name } of files.toSorted((one, other) => other.at - one.at)) {
    const file = path.join(folder, name);
    try {
      return { file, createdAt: Date.parse((await readBackupHeader(file)).createdAt) };
    } catch (error) {
      if (!(error instanceof BackupFileError)) throw error;
    }
  }
  return null;
}
