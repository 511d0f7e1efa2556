import { formatMwh, mwhNumber } from '@saldo/core/energy.ts';
import { parseTyped } from './decimal-input.ts';

/** A quarter-hour that is to be said anew. */
export type CellChange = {
  readonly slot: number;
  readonly beforeKwh: number | null;
  readonly afterKwh: number;
};

export type DayEdit = {
  readonly changes: readonly CellChange[];
  /** Slots whose text is no volume. */
  readonly wrong: ReadonlySet<number>;
};

export const textsOf = (beforeKwh: readonly (number | null)[]): string[] =>
  beforeKwh.map((kwh) => (kwh === null ? '' : formatMwh(kwh)));

/** Compares what was typed with what is known. An emptied field says nothing: a volume cannot be taken back, only corrected. */
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

/** The day as it is sent: only what changes is said, so that nobody else's correction is undone. */
export function volumesOf(slotCount: number, changes: readonly CellChange[]): (number | null)[] {
  const volumes: (number | null)[] = Array.from({ length: slotCount }, () => null);
  for (const { slot, afterKwh } of changes) volumes[slot - 1] = mwhNumber(afterKwh);
  return volumes;
}
