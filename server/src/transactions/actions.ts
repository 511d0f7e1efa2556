import { type DeliveryDay, slotCount } from '@saldo/core/delivery-day.ts';
import type { Clock } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { DayBatch } from './day-batch.ts';
import { lockContracts, type VolumeContract } from './volume-contracts.ts';

export type DayResult = { created: number; corrected: number; unchanged: number; revision: number | null };

/**
 * Writes the volumes of a contract-day: new cells, corrections, or nothing if all are stored already. The new sheet,
 * the statuses of superseded cells and the dirty flags are committed together. Precondition: the contract is locked.
 */
export async function writeContractDay(
  tx: Tx,
  contract: VolumeContract,
  day: DeliveryDay,
  volumes: readonly (number | null)[],
  now: number,
): Promise<DayResult> {
  if (volumes.length !== slotCount(day))
    throw new Error(`${day} has ${slotCount(day)} slots, not ${volumes.length}`);
  const batch = new DayBatch(tx, now);
  await batch.load([{ contract, day }]);
  const { created, corrected, unchanged } = batch.write({ contract, day }, volumes);
  await batch.save();
  return { created, corrected, unchanged, revision: batch.revisionOf({ contract, day }) };
}

const LOCATE_TRANSACTION = statement(
  'locate_transaction',
  `select c.id as contract_id, s.delivery_day, s.revision
   from sheet s join contract c on c.no = s.contract_no
   where s.id = $1 and sheet_volume(s.volumes, $2) is not null`,
);

/** Invalidates one transaction, so that it no longer counts towards any saldo. */
export async function invalidateTransaction(
  tx: Tx,
  key: { sheetId: string; slot: number },
  reason: string,
  clock: Clock,
): Promise<'invalidated' | 'not_found' | 'not_valid'> {
  const [place] = await tx.query<{ contract_id: string; delivery_day: DeliveryDay; revision: number }>(
    LOCATE_TRANSACTION,
    [key.sheetId, key.slot],
  );
  if (!place) return 'not_found';
  const contract = await lockContract(tx, place.contract_id);
  const batch = new DayBatch(tx, clock.now());
  const contractDay = { contract, day: place.delivery_day };
  await batch.load([contractDay]);
  const result = batch.invalidateOne(contractDay, place.revision, key.slot);
  await batch.save({ text: reason, customerId: null, byEnd: false });
  return result;
}

/** Locks a contract like every writer of volumes, see `lockContracts`. */
export async function lockContract(tx: Tx, id: string): Promise<VolumeContract> {
  const [contract] = await lockContracts(tx, { ids: [id], externalIds: [] });
  if (!contract) throw new Error('contracts are never deleted');
  return contract;
}
