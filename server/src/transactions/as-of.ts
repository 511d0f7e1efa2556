import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { type SupersedingSheet, statusesAfter, unpackVolumes } from '@saldo/core/transactions/sheet.ts';
import type { Db } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import type { SheetRow } from './sheet-rows.ts';

/**
 * What changed statuses of contract-days at or before $3, whose parties may be other BRPs than the viewer. `offset 0` makes
 * it one look-up per contract-day: the planner could read all sheets instead.
 */
const perDay = (name: string, columns: string, table: string, conditions: string) =>
  statement(
    name,
    `select asked.at::int, found.*
     from unnest($1::int[], $2::date[]) with ordinality as asked (contract_no, delivery_day, at)
     cross join lateral (
       select ${columns} from ${table} as stored
       where stored.contract_no = asked.contract_no and stored.delivery_day = asked.delivery_day and ${conditions}
       offset 0) as found`,
  );

const CORRECTIONS = perDay(
  'corrections_as_of',
  'stored.revision, stored.volumes, stored.previous',
  'sheet',
  'stored.previous is not null and stored.created_at <= $3',
);
const INVALIDATIONS = perDay(
  'invalidations_as_of',
  'stored.revision, stored.slots',
  'invalidation',
  'stored.invalidated_at <= $3',
);

type CorrectionColumns = [
  at: number,
  revision: number,
  packedVolumes: Uint8Array,
  previous: (number | null)[],
];
type InvalidationColumns = [at: number, revision: number, slots: number[]];

type Changes = {
  readonly corrections: SupersedingSheet[];
  readonly invalidations: { readonly revision: number; readonly slots: readonly number[] }[];
};

const keyOf = ({ contractNo, day }: SheetRow) => `${contractNo} ${day}`;

/**
 * The sheets with the statuses that they had at the instant. Precondition: they were stored at or before it. A sheet whose
 * transactions are all valid today has been so at every instant, so that only the others are looked up.
 */
export async function withStatusesAsOf(
  db: Db,
  rows: readonly SheetRow[],
  asOf: number,
): Promise<readonly SheetRow[]> {
  const days = new Map<string, SheetRow>();
  for (const row of rows) if (row.sheet.statuses !== null) days.set(keyOf(row), row);
  if (days.size === 0) return rows;
  const changes = await readChanges(db, [...days.values()], asOf);
  return rows.map((row) => {
    if (row.sheet.statuses === null) return row;
    const { corrections, invalidations } = changes.get(keyOf(row))!;
    return {
      ...row,
      sheet: { ...row.sheet, statuses: statusesAfter(row.sheet, corrections, invalidations) },
    };
  });
}

async function readChanges(db: Db, days: readonly SheetRow[], asOf: number): Promise<Map<string, Changes>> {
  const changes = days.map((): Changes => ({ corrections: [], invalidations: [] }));
  const values: [number[], DeliveryDay[], string] = [
    days.map(({ contractNo }) => contractNo),
    days.map(({ day }) => day),
    timestamp(asOf),
  ];
  for (const [at, revision, packed, previous] of await db.arrays<CorrectionColumns>(CORRECTIONS, values))
    changes[at - 1]!.corrections.push({ revision, volumes: unpackVolumes(packed), previous });
  for (const [at, revision, slots] of await db.arrays<InvalidationColumns>(INVALIDATIONS, values))
    changes[at - 1]!.invalidations.push({ revision, slots });
  return new Map(days.map((row, at) => [keyOf(row), changes[at]!]));
}
