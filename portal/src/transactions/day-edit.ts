import { formatMwh, mwhNumber } from '@saldo/core/energy.ts';
import { parseTyped } from '../ui/decimal-input.ts';

/** A changed quarter-hour. */
export type CellChange = {
  readonly slot: number;
  readonly beforeKwh: number | null;
  readonly afterKwh: number;
};

export type DayEdit = {
  readonly changes: readonly CellChange[];
  /** Slots whose text is not a valid volume. */
  readonly wrong: ReadonlySet<number>;
};

export const textsOf = (beforeKwh: readonly (number | null)[]): string[] =>
  beforeKwh.map((kwh) => (kwh === null ? '' : formatMwh(kwh)));

/** Compares input with stored volumes. An empty field means no change: a volume can be corrected, not removed. */
export function editOf(beforeKwh: readonly (number | null)[], texts: readonly string[]): DayEdit {
  const wrong = new Set<number>();
  const changes: CellChange[] = [];
  for (const [index, text] of texts.entries()) {
    if (text.trim() === '') continue;
    const before = beforeKwh[index] ?? null;
    const afterKwh = parseTyped(text);
    if (afterKwh === null) wrong.add(index + 1);
    else if (afterKwh !== before) changes.push({ slot: index + 1, beforeKwh: before, afterKwh });
  }
  return { changes, wrong };
}

/** The request body contains the changed slots only, so that concurrent corrections of other slots are kept. */
export function volumesOf(slotCount: number, changes: readonly CellChange[]): (number | null)[] {
  const volumes: (number | null)[] = Array.from({ length: slotCount }, () => null);
  for (const { slot, afterKwh } of changes) volumes[slot - 1] = mwhNumber(afterKwh);
  return volumes;
}
