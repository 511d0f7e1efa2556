import { DatabaseUnusable } from '@saldo/postgres/unusable.ts';
import { ConfigError } from '../start/config-error.ts';
import { BackupError } from './backup.ts';

/** One line for errors that an operator can act on, the stack for all others. */
export const explain = (error: unknown): string =>
  findExplanation(error) ?? (error as Partial<Error>).stack ?? String(error);

/** SQLSTATE codes of a missing table and of a missing column. */
const OTHER_SCHEMA = /^(42P01|42703)$/;

/** Explains the failure of a program that needs the schema of its own version. */
export function explainQuery(error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  return OTHER_SCHEMA.test(code)
    ? 'The database is empty or of an earlier version. Start the server once.'
    : explain(error);
}

/** Null for errors that an operator cannot act on. */
export function findExplanation(error: unknown): string | null {
  const { code, message } = error as NodeJS.ErrnoException;
  if (/Connection terminated/.test(message)) return 'The connection to the database was lost.';
  const isPlain =
    error instanceof BackupError || error instanceof ConfigError || error instanceof DatabaseUnusable;
  // The error of a host whose addresses all refuse the connection has no message of its own.
  return isPlain || code !== undefined ? message || `${code}` : null;
}
