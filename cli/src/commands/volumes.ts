import path from 'node:path';
import { operatorEndpoints as api, type DecimalMark, type ImportResult } from '@saldo/api';
import { type Command, Option } from 'commander';
import { addFields, decimalOption, readBody } from '../fields.ts';
import { openFile } from '../files.ts';
import { progressBar } from '../progress.ts';
import type { Session } from '../session.ts';
import { localTime, mwh, tableOf } from '../tables.ts';
import { UsageError } from '../usage.ts';
import { addExamples, addList, doing, type OpenSession, showing } from './command.ts';

const FORMATS = ['csv', 'ndjson'] as const;
type Format = (typeof FORMATS)[number];
const FORMAT_OF_ENDING: Readonly<Record<string, Format>> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
};

/** Maximum number of rejected lines that are printed; `--json` prints all that the API returns. */
const SHOWN_REJECTIONS = 20;

export function addVolumeCommands(program: Command, open: OpenSession): void {
  addTransactions(program, open);
  addImport(program, open);
  const profiles = program.command('profiles').description('profiles of contracts');
  const run = profiles.command('run').description('generate the volumes of the coming days now');
  addFields(run, api.runProfiles.body);
  addExamples(run, 'profiles run', 'profiles run --days 14').action(
    showing(open, 'operator', (client) => client.profiles.run(readBody(run, api.runProfiles))),
  );
}

function addTransactions(program: Command, open: OpenSession): void {
  const transactions = program
    .command('transactions')
    .description('the volume of each quarter-hour, all versions');
  addList(transactions, open, {
    endpoint: api.operatorListTransactions,
    about: 'list transactions by delivery day, contract, slot and version',
    examples: [
      'transactions list --delivery-date 2026-10-25 --status valid',
      'transactions list --contract-id con_… --delivery-date 2026-10-25 --all --json',
    ],
    columns: [
      ['ID', ({ id }) => id],
      ['START', ({ delivery_start }) => localTime(delivery_start)],
      ['SLOT', ({ slot_number }) => slot_number],
      ['VERSION', ({ version }) => version],
      ['STATUS', ({ status }) => status],
      ['MWH', ({ volume }) => mwh(volume), 'right'],
      ['FROM', ({ sender }) => `${sender.eic} ${sender.tso}`],
      ['TO', ({ receiver }) => `${receiver.eic} ${receiver.tso}`],
      ['CONTRACT', ({ contract_id }) => contract_id],
    ],
    fromBoth: (client) => client.transactions,
  });
  const invalidate = transactions
    .command('invalidate <transaction>')
    .description('invalidate a transaction, so that it counts in no saldo')
    .requiredOption('--reason <text>', 'why it must not be delivered');
  addExamples(invalidate, "transactions invalidate txn_… --reason 'meter replaced'").action(
    doing(open, async (session, { args: [id = ''] }) => {
      const { reason } = invalidate.opts<{ reason: string }>();
      await session.show(await (await session.operator()).transactions.invalidate(id, { reason }));
    }),
  );
}

function addImport(program: Command, open: OpenSession): void {
  const imports = program.command('import').description('import data');
  const volumes = imports
    .command('volumes <file>')
    .description('import the volumes of any number of contracts and days; - reads standard input')
    .addOption(new Option('--format <format>', 'format of the file; default: by its name').choices(FORMATS))
    .addOption(decimalOption())
    .option('--dry-run', 'report the result without storing anything');
  volumes.addHelpText(
    'after',
    `
CSV has a header line with the columns contract, delivery_date, slot and volume, in any order. NDJSON has one slot
(contract, delivery_date, slot, volume) or one day (contract, delivery_date, volumes) a line. Contracts are named by id
or reference. A contract's day is taken whole or not at all; other days are not held up by one that is rejected.
Semicolons or tabs with decimal commas are accepted, with and without a byte order mark. A file whose name ends in .gz is sent as
it is, compressed.

Contract-days that have slots without a volume after the import are listed. The exit code is 1 when lines were rejected.
`,
  );
  addExamples(
    volumes,
    'import volumes 2026-10-25.csv',
    'import volumes market.ndjson --dry-run',
    'import volumes market.csv.gz',
    'import volumes - --format csv < 2026-10-25.csv',
  ).action(
    doing(open, async (session, { args: [file = ''] }) => {
      const { format: given, ...options } = volumes.opts<{ format?: Format } & ImportOptions>();
      const isGzip = /\.gz$/i.test(file);
      const ending = path.extname(isGzip ? file.slice(0, -'.gz'.length) : file).toLowerCase();
      const format = given ?? FORMAT_OF_ENDING[ending];
      if (!format) throw new UsageError('the file name does not end in .csv or .ndjson: give --format');
      const result = await importFile(session, file, { ...options, format, isGzip });
      if (result.rejected_lines > 0) session.endWith(1);
    }),
  );
}

