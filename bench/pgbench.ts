/** Measures the product's own statements under pgbench: the throughput of the database alone, with a cheap client. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import pg from 'pg';
import { findContract } from '../server/src/contracts/store.ts';
import type { Viewer } from '../server/src/platform/auth/viewer.ts';
import { readerConfig } from '../server/src/platform/db/connection.ts';
import type { Db } from '../server/src/platform/db/database.ts';
import { deliveryRange } from '../server/src/platform/http/time-filter.ts';
import { listTransactions } from '../server/src/transactions/store.ts';
import { captured, type Query } from './captured.ts';
import { familyCpuSeconds, hasCpuTimes } from './cpu.ts';
import { findProgram } from './programs.ts';
import { contractPages, dayPages, singleContracts } from './targets.ts';
import type { BenchWorld } from './world.ts';

type PgbenchMeasure = {
  readonly transactionsPerSecond: number;
  /** Microseconds of Postgres's CPU time. Null on systems without CPU times. */
  readonly databaseUs: number | null;
  readonly latencyMs: number;
};

export type PgbenchResults = {
  /** By request. */
  readonly measures: Readonly<Record<string, PgbenchMeasure>>;
  /** Why other requests are missing; null if none is. */
  readonly notMeasured: string | null;
};

/** The number of connections that the product reads on. */
const CLIENTS = 2;
/** Number of different values. Each is a separate statement for pgbench, prepared once. */
const VARIETY = 20;
const PAGE = 100;
const START_PATIENCE_MS = 10_000;
const run = promisify(execFile);

const everything = { status: null, senderEic: null, receiverEic: null, slotFrom: 1, slotTo: 100 };

/** The statement of a request. The requests are those of the other scenarios. */
function queriesOf(world: BenchWorld): Record<string, Promise<Query>[]> {
  const of = (
    targets: readonly { path: string; headers: Readonly<Record<string, string>> }[],
    use: (db: Db, viewer: Viewer, address: URL) => Promise<unknown>,
  ) =>
    targets.slice(0, VARIETY).map(({ path: requested, headers }) => {
      const viewer = { kind: 'brp', brpNo: Number(headers['x-brp-no']) } as const;
      return captured((db) => use(db, viewer, new URL(requested, 'http://bench')));
    });
  const contractOf = ({ pathname }: URL) => decodeId(ID_PREFIX.contract, pathname.split('/')[3] ?? '')!;
  return {
    'contract’s transactions': of(contractPages(world), (db, viewer, address) => {
      const filter = { ...everything, contractId: contractOf(address), delivery: deliveryRange({}) };
      return listTransactions(db, viewer, filter, null, PAGE + 1);
    }),
    'day’s transactions': of(dayPages(world), (db, viewer, { searchParams }) => {
      const day = searchParams.get('delivery_date') ?? undefined;
      const filter = { ...everything, contractId: null, delivery: deliveryRange({ delivery_date: day }) };
      return listTransactions(db, viewer, filter, null, PAGE + 1);
    }),
    'single contract': of(singleContracts(world), (db, viewer, address) =>
      findContract(db, viewer, contractOf(address)),
    ),
  };
}

/** A script with the values as variables, which pgbench sends as parameters. It does not support nulls. */
function scriptOf({ statement, values }: Query, at: number): { text: string; variables: string[] } {
  const nameOf = (place: number) => `value_${at}_${place}`;
  const text = statement.text.replaceAll(/\$(\d+)/g, (_, digits: string) => {
    const place = Number(digits);
    return values[place - 1] === null ? 'null' : `:${nameOf(place)}`;
  });
  const variables = values.flatMap((value, index) => {
    if (value === null) return [];
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new Error(`a value of type ${typeof value} cannot be given to pgbench`);
    return ['-D', `${nameOf(index + 1)}=${value}`];
  });
  return { text: `${text};\n`, variables };
}

function environmentOf(url: string): NodeJS.ProcessEnv {
  const { host, port, user, password, database } = new pg.Client(url);
  return {
    PATH: process.env['PATH'],
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    // Always set, because pgbench would prompt for it otherwise.
    PGPASSWORD: typeof password === 'string' ? password : '',
    PGDATABASE: database,
    PGOPTIONS: readerConfig(url).options,
  };
}

function numberIn(output: string, pattern: RegExp): number {
  const found = pattern.exec(output)?.[1];
  if (found === undefined) throw new Error(`pgbench printed an unexpected result:\n${output}`);
  return Number(found);
}

type Pgbench = (scripts: readonly string[], variables: readonly string[]) => Promise<string>;

async function measureOne(
  queries: readonly Query[],
  postmaster: number,
  pgbench: Pgbench,
): Promise<PgbenchMeasure> {
  const scripts = queries.map(scriptOf);
  const before = familyCpuSeconds(postmaster);
  const output = await pgbench(
    scripts.map(({ text }) => text),
    scripts.flatMap(({ variables }) => variables),
  );
  const usedSeconds = familyCpuSeconds(postmaster) - before;
  const done = numberIn(output, /transactions actually processed: (\d+)/);
  return {
    transactionsPerSecond: numberIn(output, /tps = ([\d.]+)/),
    databaseUs: hasCpuTimes ? (usedSeconds * 1e6) / done : null,
    latencyMs: numberIn(output, /latency average = ([\d.]+)/),
  };
}

export async function measurePgbench(
  world: BenchWorld,
  folder: string,
  postmaster: number,
  milliseconds: number,
  say: (message: string) => void,
): Promise<PgbenchResults> {
  const program = findProgram('pgbench');
  const measures: Record<string, PgbenchMeasure> = {};
  if (program === null) return { measures, notMeasured: 'no pgbench' };
  await mkdir(folder, { recursive: true });
  const seconds = String(Math.max(1, Math.round(milliseconds / 1000)));
  const pgbench: Pgbench = async (scripts, variables) => {
    const files = scripts.map((_, at) => path.join(folder, `script-${at}.sql`));
    for (const [at, file] of files.entries()) await writeFile(file, scripts[at]!);
    const rules = ['-n', '-M', 'prepared', '-c', String(CLIENTS), '-j', '1', '-T', seconds];
    const env = environmentOf(world.url);
    const asked = [...rules, ...files.flatMap((file) => ['-f', file]), ...variables];
    return (await run(program, asked, { env, timeout: milliseconds + START_PATIENCE_MS })).stdout;
  };
  for (const [request, queries] of Object.entries(queriesOf(world))) {
    try {
      measures[request] = await measureOne(await Promise.all(queries), postmaster, pgbench);
    } catch (error) {
      // One of another age or make must not end a run that does not need it.
      const [, why = 'it failed'] = /error: (.*)/.exec((error as { stderr?: string }).stderr ?? '') ?? [];
      say(`${request} is not measured: ${why}`);
      return { measures, notMeasured: why };
    }
    const { transactionsPerSecond, databaseUs } = measures[request];
    const rate = Math.round(transactionsPerSecond).toLocaleString('en');
    say(`${request}: ${rate} a second, ${databaseUs?.toFixed(0) ?? '?'} µs in the database`);
  }
  return { measures, notMeasured: null };
}
