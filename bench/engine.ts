/** Measures the netting of a market day, and of a single correction. */

import { type DeliveryDay, slotCount } from '@saldo/core/delivery-day.ts';
import { gatesOf } from '@saldo/core/gates.ts';
import { BUILT_IN_RULES } from '@saldo/core/market-rules-file.ts';
import { nominateDue } from '../server/src/nominations/actions.ts';
import { type Database, openDatabase } from '../server/src/platform/db/database.ts';
import { lockContract, writeContractDay } from '../server/src/transactions/actions.ts';
import { createWorld, loadVolumes, markAll } from './world.ts';

export type EngineResults = {
  readonly contracts: number;
  readonly positions: number;
  readonly versions: number;
  /** First netting of all position-days. */
  readonly firstSeconds: number;
  /** Repeated netting of all of them without a change. */
  readonly unchangedSeconds: number;
  /** Median time from one corrected slot to the new versions of both positions. */
  readonly correctionMs: number;
};

/** Number of contracts per BRP. */
const CONTRACTS_OF_BRP = 16;
const CORRECTIONS = 25;

async function seconds<T>(work: () => Promise<T>): Promise<[number, T]> {
  const startedAt = performance.now();
  const result = await work();
  return [(performance.now() - startedAt) / 1000, result];
}

export async function measureEngine(
  url: string,
  contracts: number,
  say: (message: string) => void,
): Promise<EngineResults> {
  const brps = Math.ceil(contracts / CONTRACTS_OF_BRP);
  const world = await createWorld(url, { contracts, days: 1, brps });
  await loadVolumes(world, () => {});
  const day = world.days[0] as DeliveryDay;
  const now = gatesOf(day, BUILT_IN_RULES).dayAhead - 60_000;
  const db = openDatabase(url);
  try {
    const net = async () => {
      await markAll(db);
      return seconds(() => nominateDue(db, now, BUILT_IN_RULES));
    };
    const [firstSeconds, first] = await net();
    say(
      `Netted ${first.positions} positions into ${first.created} versions in ${firstSeconds.toFixed(2)} s.`,
    );
    const [unchangedSeconds, again] = await net();
    if (again.created !== 0) throw new Error('netting twice made something new');
    const correctionMs = await measureCorrections(db, world.contracts, day, now);
    return {
      contracts,
      positions: first.positions,
      versions: first.created,
      firstSeconds,
      unchangedSeconds,
      correctionMs,
    };
  } finally {
    await db.close();
  }
}

type Sides = { uuid: string; from: { no: number }; to: { no: number } };

async function measureCorrections(
  db: Database,
  contracts: readonly Sides[],
  day: DeliveryDay,
  now: number,
): Promise<number> {
  const crossing = contracts.filter(({ from, to }) => from.no !== to.no).slice(0, CORRECTIONS);
  const times: number[] = [];
  for (const [at, { uuid }] of crossing.entries()) {
    const volumes = Array.from({ length: slotCount(day) }, (_, slot) => (slot === at ? 123_456 : null));
    const [taken, run] = await seconds(async () => {
      await db.transaction(async (tx) =>
        writeContractDay(tx, await lockContract(tx, uuid), day, volumes, now),
      );
      return nominateDue(db, now, BUILT_IN_RULES);
    });
    if (run.positions !== 2) throw new Error('a correction concerns both positions');
    times.push(taken * 1000);
  }
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
}
