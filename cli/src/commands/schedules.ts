import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Command, Option } from 'commander';
import { parseDayArgument } from '../fields.ts';
import { UsageError } from '../usage.ts';
import { addExamples, doing, type OpenSession } from './command.ts';

type DownloadOptions = { format: 'csv' | 'ess'; output?: string };

/** Commands of BRPs: their own side of the schedules. */
export function addScheduleCommands(program: Command, open: OpenSession): void {
  const schedules = program.command('schedules').description('a BRP’s own side of the schedules');
  const download = schedules
    .command('download <day-or-nomination>')
    .description('download the schedule of a delivery day, or of one nomination by its id')
    .addOption(
      new Option('--format <format>', 'format; a whole day is csv').choices(['csv', 'ess']).default('csv'),
    )
    .option('-o, --output <file>', 'write to this file instead of standard output');
  addExamples(
    download,
    'schedules download tomorrow -o tomorrow.csv',
    'schedules download nom_01jhm52x6yf6rbkm2s8hq3j5zd --format ess',
  ).action(
    doing(open, async (session, { args: [what = ''] }) => {
      const { format, output } = download.opts<DownloadOptions>();
      const isNomination = what.startsWith('nom_');
      if (!isNomination && format !== 'csv')
        throw new UsageError('a whole day can be downloaded as csv only');
      const { nominations } = await session.brp();
      const text = isNomination
        ? await nominations.schedule(what, { format })
        : await nominations.daySchedule({ delivery_date: parseDayArgument(what), format: 'csv' });
      if (output === undefined) return session.print(text);
      await writeFile(path.resolve(session.terminal.cwd, output), text);
      session.note(`Written to ${output}.`);
    }),
  );
}
