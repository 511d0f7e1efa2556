import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EXPORT_FORMATS, type ExportFormat, exportEndpoints } from '@saldo/api';
import { type DeliveryDay, dayEnd, dayNumber, dayStart, formatInstant } from '@saldo/core/delivery-day.ts';
import type { Download } from '@saldo/sdk';
import { type Command, Option } from 'commander';
import { addFields, parseDayArgument, readFields } from '../fields.ts';
import { bytesText, downloadBar } from '../progress.ts';
import type { Session } from '../session.ts';
import { UsageError } from '../usage.ts';
import { addExamples, doing, type OpenSession } from './command.ts';
import { addVerifyExport, noteExport } from './verify-export.ts';

const FORMAT_OF_ENDING: Readonly<Record<string, ExportFormat>> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.parquet': 'parquet',
};

type Days = { readonly from: DeliveryDay; readonly to: DeliveryDay };
type Options = { from: DeliveryDay; to?: DeliveryDay; format?: ExportFormat; output?: string };

export function addExportCommands(program: Command, open: OpenSession): void {
  const exports = program.command('export').description('whole lists as one file: CSV, NDJSON or Parquet');
  addExport(exports, open, 'transactions', exportEndpoints.exportTransactions);
  addExport(exports, open, 'nominations', exportEndpoints.exportNominations);
  addVerifyExport(program, open);
}

const READ_HERE = ['format', 'delivery_date', 'delivery_start', 'delivery_end'];

function addExport(
  parent: Command,
  open: OpenSession,
  subject: 'transactions' | 'nominations',
  { query }: { query: object },
): void {
  const day = (text: string) => parseDayArgument(text);
  const command = parent
    .command(subject)
    .description(`export all ${subject} of delivery days, as an operator or as a BRP`)
    .requiredOption('--from <day>', 'first delivery day', day)
    .option('--to <day>', 'last delivery day; default: the first', day)
    .addOption(
      new Option('--format <format>', 'default: by the name of the file, else csv').choices(EXPORT_FORMATS),
    )
    .option('-o, --output <file>', 'the file to write; default: standard output');
  addFields(command, query, { except: READ_HERE });
  addExamples(
    command,
    `export ${subject} --from 2026-10-01 --to 2026-10-31 --format parquet -o october.parquet`,
    `export ${subject} --from tomorrow --format ndjson | wc -l`,
  ).action(
    doing(open, async (session) => {
      const { from, to = from, format: given, output } = command.opts<Options>();
      if (to < from) throw new UsageError('--to must not come before --from');
      const format = given ?? FORMAT_OF_ENDING[path.extname(output ?? '').toLowerCase()] ?? 'csv';
      if (format === 'parquet' && output === undefined && session.terminal.stdout.isTTY)
        throw new UsageError('a Parquet file is not text: give --output');
      const filter = {
        ...readFields(command, query),
        format,
        delivery_start: formatInstant(dayStart(from)),
        delivery_end: formatInstant(dayEnd(to)),
      };
      const file = await (await session.client()).exports[subject](filter);
      await receive(session, file, format, { from, to }, output);
    }),
  );
}

async function receive(
  session: Session,
  download: Download,
  format: ExportFormat,
  days: Days,
  output: string | undefined,
): Promise<void> {
  const { terminal } = session;
  const file = output === undefined ? null : path.resolve(terminal.cwd, output);
  const bar = downloadBar(terminal);
  const startedAt = performance.now();
  let [bytes, part]: [number, number | null] = [0, format === 'parquet' ? null : 0];
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      part = part === null ? null : (partIn(chunk, format, days) ?? part);
      bar.update({ bytes, part });
      done(null, chunk);
    },
  });
  try {
    const source = Readable.from(download.body);
    if (file === null) await pipeline(source, counted, terminal.stdout, { end: false });
    else {
      await writeWhole(file, source, counted);
      await noteExport(file, download, format);
    }
  } finally {
    bar.clear();
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (output !== undefined && session.format === 'text')
    session.note(`${output}: ${bytesText(bytes)} in ${seconds} s`);
}

/** Writes a draft beside the file and renames it at the end, so that the file is never incomplete. Each export has its own. */
async function writeWhole(file: string, source: Readable, counted: Transform): Promise<void> {
  const draft = `${file}.${randomUUID()}.part`;
  try {
    await pipeline(source, counted, createWriteStream(draft, { flags: 'wx', flush: true }));
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    const { code, message, syscall } = error as NodeJS.ErrnoException;
    if (code !== undefined && syscall !== undefined)
      throw new UsageError(`the file cannot be written: ${message}`);
    throw error;
  }
}

const TAIL_BYTES = 1024;
const DAY_IN = { csv: /.*,(\d{4}-\d\d-\d\d),/s, ndjson: /.*"delivery_start":"(\d{4}-\d\d-\d\d)/s };

/** The share of the days that are complete, from the last day in the chunk. Null if it has none. */
function partIn(chunk: Buffer, format: ExportFormat, { from, to }: Days): number | null {
  const tail = chunk.subarray(-TAIL_BYTES).toString('latin1');
  const [, day] = (format === 'parquet' ? null : DAY_IN[format].exec(tail)) ?? [];
  if (day === undefined) return null;
  const days = dayNumber(to) - dayNumber(from) + 1;
  return Math.min(1, Math.max(0, dayNumber(day) - dayNumber(from)) / days);
}
