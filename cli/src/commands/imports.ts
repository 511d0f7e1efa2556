import { open as openHandle } from 'node:fs/promises';
import path from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import type { DecimalMark, ImportResult, InterchangeResult, ValuesImportResult } from '@saldo/api';
import type { ImportOptions as FileOptions, OperatorClient, UploadSource } from '@saldo/sdk';
import { type Command, Option } from 'commander';
import { decimalOption } from '../fields.ts';
import { openFile } from '../files.ts';
import { progressBar } from '../progress.ts';
import type { Session } from '../session.ts';
import { tableOf } from '../tables.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage.ts';
import { addExamples, doing, type OpenSession } from './command.ts';
import { showRejectedMessages } from './interchanges.ts';

const FORMATS = ['csv', 'ndjson'] as const;
type Format = (typeof FORMATS)[number];
const VALUE_FORMATS = [...FORMATS, 'mscons'] as const;
const FORMAT_OF_ENDING: Readonly<Record<string, Format>> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
};

/** Maximum number of rejected lines that are printed; `--json` prints all that the API returns. */
const SHOWN_REJECTIONS = 20;

export function addImportCommands(program: Command, open: OpenSession): void {
  const imports = program.command('import').description('import data');
  addVolumes(imports, open);
  addValues(imports, open);
}

type ImportOptions = { dryRun?: boolean; decimal?: DecimalMark };

function addImport(imports: Command, subject: string, about: string, formats: readonly string[]): Command {
  return imports
    .command(`${subject} <file>`)
    .description(`${about}; - reads standard input`)
    .addOption(new Option('--format <format>', 'format of the file; default: by its name').choices(formats))
    .addOption(decimalOption())
    .option('--dry-run', 'report the result without storing anything');
}

