/** Measures exports of the largest BRP: a day in each format, and readers that stop reading. */
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
import { vacuum } from './databases.ts';
import { costOf, digits, type Row, valueRow } from './measure.ts';
import type { Run } from './run.ts';
import type { BenchServer } from './servers.ts';
import { askedBy } from './targets.ts';
import { type BenchBrp, createWorld, loadVolumes } from './world.ts';

const ROUNDS = 3;
/** CPU seconds are for so many transactions. */
const OF_TRANSACTIONS = 192_000;
const GOALS = {
  ndjson: { seconds: { atMost: 1 }, bytesEach: undefined },
  csv: { seconds: undefined, bytesEach: undefined },
  parquet: { seconds: { atMost: 1.5 }, bytesEach: { atMost: 3 } },
};
const MOST_ADDED_MB = 90;
const STOPPED_READERS = 50;
const MOST_STOPPED_MB = 100;
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
  await vacuum(url, 'sheet');
  const [brp, day] = [world.brps[0]!, world.days[1]!];
  const [first, last] = [world.days[0]!, world.days.at(-1)!];
  const transactions = brp.contracts.length * slotCount(day);
  const server = await processes.product('exports', url);
  const megabytes = digits(0, 'MB');
  for (const format of ['ndjson', 'csv', 'parquet'] as const) {
    const read = (from: DeliveryDay, to: DeliveryDay) =>
      receive(server.port, exportPath(format, from, to), askedBy(brp));
    // Warm up the compiler: every reader of an export is after the first.
    await read(addDays(day, 1), addDays(day, 1));
    let bytes = 0;
    const round = async () => {
      bytes = await read(day, day);
      return { units: transactions };
    };
    const sample = await bench.measure({ pid: server.pid, round }, ROUNDS);
    const what = `export as ${format}`;
    const cpuSeconds = (costOf(sample) * OF_TRANSACTIONS) / 1e6;
    const { seconds, bytesEach } = GOALS[format];
    yield valueRow(
      `${what}: CPU time of ${OF_TRANSACTIONS} transactions`,
      cpuSeconds,
      digits(2, 's'),
      seconds,
    );
    yield valueRow(`${what}: bytes of a transaction`, bytes / transactions, digits(2, 'bytes'), bytesEach);
    const added = await addedMegabytesDuring(server.pid, () => read(first, last));
    yield valueRow(`${what}: more memory for ${world.days.length} days`, added, megabytes, {
      atMost: MOST_ADDED_MB,
    });
  }
  let close = () => {};
  const stopped = await addedMegabytesDuring(server.pid, async () => {
    close = await openAndStop(server, exportPath('ndjson', first, last), world.brps);
  });
  close();
  yield valueRow(`${STOPPED_READERS} readers that stop reading: more memory`, stopped, megabytes, {
    atMost: MOST_STOPPED_MB,
  });
  await processes.end(server);
}
