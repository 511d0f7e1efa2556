import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type DecimalMark,
  type OwnSchedule,
  ownScheduleEndpoints,
  SCHEDULE_STEPS,
  type ScheduleCheck,
  TSOS,
  type Tso,
} from '@saldo/api';
import { formatLocalTime, slotStart } from '@saldo/core/delivery-day.ts';
import { slotRanges } from '@saldo/core/slot-ranges.ts';
import { type Command, Option } from 'commander';
import { addFields, countOf, decimalOption, readFields } from '../fields.ts';
import { openFile } from '../files.ts';
import type { Session } from '../session.ts';
import { type Column, exactMwh, tableOf } from '../tables.ts';
import { harmless } from '../terminal.ts';
import { UsageError } from '../usage.ts';
import { addExamples, doing, type OpenSession } from './command.ts';

/** Commands of BRPs: their own side of the schedules. */
export function addScheduleCommands(program: Command, open: OpenSession): void {
  const schedules = program.command('schedules').description('a BRP’s own side of the schedules');
  addDownload(schedules, open);
  addCheck(schedules, open);
  addSteps(schedules, open);
}

const DOWNLOADS = ['csv', 'ess', 'cim'] as const;
type DownloadOptions = {
  format: (typeof DOWNLOADS)[number];
  eic?: string;
  tso?: Tso;
  messageVersion?: number;
  output?: string;
};

function addDownload(schedules: Command, open: OpenSession): void {
  const download = schedules
    .command('download <day-or-nomination>')
    .description('download the schedule of a delivery day, or of one nomination by its id')
    .addOption(new Option('--format <format>', 'format of the file').choices(DOWNLOADS).default('csv'))
    .option('--eic <eic>', 'of a day: one balance group; needed for ess and cim')
    .addOption(new Option('--tso <tso>', 'of a day: one TSO; needed for ess and cim').choices(TSOS))
    .option('--message-version <number>', 'of a day: version of the message; needed for ess and cim', countOf)
    .option('-o, --output <file>', 'write to this file instead of standard output');
  addExamples(
    download,
    'schedules download tomorrow -o tomorrow.csv',
    'schedules download tomorrow --format cim --eic 11XNORDWIND----J --tso DE_50HERTZ --message-version 1 -o tomorrow.xml',
    'schedules download nom_01jhm52x6yf6rbkm2s8hq3j5zd --format ess',
  ).action(
    doing(open, async (session, { args: [what = ''] }) => {
      const options = download.opts<DownloadOptions>();
      const text = what.startsWith('nom_')
        ? await nominationSchedule(session, what, options)
        : await daySchedule(session, what, options);
      if (options.output === undefined) return session.print(text);
      await writeFile(path.resolve(session.terminal.cwd, options.output), text);
      session.note(`Written to ${options.output}.`);
    }),
  );
}

async function nominationSchedule(session: Session, id: string, options: DownloadOptions): Promise<string> {
  const { format, eic, tso, messageVersion } = options;
  if (format === 'cim') throw new UsageError('one nomination is csv or ess; cim is for a whole day');
  if ((eic ?? tso ?? messageVersion) !== undefined)
    throw new UsageError('--eic, --tso and --message-version are for a day, not for one nomination');
  return (await session.brp()).nominations.schedule(id, { format });
}

async function daySchedule(session: Session, day: string, options: DownloadOptions): Promise<string> {
  const { format, eic, tso, messageVersion } = options;
  if (format !== 'csv' && (eic === undefined || tso === undefined || messageVersion === undefined))
    throw new UsageError(`--format ${format} of a day needs --eic, --tso and --message-version`);
  return (await session.brp()).nominations.daySchedule({
    delivery_date: await session.day(day),
    format,
    ...(eic === undefined ? {} : { eic }),
    ...(tso === undefined ? {} : { tso }),
    ...(messageVersion === undefined ? {} : { message_version: messageVersion }),
  });
}

/** What the BRP has done with which version. */
function addSteps(schedules: Command, open: OpenSession): void {
  const list = schedules
    .command('list')
    .description('list which versions were loaded, checked and submitted; by default of today and later');
  addFields(list, ownScheduleEndpoints.listOwnSchedules.query, { except: ['limit', 'after'] });
  addExamples(list, 'schedules list --changed', 'schedules list --delivery-date tomorrow --json').action(
    doing(open, async (session) => {
      const client = (await session.brp()).schedules;
      const found: OwnSchedule[] = [];
      for await (const one of client.each(readFields(list, ownScheduleEndpoints.listOwnSchedules.query)))
        found.push(one);
      await session.showTable(found, STEP_COLUMNS, 'No nominations match.');
    }),
  );
  const mark = schedules
    .command('mark')
    .argument('<step>', SCHEDULE_STEPS.join(', '))
    .argument('<nomination...>')
    .description('record that nominations were loaded, checked or submitted')
    .option('--undo', 'take it back');
  addExamples(mark, 'schedules mark submitted nom_01jhm52x6yf6rbkm2s8hq3j5zd').action(
    doing(open, async (session, { args: [given, ...ids] }) => {
      const step = SCHEDULE_STEPS.find((known) => known === given);
      if (step === undefined) throw new UsageError(`the step is one of ${SCHEDULE_STEPS.join(', ')}`);
      const done = mark.opts<{ undo?: boolean }>().undo !== true;
      const client = (await session.brp()).schedules;
      const { schedules: marked } = await client.mark({ step, nomination_ids: ids, done });
      await session.showTable(marked, STEP_COLUMNS, '');
    }),
  );
}

