/** Backup files on disk: written atomically, and read only after their checksum was verified. */
import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline as pipelineWithCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { syncFolder } from '@saldo/postgres/cluster.ts';
import {
  BackupFileError,
  type BackupHeader,
  DIGEST_FRAME_BYTES,
  digestFrame,
  FILE_HEAD_BYTES,
  headerFrame,
  headerFrameBytes,
  parseHeader,
} from './format.ts';

/** Level 1 is three times as fast as level 3 on packed volumes, and its files are 5 % smaller. */
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 }, chunkSize: 256 * 1024 };
const READ_CHUNK_BYTES = 256 * 1024;

export type BackupFile = {
  readonly header: BackupHeader;
  readonly bytes: number;
  /** The decompressed part. `onRead` gets the number of compressed bytes of each chunk. */
  body(onRead: (bytes: number) => void): AsyncIterable<Buffer>;
  close(): Promise<void>;
};

/** Replaces an earlier backup of that name, but no other file. Returns the size in bytes. */
export async function writeBackupFile(
  file: string,
  header: BackupHeader,
  body: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<number> {
  await rejectOtherFile(file);
  const draft = `${file}.${randomUUID()}.partial`;
  const handle = await open(draft, 'wx', 0o600).catch((error: Error) => rejectWrite(error));
  try {
    const sha256 = createHash('sha256');
    let bytes = 0;
    const append = async (chunk: Buffer) => {
      await handle.appendFile(chunk).catch((error: Error) => rejectWrite(error));
      bytes += chunk.length;
      return chunk;
    };
    sha256.update(await append(headerFrame(header)));
    await pipeline(
      body,
      createZstdCompress(COMPRESSION),
      async (compressed: AsyncIterable<Buffer>) => {
        for await (const chunk of compressed) sha256.update(await append(chunk));
      },
      { signal },
    );
    await append(digestFrame(sha256.digest()));
    await handle.sync();
    await handle.close();
    await rename(draft, file);
    await syncFolder(path.dirname(file));
    return bytes;
  } catch (error) {
    await handle.close();
    await rm(draft, { force: true });
    throw error;
  }
}

function rejectWrite(cause: Error): never {
  throw new BackupFileError(`cannot be written: ${cause.message}. No part of it was kept`, { cause });
}

async function rejectOtherFile(file: string): Promise<void> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  try {
    headerFrameBytes(await readAt(handle, 0, FILE_HEAD_BYTES));
  } catch (error) {
    throw new BackupFileError('exists and is not a Saldo backup: choose another name', { cause: error });
  } finally {
    await handle.close();
  }
}

/** Verifies the checksum. Rejects files that are not backups. */
export async function openBackupFile(
  file: string,
  onRead: (bytes: number, of: number) => void,
): Promise<BackupFile> {
  const handle = await open(file, 'r');
  try {
    const headerBytes = headerFrameBytes(await readAt(handle, 0, FILE_HEAD_BYTES));
    const { size } = await handle.stat();
    const end = size - DIGEST_FRAME_BYTES;
    if (end <= headerBytes) throw new BackupFileError('is incomplete');
    const sha256 = createHash('sha256');
    for await (const chunk of readStream(handle, 0, end)) {
      sha256.update(chunk);
      onRead(chunk.length, end);
    }
    if (!(await readAt(handle, end, DIGEST_FRAME_BYTES)).equals(digestFrame(sha256.digest()))) {
      throw new BackupFileError('is incomplete or was changed: its checksum does not match its content');
    }
    return {
      header: parseHeader(await readAt(handle, 0, headerBytes)),
      bytes: end - headerBytes,
      body: (onRead) => decompressed(readStream(handle, headerBytes, end), onRead),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads the header only: the checksum of the file is not verified. */
export async function readBackupHeader(file: string): Promise<BackupHeader> {
  const handle = await open(file, 'r');
  try {
    const headerBytes = headerFrameBytes(await readAt(handle, 0, FILE_HEAD_BYTES));
    return parseHeader(await readAt(handle, 0, headerBytes));
  } finally {
    await handle.close();
  }
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

const readStream = (handle: FileHandle, start: number, end: number) =>
  handle.createReadStream({ start, end: end - 1, autoClose: false, highWaterMark: READ_CHUNK_BYTES });

function decompressed(
  compressed: ReturnType<typeof readStream>,
  onRead: (bytes: number) => void,
): AsyncIterable<Buffer> {
  const decompress = createZstdDecompress({ chunkSize: COMPRESSION.chunkSize });
  compressed.on('data', (chunk) => onRead(chunk.length));
  // A failure destroys both streams. The reader of the second stream gets the error.
  pipelineWithCallback(compressed, decompress, () => {});
  return decompress;
}
