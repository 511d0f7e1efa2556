import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { freePort } from './ports.ts';

const SSHD = '/usr/sbin/sshd';

/** Why tests with a real OpenSSH server are skipped; false where one is installed. */
export const withoutSshd = existsSync(SSHD)
  ? false
  : `${SSHD} is not installed (Debian: apt-get install openssh-server)`;

/** OpenSSH cannot read all keys that `ssh2` makes, so its own program makes them. */
async function newKey(folder: string, name: string): Promise<{ private: string; public: string }> {
  const file = path.join(folder, name);
  await promisify(execFile)('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file]);
  const [privateKey, publicKey] = [await readFile(file, 'utf8'), await readFile(`${file}.pub`, 'utf8')];
  return { private: privateKey, public: publicKey.trim() };
}

/** An OpenSSH server in its own process, with an outbox and an inbox. */
export type Sshd = {
  readonly outbox: string;
  readonly inbox: string;
  /** EXCHANGE_TRANSPORTS for this server; `changed` replaces parts of the address. */
  address(changed?: { keyFile?: string; passwordFile?: string }): string;
  readonly knownHosts: string;
  readonly hostKey: string;
  readonly port: number;
  start(): Promise<void>;
  /** Kills the server and every connection to it. */
  kill(): Promise<void>;
  /** Stops or continues the server and every connection, so that it gives no answer. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /** Writes a file below the server's folder. */
  file(name: string, content: string): Promise<string>;
};

/** sshd as root would need a folder of the system, so it runs as nobody then. */
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
const user = isRoot ? 'nobody' : userInfo().username;

/** Starts a server that accepts only its own key. It ends with the test file. */
export async function startSshd(): Promise<Sshd> {
  const folder = await temporaryFolder();
  const [outbox, inbox] = [path.join(folder, 'outbox'), path.join(folder, 'inbox')];
  const own = async (file: string) => isRoot && (await chown(file, NOBODY, NOBODY));
  const write = async (name: string, content: string) => {
    const file = path.join(folder, name);
    await writeFile(file, content, { mode: 0o600 });
    await own(file);
    return file;
  };
  await chmod(folder, 0o755);
  for (const dir of [outbox, inbox]) {
    await mkdir(dir);
    await own(dir);
  }
  const [host, client] = [await newKey(folder, 'new-host'), await newKey(folder, 'new-client')];
  const port = await freePort();
  const keyFile = path.join(folder, 'client-key');
  await writeFile(keyFile, client.private, { mode: 0o600 });
  const config = await write(
    'sshd_config',
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${await write('host-key', host.private)}`,
      `AuthorizedKeysFile ${await write('authorized-keys', `${client.public}\n`)}`,
      'PidFile none',
      'StrictModes no',
      'PasswordAuthentication yes',
      'KbdInteractiveAuthentication no',
      // Without PAM, sshd refuses accounts that have no password.
      'UsePAM yes',
      'Subsystem sftp internal-sftp',
      'ForceCommand internal-sftp',
      '',
    ].join('\n'),
  );
  const knownHosts = await write('known-hosts', `[127.0.0.1]:${port} ${host.public}\n`);
  let child: ChildProcess | null = null;

  const everyProcess = async () => (child?.pid === undefined ? [] : descendants(child.pid));
  async function kill(): Promise<void> {
    const pids = await everyProcess();
    const exited = child?.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
    for (const pid of pids) killIfAlive(pid, 'SIGKILL');
    await exited;
    child = null;
  }
  async function start(): Promise<void> {
    const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    const started = spawn(SSHD, ['-D', '-e', '-f', config], {
      stdio: ['ignore', 'ignore', 'pipe'],
      ...identity,
    });
    child = started;
    let log = '';
    started.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    while (!(await isListening(port))) {
      if (started.exitCode !== null) throw new Error(`sshd ended: ${log}`);
      await delay(20);
    }
  }
  atEnd(kill);
  await start();
  return {
    outbox,
    inbox,
    port,
    knownHosts,
    hostKey: host.public,
    start,
    kill,
    file: write,
    address: (changed = {}) => {
      const secret =
        changed.passwordFile === undefined
          ? `key_file=${changed.keyFile ?? keyFile}`
          : `password_file=${changed.passwordFile}`;
      return `sftp://${user}@127.0.0.1:${port}${outbox}?inbox=${inbox}&${secret}`;
    },
    async signal(signal) {
      for (const pid of await everyProcess()) killIfAlive(pid, signal);
    },
  };
}

/** The process and its descendants, which are the connections. */
async function descendants(root: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  const found = [root];
  for (const pid of found) found.push(...rows.flatMap(([child, parent]) => (parent === pid ? [child] : [])));
  return found;
}

/** A process of the list may have ended by itself meanwhile. */
function killIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