type ImportOptions = { dryRun?: boolean; decimal?: DecimalMark };

async function importFile(
  session: Session,
  file: string,
  options: ImportOptions & { format: Format; isGzip: boolean },
): Promise<ImportResult> {
  const { source, totalBytes } = await openFile(session.terminal, file);
  const client = await session.operator();
  const bar = progressBar(session.terminal, totalBytes);
  const startedAt = performance.now();
  try {
    const result = await client.volumes.importFile(source, {
      ...options,
      onProgress: (progress) => bar.update(progress),
    });
    bar.clear();
    await showImport(session, result, performance.now() - startedAt);
    return result;
  } catch (error) {
    bar.clear();
    throw error;
  }
}

const COUNT = new Intl.NumberFormat('en');
const count = (value: number) => COUNT.format(value);
const contractDays = (days: number) => (days === 1 ? '1 contract-day' : `${count(days)} contract-days`);

async function showImport(session: Session, result: ImportResult, elapsedMs: number): Promise<void> {
  if (session.format !== 'text') return session.show(result);
  const { style } = session;
  const seconds = `${(elapsedMs / 1000).toFixed(1)} s`;
  const trial = result.dry_run ? ' (dry run: nothing was changed)' : '';
  const lines = [
    `${result.rows === 1 ? '1 line' : `${count(result.rows)} lines`} in ${seconds}${trial}`,
    `  ${count(result.created)} created, ${count(result.corrected)} corrected, ${count(result.unchanged)} unchanged`,
  ];
  if (result.rejected_lines > 0) {
    const rejected = result.rejected_lines === 1 ? '1 line' : `${count(result.rejected_lines)} lines`;
    lines.push(style('red', `  ${rejected} rejected, in ${contractDays(result.rejected_days)}`));
  }
  if (result.incomplete_days.count > 0)
    lines.push(
      style('yellow', `  ${contractDays(result.incomplete_days.count)} with slots without a volume`),
    );
  await session.print(`${lines.join('\n')}\n`);
  await showRejected(session, result);
  await showIncomplete(session, result);
}

async function showRejected(session: Session, result: ImportResult): Promise<void> {
  if (result.rejected.length === 0) return;
  const shown = result.rejected.slice(0, SHOWN_REJECTIONS);
  const table = tableOf(
    shown,
    [
      ['LINE', ({ line }) => line],
      ['CODE', ({ code }) => code],
      ['MESSAGE', ({ message }) => message],
    ],
    session.style,
  );
  await session.print(`\n${table}`);
  if (shown.length < result.rejected_lines) {
    session.note(`These are the first ${shown.length}; --json lists up to ${count(result.rejected.length)}.`);
  }
}

async function showIncomplete(session: Session, { incomplete_days }: ImportResult): Promise<void> {
  if (incomplete_days.count === 0) return;
  const table = tableOf(
    incomplete_days.days,
    [
      ['CONTRACT', ({ contract }) => contract],
      ['DELIVERY DATE', ({ delivery_date }) => delivery_date],
      ['MISSING SLOTS', ({ missing }) => missing],
    ],
    session.style,
  );
  await session.print(`\n${table}`);
  if (incomplete_days.days.length < incomplete_days.count)
    session.note(`These are the first ${incomplete_days.days.length} of ${count(incomplete_days.count)}.`);
}
