/**
 * Measures the saldo of a market day: from sheets in Node, and from a row per quarter-hour by the fastest statement.
 */
import assert from 'node:assert/strict';
import { type DeliveryDay, slotCount } from '@saldo/core/delivery-day.ts';
import { type Contribution, net } from '@saldo/core/nominations/netting.ts';
import { unpackVolumes } from '@saldo/core/transactions/sheet.ts';
import pg from 'pg';
import { openDatabase } from '../server/src/platform/db/database.ts';
import { statement } from '../server/src/platform/db/statement.ts';
import { statusColumnOf } from '../server/src/transactions/sheet-status.ts';
import { cpuSeconds, familyCpuSeconds, hasCpuTimes } from './cpu.ts';
import { makeRows } from './rivals/rows.ts';
import { createWorld, loadVolumes } from './world.ts';

/** Medians of a few rounds: CPU seconds of Node and Postgres together, and seconds of wall time. */
type Cost = { readonly cpuSeconds: number; readonly seconds: number };

export type SaldoResults = {
  readonly contracts: number;
  readonly positions: number;
  readonly sheets: Cost;
  /** By variant of the statement. */
  readonly statements: Readonly<Record<string, Cost>>;
};

/** Per position, its saldo of each slot in kWh. */
type Saldos = Map<number, number[]>;

const ROUNDS = 5;

const SHEETS_OF_DAY = statement(
  'bench_sheets_of_day',
  `select sender_position, receiver_position, volumes, ${statusColumnOf('sheet', 'statuses')} from sheet
   where delivery_day = $1 and sender_position <> receiver_position`,
);
type SheetColumns = [sender: number, receiver: number, volumes: Uint8Array, statuses: number[] | null];

const OF_DAY = "delivery_day = $1 and status = 'valid' and sender_position <> receiver_position";
const STATEMENTS = {
  'both sides, then one sum': `
    select position_no, slot, sum(kwh)::int8 as kwh
    from (
      select sender_position as position_no, slot, volume_kwh as kwh from rival.quarter_hour where ${OF_DAY}
      union all
      select receiver_position, slot, -volume_kwh from rival.quarter_hour where ${OF_DAY}
    ) as side
    group by position_no, slot`,
  'a sum of each side, then their difference': `
    select position_no, slot, sum(kwh)::int8 as kwh
    from (
      select sender_position as position_no, slot, sum(volume_kwh) as kwh
      from rival.quarter_hour where ${OF_DAY} group by 1, 2
      union all
      select receiver_position, slot, -sum(volume_kwh)
      from rival.quarter_hour where ${OF_DAY} group by 1, 2
    ) as side
    group by position_no, slot`,
  'one scan, both sides of each row': `
    select side.position_no, slot, sum(side.kwh)::int8 as kwh
    from rival.quarter_hour, lateral (
      values (sender_position, volume_kwh), (receiver_position, -volume_kwh)) as side (position_no, kwh)
    where ${OF_DAY}
    group by side.position_no, slot`,
};

async function measured(postmaster: number, work: () => Promise<Saldos>): Promise<Cost & { saldos: Saldos }> {
  let saldos: Saldos = new Map();
  const costs: Cost[] = [];
  const used = () => cpuSeconds(process.pid) + familyCpuSeconds(postmaster);
  for (let round = 0; round < ROUNDS; round++) {
    const [cpuBefore, startedAt] = [used(), performance.now()];
    saldos = await work();
    const seconds = (performance.now() - startedAt) / 1000;
    costs.push({ seconds, cpuSeconds: hasCpuTimes ? used() - cpuBefore : seconds });
  }
  const middle = (of: keyof Cost) =>
    costs.map((cost) => cost[of]).toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0;
  return { saldos, cpuSeconds: middle('cpuSeconds'), seconds: middle('seconds') };
}

function saldosOf(day: DeliveryDay, sheets: readonly SheetColumns[]): Saldos {
  const books = new Map<number, Contribution[]>();
  const add = (position: number, contribution: Contribution) =>
    books.getOrInsertComputed(position, () => []).push(contribution);
  for (const [sender, receiver, packed, statuses] of sheets) {
    const volumes = [{ volumes: unpackVolumes(packed), statuses }];
    add(sender, { sends: true, receives: false, sheets: volumes });
    add(receiver, { sends: false, receives: true, sheets: volumes });
  }
  return new Map([...books].map(([position, book]) => [position, net(slotCount(day), book)]));
}

type SaldoRow = [position: number, slot: number, kwh: string];

function saldosOfRows(day: DeliveryDay, rows: readonly SaldoRow[]): Saldos {
  const saldos: Saldos = new Map();
  for (const [position, slot, kwh] of rows) {
    const zeros = () => Array.from({ length: slotCount(day) }, () => 0);
    saldos.getOrInsertComputed(position, zeros)[slot - 1] = Number(kwh);
  }
  return saldos;
}

export async function measureSaldo(
  url: string,
  postmaster: number,
  contracts: number,
  say: (message: string) => void,
): Promise<SaldoResults> {
  const world = await createWorld(url, { contracts, days: 1, brps: Math.ceil(contracts / 16) });
  const day = world.days[0]!;
  await loadVolumes(world, () => {});
  await makeRows(url, [day]);
  const db = openDatabase(url);
  // With sufficient memory and parallel workers, and a plan for this day.
  const client = new pg.Client({ connectionString: url, options: '-c work_mem=256MB' });
  await client.connect();
  try {
    const { saldos, ...sheets } = await measured(postmaster, async () =>
      saldosOf(day, await db.arrays<SheetColumns>(SHEETS_OF_DAY, [day])),
    );
    const statements: Record<string, Cost> = {};
    for (const [name, text] of Object.entries(STATEMENTS)) {
      const { saldos: found, ...cost } = await measured(postmaster, async () => {
        const { rows } = await client.query<SaldoRow>({ text, values: [day], rowMode: 'array' });
        return saldosOfRows(day, rows);
      });
      assert.deepEqual(found, saldos, 'sheets and rows have the same saldos');
      statements[name] = cost;
    }
    const positions = saldos.size;
    const best = Math.min(...Object.values(statements).map((cost) => cost.cpuSeconds));
    say(
      `The saldo of ${positions} positions: ${sheets.cpuSeconds.toFixed(2)} s of sheets, ${best.toFixed(2)} s of rows.`,
    );
    return { contracts, positions, sheets, statements };
  } finally {
    await client.end();
    await db.close();
  }
}
