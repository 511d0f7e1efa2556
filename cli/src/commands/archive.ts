import path from 'node:path';
import type { Command } from 'commander';
import type { Session } from '../session.ts';
import { UsageError } from '../usage.ts';
import { runCheckoutProgram } from './checkout-program.ts';
import { addExamples, doing, type OpenSession } from './command.ts';

const PROGRAM = 'server/src/archive/main.ts';

const NOTES = `
The database is that of DATABASE_URL, else the embedded one in DATA_DIR, as for the server, which may run. The folder of
the files is ARCHIVE_DIR, else DATA_DIR/archive. Every row is read back from its file before it is deleted. A run that
fails or is killed leaves the month as it was: run it again.`;

const FOLDER = ['--folder <folder>', 'the folder of the files'] as const;
const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;

function run(session: Session, command: Command, name: string, month: string): Promise<void> {
  if (!MONTH.test(month)) throw new UsageError(`${month} is no month such as 2019-12`);
  const { folder } = command.optsWithGlobals<{ folder?: string }>();
  const place = folder === undefined ? [] : ['--folder', path.resolve(session.terminal.cwd, folder)];
  return runCheckoutProgram(session, 'archive', PROGRAM, [name, month, ...place]);
}

/** These commands access the database directly, on the server's machine, and need no key. */
export function addArchiveCommands(program: Command, open: OpenSession): void {
  const archive = program
    .command('archive')
    .description('move months of old volumes and nominations to Parquet files, on the server’s machine')
    .option('--before <month>', 'archive every month before this one, such as 2020-01')
    .option(...FOLDER)
    // Commander accepts the options of a command for its subcommands, too.
    .hook('preSubcommand', (command, subcommand) => {
      const known = new Set(subcommand.options.map((option) => option.attributeName()));
      const unknown = Object.keys(command.opts()).find((name) => !known.has(name));
      if (unknown !== undefined)
        throw new UsageError(`archive ${subcommand.name()} has no option --${unknown}`);
    })
    .addHelpText('after', NOTES);
  addExamples(archive, 'archive --before 2020-01', 'archive list', 'archive restore 2019-12').action(
    doing(open, async (session, { command }) => {
      const { before } = command.opts<{ before?: string }>();
      if (before === undefined)
        throw new UsageError('archive needs --before, or the command list or restore');
      await run(session, command, 'archive', before);
    }),
  );
  archive
    .command('list')
    .description('list the archived months with their files')
    .action(doing(open, (session) => runCheckoutProgram(session, 'archive', PROGRAM, ['list'])));
  addExamples(
    archive
      .command('restore <month>')
      .description('bring an archived month back; its files stay')
      .option(...FOLDER),
    'archive restore 2019-12',
    'archive restore 2019-12 --folder /mnt/archive',
  ).action(
    doing(open, (session, { args: [month = ''], command }) => run(session, command, 'restore', month)),
  );
}
