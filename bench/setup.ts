/** What a benchmark and a soak start, and the folder and the pages that they write. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '@saldo/postgres/embedded.ts';
import { SALDO } from '../server/src/platform/db/embedded.ts';
import { stolenCpuSeconds } from './cpu.ts';
import { Databases } from './databases.ts';
import { Processes } from './servers.ts';

/** Emptied before and after; only the pictures of the last run stay. */
export const FOLDER = fileURLToPath(new URL('./data', import.meta.url));
/** The pictures that README.md shows. */
export const IMAGES = fileURLToPath(new URL('./images', import.meta.url));
const README = new URL('./README.md', import.meta.url);

const startedAt = performance.now();
const stolenBefore = stolenCpuSeconds();
export const log = (message: string) => {
  const seconds = (performance.now() - startedAt) / 1000;
  process.stdout.write(`${seconds.toFixed(1).padStart(7)} s  ${message}\n`);
};

const REFERENCE_JSON = JSON.stringify(
  Array.from({ length: 20_000 }, (_, at) => ({ at, volume: (at * 7919) % 100_000 })),
);
const referenceMs: number[] = [];
/** Times the same computation before each scenario: virtual machines change their speed within minutes. */
export function noteSpeed(): void {
  const before = performance.now();
  for (let time = 0; time < 20; time++) JSON.parse(REFERENCE_JSON);
  referenceMs.push(performance.now() - before);
}

type Setup = {
  readonly databases: Databases;
  readonly processes: Processes;
  readonly postmaster: number;
  readonly version: string;
};

export async function withPostgres<T>(work: (setup: Setup) => Promise<T>): Promise<T> {
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  await emptyFolder();
  const processes = new Processes(FOLDER);
  const dataDir = path.join(FOLDER, 'database');
  const embedded = await startEmbeddedPostgres({ application: SALDO, dataDir, say: log });
  try {
    const databases = new Databases(embedded.url);
    return await work({ databases, processes, ...(await databases.facts()) });
  } finally {
    await processes.stop();
    await embedded.stop();
    await emptyFolder();
  }
}

async function emptyFolder(): Promise<void> {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
}

export function machineText(kind: string, postgres: string): string {
  const [date, cpu] = [new Date().toISOString().slice(0, 10), os.cpus()[0]?.model.trim() || 'unknown'];
  const memory = Math.round(os.totalmem() / 2 ** 30);
  const cpuSeconds = ((performance.now() - startedAt) / 1000) * os.availableParallelism();
  const stolen = (stolenCpuSeconds() - stolenBefore) / cpuSeconds;
  return (
    `${date}, ${kind}, ${cpu}, ${os.availableParallelism()} cores, ${memory} GB, ` +
    `${os.type()} ${os.release()} ${os.arch()}, Node ${process.version}, Postgres ${postgres}; ` +
    `the host took ${(stolen * 100).toFixed(1)} % of the processor time${speedText()}.`
  );
}

function speedText(): string {
  if (referenceMs.length === 0) return '';
  const [least, most] = [Math.min(...referenceMs), Math.max(...referenceMs)].map(Math.round);
  return `, and the same computation took ${least} to ${most} ms before the scenarios`;
}

/** Replaces a part of README.md between its two comments. */
export async function savePart(name: string, text: string): Promise<void> {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const page = await readFile(README, 'utf8');
  const [before, rest = ''] = page.split(begin, 2);
  const [, after] = rest.split(end, 2);
  if (after === undefined) throw new Error(`README.md has no ${begin} … ${end}`);
  const changed = `${before}${begin}\n\n${text}\n\n${end}${after}`;
  if (changed !== page) await writeFile(README, changed);
}

export async function savePicture(folder: string, name: string, svg: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, name), svg);
}
