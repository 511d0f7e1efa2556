import type { Tso } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { PlacedSheet } from '@saldo/core/nominations/late-changes.ts';
import { type InvalidatedCell, unpackVolumes } from '@saldo/core/transactions/sheet.ts';
import type { Db } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';

/** A contract-day up to a revision and a number of invalidations. */
type ContractDayKey = {
  contractNo: number;
  day: DeliveryDay;
  revision: number;
  invalidations: number;
};

const MAX_INT = 2_147_483_647;
export const WHOLE_CONTRACT_DAY = { revision: MAX_INT, invalidations: MAX_INT } as const;

/** When a change was marked as late, see `markLateChanges`. */
type Marked = { lateAt: number | null };

export type StoredContractDay = {
  contractNo: number;
  contractId: string;
  day: DeliveryDay;
  sheets: (PlacedSheet & Marked & { id: string })[];
  invalidated: (InvalidatedCell & Marked & { number: number })[];
};

/** The contract-day with the changes that were marked as late at the time of their mark, if it counts. */
export function applyLateMarks(
  contractDay: StoredContractDay,
  counts: (lateAt: number) => boolean = () => true,
): StoredContractDay {
  const timeOf = (lateAt: number | null, otherwise: number) =>
    lateAt !== null && counts(lateAt) ? lateAt : otherwise;
  return {
    ...contractDay,
    sheets: contractDay.sheets.map((sheet) => ({
      ...sheet,
      createdAt: timeOf(sheet.lateAt, sheet.createdAt),
    })),
    invalidated: contractDay.invalidated.map((cell) => ({
      ...cell,
      invalidatedAt: timeOf(cell.lateAt, cell.invalidatedAt),
    })),
  };
}

/** How a version may have counted late changes. */
export type LateReading = {
  readonly counts: (lateAt: number) => boolean;
  readonly deadlines: readonly number[];
};

/**
 * The basis of a version does not say which changes were marked as late when it was created: a mark may be of the same
 * instant, and a later mark replaces an earlier one. Nor does it say whether late changes still counted, as they did in
 * earlier releases. The reading that sums to the amount is the one that it counted.
 */
export const lateReadings = (createdAt: number, closings: readonly number[]): readonly LateReading[] => [
  { counts: (lateAt) => lateAt <= createdAt, deadlines: closings },
  { counts: (lateAt) => lateAt < createdAt, deadlines: closings },
  { counts: () => true, deadlines: closings },
  { counts: () => false, deadlines: closings.map(() => Number.POSITIVE_INFINITY) },
];

const SHEETS = statement(
  'sheets_of_contract_days',
  `select s.contract_no, c.id as contract_id, s.delivery_day, s.id, s.revision, s.created_at, s.late_at, s.volumes,
     s.sender_position, s.receiver_position, sender.tso as sender_tso, receiver.tso as receiver_tso
   from unnest($1::int[], $2::date[], $3::int[]) as k (contract_no, delivery_day, revision)
   join sheet s on s.contract_no = k.contract_no and s.delivery_day = k.delivery_day and s.revision <= k.revision
   join contract c on c.no = s.contract_no
   join position sender on sender.no = s.sender_position
   join position receiver on receiver.no = s.receiver_position
   order by s.contract_no, s.delivery_day, s.revision`,
);

const INVALIDATIONS = statement(
  'invalidations_of_contract_days',
  `select i.contract_no, i.delivery_day, i.number, i.revision, i.slots, i.invalidated_at, i.late_at
   from unnest($1::int[], $2::date[], $3::int[]) as k (contract_no, delivery_day, known)
   join invalidation i on i.contract_no = k.contract_no and i.delivery_day = k.delivery_day and i.number <= k.known`,
);

type SheetRow = {
  contract_no: number;
  contract_id: string;
  delivery_day: DeliveryDay;
  id: string;
  revision: number;
  created_at: number;
  late_at: number | null;
  volumes: Uint8Array;
  sender_position: number;
  receiver_position: number;
  sender_tso: Tso;
  receiver_tso: Tso;
};

type InvalidationRow = {
  contract_no: number;
  delivery_day: DeliveryDay;
  number: number;
  revision: number;
  slots: number[];
  invalidated_at: number;
  late_at: number | null;
};

const keyOf = (row: { contract_no: number; delivery_day: DeliveryDay }) =>
  `${row.contract_no} ${row.delivery_day}`;

/** Reads contract-days with all their sheets and invalidations, by contract and day. */
export async function readContractDays(
  db: Pick<Db, 'query'>,
  keys: readonly ContractDayKey[],
): Promise<StoredContractDay[]> {
  if (keys.length === 0) return [];
  const [contracts, days] = [keys.map(({ contractNo }) => contractNo), keys.map(({ day }) => day)];
  const sheets = await db.query<SheetRow>(SHEETS, [contracts, days, keys.map(({ revision }) => revision)]);
  const invalidations = await db.query<InvalidationRow>(INVALIDATIONS, [
    contracts,
    days,
    keys.map((key) => key.invalidations),
  ]);
  const invalidated = Map.groupBy(invalidations, keyOf);
  return Array.from(Map.groupBy(sheets, keyOf), ([key, rows]) => {
    const { contract_no, contract_id, delivery_day } = rows[0] as SheetRow;
    return {
      contractNo: contract_no,
      contractId: contract_id,
      day: delivery_day,
      sheets: rows.map(sheetOf),
      invalidated: (invalidated.get(key) ?? []).flatMap(
        ({ number, revision, slots, invalidated_at, late_at }) =>
          slots.map((slot) => ({ number, revision, slot, invalidatedAt: invalidated_at, lateAt: late_at })),
      ),
    };
  });
}

const sheetOf = (row: SheetRow) => ({
  id: row.id,
  revision: row.revision,
  createdAt: row.created_at,
  lateAt: row.late_at,
  volumes: unpackVolumes(row.volumes),
  senderPosition: row.sender_position,
  receiverPosition: row.receiver_position,
  senderTso: row.sender_tso,
  receiverTso: row.receiver_tso,
});
