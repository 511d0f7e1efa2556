/** Entry point of `saldo archive`. */
import path from 'node:path';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { addMonths } from '../archived-days/months.ts';
import { withConnection } from '../backup/connection.ts';
import { explain } from '../backup/explain.ts';
import { openSource } from '../backup/place.ts';
import { createProgress, formatBytes, formatCount, secondsSince } from '../backup/progress.ts';
import { readArchiveDir } from '../config.ts';
import {
  archiveMonth,
  checkBefore,
  checkSchema,
  findNextMonth,
  listArchives,
  listFormerFiles,
  restoreMonth,
} from './archive.ts';
import { type Archive, createFolder, removePartialFiles, renameReplaced } from './files.ts';

const EXIT = { problem: 1, interrupted: 130 } as const;

const say = (text: string) => process.stdout.write(`${text}\n`);
const progress = createProgress(process.stderr);

/** What an error at this time means for the months. */
let failure = '';
const FAILURES: Readonly<Record<string, string>> = {
  archive: 'Not archived',
  list: 'The archived months cannot be listed',
  restore: 'Nothing was restored',
};
const duringCommit = (month: string, done: string) => () => {
  failure = `It is unknown whether ${month} was ${done}: see saldo archive list. The cause`;
};

/** No validation here: the command line tool has validated the arguments. */
function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { folder: { type: 'string' } },
  });
  const [command = '', month = ''] = positionals;
  return { command, month, folder: path.resolve(values.folder ?? readArchiveDir(process.env)) };
}

const sumOf = ({ files }: Archive, member: 'rows' | 'bytes') =>
  files.reduce((sum, file) => sum + file[member], 0);
const sizeOf = (archive: Archive) =>
  `${formatCount(sumOf(archive, 'rows'))} rows, ${formatBytes(sumOf(archive, 'bytes'))}`;

async function runArchive(client: pg.Client, before: string, folder: string): Promise<void> {
  checkBefore(before);
  await createFolder(folder);
  await removePartialFiles(folder);
  let count = 0;
  for (let next = '0001-01'; ; ) {
    const month = await findNextMonth(client, next);
    if (month === null || month >= before) break;
    const startedAt = Date.now();
    failure = `${month} was not archived`;
    const onCommit = duringCommit(month, 'archived');
    const archive = await archiveMonth(client, month, { folder, progress, onCommit });
    progress.stop();
    if (archive !== null) {
      count++;
      say(`Archived ${month} in ${folder}: ${sizeOf(archive)}, ${secondsSince(startedAt)} s.`);
      failure = `${month} is archived, but its former files were not renamed`;
      await renameReplaced(folder, archive, await listFormerFiles(client, month));
    }
    failure = `Not all months before ${before} were archived`;
    next = addMonths(month, 1);
  }
  if (count === 0) say(`Nothing to archive before ${before}.`);
}

async function runRestore(client: pg.Client, month: string, folder: string): Promise<void> {
  const startedAt = Date.now();
  const onCommit = duringCommit(month, 'restored');
  const archive = await restoreMonth(client, month, { folder, progress, onCommit });
  progress.stop();
  say(`Restored ${month} from ${folder}: ${sizeOf(archive)}, ${secondsSince(startedAt)} s. Its files stay.`);
}

async function runList(client: pg.Client): Promise<void> {
  const archives = await listArchives(client);
  if (archives.length === 0) say('No month is archived.');
  for (const archive of archives) {
    say(`${archive.month}: archived at ${archive.archivedAt}, ${sizeOf(archive)}`);
    for (const { name, rows, bytes, sha256 } of archive.files)
      say(`  ${name}  ${formatCount(rows)} rows  ${formatBytes(bytes)}  sha256 ${sha256}`);
  }
}

async function main(): Promise<void> {
  const interrupt = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupt.abort());
  const { command, month, folder } = readArguments();
  failure = FAILURES[command] ?? '';
  try {
    const source = await openSource(process.env, say);
    try {
      const work = async (client: pg.Client) => {
        await checkSchema(client);
        if (command === 'list') await runList(client);
        else await (command === 'restore' ? runRestore : runArchive)(client, month, folder);
      };
      await withConnection(source.url, interrupt.signal, work, 'saldo archive');
    } finally {
      await source.close();
    }
  } catch (error) {
    progress.stop();
    const isInterrupted = interrupt.signal.aborted;
    process.stderr.write(`${failure}: ${isInterrupted ? 'Interrupted.' : explain(error)}\n`);
    process.exitCode = isInterrupted ? EXIT.interrupted : EXIT.problem;
  }
}

await main();
