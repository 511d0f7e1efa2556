/** `npm run ha-trial`: starts the recipe of deploy/ha on this machine, causes fail-overs under load, and compares. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { failuresOf } from '../fault-run.ts';
import { Journal } from '../journal.ts';
import { log, startedAt } from '../progress.ts';
import { summaryOf, tableOf } from '../report.ts';
import { Workload } from '../workload.ts';
import { createWorld } from '../world.ts';
import { Cluster } from './cluster.ts';
import { findPrograms, type Programs } from './programs.ts';
import { countFailovers, runTrial } from './trial.ts';

const HELP = `Usage: npm run ha-trial -- [options]

Starts the recipe of deploy/ha on this machine, from its own files: three database machines (etcd, Patroni, PostgreSQL),
and two application machines (HAProxy, PgBouncer, Saldo; Redis on the first), each on a loopback address of its own.
Clients write over HTTP while the trial kills primaries, suspends machines and switches over. After each fault it waits
until writes are acknowledged and all machines take part again, and compares all data with the journal of acknowledged
writes. Needs Linux and the Debian packages patroni, etcd-server, haproxy, postgresql and redis-server; PgBouncer takes
part if it is 1.21 or newer (PGBOUNCER names the program).

Options:
  --failovers <n>  how many fail-overs (default 50, at most 1000)
  --seed <n>       decides the order of faults and what clients write (default: by the clock)
  --keep           keeps the folder with journal, logs and data
  --help

Exit code 0: no failure. Otherwise the folder is kept.
`;

const OPERATOR_KEY = 'operator-key-of-the-fail-over-trial';
const MAX_FAILOVERS = 1_000;

function readOptions() {
  const { values } = parseArgs({
    options: {
      failovers: { type: 'string', default: '50' },
      seed: { type: 'string', default: String(startedAt % 1_000_000) },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const [failovers, seed] = [Number(values.failovers), Number(values.seed)];
  if (!(Number.isSafeInteger(failovers) && failovers >= 1 && failovers <= MAX_FAILOVERS))
    throw new Error(`--failovers must be a whole number from 1 to ${MAX_FAILOVERS}.`);
  if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number.');
  return { failovers, seed, keep: values.keep, wantsHelp: values.help };
}

async function run(programs: Programs, folder: string, failovers: number, seed: number): Promise<string[]> {
  if (programs.pgbouncer === null)
    log('PgBouncer is left out: no version from 1.21 on is installed. Saldo connects through HAProxy only.');
  const cluster = await Cluster.open(folder, programs, OPERATOR_KEY);
  await cluster.start();
  log('All machines run.');
  const { addresses } = cluster;
  const world = await createWorld(addresses.baseUrl, OPERATOR_KEY);
  const journal = new Journal(path.join(folder, 'journal.ndjson'));
  const workload = new Workload(addresses, world, journal, seed, log);
  try {
    const results = await runTrial(cluster, workload, { failovers, seed, log });
    const codes = await cluster.stop();
    const failures = failuresOf(results);
    const done = countFailovers(results);
    if (done < failovers) failures.push(`The trial ended after ${done} fail-overs.`);
    if (codes.some((code) => code !== 0))
      failures.push(`After SIGTERM Saldo ended with ${codes.join(', ')}.`);
    process.stdout.write(`\n${tableOf(results)}\n\n`);
    const seconds = results
      .flatMap(({ backAfterS }) => backAfterS ?? [])
      .toSorted((one, other) => one - other);
    const p50 = seconds[(seconds.length - 1) >> 1]?.toFixed(1);
    log(`${done} fail-overs; writes back after ${p50} s (median), ${seconds.at(-1)?.toFixed(1)} s (max).`);
    log(summaryOf(journal.history));
    return failures;
  } finally {
    await writeFile(path.join(folder, 'saldo.log'), cluster.logs());
  }
}

async function main(): Promise<number> {
  const { failovers, seed, keep, wantsHelp } = readOptions();
  if (wantsHelp) {
    process.stdout.write(HELP);
    return 0;
  }
  // Ends the programs of the trial, see `Cluster.start`.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => process.exit(1));
  const programs = findPrograms();
  const folder = await mkdtemp(path.join(tmpdir(), 'saldo-ha-'));
  log(`Seed ${seed}, ${failovers} fail-overs, in ${folder}.`);
  const failures = await run(programs, folder, failovers, seed).catch((error: Error) => [error.message]);
  for (const failure of failures) log(`FAILURE ${failure}`);
  log(`${failures.length} failures.`);
  if (failures.length === 0 && !keep) await rm(folder, { recursive: true });
  else log(`Journal, logs and data are kept in ${folder}.`);
  return failures.length === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
