/** Measures whether costs grow with the platform: the same pages on datasets from a million transactions on. */

import { addDays, type DeliveryDay, dayStart, formatInstant, slotCount } from '@saldo/core/delivery-day.ts';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Db } from '../server/src/platform/db/database.ts';
import { openDatabase } from '../server/src/platform/db/database.ts';
import { statement } from '../server/src/platform/db/statement.ts';
import { deliveryRange } from '../server/src/platform/http/time-filter.ts';
import { invalidateTransaction, lockContract, writeContractDay } from '../server/src/transactions/actions.ts';
import { listTransactions, type TransactionFilter } from '../server/src/transactions/store.ts';
import { TimedDb } from './database-time.ts';
import { GOALS } from './goals.ts';
import {
  type Contestant,
  comparisonRow,
  count,
  digits,
  median,
  type Row,
  type Spread,
  spreadOf,
  times,
  valueRow,
} from './measure.ts';
import type { Run } from './run.ts';
import type { BenchServer } from './servers.ts';
import { contractPages, dayPages } from './targets.ts';
import { type BenchBrp, type BenchWorld, createWorld, loadVolumes, type WorldSize } from './world.ts';

type GrownWorld = {
  readonly transactions: number;
  readonly bytes: number;
  readonly timed: TimedDb;
  /** One for each of SHARES. */
  readonly readers: readonly Reader[];
  readonly server: BenchServer;
  readonly asked: Contestant;
};

/** A BRP, with a contract and a day for each request of a page. */
type Reader = { readonly brpNo: number; readonly places: readonly Place[] };

/** Milliseconds in the database, and the number of records found, because a BRP may have less than a page. */
type PageTime = { readonly ms: number; readonly records: number };

/** Over the rounds; `ratio` is null if the smaller dataset has fewer records of the page, because then it is larger, not slower. */
type ComparedPage = { readonly page: string; readonly ms: number; readonly ratio: Spread | null };

/** Shares of all contracts that the measured BRPs have; the last one is the BRP with the fewest. */
const SHARES = [0.1, 0.01, 0];
const VARIETY = 12;
const ROUNDS = 41;
const PAGE = 100;
/**
 * Number of contract-days of each measured BRP with a correction, and with an invalidated transaction. The smallest dataset has
 * as many days, so that each is a day of its own: pages of all datasets then read the same number of sheets.
 */
const RARE_DAYS = 20;

const anything: TransactionFilter = {
  status: null,
  senderEic: null,
  receiverEic: null,
  contractId: null,
  delivery: deliveryRange({}),
  slotFrom: 1,
  slotTo: 100,
};

type Place = { contractId: string; senderEic: string; receiverEic: string; day: DeliveryDay };
type Ask = { filter: Partial<TransactionFilter>; isDeep?: boolean };

/** The requests for a contract and a day of the BRP. */
const PAGES: Record<string, (place: Place) => Ask> = {
  first: () => ({ filter: {} }),
  deep: () => ({ filter: {}, isDeep: true }),
  'status valid': () => ({ filter: { status: 'valid' } }),
  'status invalid': () => ({ filter: { status: 'invalid' } }),
  'status superseded': () => ({ filter: { status: 'superseded' } }),
  sender: ({ senderEic }) => ({ filter: { senderEic } }),
  receiver: ({ receiverEic }) => ({ filter: { receiverEic } }),
  'deep, of a receiver': ({ receiverEic }) => ({ filter: { receiverEic }, isDeep: true }),
  contract: ({ contractId }) => ({ filter: { contractId } }),
  'date range': ({ day }) => ({
    filter: {
      delivery: deliveryRange({
        delivery_start: formatInstant(dayStart(day)),
        delivery_end: formatInstant(dayStart(addDays(day, 7))),
      }),
    },
  }),
  'single slot': () => ({ filter: { slotFrom: 40, slotTo: 40 } }),
};

function brpOfShare({ brps, contracts }: BenchWorld, share: number): BenchBrp {
  const wanted = Math.max(1, contracts.length * share);
  const distance = ({ contracts: own }: BenchBrp) => Math.abs(own.length - wanted);
  return brps
    .filter(({ contracts: own }) => own.length > 0)
    .reduce((best, brp) => (distance(brp) < distance(best) ? brp : best));
}

const EICS = statement('bench_eics', 'select no, eic from position');

async function placesOf(db: Db, world: BenchWorld, brp: BenchBrp): Promise<Place[]> {
  const eics = new Map((await db.query<{ no: number; eic: string }>(EICS)).map(({ no, eic }) => [no, eic]));
  return Array.from({ length: VARIETY }, (_, at) => {
    const { id, from, to } = brp.contracts[Math.floor((at * brp.contracts.length) / VARIETY)]!;
    const day = world.days[Math.floor(((at + 0.5) * world.days.length) / VARIETY)]!;
    const contractId = decodeId(ID_PREFIX.contract, id)!;
    return { contractId, senderEic: eics.get(from.no)!, receiverEic: eics.get(to.no)!, day };
  });
}

const SHEET_OF_DAY = statement(
  'bench_sheet_of_day',
  'select id from sheet where contract_no = $1 and delivery_day = $2 and revision = 1',
);

