/** Measures exports of the largest BRP: a day in each format, beside the walk of its pages and beside COPY; a month. */
import { request } from 'node:http';
import {
  addDays,
  type DeliveryDay,
  dayEnd,
  dayStart,
  formatInstant,
  slotCount,
} from '@saldo/core/delivery-day.ts';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { currentMegabytes, familyCpuSeconds, hasCpuTimes } from './cpu.ts';
import { vacuum } from './databases.ts';
import { median } from './measure.ts';
import { type CheckMeasure, measureChecks } from './schedule-check.ts';
import type { BenchServer, Generator, Processes } from './servers.ts';
import { askedBy } from './targets.ts';
import { type BenchBrp, createWorld, loadVolumes, type WorldSize } from './world.ts';

type ExportMeasure = {
  readonly name: string;
  readonly transactions: number;
  readonly megabytes: number;
  /** Per round. */
  readonly seconds: readonly number[];
  /** CPU time of server and database in the median round; wall time on systems without CPU times. */
  readonly cpuSeconds: number;
  /** Most memory of the server during the rounds, less that before them. Null on systems that do not report it. */
  readonly addedMegabytes: number | null;
};

export type ExportResults = {
  readonly measures: readonly ExportMeasure[];
  /** A whole month, once each. */
  readonly month: readonly ExportMeasure[];
  /** Readers that read the head of an NDJSON export and then stop: memory of the server, and a page meanwhile. */
  readonly stopped: {
    readonly readers: number;
    readonly addedMegabytes: number | null;
    readonly pageMs: number;
  };
  /** Checks of schedules, which read what exports write. */
  readonly checks: readonly CheckMeasure[];
};

const ROUNDS = 3;
const FORMATS = ['ndjson', 'csv', 'parquet'] as const;
const STOPPED_READERS = 50;
const SAMPLE_MS = 10;

type Received = { readonly bytes: number };

/** Reads a response to its end, without keeping it. */
function receive(port: number, path: string, headers: Record<string, string>): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const outgoing = request({ port, host: '127.0.0.1', path, headers }, (answer) => {
    let bytes = 0;
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    answer.on('end', () =>
      answer.statusCode === 200 ? resolve({ bytes }) : reject(new Error(`answered ${answer.statusCode}`)),
    );
    answer.on('error', reject);
  });
  outgoing.on('error', reject).end();
  return promise;
}

/** Samples the memory of a process while `work` runs. */
async function addedMegabytesDuring(pid: number, work: () => Promise<void>): Promise<number | null> {
  const before = currentMegabytes(pid);
  if (before === null) return work().then(() => null);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, currentMegabytes(pid) ?? 0);
  }, SAMPLE_MS);
  await work().finally(() => clearInterval(timer));
  return most - before;
}

type Context = {
  readonly server: BenchServer;
  readonly postmaster: number;
  readonly say: (message: string) => void;
};

async function measure(
  { server, postmaster, say }: Context,
  name: string,
  transactions: number,
  rounds: number,
  read: () => Promise<Received>,
): Promise<ExportMeasure> {
  const used = () => familyCpuSeconds(server.pid) + familyCpuSeconds(postmaster);
  const [seconds, cpuSeconds]: [number[], number[]] = [[], []];
  let bytes = 0;
  const addedMegabytes = await addedMegabytesDuring(server.pid, async () => {
    for (let round = 0; round < rounds; round++) {
      const [usedBefore, startedAt] = [used(), performance.now()];
      bytes = (await read()).bytes;
      seconds.push((performance.now() - startedAt) / 1000);
      cpuSeconds.push(used() - usedBefore);
    }
  });
  const cost = median(hasCpuTimes ? cpuSeconds : seconds);
  const [size, added] = [(bytes / transactions).toFixed(2), addedMegabytes?.toFixed(0) ?? '?'];
  say(`${name}: ${cost.toFixed(2)} s of CPU time, ${size} bytes/transaction, ${added} MB more memory`);
  return { name, transactions, megabytes: bytes / 1e6, seconds, cpuSeconds: cost, addedMegabytes };
}

async function copyOut(client: pg.Client, select: string): Promise<Received> {
  let bytes = 0;
  for await (const chunk of client.query(copyTo(`copy (${select}) to stdout`)))
    bytes += (chunk as Buffer).length;
  return { bytes };
}

/** A row per quarter-hour in the order of the list, with ids as the database has them: the public ones take far longer. */
const rowsOfDay = ({ no }: BenchBrp, day: DeliveryDay): string =>
  `select s.id, c.id, s.revision, c.seller_eic, c.seller_tso, c.asset_id, c.buyer_eic, c.buyer_tso, s.delivery_day, slot,
     (s.delivery_day::timestamp at time zone 'Europe/Berlin') + (slot - 1) * interval '15 minutes',
     sheet_volume(s.volumes, slot) * 0.001, s.created_at
   from sheet s join contract c on c.no = s.contract_no, generate_series(1, sheet_slots(s.volumes)) as slot
   where s.delivery_day = '${day}' and (s.sender_brp = ${no} or s.receiver_brp = ${no})
   order by s.contract_no, slot, s.revision`;

