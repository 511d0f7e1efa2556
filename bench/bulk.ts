/** Measures the read of a hundred nominations with their slots: over HTTP, and the serialisation alone. */
import assert from 'node:assert/strict';
import type { Nomination } from '@saldo/api';
import { type DeliveryDay, MAX_SLOTS, SLOT_MS, slotStart } from '@saldo/core/delivery-day.ts';
import { kwhFromMatchedKw } from '@saldo/core/energy.ts';
import { gatesOf } from '@saldo/core/gates.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { BUILT_IN_RULES } from '@saldo/core/market-rules-file.ts';
import { nominateDue } from '../server/src/nominations/actions.ts';
import { findNominations, type NominationRow } from '../server/src/nominations/store.ts';
import { nominationWriter } from '../server/src/nominations/wire.ts';
import { type Database, openDatabase } from '../server/src/platform/db/database.ts';
import { statement } from '../server/src/platform/db/statement.ts';
import type { Target } from './connection.ts';
import { vacuum } from './databases.ts';
import { comparisonRow, digits, type Row, valueRow } from './measure.ts';
import type { Run } from './run.ts';
import { assertSameBodies } from './servers.ts';
import { askedBy } from './targets.ts';
import { type BenchBrp, createWorld, loadVolumes, markAll } from './world.ts';

const LEAST_OF_BARE = 0.8;
const LEAST_OVER_STRINGIFY = 6;
const SIZE = { contracts: 200, days: 30, brps: 8 };
const IDS = 100;
const SETS = 20;
const OPERATOR = { name: 'Saldo Clearing', eic: '11XSALDO-------Z' };
const ALL_SLOTS = { from: 1, to: MAX_SLOTS };

/** The state after a day of exchange: all nominations are sent and fully confirmed. */
const CONFIRM_ALL = statement(
  'bench_confirm_all',
  `update nomination set status = 'match', sent_at = gate_closure, confirmed_at = gate_closure,
     matched = (select array_agg(kwh * 4 order by at) from unnest(amounts) with ordinality as slot (kwh, at))`,
);
const IDS_OF_BRPS = statement(
  'bench_nominations_of_brps',
  'select brp_no, array_agg(id order by delivery_day, id) as ids from nomination group by brp_no order by count(*) desc',
);

type OfBrp = { brp_no: number; ids: string[] };

async function nominateAll(url: string, db: Database, first: DeliveryDay): Promise<OfBrp> {
  await markAll(db);
  const now = gatesOf(first, BUILT_IN_RULES).dayAhead - 60_000;
  await nominateDue(db, { now: () => now }, BUILT_IN_RULES);
  await db.transaction((tx) => tx.query(CONFIRM_ALL));
  await vacuum(url, 'nomination');
  const [most] = await db.query<OfBrp>(IDS_OF_BRPS);
  assert(most && most.ids.length >= IDS, 'one BRP has a hundred nominations');
  return most;
}

function targetsOf(brp: BenchBrp, ids: readonly string[]): Target[] {
  const step = Math.max(1, Math.floor((ids.length - IDS) / SETS));
  return Array.from({ length: SETS }, (_, set) => {
    const from = Math.min(set * step, ids.length - IDS);
    const asked = ids.slice(from, from + IDS).map((id) => encodeId(ID_PREFIX.nomination, id));
    return {
      path: '/v1/nominations/bulk',
      headers: askedBy(brp),
      body: JSON.stringify({ ids: asked }),
    };
  });
}

const isoOf = (instant: number | null) =>
  instant === null ? null : `${new Date(instant).toISOString().slice(0, 19)}Z`;

/** The plain implementation, for comparison. */
function objectOf(row: NominationRow): Nomination {
  return {
    id: encodeId(ID_PREFIX.nomination, row.id),
    status: row.status,
    version: row.version,
    previous_nomination_id: row.previous_id && encodeId(ID_PREFIX.nomination, row.previous_id),
    gate_closure: isoOf(row.gate_closure),
    confirmed_at: isoOf(row.confirmed_at),
    direction: row.direction,
    eic: row.eic,
    tso: row.tso,
    sent_at: isoOf(row.sent_at),
    counterparty: OPERATOR,
    slots: (row.amounts ?? []).map((kwh, at) => {
      const start = slotStart(row.delivery_day, at + 1);
      const matchedKw = row.matched?.[at] ?? null;
      return {
        delivery_start: isoOf(start) ?? '',
        delivery_end: isoOf(start + SLOT_MS) ?? '',
        slot_number: at + 1,
        amount: kwh / 1000,
        matched_amount: matchedKw === null ? null : kwhFromMatchedKw(matchedKw) / 1000,
      };
    }),
    created_at: isoOf(row.created_at) ?? '',
  };
}

/** Microseconds of CPU time per call, after a warm-up. */
function cpuMicroseconds(work: () => unknown, milliseconds: number): number {
  const calls = (until: number) => {
    let count = 0;
    for (; performance.now() < until; count++) work();
    return count;
  };
  calls(performance.now() + milliseconds / 2);
  const before = process.cpuUsage();
  const count = calls(performance.now() + milliseconds);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

/** From database rows to the bytes of a response: our writer, and objects with JSON.stringify. */
function measureWriting(rows: readonly NominationRow[], milliseconds: number): Row {
  const write = nominationWriter(OPERATOR);
  const byWriter = () => write.list(rows, ALL_SLOTS, null);
  const byObjects = () => Buffer.from(JSON.stringify({ nominations: rows.map(objectOf) }));
  assert.ok(byWriter().equals(byObjects()), 'both ways to write nominations give the same text');
  const [own, other] = [cpuMicroseconds(byWriter, milliseconds), cpuMicroseconds(byObjects, milliseconds)];
  const what = `the text of them (${(byObjects().length / 1e6).toFixed(1)} MB)`;
  const costs = `${own.toFixed(0)} µs; objects and JSON.stringify: ${other.toFixed(0)} µs`;
  return valueRow(what, other / own, digits(2, '× faster'), { atLeast: LEAST_OVER_STRINGIFY }, costs);
}

export async function* measureBulk({ databases, processes, bench }: Run): AsyncGenerator<Row> {
  const url = await databases.create('bulk');
  const world = await createWorld(url, SIZE);
  await loadVolumes(world);
  const db = openDatabase(url);
  try {
    const { brp_no: brpNo, ids } = await nominateAll(url, db, world.days[0]!);
    const brp = world.brps.find(({ no }) => no === brpNo);
    assert(brp, 'the BRP is one of the world');
    const targets = targetsOf(brp, ids);
    const product = await processes.product('product with nominations', url);
    const bare = await processes.limit(url);
    await assertSameBodies([product.port, bare.port], targets);
    const comparison = await bench.compare(bench.requests(product, targets), bench.requests(bare, targets));
    yield comparisonRow('100 nominations with slots', 'bare server', comparison, LEAST_OF_BARE);
    await processes.end(bare);
    await processes.end(product);
    const rows = await findNominations(db, { kind: 'brp', brpNo }, ids.slice(0, IDS));
    yield measureWriting(rows, bench.plan.milliseconds);
  } finally {
    await db.close();
  }
}