const versionOf = (mark: OwnSchedule['loaded']) => mark && `v${mark.version}`;
const STEP_COLUMNS: readonly Column<OwnSchedule>[] = [
  ['ID', ({ nomination_id }) => nomination_id],
  ['DAY', ({ delivery_date }) => delivery_date],
  ['EIC', ({ eic }) => eic],
  ['TSO', ({ tso }) => tso],
  ['DIRECTION', ({ direction }) => direction],
  ['VERSION', ({ version }) => version],
  ['LOADED', ({ loaded }) => versionOf(loaded)],
  ['CHECKED', ({ checked }) => versionOf(checked)],
  ['SUBMITTED', ({ submitted }) => versionOf(submitted)],
  ['CHANGED SINCE', ({ changed_since }) => changed_since && `v${changed_since.version}`],
];

const CHECKED = ['csv', 'xml'] as const;
type CheckOptions = { format?: (typeof CHECKED)[number]; decimal?: DecimalMark; submitted?: true };

function addCheck(schedules: Command, open: OpenSession): void {
  const check = schedules
    .command('check <file...>')
    .description(
      'check schedules before the TSO does: the rules for which it rejects them, and the nominations of the platform; - is standard input',
    )
    .addOption(new Option('--format <format>', 'format; default: by the name of the file').choices(CHECKED))
    .addOption(decimalOption())
    .option('--submitted', 'you have submitted these XML files to the TSO: later checks compare with them');
  check.addHelpText(
    'after',
    `
CSV is what saldo schedules download writes, also with semicolons or tabs, decimal commas and days such as 25.11.2026.
Amounts may be multiples of 0.00025 MWh. XML is an ESS or CIM message.
Without --submitted nothing is stored. --json prints one result per file; --quiet prints the ids of nominations that
differ or are missing.
Whether a file nets to zero is checked if it has series with other parties than the operator.

The exit code is 1 when a rule is broken or something differs.
`,
  );
  addExamples(check, 'schedules check tomorrow.csv', 'schedules check out/*.xml').action(
    doing(open, async (session, { args: files }) => {
      const { format: given, ...options } = check.opts<CheckOptions>();
      const formats = files.map((file) => given ?? formatOf(file));
      const client = (await session.brp()).schedules;
      for (const [at, file] of files.entries()) {
        const { source } = await openFile(session.terminal, file);
        const result = await client.check(source, { ...options, format: formats[at] ?? 'csv' });
        await showCheck(session, file, result);
        if (differs(result)) session.endWith(1);
      }
    }),
  );
}

function formatOf(file: string): (typeof CHECKED)[number] {
  const format = CHECKED.find((known) => path.extname(file).toLowerCase() === `.${known}`);
  if (format === undefined)
    throw new UsageError(`the name of ${harmless(file)} does not end in .csv or .xml: give --format`);
  return format;
}

const differing = ({ compared }: ScheduleCheck) => compared.filter(({ slots }) => slots.length > 0);

const differs = (check: ScheduleCheck): boolean =>
  differing(check).length + check.missing.length + check.unknown.length + check.rules.length > 0;

async function showCheck(session: Session, file: string, check: ScheduleCheck): Promise<void> {
  const different = differing(check);
  if (session.format === 'json') return session.show(check);
  if (session.format === 'quiet') {
    const ids = [...different.map(({ nomination_id }) => nomination_id), ...check.missing];
    return session.print(ids.map((id) => `${id}\n`).join(''));
  }
  const broken = check.rules.length > 0 ? 'rejected' : 'differs';
  const result = differs(check) ? session.style('red', broken) : session.style('green', 'equal');
  await session.print(`${harmless(file)}  ${check.delivery_date}  ${result}\n`);
  if (check.rules.length > 0) await session.print(ruleTable(session, check.rules));
  const slots = different.flatMap(({ slots: ofNomination, ...nomination }) =>
    ofNomination.map((slot) => ({ ...nomination, ...slot })),
  );
  if (slots.length > 0) await session.print(slotTable(session, check.delivery_date, slots));
  const lines = [
    ...check.missing.map((id) => `The file lacks the nomination ${id}.`),
    ...check.unknown.map(
      ({ eic, tso, direction, opposite_nomination_id: meant }) =>
        `The series ${direction} of ${eic} at ${tso} has no nomination.${meant === null ? '' : ` The direction may be swapped: the file lacks ${meant}.`}`,
    ),
    ...(check.ignored === 0 ? [] : [`Series with other parties, not compared: ${check.ignored}.`]),
  ];
  await session.print(lines.map((line) => `${line}\n`).join(''));
}

const ruleTable = ({ style }: Session, rules: ScheduleCheck['rules']): string =>
  tableOf(
    rules,
    [
      ['CODE', ({ code }) => code],
      ['SERIES', ({ series }) => series ?? ''],
      ['SLOTS', ({ slots }) => rangesOf(slots)],
      ['WHAT', ({ text }) => text],
    ],
    style,
  );

/** '1-4, 61' */
function rangesOf(slots: readonly number[]): string {
  return slotRanges(slots)
    .map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`))
    .join(', ');
}

type DifferingSlot = Omit<ScheduleCheck['compared'][number], 'slots'> &
  ScheduleCheck['compared'][number]['slots'][number];

function slotTable({ style }: Session, day: string, slots: readonly DifferingSlot[]): string {
  return tableOf(
    slots,
    [
      ['EIC', ({ eic }) => eic],
      ['TSO', ({ tso }) => tso],
      ['DIRECTION', ({ direction }) => direction],
      ['SLOT', ({ slot_number }) => slot_number],
      ['START', ({ slot_number }) => formatLocalTime(slotStart(day, slot_number))],
      ['NOMINATED', ({ amount }) => exactMwh(amount), 'right'],
      ['YOURS', ({ yours }) => exactMwh(yours), 'right'],
      ['DIFFERENCE', ({ difference }) => exactMwh(difference), 'right'],
    ],
    style,
  );
}
