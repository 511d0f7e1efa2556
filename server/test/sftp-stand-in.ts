import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import ssh2, { type SFTPWrapper } from 'ssh2';
import { generateSshKey } from './ssh-key.ts';

const { STATUS_CODE } = ssh2.utils.sftp;

export type StandIn = {
  readonly port: number;
  readonly hostKey: string;
  /** Files by their path. */
  readonly files: Map<string, Buffer>;
  /** Faults of the server, which a test sets. */
  readonly faults: Faults;
};

type Faults = {
  /** Accepts bytes without storing them. */
  isFull: boolean;
  /** A gateway takes each file as soon as it has its final name. */
  isTakenAtOnce: boolean;
  /** Ends the SFTP channel instead of listing a folder, while the SSH connection stays open. */
  isEnding: boolean;
};

/**
 * An SFTP server in memory with password sign-in. Unlike OpenSSH it has no extensions of the protocol, reports no modes,
 * and refuses to rename onto an existing file, as the protocol's standard demands.
 */
export async function startStandIn(user: string, password: string): Promise<StandIn> {
  const host = generateSshKey();
  const files = new Map<string, Buffer>();
  const faults = { isFull: false, isTakenAtOnce: false, isEnding: false };
  const server = new ssh2.Server({ hostKeys: [host.private] }, (client) => {
    client.on('error', () => {});
    client.on('authentication', (attempt) => {
      const isRight =
        attempt.method === 'password' && attempt.username === user && attempt.password === password;
      if (isRight) attempt.accept();
      else attempt.reject(['password']);
    });
    client.on('session', (accept) => {
      accept().on('sftp', (acceptSftp) => serve(acceptSftp(), files, faults));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return { port: (server.address() as AddressInfo).port, hostKey: host.public, files, faults };
}

function serve(sftp: SFTPWrapper, files: Map<string, Buffer>, faults: Faults): void {
  /** Open files and folders by the number in their handle. */
  const opened: { file: string; isListed: boolean }[] = [];
  const open = (file: string) => Buffer.from([opened.push({ file, isListed: false }) - 1]);
  const find = (handle: Buffer) => opened[handle[0] ?? -1] ?? { file: '', isListed: true };
  const attributes = (file: string) => ({ size: files.get(file)?.length ?? 0, mtime: 1, atime: 1 }) as never;
  const ok = (id: number) => sftp.status(id, STATUS_CODE.OK);
  const stat = (id: number, file: string) => {
    if (files.has(file)) sftp.attrs(id, attributes(file));
    else sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
  };
  sftp.on('OPEN', (id, file, flags) => {
    if (flags & ssh2.utils.sftp.OPEN_MODE.TRUNC) files.set(file, Buffer.alloc(0));
    if (files.has(file)) sftp.handle(id, open(file));
    else sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
  });
  sftp.on('WRITE', (id, handle, offset, data) => {
    const { file } = find(handle);
    if (faults.isFull) return ok(id);
    files.set(file, Buffer.concat([files.get(file)?.subarray(0, offset) ?? Buffer.alloc(0), data]));
    ok(id);
  });
  sftp.on('READ', (id, handle, offset, length) => {
    const data = files.get(find(handle).file)?.subarray(offset, offset + length);
    if (data?.length) sftp.data(id, data);
    else sftp.status(id, STATUS_CODE.EOF);
  });
  sftp.on('CLOSE', (id) => ok(id));
  sftp.on('STAT', stat);
  sftp.on('FSTAT', (id, handle) => stat(id, find(handle).file));
  sftp.on('REMOVE', (id, file) => (files.delete(file) ? ok(id) : sftp.status(id, STATUS_CODE.NO_SUCH_FILE)));
  sftp.on('RENAME', (id, from, to) => {
    const document = files.get(from);
    if (document === undefined || files.has(to)) return sftp.status(id, STATUS_CODE.FAILURE);
    if (!faults.isTakenAtOnce) files.set(to, document);
    files.delete(from);
    ok(id);
  });
  sftp.on('OPENDIR', (id, folder) => sftp.handle(id, open(folder)));
  sftp.on('READDIR', (id, handle) => {
    if (faults.isEnding) return sftp.end();
    const folder = find(handle);
    if (folder.isListed) return sftp.status(id, STATUS_CODE.EOF);
    folder.isListed = true;
    const inside = [...files.keys()].filter((file) => file.startsWith(`${folder.file}/`));
    const named = inside.map((file) => {
      const filename = file.slice(folder.file.length + 1);
      return { filename, longname: filename, attrs: attributes(file) };
    });
    sftp.name(id, named);
  });
}
