/** Measures the import of a market day over HTTP, and what its events and its entries of the ledger cost. */
import assert from 'node:assert/strict';
import { addDays, type DeliveryDay, dayStart, slotCount } from '@saldo/core/delivery-day.ts';
import { mwhText } from '@saldo/core/energy.ts';
import pg from 'pg';
import { createApiKey, operatorKeyNamed } from '../server/src/parties/actions.ts';
import { openDatabase } from '../server/src/platform/db/database.ts';
import { maintainBetweenRounds } from './databases.ts';
import { GOALS } from './goals.ts';
import { type Contestant, comparisonRow, count, type Row, spreadOf, valueRow } from './measure.ts';
import type { Run } from './run.ts';
import type { BenchServer } from './servers.ts';
import { createWorld } from './world.ts';

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

/** Imports the next day in every round. The engine has netted the day before. */
export function importing(
  server: BenchServer,
  key: string,
  contracts: number,
  first: DeliveryDay,
  format: Format,
): Contestant {
  const days = importingWithoutNetting(server, key, contracts, first, format);
  const prepare = async () => {
    await days.prepare?.();
    await settle(server, key);
  };
  return { ...days, prepare };
}

function importingWithoutNetting(
  server: BenchServer,
  key: string,
  contracts: number,
  first: DeliveryDay,
  { type, fileOf }: Format,
): Contestant {
  let [round, rows] = [0, 0];
  let body: Buffer = Buffer.alloc(0);
  return {
    pid: server.pid,
    async prepare() {
      const day = addDays(first, round);
      body = fileOf(contracts, day, volumesOf(round));
      rows = contracts * slotCount(day);
      round++;
    },
    async round() {
      const created = await upload(server, key, type, body);
      if (created !== rows) throw new Error(`${created} of ${rows} transactions were created`);
      return { units: created };
    },
  };
}

export const FORMATS = {
  csv: { name: 'CSV', type: 'text/csv', fileOf: csvFile, goal: GOALS.csvPerSecond },
  days: {
    name: 'NDJSON, a day a line',
    type: 'application/x-ndjson',
    fileOf: dayFile,
    goal: GOALS.ndjsonPerSecond,
  },
};
type Format = (typeof FORMATS)[keyof typeof FORMATS];

export async function operatorKey(url: string): Promise<string> {
  const db = openDatabase(url);
  const key = operatorKeyNamed('bench');
  const { secret } = await db.transaction((tx) => createApiKey(tx, key, dayStart('2026-08-20')));
  await db.close();
  return secret;
}

/** The first days of what a server imports, a day per round. */
const FIRST_DAYS = { csv: '2027-01-01', days: '2028-01-01' };
const FIRST_DAYS_OF_PARTS = { with: '2027-01-01', without: '2028-01-01' };
/** A major garbage collection, in one round of two or three, costs more than a part. */
const TIMES_AS_MANY_ROUNDS = 2;
const HOOKS = `--import ${new URL('./without.ts', import.meta.url).href}`;

/** What only days with the part have: their years. */
const PARTS = {
  events: {
    goal: GOALS.events,
    years: `select distinct left(one ->> 'delivery_date', 4) as year
      from event, json_array_elements(data) as one where type = 'transactions.created'`,
  },
  ledger: {
    goal: GOALS.ledger,
    years: `select distinct to_char(s.delivery_day, 'YYYY') as year
      from sheet s join ledger_batch b
        on b.committed_at = s.created_at and position(uuid_send(s.id) in b.records) > 0`,
  },
};

export async function* measureImports(run: Run): AsyncGenerator<Row> {
  const { sizes, databases, processes, bench } = run;
  const { contracts } = sizes;
  const url = await databases.create('imports');
  await createWorld(url, { contracts, days: 0 });
  const key = await operatorKey(url);
  const server = await processes.product('import', url);
  for (const format of ['csv', 'days'] as const) {
    const own = importing(server, key, contracts, FIRST_DAYS[format], FORMATS[format]);
    await bench.measure(own, sizes.marketDays.warmUps);
    const perSecond = (await bench.measure(own, sizes.marketDays.rounds)).map((sample) => sample.perSecond);
    const { name, goal } = FORMATS[format];
    const what = `a market day of ${count(contracts)} contracts as ${name}: transactions/s`;
    yield valueRow(what, spreadOf(perSecond), count, goal);
  }
  await processes.end(server);
  for (const part of ['events', 'ledger'] as const) yield await compareWithout(run, part);
}

/**
 * A server imports market days alternately, half of them without a part: two servers would differ in more than that. It does
 * not net by itself. NDJSON, because it costs least to parse, and so the part weighs most.
 */
async function compareWithout(
  { sizes, databases, processes, bench }: Run,
  part: keyof typeof PARTS,
): Promise<Row> {
  const { contracts } = sizes;
  const { goal, years } = PARTS[part];
  const url = await databases.create(part);
  await createWorld(url, { contracts, days: 0 });
  const [key, maintained] = [await operatorKey(url), await maintainBetweenRounds(url)];
  const format = FORMATS.days;
  const server = await processes.product(`import with and without ${part}`, url, {
    NODE_OPTIONS: HOOKS,
    BENCH_WITHOUT: part,
    BENCH_FROM: FIRST_DAYS_OF_PARTS.without,
  });
  const days = (first: DeliveryDay) =>
    maintained(importingWithoutNetting(server, key, contracts, first, format));
  const { rounds, warmUps } = sizes.marketDays;
  const comparison = await bench.compare(days(FIRST_DAYS_OF_PARTS.with), days(FIRST_DAYS_OF_PARTS.without), {
    rounds: TIMES_AS_MANY_ROUNDS * rounds,
    warmUps,
  });
  await processes.end(server);
  await assertYears(url, years);
  await databases.drop(part);
  const what = `an import as ${format.name} with its ${part}`;
  return comparisonRow(what, `without ${part}`, comparison, goal);
}

async function assertYears(url: string, years: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ year: string }>(years);
  await client.end();
  assert.deepEqual(
    rows.map(({ year }) => year),
    ['2027'],
  );
}
