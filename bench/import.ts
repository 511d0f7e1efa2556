/** Measures the import of a market day over HTTP, beside COPY alone and beside an alternative. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { addDays, type DeliveryDay, dayStart, slotCount } from '@saldo/core/delivery-day.ts';
import { mwhText } from '@saldo/core/energy.ts';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { createApiKey, operatorKeyNamed } from '../server/src/parties/actions.ts';
import { openDatabase } from '../server/src/platform/db/database.ts';
import { type Contestant, comparisonRow, count, type Row, valueRow } from './measure.ts';
import { makeRows } from './rivals/rows.ts';
import { RIVALS } from './rivals.ts';
import type { Run } from './run.ts';
import { type BenchServer, bodyOf } from './servers.ts';
import { type BenchWorld, COPY_SHEETS, createWorld, sheetRows } from './world.ts';

/** Every contestant has a month of its own, and a day of it per round. */
const FIRST_DAYS = { csv: '2027-01-01', days: '2027-02-01', inserts: '2027-03-01', copy: '2027-04-01' };
const LEAST_PER_SECOND: Readonly<Record<string, number>> = { csv: 400_000, days: 1_500_000 };
const LEAST_OVER_INSERTS = 20;

export type Volumes = (contract: number, slot: number) => number;
/** Volumes of one to five digits that change gradually, different for every contract and round. */
export const volumesOf =
  (round: number): Volumes =>
  (contract, slot) =>
    Math.round((contract % 97) * 80 + 2000 + 1900 * Math.sin((slot + contract + round) / 9));

const externalId = (contract: number) => `PPA-2026-${String(contract + 1).padStart(5, '0')}`;

export function file(contracts: number, lineOf: (contract: number) => string, header = ''): Buffer {
  const pieces = [Buffer.from(header)];
  for (let contract = 0; contract < contracts; contract++) pieces.push(Buffer.from(lineOf(contract)));
  return Buffer.concat(pieces);
}

export const slotsOf = (day: DeliveryDay) => Array.from({ length: slotCount(day) }, (_, at) => at + 1);

export const csvFile = (contracts: number, day: DeliveryDay, volumes: Volumes) =>
  file(
    contracts,
    (contract) =>
      slotsOf(day)
        .map((slot) => `${externalId(contract)},${day},${slot},${mwhText(volumes(contract, slot))}\n`)
        .join(''),
    'contract,delivery_date,slot,volume\n',
  );

const dayFile = (contracts: number, day: DeliveryDay, volumes: Volumes) =>
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

export async function upload(
  { port }: BenchServer,
  key: string,
  type: string,
  body: Buffer,
  path = '/operator/v1/volumes',
): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': type },
    body: new Uint8Array(body),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`the import was answered with ${answer.status}: ${text}`);
  return (JSON.parse(text) as { created: number }).created;
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

const RIVAL_CONTRACTS = 100;

/** Imports the next day of a month in every round. The engine has netted the day before. */
export function importing(
  server: BenchServer,
  key: string,
  contracts: number,
  first: DeliveryDay,
  { type, fileOf }: (typeof FORMATS)[keyof typeof FORMATS],
): Contestant {
  let round = 0;
  let body: Buffer = Buffer.alloc(0);
  return {
    pid: server.pid,
    async prepare() {
      body = fileOf(contracts, addDays(first, round), volumesOf(round));
      round++;
      await settle(server, key);
    },
    async round() {
      const created = await upload(server, key, type, body);
      if (created !== contracts * 96) throw new Error(`${created} transactions were created`);
      return { units: created };
    },
  };
}

export const FORMATS = {
  csv: { name: 'CSV', type: 'text/csv', fileOf: csvFile },
  days: { name: 'NDJSON, a day a line', type: 'application/x-ndjson', fileOf: dayFile },
};

/**
 * COPY of the same sheets, packed before the measurement, into the same table with all indexes and foreign keys. Unlike
 * an import it does not look up contracts, set dirty flags, append events or count.
 */
function copying(world: BenchWorld, client: pg.Client): Contestant {
  let [round, bytes] = [0, [] as Buffer[]];
  return {
    pid: null,
    async prepare() {
      const [day, volumes] = [addDays(FIRST_DAYS.copy, round), volumesOf(round)];
      round++;
      const slots = slotsOf(day);
      bytes = [...sheetRows(world, day, (contract) => slots.map((slot) => volumes(contract, slot)))];
    },
    async round() {
      await pipeline(Readable.from(bytes), client.query(copyFrom(COPY_SHEETS)));
      return { units: world.contracts.length * 96 };
    },
  };
}

/** A part of the same market day, imported by an alternative with one row per quarter-hour. */
function inserting(rival: BenchServer, contracts: number): Contestant {
  const inserted = Math.min(contracts, RIVAL_CONTRACTS);
  let [round, body] = [0, ''];
  return {
    pid: rival.pid,
    async prepare() {
      const lines = slotFile(inserted, addDays(FIRST_DAYS.inserts, round), volumesOf(round));
      round++;
      body = `[${lines.toString().trimEnd().replaceAll('\n', ',')}]`;
    },
    async round() {
      await bodyOf(rival.port, { path: '/v1/volumes', headers: {}, body });
      return { units: inserted * 96 };
    },
  };
}

export async function operatorKey(url: string): Promise<string> {
  const db = openDatabase(url);
  const key = operatorKeyNamed('bench');
  const { secret } = await db.transaction((tx) => createApiKey(tx, key, dayStart('2026-08-20')));
  await db.close();
  return secret;
}

/** Uses a separate market and database, and a new server. */
export async function* measureImport({ sizes, databases, processes, bench }: Run): AsyncGenerator<Row> {
  const { contracts } = sizes;
  const url = await databases.create('import');
  const world = await createWorld(url, { contracts, days: 0 });
  const key = await operatorKey(url);
  const server = await processes.product('import', url);
  await makeRows(url, []);
  const rival = await processes.rival('inserting rival', RIVALS['Express and Drizzle'], url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const copy = copying(world, client);
    for (const format of ['csv', 'days'] as const) {
      const { name } = FORMATS[format];
      const what = `import of a market day of ${count(contracts)} contracts as ${name}`;
      const own = importing(server, key, contracts, FIRST_DAYS[format], FORMATS[format]);
      const isFirst = format === 'csv';
      const comparison = await bench.compare(own, isFirst ? inserting(rival, contracts) : copy);
      const other = isFirst ? 'Express and Drizzle' : 'COPY alone';
      yield comparisonRow(what, other, comparison, isFirst ? LEAST_OVER_INSERTS : undefined);
      const least = LEAST_PER_SECOND[format]!;
      yield valueRow(`${what}: transactions/s`, comparison.own.perSecond, count, { atLeast: least });
    }
  } finally {
    await client.end();
  }
  await processes.end(rival);
  await processes.end(server);
}
