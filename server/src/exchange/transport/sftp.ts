import { hash } from 'node:crypto';
import path from 'node:path';
import { DONE_FOLDER, draftName, isUnfinished, sidecarName } from '@saldo/core/exchange/exchange-folders.ts';
import type { Stats } from 'ssh2';
import { restTracker } from './at-rest.ts';
import { SftpRefusal, type SftpServer, type SftpSession, sftpSession } from './sftp-session.ts';
import { type Sender, writeSidecar } from './sidecar.ts';
import {
  HandoverFailed,
  type Inbox,
  type InboxFile,
  type InboxReading,
  type RemoteTransport,
  Unreachable,
} from './transport.ts';

export type SftpSettings = SftpServer & { readonly outboxDir: string; readonly inboxDir: string };

/** Bytes per request. The timeout is per request, so that large files on slow lines are not cut off. */
const CHUNK_BYTES = 128 * 1024;

/** Exchanges files with a TSO or its gateway through two folders of an SFTP server. `now` is monotonic. */
export function sftpTransport(settings: SftpSettings, sender: Sender, now: () => number): RemoteTransport {
  const session = sftpSession(settings);
  const { outboxDir } = settings;
  return {
    inbox: sftpInbox(session, settings, now),
    close: () => session.close(),
    async deliver(message) {
      const { fileName, document } = message;
      await upload(session, outboxDir, sidecarName(fileName), writeSidecar(message, sender));
      await upload(session, outboxDir, fileName, document);
      return confirm(session, path.posix.join(outboxDir, fileName), document.length);
    },
  };
}

/** Readers never see a partial file: it is written under a temporary name, checked, then renamed. */
async function upload(session: SftpSession, folder: string, name: string, bytes: Buffer): Promise<void> {
  // A fixed name: the next attempt replaces the draft of an interrupted one.
  const draft = path.posix.join(folder, draftName(name, 'upload'));
  try {
    await write(session, draft, bytes);
    const { size } = await session.request<Stats>((sftp, done) => sftp.stat(draft, done));
    if (size !== bytes.length)
      throw new HandoverFailed({ key: 'exchange.sftp_partly_stored', count: size, bytes: bytes.length });
    await rename(session, draft, path.posix.join(folder, name));
  } catch (error) {
    if (error instanceof Unreachable || !(error instanceof HandoverFailed)) throw error;
    // Ignore a failing cleanup, so that the original error is reported.
    await remove(session, draft).catch(() => {});
    const fault = {
      key: 'exchange.sftp_not_written',
      file: `${folder}/${name}`,
      reason: error.fault,
    } as const;
    throw new HandoverFailed(fault, { cause: error });
  }
}

async function write(session: SftpSession, file: string, bytes: Buffer): Promise<void> {
  const handle = await session.request<Buffer>((sftp, done) => sftp.open(file, 'w', done));
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const length = Math.min(CHUNK_BYTES, bytes.length - at);
    await session.request((sftp, done) => sftp.write(handle, bytes, at, length, at, done));
  }
  await optional(() => session.request((sftp, done) => sftp.ext_openssh_fsync(handle, done)));
  await session.request((sftp, done) => sftp.close(handle, done));
}

/** The rename of the protocol's standard does not replace a file, which a repeated delivery has to. */
async function rename(session: SftpSession, from: string, to: string): Promise<void> {
  const isDone = await optional(() =>
    session.request((sftp, done) => sftp.ext_openssh_rename(from, to, done)),
  );
  if (isDone) return;
  await remove(session, to);
  await session.request((sftp, done) => sftp.rename(from, to, done));
}

/** Runs a request of an extension. Returns whether the server supports it. */
async function optional(request: () => Promise<unknown>): Promise<boolean> {
  try {
    await request();
    return true;
  } catch (error) {
    if (error instanceof SftpRefusal && error.isUnsupported) return false;
    throw error;
  }
}

/** A file that does not exist is removed already. */
async function remove(session: SftpSession, file: string): Promise<void> {
  try {
    await session.request((sftp, done) => sftp.unlink(file, done));
  } catch (error) {
    if (!(error instanceof SftpRefusal && error.isNoSuchFile)) throw error;
  }
}

/**
 * The size that the server reports is its receipt. Without a response, or when the gateway has taken the file already,
 * the file was sent, since its rename succeeded.
 */
