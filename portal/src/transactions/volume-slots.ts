import type { Transaction } from '@saldo/api';
import { type DeliveryDay, slotCount, slotStart } from '@saldo/core/delivery-day.ts';
import { kwhFromMwh, sumKwh } from '@saldo/core/energy.ts';
import type { SlotChange } from '../nominations/nominated-slots.ts';

/** A quarter-hour of a contract-day: its versions, newest first. */
export type VolumeSlot = {
  readonly slot: number;
  readonly start: number;
  readonly versions: readonly Transaction[];
  /** The valid volume; null where there is none. */
  readonly validKwh: number | null;
  readonly isCorrected: boolean;
  readonly isInvalid: boolean;
};

/** Groups all versions of a day's transactions by slot. Slots without transactions are included. */
export function volumeSlots(day: DeliveryDay, transactions: readonly Transaction[]): VolumeSlot[] {
  const bySlot = Map.groupBy(transactions, ({ slot_number }) => slot_number);
  return Array.from({ length: slotCount(day) }, (_, index) => {
    const slot = index + 1;
    const versions = (bySlot.get(slot) ?? []).toSorted((one, other) => other.version - one.version);
    const newest = versions[0];
    return {
      slot,
      start: slotStart(day, slot),
      versions,
      validKwh: newest?.status === 'valid' ? kwhFromMwh(newest.volume) : null,
      isCorrected: versions.length > 1,
      isInvalid: newest?.status === 'invalid',
    };
  });
}

/** The quarter-hours whose valid volumes differ between two states of a day. A volume that is not there counts as zero. */
export const differences = (before: readonly VolumeSlot[], after: readonly VolumeSlot[]): SlotChange[] =>
  after.flatMap(({ slot, start, validKwh }, at) => {
    const beforeKwh = before[at]?.validKwh ?? null;
    return beforeKwh === validKwh
      ? []
      : [{ slot, start, beforeKwh: beforeKwh ?? 0, afterKwh: validKwh ?? 0 }];
  });

/** The volume of the first version of each slot with several versions; null for other slots. */
export function firstVolumesKwh(slots: readonly VolumeSlot[]): (number | null)[] {
  return slots.map(({ versions }) => {
    const first = versions.at(-1);
    return versions.length > 1 && first !== undefined ? kwhFromMwh(first.volume) : null;
  });
}

export const validSumKwh = (slots: readonly VolumeSlot[]): number =>
  sumKwh(slots.map(({ validKwh }) => validKwh ?? 0));
