/** Measures the import of a market day over HTTP: its speed and the memory of the server. */
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type DeliveryDay, dayStart, slotCount } from '@saldo/core/delivery-day.ts';
import { mwhText } from '@saldo/core/energy.ts';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { createApiKey } from '../server/src/parties/actions.ts';
import { openDatabase } from '../server/src/platform/db/database.ts';
import { familyCpuSeconds, hasCpuTimes, peakMegabytes } from './cpu.ts';
import { median } from './measure.ts';
import { makeRows } from './rivals/rows.ts';
import { RIVALS } from './rivals.ts';
import { type BenchServer, bodyOf, type Processes } from './servers.ts';
import { type BenchWorld, COPY_SHEETS, createWorld, sheetRows } from './world.ts';

type ImportMeasure = {
  readonly name: string;
  readonly transactions: number;
  readonly megabytes: number;
  /** Per round. */
  readonly seconds: readonly number[];
  /** CPU time of server and database in the median round; wall time on systems without CPU times. */
  readonly cpuSeconds: number;
  /** Of the median round. */
  readonly transactionsPerSecond: number;
  /** Peak memory of the server so far. Null on systems that do not report it. */
  readonly peakMegabytes: number | null;
};

/** COPY of the same sheets, packed before the measurement: the lower bound of loading. */
type CopyMeasure = Pick<ImportMeasure, 'transactions' | 'megabytes' | 'seconds' | 'cpuSeconds'>;

export type ImportResults = {
  readonly contracts: number;
  readonly measures: readonly ImportMeasure[];
  readonly copy: CopyMeasure;
  /** Rows per second that Express and an ORM insert, in requests of many contracts each. */
  readonly rivalRowsPerSecond: number;
};

const ROUNDS = 3;
const FIRST_DAYS = { csv: '2027-01-01', days: '2027-02-01', slots: '2027-03-01', copy: '2027-04-01' };
const PIECE_BYTES = 1 << 18;

type Volumes = (contract: number, slot: number) => number;
/** Volumes of one to five digits that change gradually, different for every contract and round. */
export const volumesOf =
  (round: number): Volumes =>
  (contract, slot) =>
    Math.round((contract % 97) * 80 + 2000 + 1900 * Math.sin((slot + contract + round) / 9));

const externalId = (contract: number) => `PPA-2026-${String(contract + 1).padStart(5, '0')}`;

function file(contracts: number, lineOf: (contract: number) => string, header = ''): Buffer {
  const pieces = [Buffer.from(header)];
  for (let contract = 0; contract < contracts; contract++) pieces.push(Buffer.from(lineOf(contract)));
  return Buffer.concat(pieces);
}

const slotsOf = (day: DeliveryDay) => Array.from({ length: slotCount(day) }, (_, at) => at + 1);

const csvFile = (contracts: number, day: DeliveryDay, volumes: Volumes) =>
  file(
    contracts,
    (contract) =>
      slotsOf(day)
        .map((slot) => `${externalId(contract)},${day},${slot},${mwhText(volumes(contract, slot))}\n`)
        .join(''),
    'contract,delivery_date,slot,volume\n',
  );

export const dayFile = (contracts: number, day: DeliveryDay, volumes: Volumes) =>
  file(contracts, (contract) => {
    const texts = slotsOf(day).map((slot) => mwhText(volumes(contract, slot)));
    return `{"contract":"${externalId(contract)}","delivery_date":"${day}","volumes":[${texts.join(',')}]}\n`;
  });

const slotFile = (contracts: number, day: DeliveryDay, volumes: Volumes) =>
  file(contracts, (contract) =>
    slotsOf(day)
      .map(
        (slot) =>
          `{"contract":"${externalId(contract)}","delivery_date":"${day}","slot":${slot},"volume":${mwhText(volumes(contract, slot))}}\n`,
      )
      .join(''),
  );

type Counts = { created: number; corrected: number; unchanged: number; rejected_lines: number };

export async function upload(server: BenchServer, key: string, type: string, body: Buffer): Promise<Counts> {
  const { promise, resolve, reject } = Promise.withResolvers<Counts>();
  const outgoing = request(
    {
      port: server.port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/operator/v1/volumes',
      headers: { 'x-api-key': key, 'content-type': type, 'content-length': body.length },
    },
    (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(JSON.parse(text) as Counts);
        else reject(new Error(`the import was answered with ${answer.statusCode}: ${text}`));
      });
    },
  );
  outgoing.on('error', reject);
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    if (!outgoing.write(body.subarray(at, at + PIECE_BYTES))) {
      await new Promise<void>((drained) => outgoing.once('drain', () => drained()));
    }
  }
  outgoing.end();
  return promise;
}

