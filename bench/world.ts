import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SCOPES, TECHNOLOGIES, TSOS, type Tso } from '@saldo/api';
import { addDays, type DeliveryDay, dayEnd, dayStart, slotCount } from '@saldo/core/delivery-day.ts';
import { checkCharacter } from '@saldo/core/eic.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { packVolumes } from '@saldo/core/transactions/sheet.ts';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { insertContract } from '../server/src/contracts/store.ts';
import { findOwnPosition, insertCustomer } from '../server/src/customers/store.ts';
import { insertAsset } from '../server/src/market/store.ts';
import { createApiKey, createBalanceGroup, createBrp } from '../server/src/parties/actions.ts';
import { CopyText } from '../server/src/platform/db/copy-text.ts';
import { type Database, openDatabase, type Tx } from '../server/src/platform/db/database.ts';
import { migrate } from '../server/src/platform/db/migrate.ts';
import { newSheetId } from '../server/src/platform/db/new-id.ts';
import { statement } from '../server/src/platform/db/statement.ts';
import { timestamp } from '../server/src/platform/db/wire-types.ts';

export type WorldSize = {
  readonly contracts: number;
  readonly days: number;
  readonly brps?: number;
  /** Default: every contract has a plant of its own. */
  readonly contractsOfPlant?: number;
};

type Position = { no: number; brpNo: number; customerId: string; tso: Tso };
export type BenchBrp = {
  no: number;
  eic: string;
  key: string;
  positions: Position[];
  contracts: BenchContract[];
};
type BenchContract = {
  no: number;
  uuid: string;
  id: string;
  assetId: string;
  seller: BenchBrp;
  from: Position;
  to: Position;
};

export type BenchWorld = {
  readonly url: string;
  /** The largest first. */
  readonly brps: readonly BenchBrp[];
  readonly contracts: readonly BenchContract[];
  readonly days: readonly DeliveryDay[];
};

type LoadResult = { readonly transactions: number; readonly seconds: number; readonly bytes: number };

/** The hundred days from here include one with 100 slots. */
const FIRST_DAY: DeliveryDay = '2026-09-01';
const BRPS = 20;
export const MADE_AT = dayStart('2026-08-20');
/** Slightly less than the initial buffer of the COPY writer. */
const COPY_CHUNK = 60 * 1024;

/** Deterministic pseudo-random numbers from 0 to 1. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function eicOf(count: number): string {
  // Some stems have no check character, so several letters are tried.
  for (const letter of 'ABC') {
    const stem = `11XBENCH${letter}${String(count).padStart(6, '-')}`;
    const check = checkCharacter(stem);
    if (check !== '-') return stem + check;
  }
  throw new Error('one of three stems has a check character');
}

/** Creates the schema and the parties of a dataset. Volumes are loaded separately, because that is measured. */
export async function createWorld(url: string, size: WorldSize): Promise<BenchWorld> {
  await migrate(url, () => {});
  const db = openDatabase(url);
  const random = numbersFrom(size.contracts);
  try {
    const brps = await db.transaction((tx) => createBrps(tx, size.brps ?? BRPS));
    const contracts = await db.transaction((tx) => createContracts(tx, brps, size, random));
    const days = Array.from({ length: size.days }, (_, at) => addDays(FIRST_DAY, at));
    return { url, brps: brps.toSorted((a, b) => b.contracts.length - a.contracts.length), contracts, days };
  } finally {
    await db.close();
  }
}

/** Every BRP has one balance group, in one to four control areas, and a customer in each of them. */
async function createBrps(tx: Tx, count: number): Promise<BenchBrp[]> {
  const brps: BenchBrp[] = [];
  for (let at = 0; at < count; at++) {
    const { no } = await createBrp(tx, { name: `BRP ${at + 1}` }, MADE_AT);
    const [eic, tsos] = [eicOf(at + 1), TSOS.slice(0, 1 + (at % TSOS.length))];
    await createBalanceGroup(tx, { brpNo: no, eic, name: `Balance group ${at + 1}`, tsos }, MADE_AT);
    const positions: Position[] = [];
    for (const tso of tsos) {
      const positionNo = (await findOwnPosition(tx, { brpNo: no }, eic, tso))?.no ?? null;
      if (positionNo === null) throw new Error('an enabled TSO makes a position');
      const name = `Stadtwerke Müller ${at + 1}, ${tso}`;
      const customerId = await insertCustomer(
        tx,
        { brp_no: no, name, status: 'active', position_no: positionNo },
        MADE_AT,
      );
      positions.push({ no: positionNo, brpNo: no, customerId, tso });
    }
    const owner = { type: 'brp', brpNo: no } as const;
    const { secret } = await createApiKey(
      tx,
      { owner, name: 'bench', scopes: SCOPES, expiresAt: null },
      MADE_AT,
    );
    brps.push({ no, eic, key: secret, positions, contracts: [] });
  }
  return brps;
}

