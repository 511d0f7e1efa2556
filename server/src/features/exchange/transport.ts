import { hash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

/** How messages leave the platform. Handing the same one over twice does no more than doing it once. */
export type Transport = {
  /** Returns when the message is safe with whoever takes it on; throws HandoverFailed when it is not. */
  deliver(fileName: string, document: Buffer): Promise<void>;
};

/** How messages come to the platform. */
export type Inbox = { files(): Promise<InboxFile[]> };

type InboxFile = {
  readonly name: string;
  readonly bytes: number;
  /** Null when another process has put it aside meanwhile. */
  read(): Promise<Buffer | null>;
  /** Tells this very file from another one, also one of the same name and content that comes later. */
  mark(document: Buffer | null): string;
  /** Puts it aside, once it is stored. */
  putAside(): Promise<void>;
};

/** A message could not be handed over. It is still stored, and tried again. */
export class HandoverFailed extends Error {
  override name = 'HandoverFailed';
}

/** Names under which files are still being written. */
const UNFINISHED = /^\.|\.(?:tmp|part)$/i;
const DONE = 'done';
/** Schedules and answers are not for other users of the machine. Folders that exist keep their mode. */
const PRIVATE = { recursive: true, mode: 0o700 };

/** Files appear in the folder whole: written under another name, made durable, then renamed. */
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
        // Whether or not there is a draft to remove: what went wrong before that is to be told.
        await rm(draft, { force: true }).catch(() => {});
        const { code, message } = error as NodeJS.ErrnoException;
        throw new HandoverFailed(`the outbox cannot be written (${code ?? message})`, { cause: error });
      }
    },
  };
}

/** A rename survives a crash only when the folder is made durable too. Windows has no such thing. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

/** Whoever puts files there writes them under a name that begins with a dot or ends in .tmp or .part, then renames. */
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
    mark: (document) =>
      `${name} ${found.mtimeNs} ${document === null ? found.size : hash('sha256', document)}`,
    async putAside() {
      await rename(file, path.join(folder, DONE, name)).catch(nullIfGone);
    },
  };
}

/** Several processes look into the same folder: what another one has put aside is not missing. */
function nullIfGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