/** Adds corrections and invalidations, which are rare and must still be found fast. */
async function makeRareOnes(world: BenchWorld, brps: readonly BenchBrp[]): Promise<void> {
  const db = openDatabase(world.url);
  try {
    for (const [of, { contracts }] of brps.entries()) {
      for (let at = 0; at < RARE_DAYS; at++) {
        const { no, uuid } = contracts[(at * 7) % contracts.length]!;
        const day = world.days[(at * 13 + of) % world.days.length]!;
        const corrected = Array.from({ length: slotCount(day) }, (_, slot) =>
          slot < 10 ? 70_000 + at : null,
        );
        await db.transaction(async (tx) => {
          const [sheet] = await tx.query<{ id: string }>(SHEET_OF_DAY, [no, day]);
          const key = { sheetId: sheet!.id, slot: 60 + (at % 30) };
          await invalidateTransaction(tx, key, 'measured', { now: () => dayStart(day) });
          await writeContractDay(tx, await lockContract(tx, uuid), day, corrected, dayStart(day));
        });
      }
    }
    await db.transaction((tx) => tx.query(statement('bench_analyze_sheet', 'analyze sheet')));
  } finally {
    await db.close();
  }
}

/** The median over the places. */
async function timePage(
  { timed, readers }: GrownWorld,
  share: number,
  askOf: (place: Place) => Ask,
): Promise<PageTime> {
  const { brpNo, places } = readers[share]!;
  const [milliseconds, records]: [number[], number[]] = [[], []];
  for (const place of places) {
    const { filter, isDeep } = askOf(place);
    const after = isDeep ? { day: place.day, contractId: place.contractId, slot: 50, version: 1 } : null;
    const read = async (db: Db) => {
      const viewer = { kind: 'brp', brpNo } as const;
      const found = await listTransactions(db, viewer, { ...anything, ...filter }, after, PAGE + 1);
      records.push(found.length);
    };
    milliseconds.push(await timed.timeOf(read));
  }
  return { ms: median(milliseconds), records: median(records) };
}

/** Every page on both datasets in alternating rounds. */
async function comparePages(base: GrownWorld, world: GrownWorld): Promise<ComparedPage[]> {
  const compared: ComparedPage[] = [];
  for (const share of SHARES.keys()) {
    for (const [page, askOf] of Object.entries(PAGES)) {
      const rounds: { own: PageTime; other: PageTime }[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const own = await timePage(world, share, askOf);
        rounds.push({ own, other: await timePage(base, share, askOf) });
      }
      const isSame = rounds.every(({ own, other }) => own.records === other.records);
      compared.push({
        page,
        ms: median(rounds.map(({ own }) => own.ms)),
        ratio: isSame ? spreadOf(rounds.map(({ own, other }) => own.ms / other.ms)) : null,
      });
    }
  }
  return compared;
}

async function grow({ processes, bench }: Run, url: string, size: WorldSize): Promise<GrownWorld> {
  const world = await createWorld(url, size);
  const { transactions, bytes } = await loadVolumes(world);
  const brps = SHARES.map((share) => brpOfShare(world, share));
  await makeRareOnes(world, brps);
  const timed = new TimedDb(url);
  await timed.open();
  const readers: Reader[] = [];
  for (const brp of brps) readers.push({ brpNo: brp.no, places: await placesOf(timed, world, brp) });
  const server = await processes.product(`product of ${transactions}`, url);
  const asked = bench.requests(server, [...contractPages(world), ...dayPages(world)]);
  return { transactions, bytes, timed, readers, server, asked };
}

/**
 * Each dataset has its own database. The first one stays, because all others are compared with it in alternating rounds.
 * The table has the rows of the largest, the picture has all.
 */
export async function* measureGrowth(run: Run): AsyncGenerator<Row> {
  const { sizes, databases, processes } = run;
  const end = async ({ server, timed }: GrownWorld) => {
    await processes.end(server);
    await timed.close();
  };
  const [smallest, ...others] = sizes.growth as [WorldSize, ...WorldSize[]];
  const base = await grow(run, await databases.create('growth_base'), smallest);
  for (const size of others) {
    const world = await grow(run, await databases.create('growth'), size);
    for await (const row of rowsOf(run, base, world)) yield { ...row, isStep: size !== others.at(-1) };
    await end(world);
    await databases.drop('growth');
  }
  await end(base);
}

async function* rowsOf({ bench }: Run, base: GrownWorld, world: GrownWorld): AsyncGenerator<Row> {
  const { transactions, bytes } = world;
  const of = `of ${count(transactions)} transactions`;
  yield valueRow(`bytes ${of}, each`, bytes / transactions, digits(2, 'bytes'), GOALS.bytesOfTransaction);
  const sizesOf = { transactions, smallest: base.transactions };
  await bench.warmUp([world.asked, base.asked]);
  const comparison = await bench.compare(world.asked, base.asked);
  const http = comparisonRow(`a page ${of}`, `of ${count(base.transactions)}`, comparison, GOALS.growth);
  yield { ...http, point: { ...sizesOf, line: 'a page over HTTP, CPU time' } };
  const pages = await comparePages(base, world);
  const dearest = pages.reduce((most, page) => (page.ms > most.ms ? page : most));
  yield valueRow(
    `dearest page ${of} in the database (${dearest.page})`,
    dearest.ms,
    digits(2, 'ms'),
    GOALS.dearestPageMs,
    `median of all pages: ${median(pages.map(({ ms }) => ms)).toFixed(2)} ms`,
  );
  const [steepest] = pages
    .flatMap(({ page, ratio }) => (ratio === null ? [] : [{ page, ratio }]))
    .toSorted((one, other) => other.ratio.middle - one.ratio.middle);
  const what = `page ${of} that grew most in the database (${steepest!.page})`;
  const row = valueRow(what, steepest!.ratio, times, GOALS.growthOfSteepestPage);
  yield { ...row, point: { ...sizesOf, line: 'the page that grew most, time in the database' } };
}
