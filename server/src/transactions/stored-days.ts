import { setImmediate } from 'node:timers/promises';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { type ContractDay, DayBatch, type InvalidationReason } from './day-batch.ts';
import type { DirtyPositions } from './dirty-positions.ts';
import { partiesOn, takesVolumes, type VolumeContract } from './volume-contracts.ts';
import { reissueWholeDays } from './whole-days.ts';

/** Contract-days that are read and stored at once. */
const DAYS_AT_ONCE = 128;
/** Contract-days that are changed in memory before other requests are served. */
const DAYS_WITHOUT_PAUSE = 64;

/**
 * In the order of most indexes and of imports, so that neighbouring rows are written together. One row per day: with a
 * row per contract-day, a year of 50 contracts would block the event loop for 10 to 30 ms.
 */
const STORED_DAYS = statement(
  'stored_days_of_contracts',
  `select delivery_day, array_agg(contract_no order by contract_no) from sheet
   where contract_no = any($1::int[]) and delivery_day >= $2 and revision = 1
   group by delivery_day order by delivery_day`,
);

/** Those that are no act of the operator. */
const INVALIDATIONS = statement(
  'invalidations_by_status_or_end',
  `select contract_no, delivery_day, revision, slots, by_end from invalidation
   where contract_no = any($1::int[]) and delivery_day between $2 and $3 and (customer_id is not null or by_end)`,
);

type InvalidationRow = {
  contract_no: number;
  delivery_day: DeliveryDay;
  revision: number;
  slots: number[];
  by_end: boolean;
};

/** Whether an invalid transaction becomes valid again. */
export type IsRestored = (contractDay: ContractDay, revision: number, slot: number) => boolean;

const sheetKey = (contractNo: number, day: DeliveryDay, revision: number) =>
  `${contractNo} ${day} ${revision}`;

/** The days on which transactions may become valid again. */
export type RestoredDays = {
  /** Earlier days stay as they are. */
  readonly first: DeliveryDay;
  /** The effective day of the newest reactivation: what a deactivation made invalid before it stays so. */
  readonly reactivated: DeliveryDay;
};

/** What a change of a customer or contract does to the transactions that are stored. */
export type StoredDaysChange =
  | { readonly kind: 'invalidate'; readonly first: DeliveryDay; readonly reason: InvalidationReason }
  /** Makes new versions of transactions whose parties are no longer those of their day. */
  | { readonly kind: 'reissue'; readonly first: DeliveryDay }
  | ({ readonly kind: 'restore and reissue' } & RestoredDays);

/**
 * Follows a change in the stored days of the contracts, which must be locked and have their new parties. Returns the
 * number of transactions that changed, and adds the positions to be netted, which the caller marks.
 */
export async function changeStoredDays(
  tx: Tx,
  contracts: readonly VolumeContract[],
  change: StoredDaysChange,
  dirty: DirtyPositions,
  now: number,
): Promise<number> {
  let days = await storedDays(tx, contracts, change.first);
  let transactions = 0;
  if (change.kind === 'reissue') {
    const reissued = await reissueWholeDays(tx, days, dirty, now);
    transactions += reissued.transactions;
    days = reissued.left;
  }
  for (let at = 0; at < days.length; at += DAYS_AT_ONCE) {
    const some = days.slice(at, at + DAYS_AT_ONCE);
    const batch = new DayBatch(tx, now);
    await batch.load(some);
    if (change.kind !== 'invalidate') await batch.loadSources();
    const isRestored: IsRestored =
      change.kind === 'restore and reissue' ? await readRestored(tx, some, change) : () => false;
    for (const [index, day] of some.entries()) {
      if (index % DAYS_WITHOUT_PAUSE === 0) await setImmediate();
      transactions += change.kind === 'invalidate' ? batch.invalidate(day) : reissue(batch, day, isRestored);
    }
    await batch.store(dirty, change.kind === 'invalidate' ? change.reason : null);
  }
  return transactions;
}

async function storedDays(
  tx: Tx,
  contracts: readonly VolumeContract[],
  first: DeliveryDay,
): Promise<ContractDay[]> {
  const stored = await tx.arrays<[day: DeliveryDay, contractNos: number[]]>(STORED_DAYS, [
    contracts.map(({ no }) => no),
    first,
  ]);
  const byNo = new Map(contracts.map((contract) => [contract.no, contract]));
  return stored.flatMap(([day, nos]) => nos.map((no) => ({ contract: byNo.get(no)!, day })));
}

/**
 * Finds the transactions that a deactivation or an earlier end made invalid and that may become valid again: not while a
 * customer is deactivated or the contract has ended.
 */
export async function readRestored(
  tx: Tx,
  days: readonly ContractDay[],
  { first, reactivated }: RestoredDays,
): Promise<IsRestored> {
  const byNo = new Map(days.map(({ contract }) => [contract.no, contract]));
  const rows = await tx.query<InvalidationRow>(INVALIDATIONS, [
    [...byNo.keys()],
    days[0]?.day,
    days.at(-1)?.day,
  ]);
  const restored = new Map<string, readonly number[]>();
  for (const { contract_no, delivery_day, revision, slots, by_end } of rows) {
    if (delivery_day < first || (!by_end && delivery_day < reactivated)) continue;
    if (!takesVolumes(byNo.get(contract_no)!, delivery_day)) continue;
    const key = sheetKey(contract_no, delivery_day, revision);
    restored.set(key, [...(restored.get(key) ?? []), ...slots]);
  }
  return ({ contract, day }, revision, slot) =>
    restored.get(sheetKey(contract.no, day, revision))?.includes(slot) ?? false;
}

/**
 * Makes new versions of transactions that become valid again, and of those whose parties are no longer those of their day.
 * Returns their number. Precondition: the batch has loaded its sources.
 */
export function reissue(batch: DayBatch, contractDay: ContractDay, isRestored: IsRestored): number {
  const { contract, day } = contractDay;
  const { seller, buyer } = partiesOn(contract, day);
  return batch.reissue(contractDay, (sheet, slot, status) => {
    if (status === 'invalid') return isRestored(contractDay, sheet.revision, slot);
    return (
      status === 'valid' &&
      (sheet.sender.positionNo !== seller.positionNo || sheet.receiver.positionNo !== buyer.positionNo)
    );
  }).corrected;
}
