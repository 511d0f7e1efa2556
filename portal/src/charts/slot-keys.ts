import { SLOTS_PER_HOUR } from '@saldo/core/delivery-day.ts';

/** The slot that a key moves to; null for other keys. */
export function slotByKey(key: string, from: number, count: number): number | null {
  const targets: Readonly<Record<string, number>> = {
    ArrowLeft: from - 1,
    ArrowDown: from - 1,
    ArrowRight: from + 1,
    ArrowUp: from + 1,
    PageUp: from + SLOTS_PER_HOUR,
    PageDown: from - SLOTS_PER_HOUR,
    Home: 1,
    End: count,
  };
  const target = targets[key];
  return target === undefined ? null : Math.min(count, Math.max(1, target));
}
