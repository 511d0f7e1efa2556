import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { type ContractDay, DayBatch } from './day-batch.ts';
import { DirtyPositions } from './dirty-positions.ts';
import { partiesOn, takesVolumes, type VolumeContract } from './volume-contracts.ts';

/** Contracts whose stored days are in memory at once. Few, so that other requests are served in between. */
const CONTRACTS_AT_ONCE = 2;

const DEACTIVATIONS = statement(
  'deactivations_of_contracts',
  `select contract_no, delivery_day, revision, slots from invalidation
   where contract_no = any($1::int[]) and delivery_day >= $2 and customer_id is not null`,
);

type DeactivationRow = { contract_no: number; delivery_day: DeliveryDay; revision: number; slots: number[] };

const cellKey = (contractNo: number, day: DeliveryDay, revision: number, slot: number) =>
  `${contractNo} ${day} ${revision} ${slot}`;

/** What a change of a customer does to the transactions of its contracts. */
export type StoredDaysChange = {
  readonly customerId: string;
  /** Earlier days stay as they are. */
  readonly first: DeliveryDay;
  /** `reissue` makes new versions of transactions whose parties are no longer those of their day. */
  readonly kind: 'invalidate' | 'reissue' | 'restore and reissue';
};

/**
 * Follows a change of a customer in the stored days of its contracts, which must be locked and have their new parties.
 * Returns the number of transactions that changed, and the positions to be netted, which are marked.
 */
export async function changeStoredDays(
  tx: Tx,
  contracts: readonly VolumeContract[],
  change: StoredDaysChange,
  now: number,
): Promise<{ transactions: number; dirty: DirtyPositions }> {
  const dirty = new DirtyPositions();
  let transactions = 0;
  for (let at = 0; at < contracts.length; at += CONTRACTS_AT_ONCE) {
    const some = contracts.slice(at, at + CONTRACTS_AT_ONCE);
    const batch = new DayBatch(tx, now);
    const days = await batch.loadFrom(some, change.first);
    const restored = change.kind === 'restore and reissue' ? await restorable(tx, some, change.first) : null;
    for (const day of days) {
      transactions +=
        change.kind === 'invalidate' ? batch.invalidate(day) : reissue(batch, day, restored ?? new Set());
    }
    await batch.store(dirty, { text: 'customer_deactivated', customerId: change.customerId });
  }
  await dirty.mark(tx);
  return { transactions, dirty };
}

/** Transactions that a deactivation made invalid. They stay invalid while the other customer is deactivated. */
async function restorable(
  tx: Tx,
  contracts: readonly VolumeContract[],
  first: DeliveryDay,
): Promise<Set<string>> {
  const byNo = new Map(contracts.map((contract) => [contract.no, contract]));
  const rows = await tx.query<DeactivationRow>(DEACTIVATIONS, [[...byNo.keys()], first]);
  return new Set(
    rows
      .filter(({ contract_no, delivery_day }) => takesVolumes(byNo.get(contract_no)!, delivery_day))
      .flatMap(({ contract_no, delivery_day, revision, slots }) =>
        slots.map((slot) => cellKey(contract_no, delivery_day, revision, slot)),
      ),
  );
}

function reissue(batch: DayBatch, contractDay: ContractDay, restored: ReadonlySet<string>): number {
  const { contract, day } = contractDay;
  const { seller, buyer } = partiesOn(contract, day);
  return batch.reissue(contractDay, (sheet, slot, status) => {
    if (status === 'invalid') return restored.has(cellKey(contract.no, day, sheet.revision, slot));
    return (
      status === 'valid' &&
      (sheet.sender.positionNo !== seller.positionNo || sheet.receiver.positionNo !== buyer.positionNo)
    );
  }).corrected;
}
