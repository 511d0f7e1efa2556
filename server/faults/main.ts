/** `npm run faults`: injects faults into the running product and compares its data with its acknowledgements. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { failuresOf, isFatal, logResult, nextFault, runFault } from './fault-run.ts';
import { possibleFaults } from './faults.ts';
import { Journal } from './journal.ts';
import { log, startedAt } from './progress.ts';
import { type FaultResult, summaryOf, tableOf } from './report.ts';
import { type Mode, Target } from './target.ts';
import { Workload } from './workload.ts';
import { createWorld } from './world.ts';

const HELP = `Usage: npm run faults -- [options]

Starts the real server, lets clients write over HTTP, and injects faults: kill -9 of the server, the postmaster, one
backend or everything; pg_terminate_backend; SIGSTOP of Postgres; a restart of Postgres; a full disk, of the database
or of the log; requests that are sent slowly; SIGTERM. After each fault it waits until writes are acknowledged again and
compares all data with the journal of acknowledged writes. It runs first on the embedded database, then on a PostgreSQL of its own behind
DATABASE_URL. Needs Linux; a full disk needs root, for a small tmpfs, and is left out otherwise.

Options:
  --minutes <n>      how long faults are injected, both modes together (default 10, at most 240)
  --seed <n>         decides the order of faults and what clients write (default: by the clock)
  --mode <mode>      embedded, external or both (default both)
  --help

Exit code 0: no failure. 1: the data differ from the journal (stops at once, prints the evidence), or the server ended
by itself, did not answer, or broke connections (counted, the campaign goes on). Journal and data are kept then in a
temporary folder; its disks are small tmpfs mounts, so unmount them (umount <folder>/*/*disk) before you remove it.
`;

const MAX_MINUTES = 240;
/** Time beyond its minutes that a campaign may need to wait, compare and stop. */
const GRACE_MS = 10 * 60_000;
const OPERATOR_KEY = 'operator-key-of-the-fault-campaign';

function readOptions() {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: String(startedAt % 1_000_000) },
      mode: { type: 'string', default: 'both' },
      help: { type: 'boolean', default: false },
    },
  });
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  if (!(minutes > 0 && minutes <= MAX_MINUTES))
    throw new Error(`--minutes must be from 0 to ${MAX_MINUTES}.`);
  if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number.');
  const modes: Mode[] = values.mode === 'both' ? ['embedded', 'external'] : [values.mode as Mode];
  if (!modes.every((mode) => mode === 'embedded' || mode === 'external')) {
    throw new Error('--mode must be embedded, external or both.');
  }
  return { minutes, seed, modes, wantsHelp: values.help };
}

/** Injects faults in one mode until the time is up or a comparison fails. */
async function runMode(mode: Mode, folder: string, seed: number, minutes: number) {
  await mkdir(folder, { mode: 0o700 });
  const journal = new Journal(path.join(folder, 'journal.ndjson'));
  const target = await Target.open(mode, folder, OPERATOR_KEY, log);
  await target.start();
  const world = await createWorld(target.baseUrl, OPERATOR_KEY);
  const workload = new Workload(target, world, journal, seed, log);
  const faults = possibleFaults(target, workload.random);
  const results: FaultResult[] = [];
  const failures: string[] = [];
  const endsAt = Date.now() + minutes * 60_000;
  while (Date.now() < endsAt && !results.some(isFatal)) {
    const result = await runFault(target, workload, nextFault(faults, seed, results.length));
    results.push(result);
    logResult(log, results.length, result);
  }
  if (results.some(isFatal)) await target.kill();
  else {
    const code = await target.stop();
    if (code !== 0) failures.push(`After the last SIGTERM the server ended with ${code}`);
  }
  failures.push(...failuresOf(results));
  return { results, failures, journal, disks: [target.disk, target.logDisk] };
}

async function main(): Promise<number> {
  const { minutes, seed, modes, wantsHelp } = readOptions();
  if (wantsHelp) {
    process.stdout.write(HELP);
    return 0;
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'saldo-faults-'));
  setTimeout(
    () => {
      log(`The campaign does not end; its data are in ${folder}.`);
      process.exit(1);
    },
    minutes * 60_000 + GRACE_MS,
  ).unref();
  log(`Seed ${seed}, ${minutes} minutes, ${modes.join(' and ')}, in ${folder}.`);
  const runs = [];
  for (const mode of modes)
    runs.push(await runMode(mode, path.join(folder, mode), seed, minutes / modes.length));

  process.stdout.write(`\n${tableOf(runs.flatMap(({ results }) => results))}\n\n`);
  for (const { results, journal } of runs) log(`${results.length} faults, ${summaryOf(journal.history)}`);
  const failures = runs.flatMap((run) => run.failures);
  log(`${failures.length} failures.`);
  if (failures.length === 0) {
    for (const disk of runs.flatMap(({ disks }) => disks)) await disk.unmount();
    await rm(folder, { recursive: true });
  } else log(`Journal and data are kept in ${folder}.`);
  return failures.length === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