function addVolumes(imports: Command, open: OpenSession): void {
  const volumes = addImport(
    imports,
    'volumes',
    'import the volumes of any number of contracts and days',
    FORMATS,
  );
  volumes.addHelpText(
    'after',
    `
CSV has a header line with the columns contract, delivery_date, slot and volume, in any order. NDJSON has one slot
(contract, delivery_date, slot, volume) or one day (contract, delivery_date, volumes) a line. power_mw or power_kw may stand
for volume, and delivery_start for delivery_date and slot. Contracts are named by id
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
      const format = given ?? getFormat(file, 'the file name does not end in .csv or .ndjson: give --format');
      const { result, elapsedMs } = await upload(session, file, (client, source, sent) =>
        client.volumes.importFile(source, { ...options, ...sent, format }),
      );
      await showImport(session, result, elapsedMs, VOLUMES);
    }),
  );
}

function addValues(imports: Command, open: OpenSession): void {
  const values = addImport(
    imports,
    'values',
    'import values of any number of series and days, or an MSCONS interchange',
    VALUE_FORMATS,
  );
  values.addHelpText(
    'after',
    `
CSV has a header line, in any order: series (id or market location), either delivery_date and slot or delivery_start,
one of power_mw, power_kw, energy_mwh and energy_kwh, and optionally resolution (PT15M, PT60M) and kind (a market
location means the meter unless it is forecast). NDJSON has these members, one value a line, or a day of values. A day of a
series is taken whole or not at all. The volumes of contracts with these series as their source follow.

An MSCONS interchange is found by its content, whatever its name; it has no dry run. Each of its messages is applied or
rejected. Values of market locations without a series are kept, and applied when the series is created.

The exit code is 1 when lines or messages were rejected.
`,
  );
  addExamples(
    values,
    'import values forecast.csv --dry-run',
    'import values meters.ndjson.gz',
    'import values lastgang.edi',
    'import values - --format mscons < lastgang.edi',
  ).action(
    doing(open, async (session, { args: [file = ''] }) => {
      const { format: given, ...options } = values.opts<
        { format?: (typeof VALUE_FORMATS)[number] } & ImportOptions
      >();
      const missing = 'the file is no MSCONS, and its name does not end in .csv or .ndjson: give --format';
      const isMscons =
        given === undefined && file !== '-' && (await startsLikeMscons(session.terminal, file));
      const format = given ?? (isMscons ? 'mscons' : getFormat(file, missing));
      if (format === 'mscons' && options.dryRun)
        throw new UsageError('--dry-run is not possible with an MSCONS interchange');
      const { result, elapsedMs } = await upload(session, file, (client, source, sent) =>
        client.series.importFile(source, { ...options, ...sent, format }),
      );
      if ('messages' in result) await showInterchange(session, result, elapsedMs);
      else await showImport(session, result, elapsedMs, VALUES);
    }),
  );
}

const isGzip = (file: string) => /\.gz$/i.test(file);

function getFormat(file: string, whenUnknown: string): Format {
  const ending = path.extname(isGzip(file) ? file.slice(0, -'.gz'.length) : file).toLowerCase();
  const format = FORMAT_OF_ENDING[ending];
  if (!format) throw new UsageError(whenUnknown);
  return format;
}

/** Enough for the first bytes of a compressed file. */
const START_BYTES = 4096;

/** Market partners name their files as they like, but each interchange begins with UNA or UNB. */
async function startsLikeMscons({ cwd }: Terminal, file: string): Promise<boolean> {
  const handle = await openHandle(path.resolve(cwd, file)).catch((error: Error) => {
    throw new UsageError(`the file cannot be read: ${error.message}`);
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
    const read = buffer.subarray(0, bytesRead);
    const start = isGzip(file) ? gunzipSync(read, { finishFlush: constants.Z_SYNC_FLUSH }) : read;
    return /^UN[AB]/.test(start.toString('latin1').trimStart());
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  } finally {
    await handle.close();
  }
}

type Sent = Pick<FileOptions, 'isGzip' | 'onProgress'>;

/** Sends a file with a progress bar, and returns the answer with the time it took. */
async function upload<Result>(
  session: Session,
  file: string,
  send: (client: OperatorClient, source: UploadSource, sent: Sent) => Promise<Result>,
): Promise<{ result: Result; elapsedMs: number }> {
  const { source, totalBytes } = await openFile(session.terminal, file);
  const client = await session.operator();
  const bar = progressBar(session.terminal, totalBytes);
  const startedAt = performance.now();
  try {
    const sent = { isGzip: isGzip(file), onProgress: bar.update };
    return { result: await send(client, source, sent), elapsedMs: performance.now() - startedAt };
  } finally {
    bar.clear();
  }
}

/** The words of a result: what has days, and what a slot lacks. */
type Words = { readonly subject: string; readonly missing: string };
const VOLUMES: Words = { subject: 'contract', missing: 'a volume' };
const VALUES: Words = { subject: 'series', missing: 'a value' };

const COUNT = new Intl.NumberFormat('en');
const count = (value: number) => COUNT.format(value);
const countOf = (value: number, noun: string) => (value === 1 ? `1 ${noun}` : `${count(value)} ${noun}s`);
const secondsText = (elapsedMs: number) => `${(elapsedMs / 1000).toFixed(1)} s`;

async function showImport(
  session: Session,
  result: ImportResult | ValuesImportResult,
  elapsedMs: number,
  { subject, missing }: Words,
): Promise<void> {
  if (result.rejected_lines > 0) session.endWith(1);
  if (session.format !== 'text') return session.show(result);
  const { style } = session;
  const days = (value: number) => countOf(value, `${subject}-day`);
  const trial = result.dry_run ? ' (dry run: nothing was changed)' : '';
  const lines = [
    `${countOf(result.rows, 'line')} in ${secondsText(elapsedMs)}${trial}`,
    `  ${count(result.created)} created, ${count(result.corrected)} corrected, ${count(result.unchanged)} unchanged`,
  ];
  if (result.rejected_lines > 0) {
    const rejected = countOf(result.rejected_lines, 'line');
    lines.push(style('red', `  ${rejected} rejected, in ${days(result.rejected_days)}`));
  }
  if (result.incomplete_days.count > 0)
    lines.push(style('yellow', `  ${days(result.incomplete_days.count)} with slots without ${missing}`));
  await session.print(`${lines.join('\n')}\n`);
  await showRejected(session, result);
  await showIncomplete(session, result, subject);
}

async function showRejected(
  session: Session,
  result: Pick<ImportResult, 'rejected' | 'rejected_lines'>,
): Promise<void> {
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

async function showIncomplete(
  session: Session,
  { incomplete_days }: ImportResult | ValuesImportResult,
  subject: string,
): Promise<void> {
  if (incomplete_days.count === 0) return;
  const table = tableOf<(typeof incomplete_days.days)[number]>(
    incomplete_days.days,
    [
      [subject.toUpperCase(), (day) => ('series' in day ? day.series : day.contract)],
      ['DELIVERY DATE', ({ delivery_date }) => delivery_date],
      ['MISSING SLOTS', (day) => day.missing],
    ],
    session.style,
  );
  await session.print(`\n${table}`);
  if (incomplete_days.days.length < incomplete_days.count)
    session.note(`These are the first ${incomplete_days.days.length} of ${count(incomplete_days.count)}.`);
}

async function showInterchange(
  session: Session,
  result: InterchangeResult,
  elapsedMs: number,
): Promise<void> {
  if (result.rejected_messages > 0) session.endWith(1);
  if (session.format !== 'text') return session.show(result);
  const { style } = session;
  const lines = [`${result.id}: ${countOf(result.messages, 'message')} in ${secondsText(elapsedMs)}`];
  if (result.rejected_messages > 0)
    lines.push(style('red', `  ${countOf(result.rejected_messages, 'message')} rejected`));
  if (result.unknown_locations > 0) {
    const unknown = countOf(result.unknown_locations, 'market location');
    const listed =
      result.unknown.length < result.unknown_locations ? [...result.unknown, '…'] : result.unknown;
    lines.push(style('yellow', `  ${unknown} without a series: ${listed.join(', ')}`));
  }
  await session.print(`${lines.join('\n')}\n`);
  await showRejectedMessages(session, result);
}
