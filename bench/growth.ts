/** Measures whether costs grow with the platform: the same pages on datasets from a million transactions on. */

import { addDays, type DeliveryDay, dayStart, formatInstant, slotCount } from '@saldo/core/delivery-day.ts';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Db } from '../server/src/platform/db/database.ts';
import { openDatabase } from '../server/src/platform/db/database.ts';
import { statement } from '../server/src/platform/db/statement.ts';
import { deliveryRange } from '../server/src/platform/http/time-filter.ts';
import { invalidateTransaction, lockContract, writeContractDay } from '../server/src/transactions/actions.ts';
import { listTransactions, type TransactionFilter } from '../server/src/transactions/store.ts';
import { peakMegabytes } from './cpu.ts';
import { TimedDb } from './database-time.ts';
import type { Databases } from './databases.ts';
import { type Bench, median, type Sample } from './measure.ts';
import type { Progress } from './progress.ts';
import type { Processes } from './servers.ts';
import { contractPages, dayPages } from './targets.ts';
import {
  type BenchBrp,
  type BenchWorld,
  createWorld,
  type LoadResult,
  loadVolumes,
  type WorldSize,
} from './world.ts';

/** Milliseconds in the database, and the number of records found, because a BRP may have less than a page. */
type PageTime = { readonly medianMs: number; readonly worstMs: number; readonly records: number };

export type GrownWorld = {
  readonly transactions: number;
  readonly loading: LoadResult;
  /** By the BRP's share of all contracts, then by page. */
  readonly pages: Readonly<Record<string, Readonly<Record<string, PageTime>>>>;
  /** By the number of connections. */
  readonly connections: Readonly<Record<string, Sample>>;
  /** Peak memory of the server under this load. */
  readonly peakMegabytes: number | null;
};

export type GrowthResults = { readonly worlds: readonly GrownWorld[] };

const CONNECTIONS = [1, 8, 64, 256];
/** Shares of all contracts that the measured BRPs have; the last one is the BRP with the fewest. */
const SHARES: Record<string, number> = { 'a tenth': 0.1, 'a hundredth': 0.01, 'the fewest': 0 };
const VARIETY = 12;
const PAGE = 100;
/** Number of contract-days of each measured BRP with a correction, and with an invalidated transaction. */
const RARE_DAYS = 40;

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
          await invalidateTransaction(tx, key, 'measured', dayStart(day));
          await writeContractDay(tx, await lockContract(tx, uuid), day, corrected, dayStart(day));
        });
      }
    }
    await db.transaction((tx) => tx.query(statement('bench_analyze_sheet', 'analyze sheet')));
  } finally {
    await db.close();
  }
}

async function pageTimes(
  timed: TimedDb,
  world: BenchWorld,
  brp: BenchBrp,
): Promise<Record<string, PageTime>> {
  const places = await placesOf(timed, world, brp);
  const times: Record<string, PageTime> = {};
  for (const [name, askOf] of Object.entries(PAGES)) {
    const milliseconds: number[] = [];
    const records: number[] = [];
    for (const place of places) {
      const { filter, isDeep } = askOf(place);
      const after = isDeep ? { day: place.day, contractId: place.contractId, slot: 50, version: 1 } : null;
      milliseconds.push(
        await timed.timeOf(async (db) => {
          const viewer = { kind: 'brp', brpNo: brp.no } as const;
          const found = await listTransactions(db, viewer, { ...anything, ...filter }, after, PAGE + 1);
          records.push(found.length);
        }),
      );
    }
    const [medianMs, worstMs] = [median(milliseconds), Math.max(...milliseconds)];
    times[name] = { medianMs, worstMs, records: median(records) };
  }
  return times;
}

async function allPageTimes(
  world: BenchWorld,
  brps: readonly { share: string; brp: BenchBrp }[],
): Promise<GrownWorld['pages']> {
  const timed = new TimedDb(world.url);
  await timed.open();
  try {
    const pages: Record<string, Record<string, PageTime>> = {};
    for (const { share, brp } of brps) {
      pages[`${share} (${brp.contracts.length} contracts)`] = await pageTimes(timed, world, brp);
    }
    return pages;
  } finally {
    await timed.close();
  }
}

async function grow(
  url: string,
  processes: Processes,
  bench: Bench,
  size: WorldSize,
  say: (message: string) => void,
): Promise<GrownWorld> {
  say(`Growing a world of ${size.contracts} contracts and ${size.days} days…`);
  const world = await createWorld(url, size);
  const loading = await loadVolumes(world, say);
  const brps = Object.entries(SHARES).map(([share, of]) => ({ share, brp: brpOfShare(world, of) }));
  await makeRareOnes(
    world,
    brps.map(({ brp }) => brp),
  );
  const pages = await allPageTimes(world, brps);
  const worst = Math.max(
    ...Object.values(pages).flatMap((of) => Object.values(of).map(({ medianMs }) => medianMs)),
  );
  say(`${loading.transactions} transactions: the dearest page takes ${worst.toFixed(2)} ms in the database.`);
  const server = await processes.product(`product of ${loading.transactions}`, url);
  const contestant = { server, targets: [...contractPages(world), ...dayPages(world)] };
  await bench.warmUp([contestant]);
  const connections: Record<string, Sample> = {};
  for (const count of CONNECTIONS) {
    connections[count] = await bench.sample(contestant, 2 * bench.milliseconds, count);
  }
  const peak = peakMegabytes(server.pid);
  await processes.end(server);
  return { transactions: loading.transactions, loading, pages, connections, peakMegabytes: peak };
}

/** Assumed loading speed, to decide whether a dataset fits into the time that is left. */
const CONTRACT_DAYS_PER_SECOND = 10_000;
const MEASURING_S = 45;
const secondsFor = ({ contracts, days }: WorldSize) =>
  (contracts * days) / CONTRACT_DAYS_PER_SECOND + MEASURING_S;

/** Each dataset has its own database, which is dropped before the next one is created. */
export async function measureGrowth(
  databases: Databases,
  processes: Processes,
  bench: Bench,
  sizes: readonly WorldSize[],
  progress: Progress,
  say: (message: string) => void,
): Promise<GrowthResults> {
  const worlds: GrownWorld[] = [];
  for (const [at, size] of sizes.entries()) {
    if (secondsFor(size) > progress.secondsLeft) {
      progress.leftOut.push(`growth to ${size.contracts * size.days} contract-days`);
      continue;
    }
    const name = `growth_${at}`;
    worlds.push(await grow(await databases.create(name), processes, bench, size, say));
    await databases.drop(name);
  }
  return { worlds };
}
