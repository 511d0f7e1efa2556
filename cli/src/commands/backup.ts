import path from 'node:path';
import type { Command } from 'commander';
import { runCheckoutProgram } from './checkout-program.ts';
import { addExamples, doing, type OpenSession } from './command.ts';

const PROGRAM = 'server/src/backup/main.ts';

const BACKUP_NOTES = `
The database is that of DATABASE_URL, else the embedded one in DATA_DIR, as for the server. The server may run: the
backup is the state of one moment. An earlier backup of that name is replaced once the new one is complete. The file
holds hashes of keys and passwords: keep it private.`;

const RESTORE_NOTES = `
The database is that of DATABASE_URL, else a new embedded one in DATA_DIR, as for the server, which must not run. The
file is checked before anything is changed, and every row is read back and compared before the restore is complete. A
restore that fails leaves the database empty. A backup of an older version gets the newer migrations.`;

/** These commands access the database directly, on the server's machine, and need no key. */
export function addBackupCommands(program: Command, open: OpenSession): void {
  const backup = program
    .command('backup <file>')
    .description('write the whole database to a file, on the server’s machine')
    .addHelpText('after', BACKUP_NOTES);
  addExamples(
    backup,
    'backup /var/backups/saldo/2026-10-25.saldo',
    'backup today.saldo   # with DATA_DIR or DATABASE_URL as for the server',
  ).action(
    doing(open, async (session, { args: [file = ''] }) => {
      const target = path.resolve(session.terminal.cwd, file);
      await runCheckoutProgram(session, 'backup', PROGRAM, ['backup', target]);
    }),
  );
  const collect = (table: string, before: string[] = []) => [...before, table];
  const restore = program
    .command('restore <file>')
    .description('load a backup into an empty database, on the server’s machine')
    .option('--without <table>', 'skip a table that Saldo did not create; may be repeated', collect)
    .addHelpText('after', RESTORE_NOTES);
  addExamples(restore, 'restore 2026-10-25.saldo', 'restore 2026-10-25.saldo --without my_report').action(
    doing(open, async (session, { args: [file = ''], command }) => {
      const { without = [] } = command.opts<{ without?: string[] }>();
      const source = path.resolve(session.terminal.cwd, file);
      const options = without.flatMap((table) => ['--without', table]);
      await runCheckoutProgram(session, 'restore', PROGRAM, ['restore', source, ...options]);
    }),
  );
}
