import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import type { Party } from './volume-contracts.ts';

/**
 * Dirty flags are set in a fixed order after the contracts are locked, to avoid deadlocks. A flag that was touched less
 * than 100 ms ago is locked, so that the nomination job cannot take it before this transaction commits, but is not
 * rewritten: every batch of an import touches the same flags.
 */
const MARK_DIRTY = statement(
  'mark_positions_of_batch',
  `insert into changed_position (position_no, delivery_day)
   select position_no, delivery_day
   from unnest($1::int[], $2::date[]) as marked (position_no, delivery_day)
   order by delivery_day, position_no
   on conflict (position_no, delivery_day) do update set touched_at = clock_timestamp()
     where changed_position.touched_at < clock_timestamp() - interval '100 ms'`,
);

type Parties = { readonly sender: Party; readonly receiver: Party };

/** Position-days whose saldo may have changed. */
export class DirtyPositions {
  private readonly found = new Map<DeliveryDay, Set<number>>();

  /** A transaction between a position and itself does not change the saldo, so its position-day stays clean. */
  add(day: DeliveryDay, { sender, receiver }: Parties): void {
    if (sender.positionNo !== receiver.positionNo)
      this.addPositions(day, [sender.positionNo, receiver.positionNo]);
  }

  /** Sheets of one contract-day that have the same volumes. A side whose position is always the same stays clean. */
  addMoved(day: DeliveryDay, sheets: readonly Parties[]): void {
    for (const side of ['sender', 'receiver'] as const) {
      const positions = sheets.map((sheet) => sheet[side].positionNo);
      if (positions.some((position) => position !== positions[0])) this.addPositions(day, positions);
    }
  }

  addPositions(day: DeliveryDay, positions: readonly number[]): void {
    const ofDay = this.found.getOrInsertComputed(day, () => new Set());
    for (const position of positions) ofDay.add(position);
  }

  /** One statement for all, in a fixed order: a transaction must not mark twice. */
  async mark(tx: Tx): Promise<void> {
    const all = this.all();
    if (all.length === 0) return;
    await tx.query(MARK_DIRTY, [all.map(({ position }) => position), all.map(({ day }) => day)]);
  }

  all(): { position: number; day: DeliveryDay }[] {
    return Array.from(this.found, ([day, positions]) =>
      Array.from(positions, (position) => ({ position, day })),
    ).flat();
  }
}