async function createContracts(
  tx: Tx,
  brps: BenchBrp[],
  { contracts: count, contractsOfPlant = 1 }: WorldSize,
  random: () => number,
): Promise<BenchContract[]> {
  // The second BRP is half as large as the first, the third a third of it, and so on.
  const shares = brps.map((_, at) => 1 / (at + 1));
  const all = shares.reduce((sum, share) => sum + share, 0);
  const pick = (): BenchBrp => {
    let left = random() * all;
    return brps.find((_, at) => (left -= shares[at] ?? 0) < 0) ?? brps[0]!;
  };
  const contracts: BenchContract[] = [];
  for (let at = 0; at < count; at++) {
    const [seller, buyer] = [pick(), pick()];
    const place = (brp: BenchBrp) => brp.positions[Math.floor(random() * brp.positions.length)]!;
    const [fromPosition, toPosition] = [place(seller), place(buyer)];
    const technology = TECHNOLOGIES[at % TECHNOLOGIES.length]!;
    const plant = {
      name: `Windpark Nr. ${at + 1}`,
      nominal_power_kw: 12_400,
      technology,
      tso: fromPosition.tso,
    };
    const assetId =
      at % contractsOfPlant === 0 ? await insertAsset(tx, plant, MADE_AT) : contracts.at(-1)!.assetId;
    const made = await insertContract(
      tx,
      {
        external_id: `PPA-2026-${String(at + 1).padStart(5, '0')}`,
        type: 'ppa',
        seller_customer: fromPosition.customerId,
        buyer_customer: toPosition.customerId,
        delivery_start: dayStart('2026-01-01'),
        delivery_end: dayEnd('2030-12-31'),
        ppa_type: 'produced',
        period: '2026–2030',
        delivery_profile: 'as produced',
        asset_id: assetId,
      },
      MADE_AT,
    );
    if (made === null) throw new Error('both customers have a balance group');
    const contract = {
      no: made.no,
      uuid: made.id,
      id: encodeId(ID_PREFIX.contract, made.id),
      assetId,
      seller,
      from: fromPosition,
      to: toPosition,
    };
    seller.contracts.push(contract);
    if (buyer !== seller) buyer.contracts.push(contract);
    contracts.push(contract);
  }
  return contracts;
}

const COPY_SHEETS = `copy sheet (id, created_at, contract_no, delivery_day, revision, sender_position, receiver_position,
  sender_brp, receiver_brp, volumes) from stdin`;

/**
 * Loads a sheet for every contract and day as an importer does: packed in Node, sent by COPY, committed per delivery
 * day, with all indexes and foreign keys in place.
 */
export async function loadVolumes(world: BenchWorld): Promise<LoadResult> {
  const client = new pg.Client({ connectionString: world.url });
  await client.connect();
  try {
    const random = numbersFrom(world.contracts.length);
    const volumes = (_contract: number, slots: number) => plantVolumes(slots, random);
    let transactions = 0;
    const startedAt = performance.now();
    for (const day of world.days) {
      await pipeline(Readable.from(sheetRows(world, day, volumes)), client.query(copyFrom(COPY_SHEETS)));
      transactions += world.contracts.length * slotCount(day);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    // Vacuum now, so that autovacuum does not disturb the measurement.
    await client.query('vacuum (analyze)');
    await client.query('checkpoint');
    await checkLoaded(client, transactions);
    const { rows } = await client.query("select pg_total_relation_size('sheet') as bytes");
    return { transactions, seconds, bytes: Number(rows[0]?.bytes) };
  } finally {
    await client.end();
  }
}

/** The rows of one day's COPY, in chunks of a suitable size for a socket. */
function* sheetRows(
  world: BenchWorld,
  day: DeliveryDay,
  volumesOf: (contract: number, slots: number) => number[],
): Generator<Buffer> {
  const created = timestamp(dayStart(addDays(day, -1)));
  let chunk = new CopyText();
  for (const [at, { no, from, to }] of world.contracts.entries()) {
    chunk.field(newSheetId());
    chunk.field(created);
    chunk.integer(no);
    chunk.field(day);
    for (const number of [1, from.no, to.no, from.brpNo, to.brpNo]) chunk.integer(number);
    chunk.binary(packVolumes(volumesOf(at, slotCount(day))));
    chunk.endRow();
    if (chunk.written().length < COPY_CHUNK) continue;
    yield chunk.written();
    chunk = new CopyText();
  }
  if (chunk.written().length > 0) yield chunk.written();
}

/** A plant of 0.4 to 40 MW with gradually changing output, so that volumes have one to five digits. */
function plantVolumes(slots: number, random: () => number): number[] {
  const fullKwh = 100 + random() * 9_900;
  let share = random();
  return Array.from({ length: slots }, () => {
    share = Math.min(1, Math.max(0, share + (random() - 0.5) / 8));
    return Math.round(share * fullKwh);
  });
}

async function checkLoaded(client: pg.Client, transactions: number): Promise<void> {
  const { rows } = await client.query('select sum(sheet_slots(volumes)) as stored from sheet');
  if (Number(rows[0]?.stored) !== transactions)
    throw new Error(`${rows[0]?.stored} of ${transactions} were stored`);
}

const MARK_ALL = statement(
  'bench_mark_all',
  `insert into changed_position (position_no, delivery_day)
   select distinct position_no, delivery_day
   from sheet, lateral (values (sender_position), (receiver_position)) as side (position_no)
   where sender_position <> receiver_position`,
);

/** Sets the dirty flags, because the sheets were loaded without the product's actions. */
export const markAll = (db: Database) => db.transaction((tx) => tx.query(MARK_ALL));
