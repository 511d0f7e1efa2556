/** `npm run faults`: injects faults into the running product and compares its data with its acknowledgements. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Campaign, ViolationFound } from './campaign.ts';
import { log, startedAt } from './progress.ts';
import { type Report, rowsOf, tableOf } from './report.ts';
import type { Mode } from './target.ts';

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
  --folder <folder>  where journal and data are; it is kept. With the folder of an earlier run the campaign compares
                     first and then continues; the table counts both runs. (default: a new folder in the temporary
                     one, which is removed when nothing failed)
  --save             also writes the report to server/faults/results/campaign.json
  --help

Exit code 0: no failure. 1: the data differ from the journal (stops at once, prints the evidence), or the server ended
by itself, did not answer, or broke connections (counted, the campaign goes on). The folder is kept then; its disks are
small tmpfs mounts, so unmount them (umount <folder>/*/*disk) before you remove it.
`;

const MAX_MINUTES = 240;
/** Time beyond its minutes that a campaign may need to wait, compare and stop. */
const GRACE_MS = 10 * 60_000;
const RESULTS = fileURLToPath(new URL('results', import.meta.url));

function readOptions() {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: String(startedAt % 1_000_000) },
      mode: { type: 'string', default: 'both' },
      folder: { type: 'string' },
      save: { type: 'boolean', default: false },
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
  const folder = path.resolve(values.folder ?? path.join(tmpdir(), `saldo-faults-${startedAt}`));
  const isTemporary = values.folder === undefined;
  return { minutes, seed, modes, folder, isTemporary, save: values.save, wantsHelp: values.help };
}

/** Runs one mode. Returns the failures of this run and of the earlier runs that it continues. */
async function runMode(mode: Mode, folder: string, seed: number, minutes: number) {
  log(`${mode}: starting in ${folder}`);
  const campaign = await Campaign.open(mode, folder, seed, log);
  const { history } = campaign.journal;
  const failures: string[] = [];
  try {
    await campaign.run(Date.now() + minutes * 60_000);
    const code = await campaign.target.stop();
    if (code !== 0) failures.push(`After the last SIGTERM the server ended with ${code}`);
  } catch (error) {
    await campaign.target.kill();
    if (!(error instanceof ViolationFound)) throw error;
    failures.push(error.message);
  }
  failures.push(
    ...history.faults.flatMap(({ kind, failures: of }) => of.map((text) => `${mode}, ${kind}: ${text}`)),
  );
  failures.push(
    ...history.faults.flatMap((one) => (one.serverEnded > 0 ? [`${mode}, ${one.kind}: server ended`] : [])),
  );
  return { history, failures, disks: [campaign.target.disk, campaign.target.logDisk] };
}

async function main(): Promise<number> {
  const { minutes, seed, modes, folder, isTemporary, save, wantsHelp } = readOptions();
  if (wantsHelp) {
    process.stdout.write(HELP);
    return 0;
  }
  setTimeout(
    () => {
      log(`The campaign does not end; its data are in ${folder}.`);
      process.exit(1);
    },
    minutes * 60_000 + GRACE_MS,
  ).unref();
  log(`Seed ${seed}, ${minutes} minutes, ${modes.join(' and ')}.`);
  const runs = [];
  for (const mode of modes)
    runs.push(await runMode(mode, path.join(folder, mode), seed, minutes / modes.length));

  const results = runs.flatMap(({ history }) => history.faults);
  const files = runs.flatMap(({ history }) => [...history.files.values()]);
  const report: Report = {
    started_at: new Date(startedAt).toISOString(),
    seed,
    faults: results.length,
    rows: rowsOf(results),
    repeated_files: files.reduce((sum, { times }) => sum + times - 1, 0),
    writes: runs.reduce((sum, { history }) => sum + history.writes.length, 0),
    failures: runs.flatMap(({ failures }) => failures),
  };
  const text = `${JSON.stringify(report, null, 2)}\n`;
  await writeFile(path.join(folder, 'report.json'), text);
  if (save) {
    await mkdir(RESULTS, { recursive: true });
    await writeFile(path.join(RESULTS, 'campaign.json'), text);
  }
  const { failures } = report;
  process.stdout.write(`\n${tableOf(report.rows)}\n\n`);
  log(`${report.faults} faults, ${report.writes} writes, ${report.repeated_files} files handed over again.`);
  log(`${failures.length} failures.`);
  if (failures.length === 0 && isTemporary) {
    for (const disk of runs.flatMap(({ disks }) => disks)) await disk.unmount();
    await rm(folder, { recursive: true });
  } else log(`Journal, data and report are kept in ${folder}.`);
  return failures.length === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
