import { createHash, hash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { syncFolder } from '@saldo/postgres/cluster.ts';
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetRead } from 'hyparquet';
import type { Month } from '../archived-days/months.ts';
import { BackupError } from '../backup/backup.ts';
import { ParquetFile } from '../platform/parquet/parquet-file.ts';
import type { ArchiveTable } from './tables.ts';

/** A file as the table `archive` and the manifest beside the files list it. */
export type ArchivedFile = {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
};

/** An archived month, as the table `archive` and the manifest describe it. */
export type Archive = {
  readonly month: Month;
  readonly format: number;
  readonly archivedAt: string;
  /** In the order of the tables. */
  readonly files: readonly ArchivedFile[];
};

type Row = readonly (string | null)[];

/** Digits of the checksum in a file's name: other rows have another name, so that no good file is overwritten. */
const NAME_DIGITS = 12;

const PARTIAL = /\.(?<pid>\d+)\.partial$/;

/** Databases may share a folder: each process writes files of its own. */
const partialFile = (folder: string, month: Month, name: string): string =>
  path.join(folder, `${month}-${name}.${process.pid}.partial`);

/** Removes incomplete files of processes that have ended. */
export async function removePartialFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = PARTIAL.exec(name)?.groups?.['pid'];
    if (pid !== undefined && !isRunning(Number(pid))) await rm(path.join(folder, name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Writes a file, a row group per batch. It gets its name when it is complete and on disk. */
export async function writeArchiveFile(
  folder: string,
  month: Month,
  table: ArchiveTable,
  batches: AsyncIterable<readonly Row[]>,
): Promise<ArchivedFile> {
  const partial = partialFile(folder, month, table.name);
  const columns = table.columns.map(({ name, make }) => make(name));
  const parquet = new ParquetFile(columns);
  const digest = createHash('sha256');
  let [rows, bytes] = [0, 0];
  const file = await open(partial, 'w', 0o600);
  try {
    const write = async (part: Buffer) => {
      digest.update(part);
      bytes += part.length;
      await file.writeFile(part);
    };
    await write(parquet.begin());
    for await (const batch of batches) {
      if (batch.length === 0) continue;
      for (const row of batch) {
        for (const [at, { encode }] of table.columns.entries()) {
          const text = row[at] ?? null;
          columns[at]!.add((text === null ? null : encode(text)) as never);
        }
      }
      rows += batch.length;
      await write(await parquet.rowGroup(batch.length));
    }
    await write(parquet.end());
    await file.sync();
  } finally {
    await file.close();
  }
  const sha256 = digest.digest('hex');
  const name = `${month}-${table.name}-${sha256.slice(0, NAME_DIGITS)}.parquet`;
  await rename(partial, path.join(folder, name));
  return { name, rows, bytes, sha256 };
}

/** Writes the manifest of a month, by which the files can be checked without the database. */
export async function writeManifest(folder: string, archive: Archive): Promise<void> {
  const { month, files } = archive;
  const partial = partialFile(folder, month, 'manifest');
  await writeFile(partial, `${JSON.stringify(archive, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(partial, path.join(folder, manifestName(month, files)));
  await syncFolder(folder);
}

function manifestName(month: Month, files: readonly ArchivedFile[]): string {
  const digest = hash('sha256', files.map(({ sha256 }) => sha256).join());
  return `${month}-manifest-${digest.slice(0, NAME_DIGITS)}.json`;
}

const REPLACED = '.replaced';

/** Renames files of former archives of the month, so that a reader of all Parquet files does not read rows twice. */
export async function renameReplaced(
  folder: string,
  { month, files }: Archive,
  former: readonly (readonly ArchivedFile[])[],
): Promise<void> {
  const namesOf = (archived: readonly ArchivedFile[]) => [
    manifestName(month, archived),
    ...archived.map(({ name }) => name),
  ];
  const replaced = new Set(former.flatMap(namesOf)).difference(new Set(namesOf(files)));
  for (const name of replaced) {
    const place = path.join(folder, name);
    await rename(place, place + REPLACED).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}

/** The database of an older backup has months whose files were replaced since. */
async function openArchived(folder: string, name: string): Promise<FileHandle> {
  const place = path.join(folder, name);
  try {
    return await open(place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return open(place + REPLACED);
}

/** Creates the folder so that it is still there after a power failure: each entry is synchronized in its parent. */
export async function createFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const above = path.dirname(first);
  for (let at = folder; at !== above; at = path.dirname(at)) await syncFolder(path.dirname(at));
}

/** Rejects a file that is missing, or is not the one that was archived. */
export async function checkArchiveFile(folder: string, { name, bytes, sha256 }: ArchivedFile): Promise<void> {
  const place = path.join(folder, name);
  const file = await openArchived(folder, name).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT')
      throw new BackupError(`${place} is missing. Copy it there, or name its folder with --folder.`);
    throw error;
  });
  try {
    const digest = createHash('sha256');
    let size = 0;
    for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      digest.update(chunk);
      size += chunk.length;
    }
    if (size !== bytes || digest.digest('hex') !== sha256)
      throw new BackupError(`${place} is not the file that was archived: its checksum differs.`);
  } finally {
    await file.close();
  }
}

/** Yields the stored columns of a file in COPY's text format, a row group at a time. */
export async function* readArchiveFile(
  folder: string,
  { name }: ArchivedFile,
  { columns }: ArchiveTable,
  onRows: (count: number) => void,
): AsyncGenerator<Buffer> {
  const file = await openArchived(folder, name);
  try {
    const source = await sourceOf(file);
    const metadata = await parquetMetadataAsync(source);
    let start = 0;
    for (const { num_rows } of metadata.row_groups) {
      const end = start + Number(num_rows);
      const rows = await readRows(source, metadata, start, end);
      yield Buffer.from(rows.map((row) => copyLine(columns, row)).join(''));
      onRows(rows.length);
      start = end;
    }
  } finally {
    await file.close();
  }
}

async function sourceOf(file: FileHandle): Promise<AsyncBuffer> {
  const { size } = await file.stat();
  return {
    byteLength: size,
    async slice(start, end = size) {
      const buffer = new ArrayBuffer(end - start);
      const { bytesRead } = await file.read(new Uint8Array(buffer), 0, end - start, start);
      if (bytesRead !== end - start) throw new Error('the file is shorter than it was');
      return buffer;
    },
  };
}

/** Keeps a byte order mark at the beginning of a text, which is part of it. */
const TEXT = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

async function readRows(
  file: AsyncBuffer,
  metadata: FileMetaData,
  rowStart: number,
  rowEnd: number,
): Promise<unknown[][]> {
  let found: unknown[][] = [];
  await parquetRead({
    ...{ file, metadata, rowStart, rowEnd },
    compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) },
    parsers: {
      // Numbers as they are stored.
      timestampFromMicroseconds: Number,
      dateFromDays: (days) => days,
      stringFromBytes: (bytes) => TEXT.decode(bytes),
    },
    onComplete(rows) {
      found = rows;
    },
  });
  return found;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function copyLine(columns: ArchiveTable['columns'], row: readonly unknown[]): string {
  const fields = columns.flatMap(({ isStored, decode }, at) => {
    if (!isStored) return [];
    const value = row[at] ?? null;
    return [value === null ? '\\N' : decode(value as never).replace(/[\\\t\n\r]/g, (one) => ESCAPES[one]!)];
  });
  return `${fields.join('\t')}\n`;
}