/** Nets the previous import, so that the engine does not run during the next measurement. */
export async function settle({ port }: BenchServer, key: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/operator/v1/nominations/run`, {
    method: 'POST',
    headers: { 'x-api-key': key },
  });
  if (answer.status !== 200) throw new Error(`the engine answered with ${answer.status}`);
  await answer.body?.cancel();
}

export const nextDay = (first: DeliveryDay, round: number): DeliveryDay =>
  `${first.slice(0, 8)}${String(round + 1).padStart(2, '0')}`;

/**
 * Writes to the same table as the imports, with all indexes and foreign keys, and commits. Unlike an import it does
 * not look up contracts, set dirty flags or count.
 */
async function measureCopy(world: BenchWorld, used: () => number): Promise<CopyMeasure> {
  const client = new pg.Client({ connectionString: world.url });
  await client.connect();
  const [seconds, cpuSeconds]: [number[], number[]] = [[], []];
  let megabytes = 0;
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const day = nextDay(FIRST_DAYS.copy, round);
      const volumes = volumesOf(round);
      const slots = slotsOf(day);
      const bytes = [...sheetRows(world, day, (contract) => slots.map((slot) => volumes(contract, slot)))];
      megabytes = bytes.reduce((sum, piece) => sum + piece.length, 0) / 1e6;
      const [usedBefore, startedAt] = [used(), performance.now()];
      await pipeline(Readable.from(bytes), client.query(copyFrom(COPY_SHEETS)));
      seconds.push((performance.now() - startedAt) / 1000);
      cpuSeconds.push(used() - usedBefore);
    }
  } finally {
    await client.end();
  }
  const transactions = world.contracts.length * slotCount(FIRST_DAYS.copy);
  return { transactions, megabytes, seconds, cpuSeconds: costOf(seconds, cpuSeconds) };
}

const costOf = (seconds: readonly number[], cpuSeconds: readonly number[]) =>
  median(hasCpuTimes ? cpuSeconds : seconds);

const RIVAL_CONTRACTS = 100;

/** A part of the same market day, imported by an alternative with one row per quarter-hour. */
async function measureInserts(url: string, processes: Processes, contracts: number): Promise<number> {
  await makeRows(url, []);
  const rival = await processes.rival('inserting rival', RIVALS['Express and Drizzle'], url);
  const seconds: number[] = [];
  const count = Math.min(contracts, RIVAL_CONTRACTS);
  for (let round = 0; round <= ROUNDS; round++) {
    const day = nextDay(FIRST_DAYS.slots, round);
    const lines = slotFile(count, day, volumesOf(round)).toString().trimEnd();
    const body = `[${lines.replaceAll('\n', ',')}]`;
    const startedAt = performance.now();
    await bodyOf(rival.port, { path: '/v1/volumes', headers: {}, body });
    seconds.push((performance.now() - startedAt) / 1000);
  }
  await processes.end(rival);
  // The first round warms up the compiler.
  return (count * slotCount(FIRST_DAYS.slots)) / median(seconds.slice(1));
}

export async function operatorKey(url: string): Promise<string> {
  const db = openDatabase(url);
  const key = { owner: { type: 'operator' as const }, name: 'bench', scopes: [], expiresAt: null };
  const { secret } = await db.transaction((tx) => createApiKey(tx, key, dayStart('2026-08-20')));
  await db.close();
  return secret;
}

/** Uses a separate market and database, and a new server. */
export async function measureImport(
  databaseUrl: string,
  processes: Processes,
  postmaster: number,
  say: (message: string) => void,
  contracts: number,
): Promise<ImportResults> {
  say(`Making a market of ${contracts} contracts…`);
  const world = await createWorld(databaseUrl, { contracts, days: 0 });
  const key = await operatorKey(databaseUrl);
  const server = await processes.product('import', databaseUrl);
  const measures: ImportMeasure[] = [];

  async function measure(name: string, type: string, fileOf: (round: number) => Buffer, what: keyof Counts) {
    const [seconds, cpuSeconds]: [number[], number[]] = [[], []];
    const used = () => familyCpuSeconds(server.pid) + familyCpuSeconds(postmaster);
    let [transactions, megabytes] = [0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      const body = fileOf(round);
      await settle(server, key);
      const [usedBefore, startedAt] = [used(), performance.now()];
      const counts = await upload(server, key, type, body);
      seconds.push((performance.now() - startedAt) / 1000);
      cpuSeconds.push(used() - usedBefore);
      transactions = counts[what];
      megabytes = body.length / 1e6;
      if (transactions !== contracts * 96) throw new Error(`${name}: ${JSON.stringify(counts)}`);
    }
    const transactionsPerSecond = transactions / median(seconds);
    const peak = peakMegabytes(server.pid);
    measures.push({
      ...{ name, transactions, megabytes, seconds, transactionsPerSecond, peakMegabytes: peak },
      cpuSeconds: costOf(seconds, cpuSeconds),
    });
    const rounds = seconds.map((second) => second.toFixed(2)).join(' ');
    say(
      `${name}: ${Math.round(transactionsPerSecond).toLocaleString('en')} transactions/s, rounds ${rounds} s`,
    );
  }

  const csv = (round: number) => csvFile(contracts, nextDay(FIRST_DAYS.csv, round), volumesOf(round));
  await measure('CSV', 'text/csv', csv, 'created');
  const days = (round: number) => dayFile(contracts, nextDay(FIRST_DAYS.days, round), volumesOf(round));
  await measure('NDJSON, a day a line', 'application/x-ndjson', days, 'created');
  const slots = (round: number) => slotFile(contracts, nextDay(FIRST_DAYS.slots, round), volumesOf(round));
  await measure('NDJSON, a slot a line', 'application/x-ndjson', slots, 'created');
  await measure('CSV again, unchanged', 'text/csv', csv, 'unchanged');
  const corrected = (round: number) =>
    csvFile(
      contracts,
      nextDay(FIRST_DAYS.csv, round),
      (contract, slot) => volumesOf(round)(contract, slot) + 1,
    );
  await measure('CSV again, all corrected', 'text/csv', corrected, 'corrected');
  await processes.end(server);
  const copy = await measureCopy(world, () => familyCpuSeconds(postmaster));
  const copied = copy.seconds.map((second) => second.toFixed(2)).join(' ');
  say(`COPY of the same sheets: rounds ${copied} s, ${copy.cpuSeconds.toFixed(2)} s of CPU time`);
  const rivalRowsPerSecond = await measureInserts(databaseUrl, processes, contracts);
  say(`Express and Drizzle: ${Math.round(rivalRowsPerSecond).toLocaleString('en')} rows/s`);
  return { contracts, measures, copy, rivalRowsPerSecond };
}
