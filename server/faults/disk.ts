import { execFile } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The write-ahead log keeps 256 MB of segments for reuse. The rest is for data and for the filler. */
const DISK_MB = 768;
const CHUNKS = [1024 * 1024, 4096];

/** A small tmpfs, which can be filled without affecting other programs. */
export type Disk = {
  readonly folder: string;
  /** False if this user may not mount a tmpfs: then the folder is an ordinary one and is never filled. */
  readonly canBeFilled: boolean;
  fill(): void;
  free(): void;
  unmount(): Promise<void>;
};

export async function openDisk(folder: string, sizeMb = DISK_MB): Promise<Disk> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const canBeFilled = await mount(folder, sizeMb);
  const filler = path.join(folder, 'filler');
  return {
    folder,
    canBeFilled,
    fill: () => writeUntilFull(filler),
    free: () => rmSync(filler, { force: true }),
    async unmount() {
      if (canBeFilled) await run('umount', [folder]);
      else await rm(folder, { recursive: true, force: true });
    },
  };
}

const mount = (folder: string, sizeMb: number): Promise<boolean> =>
  run('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m,mode=0755`, 'saldo-faults', folder]).then(
    () => true,
    () => false,
  );

function writeUntilFull(file: string): void {
  const handle = openSync(file, 'w');
  try {
    for (const bytes of CHUNKS) {
      try {
        for (const chunk = Buffer.alloc(bytes); ; ) writeSync(handle, chunk);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    closeSync(handle);
  }
}
