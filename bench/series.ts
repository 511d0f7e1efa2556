/** Measures a day of forecasts up to its nominations, beside the import of the same volumes, and a single correction. */
import { setTimeout as delay } from 'node:timers/promises';
import { addDays, type DeliveryDay } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { WHOLE_SHARE } from '@saldo/core/series/source.ts';
import { saveSource } from '../server/src/contracts/source-store.ts';
import { openDatabase } from '../server/src/platform/db/database.ts';
import { insertSeries } from '../server/src/series/store.ts';
import { maintainBetweenRounds } from './databases.ts';
import { GOALS } from './goals.ts';
import { csvFile, file, operatorKey, settle, slotsOf, upload, type Volumes, volumesOf } from './imports.ts';
import { type Contestant, comparisonRow, count, digits, type Row, valueRow } from './measure.ts';
import type { Run } from './run.ts';
import type { BenchServer } from './servers.ts';
import { type BenchWorld, createWorld, MADE_AT } from './world.ts';

/** Each with the same share, so that their volumes are a fifth of the series' values. */
const CONTRACTS_OF_SERIES = 5;
/** A contract follows a series from a day on, and accepts imports for the days before. */
const FIRST_DAYS = { imported: '2027-01-01', following: '2027-07-01' };
const POLL_MS = 10;
/** Each adds up to two versions to the list in which the next one is awaited; a page of it has a hundred. */
const CORRECTIONS = 9;
/** As a market day that is nominated. */
const CONTRACTS_OF_BRP = 16;

type Market = {
  readonly world: BenchWorld;
  readonly server: BenchServer;
  readonly key: string;
  readonly maintained: Awaited<ReturnType<typeof maintainBetweenRounds>>;
};

/** A forecast for every plant, which its contracts follow. Returns the ids of the series. */
async function createForecasts({ url, contracts }: BenchWorld): Promise<string[]> {
  const db = openDatabase(url);
  const ids: string[] = [];
  try {
    await db.transaction(async (tx) => {
      for (let at = 0; at < contracts.length; at += CONTRACTS_OF_SERIES) {
        const some = contracts.slice(at, at + CONTRACTS_OF_SERIES);
        const owner = { asset_id: some[0]!.assetId, customer_id: null };
        const forecast = {
          kind: 'forecast',
          name: `Forecast ${at}`,
          market_location: null,
          ...owner,
        } as const;
        const { no, id } = await insertSeries(tx, forecast, MADE_AT);
        ids.push(encodeId(ID_PREFIX.series, id));
        const shareMillionths = WHOLE_SHARE / CONTRACTS_OF_SERIES;
        const source = { firstDay: FIRST_DAYS.following, forecastNo: no, meterNo: null, shareMillionths };
        for (const contract of some) await saveSource(tx, contract.no, { ...source, maxPowerKw: null });
      }
    });
  } finally {
    await db.close();
  }
  return ids;
}

const valuesFile = (ids: readonly string[], day: DeliveryDay, volumes: Volumes) =>
  file(
    ids.length,
    (series) =>
      slotsOf(day)
        .map((slot) => `${ids[series]},${day},${slot},${volumes(series, slot) * CONTRACTS_OF_SERIES}\n`)
        .join(''),
    'series,delivery_date,slot,energy_kwh\n',
  );

/** Sends the next day in every round and nets it. Both contestants make the same volumes and nominations. */
function nominating(
  { world, server, key, maintained }: Market,
  path: string,
  first: DeliveryDay,
  fileOf: (day: DeliveryDay, volumes: Volumes) => Buffer,
): Contestant {
  let round = 0;
  let body: Buffer = Buffer.alloc(0);
  let lines = 0;
  return maintained({
    pid: server.pid,
    async prepare() {
      body = fileOf(addDays(first, round), volumesOf(round));
      lines = body.toString('latin1').trimEnd().split('\n').length - 1;
      round++;
    },
    async round() {
      const created = await upload(server, key, 'text/csv', body, path);
      if (created !== lines) throw new Error(`${created} of ${lines} values were stored`);
      await settle(server, key);
      return { units: world.contracts.length * 96 };
    },
  });
}

type Nominations = { nominations: object[] };

/** Seconds from the request of a corrected value to the nomination that the background job makes of it. */
async function* corrections({ world, server, key }: Market, ids: readonly string[]): AsyncGenerator<number> {
  const day = FIRST_DAYS.following;
  const request = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const answer = await fetch(`http://127.0.0.1:${server.port}/operator/v1${path}`, { ...init, headers });
    if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}`);
    return (await answer.json()) as T;
  };
  for (let series = 0; ; series++) {
    const contracts = world.contracts.slice(series * CONTRACTS_OF_SERIES, (series + 1) * CONTRACTS_OF_SERIES);
    const nominated = contracts.find(({ from, to }) => from.no !== to.no);
    if (!nominated) continue;
    const { seller, from } = nominated;
    const list = `/nominations?delivery_date=${day}&eic=${seller.eic}&tso=${from.tso}&limit=100`;
    // All versions of both directions: the corrected one is not always the one with the highest version.
    const versions = async () => (await request<Nominations>(list)).nominations.length;
    const before = await versions();
    const values = slotsOf(day).map((slot) => (slot === 48 ? 123_456 : null));
    const startedAt = performance.now();
    const body = JSON.stringify({ energy_kwh: values });
    await request(`/series/${ids[series]}/days/${day}`, { method: 'PUT', body });
    while ((await versions()) === before) await delay(POLL_MS);
    yield (performance.now() - startedAt) / 1000;
  }
}

export async function* measureSeries({ sizes, databases, processes, bench }: Run): AsyncGenerator<Row> {
  const { contracts } = sizes;
  const url = await databases.create('series');
  const brps = Math.ceil(contracts / CONTRACTS_OF_BRP);
  const size = { contracts, days: 0, brps, contractsOfPlant: CONTRACTS_OF_SERIES };
  const world = await createWorld(url, size);
  const [key, maintained] = [await operatorKey(url), await maintainBetweenRounds(url)];
  const market = { world, key, maintained, server: await processes.product('series', url) };
  const ids = await createForecasts(world);
  const comparison = await bench.compare(
    nominating(market, '/operator/v1/series/values', FIRST_DAYS.following, (day, volumes) =>
      valuesFile(ids, day, volumes),
    ),
    nominating(market, '/operator/v1/volumes', FIRST_DAYS.imported, (day, volumes) =>
      csvFile(contracts, day, (contract, slot) => volumes(Math.floor(contract / CONTRACTS_OF_SERIES), slot)),
    ),
    sizes.marketDays,
  );
  const what = `a day of ${count(contracts)} contracts on ${count(ids.length)} series, up to its nominations`;
  yield comparisonRow(what, 'its volumes as CSV', comparison, GOALS.series);
  const took: number[] = [];
  for await (const seconds of corrections(market, ids)) {
    took.push(seconds);
    if (took.length === CORRECTIONS) break;
  }
  const worst = 'a corrected value is nominated, worst case';
  yield valueRow(worst, Math.max(...took), digits(2, 's'), GOALS.correctedValueSeconds);
  await processes.end(market.server);
}
