import type { Tx } from '../platform/db/database.ts';
import type { ChangedSeriesDay } from '../series/value-batch.ts';

/**
 * Computes the volumes of all contracts that follow changed values. Precondition: the series are locked and their values
 * stored in this transaction. Locks the contracts in the order of imports, then reads the values of both series of each.
 */
export async function followValues(
  _tx: Tx,
  _changed: readonly ChangedSeriesDay[],
  _now: number,
): Promise<void> {}
