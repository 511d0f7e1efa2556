/** The programs of the recipe in deploy/ha, as Debian installs them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

const PROGRAMS = {
  patroni: { files: ['/usr/bin/patroni'], package: 'patroni' },
  etcd: { files: ['/usr/bin/etcd'], package: 'etcd-server' },
  haproxy: { files: ['/usr/sbin/haproxy'], package: 'haproxy' },
  redis: { files: ['/usr/bin/redis-server'], package: 'redis-server' },
} as const;

type ProgramName = keyof typeof PROGRAMS;

export type Programs = Readonly<Record<ProgramName, string>> & {
  /** Folder of `postgres`, `initdb` and `psql`. */
  readonly postgresBin: string;
  /** The interface of etcd for this version of Patroni: see deploy/ha/patroni.yml. */
  readonly etcdApi: 'etcd' | 'etcd3';
  /** Null when no PgBouncer is installed that can be used in transaction mode. */
  readonly pgbouncer: string | null;
};

const POSTGRES = '/usr/lib/postgresql';
const OLDEST_POSTGRES = 15;
/** Patroni 3.0.3. */
const FIRST_WITH_ETCD3 = 30_003;
/** The first minor version of PgBouncer that tracks prepared statements. */
const PGBOUNCER_MINOR = 21;

/** Throws an error whose message says what is missing and how to install it. */
export function findPrograms(): Programs {
  const found = Object.entries(PROGRAMS).map(
    ([name, { files }]) => [name, files.find((file) => existsSync(file))] as const,
  );
  const postgresBin = findPostgres();
  const missing = [
    ...found.flatMap(([name, file]) => (file === undefined ? [PROGRAMS[name as ProgramName].package] : [])),
    ...(postgresBin === null ? ['postgresql'] : []),
  ];
  if (missing.length > 0) {
    throw new Error(
      `These Debian packages are missing: ${missing.join(', ')}. Install them with ` +
        `"apt-get install --yes ${missing.join(' ')}", and stop the services that they start ` +
        `("systemctl disable --now patroni etcd haproxy postgresql redis-server").`,
    );
  }
  const programs = Object.fromEntries(found) as Record<ProgramName, string>;
  return {
    ...programs,
    postgresBin: postgresBin!,
    etcdApi: etcdApiFor(programs.patroni),
    pgbouncer: findPgbouncer(),
  };
}

function findPostgres(): string | null {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES).map(Number) : [];
  const usable = versions.filter((version) => version >= OLDEST_POSTGRES).toSorted((a, b) => b - a);
  const folders = usable.map((version) => path.join(POSTGRES, String(version), 'bin'));
  return folders.find((folder) => existsSync(path.join(folder, 'postgres'))) ?? null;
}

function etcdApiFor(patroni: string): 'etcd' | 'etcd3' {
  const version = execFileSync(patroni, ['--version']).toString();
  const [major = 0, minor = 0, patch = 0] = (/\d+\.\d+\.\d+/.exec(version)?.[0] ?? '').split('.').map(Number);
  return major * 10_000 + minor * 100 + patch >= FIRST_WITH_ETCD3 ? 'etcd3' : 'etcd';
}

/** The program of the variable PGBOUNCER, else Debian's. */
function findPgbouncer(): string | null {
  const program = process.env['PGBOUNCER'] ?? '/usr/sbin/pgbouncer';
  if (!existsSync(program)) return null;
  const [, minor] = /PgBouncer 1\.(\d+)/.exec(execFileSync(program, ['--version']).toString()) ?? [];
  return Number(minor) >= PGBOUNCER_MINOR ? program : null;
}
