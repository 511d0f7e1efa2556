import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { chooseAccount } from '@saldo/postgres/cluster.ts';
import { SALDO } from '../src/platform/db/embedded.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

/** The program of the variable PGBOUNCER, else Debian's. */
const PROGRAM = process.env['PGBOUNCER'] ?? '/usr/sbin/pgbouncer';

function versionOf(program: string): number | null {
  if (!existsSync(program)) return null;
  const [, minor] = /PgBouncer 1\.(\d+)/.exec(execFileSync(program, ['--version']).toString()) ?? [];
  return minor === undefined ? null : Number(minor);
}

const MINOR_VERSION = versionOf(PROGRAM);
const FIRST_WITH_STATEMENTS = 21;

/** Why tests with a PgBouncer of any version are skipped; false where one is installed. */
export const withoutPgbouncer =
  MINOR_VERSION === null && `${PROGRAM} is not installed (Debian: apt-get install pgbouncer)`;

/** Why tests with one that tracks prepared statements are skipped. */
export const withoutNewPgbouncer =
  withoutPgbouncer ||
  (MINOR_VERSION! < FIRST_WITH_STATEMENTS &&
    `${PROGRAM} is 1.${MINOR_VERSION}, without prepared statements (set PGBOUNCER to 1.21 or newer)`);

export const tracksStatements = MINOR_VERSION !== null && MINOR_VERSION >= FIRST_WITH_STATEMENTS;

export type Pgbouncer = { readonly url: string };

/** A pooler in transaction mode in front of a server that trusts its users. */
export async function startPgbouncer(
  server: { readonly address: string },
  settings: Record<string, string | number> = {},
): Promise<Pgbouncer> {
  const folder = await temporaryFolder();
  const account = await chooseAccount(SALDO, folder);
  const port = await freePort();
  const [host, serverPort] = server.address.split(':');
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: path.join(folder, 'users'),
    pool_mode: 'transaction',
    default_pool_size: 4,
    max_client_conn: 500,
    ...(tracksStatements ? { max_prepared_statements: 200 } : {}),
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const file = path.join(folder, 'pgbouncer.ini');
  await writeFile(path.join(folder, 'users'), '"saldo" ""\n');
  await writeFile(
    file,
    `[databases]\n* = host=${host} port=${serverPort}\n[pgbouncer]\n${lines.join('\n')}\n`,
  );
  if (account !== undefined) {
    for (const entry of [folder, file, all.auth_file]) await chown(entry, account.uid, account.gid);
  }
  const child = spawn(PROGRAM, [file], { ...account, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  atEnd(async () => {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGKILL')) await ended;
  });
  await until(() => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${log}`);
    return canConnect(port);
  });
  return { url: `postgres://saldo@127.0.0.1:${port}/postgres` };
}

const canConnect = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
