import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { Db } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import type { SheetRow, TransactionRecord } from './store.ts';

/** One look-up by contract and day for each sheet. */
const READ = statement(
  'read_invalid_reasons',
  `select i.contract_no, i.delivery_day, i.revision, i.slots, i.reason
   from unnest($1::int[], $2::date[], $3::int[]) as s (contract_no, delivery_day, revision)
   join invalidation i using (contract_no, delivery_day, revision)`,
);

type ReasonRow = {
  contract_no: number;
  delivery_day: DeliveryDay;
  revision: number;
  slots: number[];
  reason: string;
};

const keyOf = (contractNo: number, day: DeliveryDay, revision: number, slot: number) =>
  `${contractNo} ${day} ${revision} ${slot}`;

/** For the operator: adds why a transaction is invalid, null if it is not. A BRP sees the status only. */
export async function withInvalidReasons(
  db: Db,
  records: readonly TransactionRecord[],
): Promise<TransactionRecord[]> {
  const sheets = new Set<SheetRow>();
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
  return records.map(({ row, cell }) => {
    const reason = reasons.get(keyOf(row.contractNo, row.day, row.sheet.revision, cell.slot)) ?? null;
    return { row, cell, invalidReason: cell.status === 'invalid' ? reason : null };
  });
}
