import { hash, randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DONE_FOLDER, draftName, isUnfinished, sidecarName } from '@saldo/core/exchange/exchange-folders.ts';
import { formatMessage, type Message } from '@saldo/core/messages/message.ts';
import { restTracker } from './at-rest.ts';
import { type Sender, writeSidecar } from './sidecar.ts';
import {
  HandoverFailed,
  type Inbox,
  type InboxFile,
  type InboxReading,
  type Transport,
} from './transport.ts';

/** Other users of the machine must not read schedules and answers. Existing folders keep their mode. */
const PRIVATE = { recursive: true, mode: 0o700 };

/** The sidecar is complete before its file appears, so that a gateway which finds the file can forward it. */
export function outboxFolder(folder: string, sender: Sender): Transport {
  return {
    async deliver(message) {
      const { fileName, document } = message;
      await writeIntoFolder(folder, sidecarName(fileName), writeSidecar(message, sender));
      await writeIntoFolder(folder, fileName, document);
    },
  };
}

/** Readers never see a partial file: it is written under a temporary name, synced, then renamed. */
export async function writeIntoFolder(folder: string, name: string, bytes: Buffer): Promise<void> {
  const draft = path.join(folder, draftName(name, randomUUID()));
  try {
    await mkdir(folder, PRIVATE);
    await writeFile(draft, bytes, { flag: 'wx', flush: true });
    await rename(draft, path.join(folder, name));
    await syncFolder(folder);
  } catch (error) {
    // Ignore a failing cleanup, so that the original error is reported.
    await rm(draft, { force: true }).catch(() => {});
    const { code, message } = error as NodeJS.ErrnoException;
    throw new HandoverFailed({ key: 'exchange.outbox', reason: code ?? message }, { cause: error });
  }
}

/** A rename survives a crash only if the folder is synced too. Windows does not support that. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

type Entry = InboxFile & { readonly state: string; readonly at: number };

/**
 * Names that start with a dot or end in .tmp or .part are never taken. Entries that are no plain files are listed too,
 * with a `read` that reports why, so that a misplaced file does not stay unnoticed. `now` is monotonic.
 */
export function inboxFolder(folder: string, now: () => number): Inbox {
  const atRest = restTracker(now);
  /** By name, the entries that stay in the inbox and are reported already. */
  const left = new Map<string, string>();
  return {
    async files() {
      await mkdir(path.join(folder, DONE_FOLDER), PRIVATE);
      const names = (await readdir(folder)).filter((name) => name !== DONE_FOLDER && !isUnfinished(name));
      const found = await Promise.all(names.map((name) => inboxEntry(folder, name, left)));
      const entries = found.filter((entry) => entry !== null);
      for (const name of left.keys()) if (!names.includes(name)) left.delete(name);
      return atRest(entries).toSorted((one, other) => one.at - other.at || (one.name < other.name ? -1 : 1));
    },
  };
}

async function inboxEntry(folder: string, name: string, left: Map<string, string>): Promise<Entry | null> {
  const file = path.join(folder, name);
  const found = await lstat(file, { bigint: true }).catch(nullIfGone);
  // A name that is not UTF-8 is listed with replacement characters, and no file has that name.
  if (found === null && !name.includes('\uFFFD')) return null;
  if (found === null) return unreadEntry(name, { key: 'exchange.inbox_name' }, '', 0, left);
  const kind = kindOf(found);
  if (kind !== null) {
    const identity = `${found.ino} ${found.birthtimeNs}`;
    return unreadEntry(name, { key: 'exchange.inbox_no_file', kind }, identity, Number(found.mtimeMs), left);
  }
  // A change of its mode may make an unreadable file readable, and changes its ctime only.
  const key = `${found.ino} ${found.ctimeNs}`;
  if (left.get(name) === key) return null;
  const leave = async () => void left.set(name, key);
  let isReadable = true;
  // Another process may have taken the file since the listing, and the gateway may be writing a new one with its name.
  const isAsListed = async (): Promise<boolean> => {
    const current = await lstat(file, { bigint: true }).catch(nullIfGone);
    return current?.ino === found.ino && current.size === found.size && current.mtimeNs === found.mtimeNs;
  };
  return {
    name,
    at: Number(found.mtimeMs),
    bytes: Number(found.size),
    state: `${found.size} ${found.mtimeNs}`,
    async read(): Promise<InboxReading | null> {
      try {
        const document = await readFile(file);
        return (await isAsListed()) ? { document, error: null } : null;
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT') return null;
        isReadable = false;
        return { document: null, error: { key: 'exchange.inbox_unreadable', reason: code ?? message } };
      }
    },
    fingerprint: (document) =>
      `${name} ${found.mtimeNs} ${document === null ? found.size : hash('sha256', document)}`,
    async finish() {
      if (!isReadable) return leave();
      if (await isAsListed()) await rename(file, path.join(folder, DONE_FOLDER, name)).catch(nullIfGone);
    },
  };
}

/** An entry that is not read, stays in the inbox, and is reported once. */
function unreadEntry(
  name: string,
  error: Message,
  identity: string,
  at: number,
  left: Map<string, string>,
): Entry | null {
  const key = `${formatMessage(error, 'en')} ${identity}`;
  if (left.get(name) === key) return null;
  return {
    ...{ name, at, bytes: 0, state: key },
    read: async () => ({ document: null, error }),
    fingerprint: () => `${name} ${key}`,
    finish: async () => void left.set(name, key),
  };
}

/** Null for a plain file. */
function kindOf(found: BigIntStats): Message | null {
  if (found.isFile()) return null;
  if (found.isDirectory()) return { key: 'exchange.folder' };
  if (found.isSymbolicLink()) return { key: 'exchange.link' };
  if (found.isSocket()) return { key: 'exchange.socket' };
  return { key: found.isFIFO() ? 'exchange.pipe' : 'exchange.device' };
}

/** Several processes read the same folder, so a file that another process has moved is not an error. */
function nullIfGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
