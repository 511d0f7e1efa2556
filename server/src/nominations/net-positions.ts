import { setImmediate } from 'node:timers/promises';
import type { Tso } from '@saldo/api';
import { type DeliveryDay, slotCount } from '@saldo/core/delivery-day.ts';
import { sumKwh } from '@saldo/core/energy.ts';
import { type Direction, TRANSACTION_STATUSES } from '@saldo/core/enums.ts';
import { slotClosings } from '@saldo/core/gates.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import { sendableSaldo } from '@saldo/core/nominations/late-changes.ts';
import { type Contribution, net } from '@saldo/core/nominations/netting.ts';
import {
  type CurrentNomination,
  type NextNominations,
  nextNominations,
} from '@saldo/core/nominations/nomination.ts';
import { unpackVolumes } from '@saldo/core/transactions/sheet.ts';
import type { Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import { joinStatus, volumesInUse } from '../transactions/sheet-status.ts';
import {
  applyLateMarks,
  readContractDays,
  type StoredContractDay,
  WHOLE_CONTRACT_DAY,
} from './contract-days.ts';

/** A position-day whose transactions have changed since it was last netted. */
export type DirtyPositionDay = { position_no: number; delivery_day: DeliveryDay; brp_no: number };

/**
 * Upper bound for the position-days that are read, netted and stored at once. With 50 contracts per position each step
 * then blocks the event loop for about five milliseconds; 16 would cost a market day 5 % more CPU time.
 */
export const POSITION_DAYS_AT_ONCE = 32;
/** Sheets that are read or unpacked without a turn of the event loop, at most half a millisecond: requests of others go on. */
const SHEETS_WITHOUT_PAUSE = 100;

type NettedPositionDay = {
  positionDay: DirtyPositionDay;
  previous: readonly CurrentNomination[];
  next: NextNominations;
  basis: Basis;
};

/** Nets position-days and decides their next nominations, without storing anything. */
export async function netPositionDays(
  tx: Tx,
  dirty: readonly DirtyPositionDay[],
  now: number,
  rules: MarketRules,
): Promise<NettedPositionDay[]> {
  if (dirty.length === 0) return [];
  const closings = closingsOf(dirty, rules);
  const inputs = await readNettingInputs(tx, dirty, closings);
  const [currents, lateDays] = [await readCurrent(tx, dirty), await readLateDays(tx, dirty, inputs)];
  const netted: NettedPositionDay[] = [];
  let sheets = 0;
  for (const [at, positionDay] of dirty.entries()) {
    const { delivery_day: day, position_no: positionNo } = positionDay;
    const input = inputs[at] as NettingInput;
    const contributions: Contribution[] = [];
    for (const packed of input.contributions) {
      if (++sheets % SHEETS_WITHOUT_PAUSE === 0) await setImmediate();
      contributions.push(contributionOf(packed));
    }
    const saldo = net(slotCount(day), contributions);
    const contractDays = lateDays[at] ?? [];
    const sendable =
      contractDays.length === 0
        ? saldo
        : sendableSaldo(saldo, positionNo, contractDays, closings.get(day) ?? []);
    const previous = currents[at] ?? [];
    await setImmediate();
    const next = nextNominations({ day, saldo, sendable, previous, now, rules });
    netted.push({ positionDay, previous, next, basis: basisOf(input) });
  }
  return netted;
}

const POSITIONS = statement(
  'positions_to_net',
  'select no, brp_no, eic, tso from position where no = any($1::int[])',
);

/** A nomination that would get a new version, and its energy before and after. */
export type ComingVersion = {
  brpNo: number;
  eic: string;
  tso: Tso;
  day: DeliveryDay;
  direction: Direction;
  beforeKwh: number;
  afterKwh: number;
};

/** The versions that netting these position-days would create, by day, balance group and control area. */
export async function previewVersions(
  tx: Tx,
  positionDays: readonly { position: number; day: DeliveryDay }[],
  now: number,
  rules: MarketRules,
): Promise<ComingVersion[]> {
  const numbers = [...new Set(positionDays.map(({ position }) => position))];
  const rows = await tx.query<{ no: number; brp_no: number; eic: string; tso: Tso }>(POSITIONS, [numbers]);
  const positions = new Map(rows.map((row) => [row.no, row]));
  const coming: ComingVersion[] = [];
  for (let at = 0; at < positionDays.length; at += POSITION_DAYS_AT_ONCE) {
    const some = positionDays.slice(at, at + POSITION_DAYS_AT_ONCE).map(({ position, day }) => {
      const { brp_no } = positions.get(position)!;
      return { position_no: position, delivery_day: day, brp_no };
    });
    for (const { positionDay, previous, next } of await netPositionDays(tx, some, now, rules)) {
      const { brp_no: brpNo, eic, tso } = positions.get(positionDay.position_no)!;
      for (const { direction, amounts } of next.kind === 'versions' ? next.versions : []) {
        const before = previous.find((nomination) => nomination.direction === direction);
        coming.push({
          ...{ brpNo, eic, tso, day: positionDay.delivery_day, direction },
          beforeKwh: sumKwh(before?.amounts ?? []),
          afterKwh: sumKwh(amounts),
        });
      }
    }
  }
  const orderOf = ({ day, eic, tso, direction }: ComingVersion) => `${day} ${eic} ${tso} ${direction}`;
  return coming.sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
}

/** When the slots of each day of a batch close. */
function closingsOf(dirty: readonly DirtyPositionDay[], rules: MarketRules): Map<DeliveryDay, number[]> {
  const days = new Set(dirty.map((positionDay) => positionDay.delivery_day));
  return new Map(Array.from(days, (day) => [day, slotClosings(day, rules)]));
}

/**
 * Everything that a position-day is netted from. Newest revision and number of invalidations per contract are stored
 * with the nomination as its basis, so that the nomination can be explained later.
 */
type NettingInput = {
  contributions: PackedContribution[];
  revisions: Map<number, number>;
  invalidations: Map<number, number>;
  /** Contracts with sheets or invalidations from the day's first closing on. */
  lateContracts: Set<number>;
};

/** Volumes are unpacked one position-day at a time, so that few of the large arrays are alive in a garbage collection. */
type PackedContribution = { sends: boolean; packed: Uint8Array; statuses: number[] | null };

const contributionOf = ({ sends, packed, statuses }: PackedContribution): Contribution => ({
  sends,
  receives: !sends,
  sheets: [{ volumes: unpackVolumes(packed), statuses }],
});

const SHEETS_OF_POSITIONS = statement(
  'sheets_of_positions',
  `select m.at::int, true, s.contract_no, s.revision, ${volumesInUse('s')}, status.statuses,
     coalesce(s.late_at, s.created_at) >= m.closing
   from unnest($1::int[], $2::int[], $3::date[], $4::timestamptz[]) with ordinality
     as m (brp_no, position_no, delivery_day, closing, at)
   join sheet s on s.sender_brp = m.brp_no and s.sender_position = m.position_no
     and s.delivery_day = m.delivery_day and s.receiver_position <> m.position_no
   ${joinStatus('s')}
   union all
   select m.at::int, false, s.contract_no, s.revision, ${volumesInUse('s')}, status.statuses,
     coalesce(s.late_at, s.created_at) >= m.closing
   from unnest($1::int[], $2::int[], $3::date[], $4::timestamptz[]) with ordinality
     as m (brp_no, position_no, delivery_day, closing, at)
   join sheet s on s.receiver_brp = m.brp_no and s.receiver_position = m.position_no
     and s.delivery_day = m.delivery_day and s.sender_position <> m.position_no
   ${joinStatus('s')}`,
);

type NettingColumns = [
  at: number,
  sends: boolean,
  contractNo: number,
  revision: number,
  packedVolumes: Uint8Array | null,
  statuses: number[] | null,
  isLate: boolean,
];

const INVALIDATIONS = statement(
  'count_invalidations',
  `select contract_no, delivery_day, count(*)::int as known, max(coalesce(late_at, invalidated_at)) as last_at
   from invalidation where contract_no = any($1::int[]) and delivery_day = any($2::date[])
   group by contract_no, delivery_day`,
);

/** Code of a superseded cell in `sheet_status.statuses`. */
const SUPERSEDED = TRANSACTION_STATUSES.indexOf('superseded');

/** Reads all sheets of the position-days with one query. Invariant: a counted cell is valid in exactly one sheet. */
async function readNettingInputs(
  tx: Tx,
  dirty: readonly DirtyPositionDay[],
  closings: ReadonlyMap<DeliveryDay, readonly number[]>,
): Promise<NettingInput[]> {
  const inputs = dirty.map(
    (): NettingInput => ({
      contributions: [],
      revisions: new Map(),
      invalidations: new Map(),
      lateContracts: new Set(),
    }),
  );
  const firstClosing = (day: DeliveryDay) => closings.get(day)?.[0] ?? Infinity;
  const contracts = new Set<number>();
  const hasCorrections = new Set<number>();
  const columns = await tx.arrays<NettingColumns>(SHEETS_OF_POSITIONS, [
    dirty.map((positionDay) => positionDay.brp_no),
    dirty.map((positionDay) => positionDay.position_no),
    dirty.map((positionDay) => positionDay.delivery_day),
    dirty.map((positionDay) => timestamp(firstClosing(positionDay.delivery_day))),
  ]);
  for (const [row, [at, sends, contractNo, revision, packed, statuses, isLate]] of columns.entries()) {
    if (row % SHEETS_WITHOUT_PAUSE === 0) await setImmediate();
    const { contributions, revisions, lateContracts } = inputs[at - 1] as NettingInput;
    if (packed !== null) contributions.push({ sends, packed, statuses });
    revisions.set(contractNo, Math.max(revision, revisions.get(contractNo) ?? 0));
    if (statuses?.includes(SUPERSEDED)) hasCorrections.add(contractNo);
    contracts.add(contractNo);
    if (isLate) lateContracts.add(contractNo);
  }
  await addSheetsElsewhere(tx, dirty, inputs, [...hasCorrections], firstClosing);
  const counts = await tx.query<InvalidationCount>(INVALIDATIONS, [[...contracts], [...closings.keys()]]);
  for (const { contract_no, delivery_day, known, last_at } of counts) {
    for (const [at, positionDay] of dirty.entries()) {
      if (positionDay.delivery_day !== delivery_day) continue;
      const { revisions, invalidations, lateContracts } = inputs[at] as NettingInput;
      invalidations.set(contract_no, known);
      if (revisions.has(contract_no) && last_at >= firstClosing(delivery_day)) lateContracts.add(contract_no);
    }
  }
  return inputs;
}

const NEWEST_SHEETS = statement(
  'newest_sheets',
  `select contract_no, delivery_day, max(revision), max(coalesce(late_at, created_at)) from sheet
   where contract_no = any($1::int[]) and delivery_day = any($2::date[])
   group by contract_no, delivery_day`,
);

type NewestSheet = [contractNo: number, day: DeliveryDay, revision: number, lastAt: number];

/**
 * After a change of balance group the newest sheets of a contract-day belong to another position. The basis includes
 * them, since they superseded transactions of this one, and where they are late these transactions count again.
 */
async function addSheetsElsewhere(
  tx: Tx,
  dirty: readonly DirtyPositionDay[],
  inputs: readonly NettingInput[],
  contracts: readonly number[],
  firstClosing: (day: DeliveryDay) => number,
): Promise<void> {
  if (contracts.length === 0) return;
  const inputsOf = Map.groupBy(inputs, (_, at) => dirty[at]!.delivery_day);
  const rows = await tx.arrays<NewestSheet>(NEWEST_SHEETS, [contracts, [...inputsOf.keys()]]);
  for (const [contractNo, day, revision, lastAt] of rows) {
    for (const { revisions, lateContracts } of inputsOf.get(day) ?? []) {
      if (!revisions.has(contractNo)) continue;
      revisions.set(contractNo, revision);
      if (lastAt >= firstClosing(day)) lateContracts.add(contractNo);
    }
  }
}

type InvalidationCount = { contract_no: number; delivery_day: DeliveryDay; known: number; last_at: number };

/** Per position-day, its contract-days that changed after the first closing. Usually there are none. */
async function readLateDays(
  tx: Tx,
  dirty: readonly DirtyPositionDay[],
  inputs: readonly NettingInput[],
): Promise<StoredContractDay[][]> {
  const late = dirty.map(({ delivery_day: day }, at) =>
    Array.from(inputs[at]?.lateContracts ?? [], (contractNo) => ({ contractNo, day })),
  );
  const keyOf = ({ contractNo, day }: { contractNo: number; day: DeliveryDay }) => `${contractNo} ${day}`;
  const keys = new Map(late.flat().map((key) => [keyOf(key), { ...key, ...WHOLE_CONTRACT_DAY }]));
  const contractDays = (await readContractDays(tx, [...keys.values()])).map((one) => applyLateMarks(one));
  const found = new Map(contractDays.map((contractDay) => [keyOf(contractDay), contractDay]));
  return late.map((ofPosition) => ofPosition.flatMap((key) => found.get(keyOf(key)) ?? []));
}

const CURRENT_NOMINATIONS = statement(
  'current_nominations',
  `select m.at::int, n.id, n.direction, n.version, n.amounts
   from unnest($1::int[], $2::date[]) with ordinality as m (position_no, delivery_day, at)
   join nomination n on n.position_no = m.position_no and n.delivery_day = m.delivery_day
   where n.status <> 'superseded'`,
);

async function readCurrent(tx: Tx, dirty: readonly DirtyPositionDay[]): Promise<CurrentNomination[][]> {
  const rows = await tx.query<CurrentNomination & { at: number }>(CURRENT_NOMINATIONS, [
    dirty.map((positionDay) => positionDay.position_no),
    dirty.map((positionDay) => positionDay.delivery_day),
  ]);
  const currents = dirty.map((): CurrentNomination[] => []);
  for (const { at, ...nomination } of rows) currents[at - 1]?.push(nomination);
  return currents;
}

export type Basis = { contracts: number[]; revisions: number[]; invalidations: number[] };

function basisOf({ revisions, invalidations }: NettingInput): Basis {
  const contracts = [...revisions.keys()].toSorted((one, other) => one - other);
  return {
    contracts,
    revisions: contracts.map((no) => revisions.get(no) ?? 0),
    invalidations: contracts.map((no) => invalidations.get(no) ?? 0),
  };
}
