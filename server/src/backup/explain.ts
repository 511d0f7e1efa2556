import { DatabaseUnusable } from '@saldo/postgres/unusable.ts';
import { ConfigError } from '../start/config-error.ts';
import { BackupError } from './backup.ts';

/** One line for errors that an operator can act on, the stack for all others. */
export function explain(error: unknown): string {
  const { code, message, stack } = error as NodeJS.ErrnoException;
  if (/Connection terminated/.test(message)) return 'The connection to the database was lost.';
  const isPlain =
    error instanceof BackupError || error instanceof ConfigError || error instanceof DatabaseUnusable;
  // The error of a host whose addresses all refuse the connection has no message of its own.
  return isPlain || code !== undefined ? message || `${code}` : (stack ?? String(error));
}
