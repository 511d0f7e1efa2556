/**
 * A PostgreSQL for `DATABASE_URL`, owned by the campaign: the embedded programs, started with pg_ctl on a TCP port. The
 * server knows only its address.
 */
import { randomUUID } from 'node:crypto';
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { chooseAccount } from '@saldo/postgres/cluster.ts';
import { failure, findPrograms, type Host, runOn } from '@saldo/postgres/programs.ts';
import { SALDO } from '../src/platform/db/embedded.ts';
import { freePort } from '../test/ports.ts';

const START_WITHIN_S = 60;
const SETTINGS = {
  shared_buffers: '64MB',
  min_wal_size: '64MB',
  max_wal_size: '256MB',
  log_checkpoints: 'off',
  unix_socket_directories: '',
};

export type ExternalPostgres = {
  readonly url: string;
  readonly data: string;
  /** Fails while child processes of a killed postmaster still hold its shared memory. */
  start(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
};

export async function openExternalPostgres(folder: string): Promise<ExternalPostgres> {
  await mkdir(folder, { recursive: true });
  // Use the same operating system account and subfolder (`postgres`) as the embedded database.
  const account = await chooseAccount(SALDO, folder);
  const programs = await findPrograms(SALDO, account, folder);
  const host: Host = { application: SALDO, account, programs, log: () => {} };
  const data = path.join(folder, 'postgres', 'data');
  const password = randomUUID();
  await createCluster(folder, data, password, host);
  const port = await freePort();

  const control = async (command: string, options: readonly string[]) => {
    const run = runOn(data, host, 'pg_ctl', [command, '-w', '-t', String(START_WITHIN_S), ...options]);
    await run.ended;
    if (run.child.exitCode !== 0) throw failure(`pg_ctl ${command} failed`, run);
  };
  const settings = Object.entries({ ...SETTINGS, listen_addresses: '127.0.0.1', port });
  const start = () =>
    control('start', [
      '-l',
      'server.log',
      '-o',
      settings.map(([name, value]) => `-c ${name}='${value}'`).join(' '),
    ]);
  await start();
  return {
    url: `postgres://saldo:${password}@127.0.0.1:${port}/postgres?sslmode=disable`,
    data,
    start,
    restart: () => control('restart', ['-m', 'fast', '-l', 'server.log']),
    stop: () => control('stop', ['-m', 'fast']),
  };
}

async function createCluster(folder: string, data: string, password: string, host: Host): Promise<void> {
  await mkdir(data, { recursive: true, mode: 0o700 });
  const passwordFile = path.join(folder, 'postgres', 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (host.account !== undefined) {
    const { uid, gid } = host.account;
    for (const entry of [path.dirname(data), data, passwordFile]) await chown(entry, uid, gid);
  }
  await chmod(data, 0o700);
  const options = ['--username=saldo', '--pwfile=../password', '--auth=scram-sha-256', '--encoding=UTF8'];
  const initdb = runOn(data, host, 'initdb', [...options, '--locale=C', '--no-instructions']);
  await initdb.ended;
  if (initdb.child.exitCode !== 0) throw failure('The cluster could not be created', initdb);
}
