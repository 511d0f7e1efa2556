/** Measures exports: a day of the largest BRP in each format, and readers that stop reading. */
import { request } from 'node:http';
import {
  addDays,
  type DeliveryDay,
  dayEnd,
  dayStart,
  formatInstant,
  slotCount,
} from '@saldo/core/delivery-day.ts';
import { currentMegabytes } from './cpu.ts';
import { GOALS } from './goals.ts';
import { costOf, digits, type Row, spreadOf, valueRow } from './measure.ts';
import type { Run } from './run.ts';
import type { BenchServer } from './servers.ts';
import { askedBy } from './targets.ts';
import { type BenchBrp, createWorld, loadVolumes } from './world.ts';

const ROUNDS = 5;
/** CPU seconds are for the day of a BRP with 2,000 contracts. */
const OF_TRANSACTIONS = 192_000;
const STOPPED_READERS = 50;
const SAMPLE_MS = 10;

/** Reads a response to its end, without keeping it, and returns its length. */
async function receive(port: number, path: string, headers: Record<string, string>): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}`);
  let bytes = 0;
  for await (const chunk of answer.body!) bytes += chunk.length;
  return bytes;
}

/** Samples the memory of a process while `work` runs, and returns how much more than before it had at most. */
async function addedMegabytesDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = currentMegabytes(pid);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, currentMegabytes(pid));
  }, SAMPLE_MS);
  await work().finally(() => clearInterval(timer));
  return most - before;
}

const exportPath = (format: string, first: DeliveryDay, last: DeliveryDay) =>
  `/v1/exports/transactions?format=${format}&delivery_start=${formatInstant(dayStart(first))}&delivery_end=${formatInstant(dayEnd(last))}`;

/** Opens exports and reads only their beginning. */
async function openAndStop(
  { port }: BenchServer,
  path: string,
  brps: readonly BenchBrp[],
): Promise<() => void> {
  const opened: (() => void)[] = [];
  for (let at = 0; at < STOPPED_READERS; at++) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const headers = askedBy(brps[at % brps.length]!);
    const outgoing = request({ port, host: '127.0.0.1', path, headers, agent: false }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`answered ${answer.statusCode}`));
      answer.once('readable', resolve);
      answer.on('error', () => {});
    });
    outgoing.on('error', reject).end();
    opened.push(() => outgoing.destroy());
    await promise;
  }
  return () => opened.forEach((close) => close());
}

/** Uses a separate dataset and a new server. */
export async function* measureExports({ sizes, databases, processes, bench }: Run): AsyncGenerator<Row> {
  const url = await databases.create('exports');
  const world = await createWorld(url, sizes.exports);
  await loadVolumes(world);
  const [brp, day] = [world.brps[0]!, world.days[1]!];
  const [first, last] = [world.days[0]!, world.days.at(-1)!];
  const transactions = brp.contracts.length * slotCount(day);
  const server = await processes.product('exports', url);
  const megabytes = digits(0, 'MB');
  let most = { format: '', added: 0 };
  for (const format of ['ndjson', 'csv', 'parquet'] as const) {
    const read = (of: DeliveryDay) => receive(server.port, exportPath(format, of, of), askedBy(brp));
    // Warm up the compiler: every reader of an export is after the first.
    await read(addDays(day, 1));
    let bytes = 0;
    const round = async () => {
      const work = async () => {
        bytes = await read(day);
      };
      const added = await addedMegabytesDuring(server.pid, work);
      if (added > most.added) most = { format, added };
      return { units: transactions };
    };
    const samples = await bench.measure({ pid: server.pid, round }, ROUNDS);
    const seconds = spreadOf(samples.map((sample) => (costOf(sample) * OF_TRANSACTIONS) / 1e6));
    const size = `${(bytes / transactions).toFixed(2)} bytes of a transaction`;
    const what = `a BRP’s day as ${format}: CPU time`;
    yield valueRow(what, seconds, digits(2, 's'), GOALS.exportCpuSeconds, size);
  }
  const memory = `a BRP’s day as ${most.format}: more memory, the most of all formats`;
  yield valueRow(memory, most.added, megabytes, GOALS.exportMegabytes);
  let close = () => {};
  const stopped = await addedMegabytesDuring(server.pid, async () => {
    close = await openAndStop(server, exportPath('ndjson', first, last), world.brps);
  });
  close();
  const what = `${STOPPED_READERS} readers that stop reading: more memory`;
  yield valueRow(what, stopped, megabytes, GOALS.stoppedReadersMegabytes);
  await processes.end(server);
}