async function confirm(session: SftpSession, file: string, bytes: number): Promise<'sent' | 'delivered'> {
  try {
    const { size } = await session.request<Stats>((sftp, done) => sftp.stat(file, done));
    if (size === bytes) return 'delivered';
  } catch (error) {
    if (error instanceof HandoverFailed) return 'sent';
    throw error;
  }
  throw new HandoverFailed({ key: 'exchange.sftp_size', file, bytes });
}

type Entry = InboxFile & { readonly state: string; readonly at: number };

/** A stored file is deleted on the server. Files that cannot be taken stay there and are reported once. */
function sftpInbox(session: SftpSession, settings: SftpSettings, now: () => number): Inbox {
  const atRest = restTracker(now);
  /** By name, the entries that stay in the inbox and are reported already. */
  const left = new Map<string, string>();
  return {
    async files() {
      const { inboxDir } = settings;
      const listed = await session
        .request<{ filename: string; attrs: Stats }[]>((sftp, done) => sftp.readdir(inboxDir, done))
        .catch((error: unknown) => {
          if (!(error instanceof SftpRefusal)) throw error;
          throw new HandoverFailed({
            key: 'exchange.sftp_unreadable_folder',
            folder: inboxDir,
            reason: error.fault,
          });
        });
      const named = listed.filter(({ filename: name }) => isTakenName(name));
      const names = new Set(named.map(({ filename }) => filename));
      for (const name of left.keys()) if (!names.has(name)) left.delete(name);
      const entries = named.map(({ filename, attrs }) =>
        inboxEntry(session, settings, filename, attrs, left),
      );
      const waiting = entries.filter(({ name, state }) => left.get(name) !== state);
      return atRest(waiting).toSorted((one, other) => one.at - other.at || (one.name < other.name ? -1 : 1));
    },
  };
}

/** A server must not direct us to a file outside of the inbox. */
const isTakenName = (name: string) => name !== DONE_FOLDER && !isUnfinished(name) && !name.includes('/');

function inboxEntry(
  session: SftpSession,
  { host, port, inboxDir }: SftpSettings,
  name: string,
  attributes: Stats,
  left: Map<string, string>,
): Entry {
  const { size, mtime } = attributes;
  const file = path.posix.join(inboxDir, name);
  const place = `sftp://${host}:${port}${file}`;
  // Some servers report no modes. Then the attempt to read shows what it is.
  const isPlain = attributes.mode === undefined || attributes.isFile();
  const state = isPlain ? `${size} ${mtime}` : 'no plain file';
  return {
    name,
    at: mtime,
    bytes: isPlain ? size : 0,
    state,
    read: () =>
      isPlain
        ? read(session, file, size)
        : Promise.resolve({ document: null, error: { key: 'exchange.sftp_no_file', file } }),
    fingerprint: (document) =>
      `${place} ${document === null ? state : `${mtime} ${hash('sha256', document)}`}`,
    async finish(isDocumentStored) {
      left.set(name, state);
      if (!isDocumentStored) return;
      await remove(session, file).catch((error: unknown) => {
        if (!(error instanceof SftpRefusal)) throw error;
        throw new HandoverFailed({ key: 'exchange.sftp_not_deleted', file }, { cause: error });
      });
      left.delete(name);
    },
  };
}

/** Reads exactly the size that was listed: a file that has changed since is taken when it is at rest again. */
async function read(session: SftpSession, file: string, size: number): Promise<InboxReading | null> {
  try {
    const handle = await session.request<Buffer>((sftp, done) => sftp.open(file, 'r', done));
    const document = Buffer.alloc(size);
    let at = 0;
    while (at < size) {
      const [from, length] = [at, Math.min(CHUNK_BYTES, size - at)];
      const bytes = await session.request<number>((sftp, done) =>
        sftp.read(handle, document, from, length, from, done),
      );
      if (bytes === 0) break;
      at += bytes;
    }
    const { size: sizeNow } = await session.request<Stats>((sftp, done) => sftp.fstat(handle, done));
    await session.request((sftp, done) => sftp.close(handle, done));
    return at === size && sizeNow === size ? { document, error: null } : null;
  } catch (error) {
    if (!(error instanceof SftpRefusal)) throw error;
    if (error.isNoSuchFile) return null;
    return { document: null, error: { key: 'exchange.sftp_unreadable', file, reason: error.fault } };
  }
}