/** The rows as they are stored, 96 transactions in each: less than any reader can use, and the least to read. */
const packedDay = ({ no }: BenchBrp, day: DeliveryDay): string =>
  `select * from sheet where delivery_day = '${day}' and (sender_brp = ${no} or receiver_brp = ${no})`;

const exportPath = (format: string, first: DeliveryDay, last: DeliveryDay) =>
  `/v1/exports/transactions?format=${format}&delivery_start=${formatInstant(dayStart(first))}&delivery_end=${formatInstant(dayEnd(last))}`;

/** Opens exports and reads only their beginning. */
async function stoppedReaders({ server }: Context, path: string, brps: readonly BenchBrp[], page: string) {
  const opened: (() => void)[] = [];
  let pageMs = 0;
  const addedMegabytes = await addedMegabytesDuring(server.pid, async () => {
    for (let at = 0; at < STOPPED_READERS; at++) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const headers = askedBy(brps[at % brps.length]!);
      const outgoing = request(
        { port: server.port, host: '127.0.0.1', path, headers, agent: false },
        (answer) => {
          if (answer.statusCode !== 200) reject(new Error(`answered ${answer.statusCode}`));
          answer.once('readable', resolve);
          answer.on('error', () => {});
        },
      );
      outgoing.on('error', reject).end();
      opened.push(() => outgoing.destroy());
      await promise;
    }
    const startedAt = performance.now();
    await receive(server.port, page, askedBy(brps[0]!));
    pageMs = performance.now() - startedAt;
  });
  for (const close of opened) close();
  return { readers: STOPPED_READERS, addedMegabytes, pageMs };
}

/** Uses a separate dataset and a new server. */
export async function measureExports(
  url: string,
  processes: Processes,
  generator: Generator,
  postmaster: number,
  size: WorldSize,
  say: (message: string) => void,
): Promise<ExportResults> {
  const world = await createWorld(url, size);
  await loadVolumes(world, () => {});
  await vacuum(url, 'sheet');
  const [brp, day] = [world.brps[0]!, world.days[1]!];
  const [first, last] = [world.days[0]!, world.days.at(-1)!];
  const headers = askedBy(brp);
  const ofDay = brp.contracts.length * slotCount(day);
  const ofMonth = world.days.reduce((sum, each) => sum + brp.contracts.length * slotCount(each), 0);
  const server = await processes.product('exports', url);
  const context = { server, postmaster, say };
  // Warm up the compiler: every reader of an export is after the first.
  for (const format of FORMATS)
    await receive(server.port, exportPath(format, addDays(day, 1), addDays(day, 1)), headers);
  const measures: ExportMeasure[] = [];
  for (const format of FORMATS) {
    const read = () => receive(server.port, exportPath(format, day, day), headers);
    measures.push(await measure(context, format, ofDay, ROUNDS, read));
  }
  const compressed = { ...headers, 'accept-encoding': 'gzip' };
  const zipped = () => receive(server.port, exportPath('ndjson', day, day), compressed);
  measures.push(await measure(context, 'ndjson, compressed', ofDay, ROUNDS, zipped));
  const page = `/v1/transactions?limit=100&delivery_date=${day}`;
  const walk = async () => {
    const { bytes, records } = await generator.walk({
      port: server.port,
      target: { path: page, headers },
      maxPages: Math.ceil(ofDay / 100) + 1,
    });
    if (records !== ofDay) throw new Error(`the walk found ${records} of ${ofDay} transactions`);
    return { bytes };
  };
  measures.push(await measure(context, 'walk of the pages', ofDay, 1, walk));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const copies = { 'COPY (…) TO STDOUT': rowsOfDay, 'COPY (…) TO STDOUT, of packed sheets': packedDay };
  for (const [name, select] of Object.entries(copies)) {
    const copy = () => copyOut(client, select(brp, day));
    measures.push(await measure(context, name, ofDay, ROUNDS, copy));
  }
  await client.end();
  const month: ExportMeasure[] = [];
  for (const format of ['ndjson', 'parquet']) {
    const read = () => receive(server.port, exportPath(format, first, last), headers);
    month.push(await measure(context, `${format}, ${world.days.length} days`, ofMonth, 1, read));
  }
  const stopped = await stoppedReaders(context, exportPath('ndjson', first, last), world.brps, page);
  say(`${stopped.readers} readers that stop: ${stopped.addedMegabytes?.toFixed(0) ?? '?'} MB more memory`);
  const checks = await measureChecks(context, world, day);
  await processes.end(server);
  return { measures, month, stopped, checks };
}
