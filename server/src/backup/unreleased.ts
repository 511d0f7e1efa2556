/**
 * Backups of checkouts from before the first release, whose schema had other migrations. Their rows are loaded into the
 * first migration of today, which has all columns of theirs. This file can be deleted when no such backup is needed.
 */
import type pg from 'pg';
import { BackupError } from './backup.ts';
import type { BackupHeader, BackupTable, BackupTotals } from './format.ts';

const FIRST = '001-platform';
/** The columns are those of today since this migration. */
const OLDEST = '021-archive';
/** The table of the migrations has those of today. Archived months are rejected, so their tables have no rows. */
const WITHOUT = ['migration', 'archive', 'archived_id'];

export const isUnreleased = ({ migrations }: BackupHeader): boolean => migrations[0]?.name === FIRST;

export function checkUnreleased({ migrations }: BackupHeader): void {
  if (migrations.some(({ name }) => name === OLDEST)) return;
  throw new BackupError(
    'The backup was made by a checkout of Saldo from long before its first release: its last migration is ' +
      `${migrations.at(-1)?.name}. Start the commit 07aef67 on its database, make a backup with it, and restore that one.`,
  );
}

export const tablesOfUnreleased = ({ tables }: BackupHeader): readonly BackupTable[] =>
  tables.filter(({ name }) => !WITHOUT.includes(name));

/** The files of archived months are not part of a backup, and only an older checkout can read them. */
export function rejectArchivedMonths({ tables }: BackupTotals): void {
  const months = tables.find(({ name }) => name === 'archive')?.rows ?? 0;
  if (months === 0) return;
  throw new BackupError(
    `The backup has archived months (${months}), and this version of Saldo cannot read their files. Bring them back with ` +
      'the checkout that made the backup (saldo archive restore <month>), and make a new backup with it.',
  );
}

/** The data steps between the schema of the backup and the one of today, after the rows were loaded. */
export async function convertUnreleased(client: pg.Client, { tables }: BackupTotals): Promise<void> {
  if (!tables.some(({ name }) => name === 'event_checkpoint')) await client.query(MARK_DELETED_EVENTS);
}

/** Readers of events that were deleted get an error instead of the next events. */
const MARK_DELETED_EVENTS = `
  insert into event_checkpoint (tenant, sequence, count, is_deleted)
  select tenant, deleted_to, 0, true
  from event_log, (
    values ('operator'), ('accounts')
    union all select 'brp/' || no from brp
    union all select 'account/' || no from account) as known (tenant)
  where deleted_to > 0`;
