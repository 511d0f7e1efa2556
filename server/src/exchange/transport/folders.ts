import { hash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

/** Delivers messages to the outside. Must be idempotent: a crash can cause a second delivery of the same message. */
export type Transport = {
  /** Resolves when the message is stored durably at the destination; otherwise throws HandoverFailed. */
  deliver(fileName: string, document: Buffer): Promise<void>;
};

/** Source of incoming messages. */
export type Inbox = { files(): Promise<InboxFile[]> };

type InboxFile = {
  readonly name: string;
  readonly bytes: number;
  /** Null when another process has moved the file meanwhile. */
  read(): Promise<Buffer | null>;
  /** Identifies this file, and differs for a later file with the same name and content. */
  fingerprint(document: Buffer | null): string;
  /** Call only after the message is stored. */
  moveToDone(): Promise<void>;
};

/** The delivery failed. The message stays stored and is retried. */
export class HandoverFailed extends Error {
  override name = 'HandoverFailed';
}

/** Names of files that are still being written. */
const UNFINISHED = /^\.|\.(?:tmp|part)$/i;
const DONE = 'done';
/** Other users of the machine must not read schedules and answers. Existing folders keep their mode. */
const PRIVATE = { recursive: true, mode: 0o700 };

/** Readers never see a partial file: each is written under a temporary name, synced, then renamed. */
export function outboxFolder(folder: string): Transport {
  return {
    async deliver(fileName, document) {
      const draft = path.join(folder, `.${fileName}.${randomUUID()}.tmp`);
      try {
        await mkdir(folder, PRIVATE);
        const file = await open(draft, 'wx');
        await file
          .writeFile(document)
          .then(() => file.sync())
          .finally(() => file.close());
        await rename(draft, path.join(folder, fileName));
        await syncFolder(folder);
      } catch (error) {
        // Ignore a failing cleanup, so that the original error is reported.
        await rm(draft, { force: true }).catch(() => {});
        const { code, message } = error as NodeJS.ErrnoException;
        throw new HandoverFailed(`the outbox cannot be written (${code ?? message})`, { cause: error });
      }
    },
  };
}

/** A rename survives a crash only if the folder is synced too. Windows does not support that. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

/** Contract for writers: write under a name that starts with a dot or ends in .tmp or .part, then rename. */
export function inboxFolder(folder: string): Inbox {
  return {
    async files() {
      await mkdir(path.join(folder, DONE), PRIVATE);
      const entries = await readdir(folder, { withFileTypes: true });
      const names = entries.filter((entry) => entry.isFile() && !UNFINISHED.test(entry.name));
      const files = await Promise.all(names.map(({ name }) => inboxFile(folder, name)));
      return files
        .filter((file) => file !== null)
        .toSorted((one, other) => one.at - other.at || (one.name < other.name ? -1 : 1));
    },
  };
}

async function inboxFile(folder: string, name: string): Promise<(InboxFile & { at: number }) | null> {
  const file = path.join(folder, name);
  const found = await stat(file, { bigint: true }).catch(nullIfGone);
  if (found === null) return null;
  return {
    name,
    bytes: Number(found.size),
    at: Number(found.mtimeMs),
    read: () => readFile(file).catch(nullIfGone),
    fingerprint: (document) =>
      `${name} ${found.mtimeNs} ${document === null ? found.size : hash('sha256', document)}`,
    async moveToDone() {
      await rename(file, path.join(folder, DONE, name)).catch(nullIfGone);
    },
  };
}

/** Several processes read the same folder, so a file that another process has moved is not an error. */
function nullIfGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
