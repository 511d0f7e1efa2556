import { readdir } from 'node:fs/promises';
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
    return warning('backup', `The backups cannot be read: ${newest.message}.`, 'Check --backups.');
  if (newest === null) return warning('backup', `There is no backup in ${folder}.`, HOW);
  const hours = Math.floor((now - newest.createdAt) / HOUR_MS);
  const fact = `The newest backup, ${newest.file}, is ${hours} h old.`;
  return hours > MAX_AGE_HOURS ? warning('backup', fact, HOW) : ok('backup', fact);
}

/** By the headers, because a copy has a newer file. Files without a readable header count only if no file has one. */
async function findNewest(folder: string): Promise<{ file: string; createdAt: number } | null> {
  let [file, createdAt] = ['', Number.NEGATIVE_INFINITY];
  const failures: unknown[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const each = path.join(folder, entry.name);
    try {
      const at = Date.parse((await readBackupHeader(each)).createdAt);
      if (at > createdAt) [file, createdAt] = [each, at];
    } catch (error) {
      if (!(error instanceof BackupFileError)) failures.push(error);
    }
  }
  if (file !== '') return { file, createdAt };
  if (failures.length > 0) throw failures[0];
  return null;
}
