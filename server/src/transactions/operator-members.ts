import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { SeriesKind } from '@saldo/core/enums.ts';
import type { Cell } from '@saldo/core/transactions/sheet.ts';
import type { Viewer } from '../platform/auth/viewer.ts';
import type { Db } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { SheetSources } from './sheet-sources.ts';

/** `offset 0` makes it one look-up per sheet: the planner could read all invalidations instead. */
const READ = statement(
  'read_invalid_reasons',
  `select s.contract_no, s.delivery_day, s.revision, i.slots, i.reason
   from unnest($1::int[], $2::date[], $3::int[]) as s (contract_no, delivery_day, revision)
   cross join lateral (
     select i.slots, i.reason from invalidation i
     where i.contract_no = s.contract_no and i.delivery_day = s.delivery_day and i.revision = s.revision
     offset 0) as i`,
);

type ReasonRow = {
  contract_no: number;
  delivery_day: DeliveryDay;
  revision: number;
  slots: number[];
  reason: string;
};

type StoredSheet = {
  readonly contractNo: number;
  readonly day: DeliveryDay;
  readonly sheet: { readonly revision: number };
};

const keyOf = (contractNo: number, day: DeliveryDay, revision: number, slot: number) =>
  `${contractNo} ${day} ${revision} ${slot}`;

/**
 * For the operator: adds why a transaction is invalid, null if it is not, and the series that its volume follows from. A
 * BRP sees neither.
 */
export async function withOperatorMembers<R extends { row: StoredSheet; cell: Cell }>(
  db: Db,
  viewer: Viewer,
  records: readonly R[],
): Promise<readonly (R & { invalidReason?: string | null; source?: SeriesKind | null })[]> {
  if (viewer.kind !== 'operator') return records;
  const sources = new SheetSources();
  await sources.load(db, [
    ...new Map(records.map(({ row }) => [`${row.contractNo} ${row.day}`, row])).values(),
  ]);
  const sheets = new Set<StoredSheet>();
  for (const { row, cell } of records) if (cell.status === 'invalid') sheets.add(row);
  const reasons = new Map<string, string>();
  if (sheets.size > 0) {
    const rows = await db.query<ReasonRow>(READ, [
      [...sheets].map(({ contractNo }) => contractNo),
      [...sheets].map(({ day }) => day),
      [...sheets].map(({ sheet }) => sheet.revision),
    ]);
    for (const { contract_no, delivery_day, revision, slots, reason } of rows)
      for (const slot of slots) reasons.set(keyOf(contract_no, delivery_day, revision, slot), reason);
  }
  return records.map((record) => {
    const { row, cell } = record;
    const reason = reasons.get(keyOf(row.contractNo, row.day, row.sheet.revision, cell.slot)) ?? null;
    const source = sources.originOf(row, row.sheet.revision, cell.slot);
    return { ...record, invalidReason: cell.status === 'invalid' ? reason : null, source };
  });
}
