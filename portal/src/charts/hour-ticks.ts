import { SLOTS_PER_HOUR, slotLabel } from '@saldo/core/delivery-day.ts';

type HourTick = { readonly index: number; readonly label: string };

/** The width of a label including its margin. */
const LABEL_WIDTH = 58;
const PLAIN_LENGTH = '00:00'.length;

/**
 * Labels of full hours, as many as fit. The repeated hour of a clock change always has both labels, side by side or, on
 * a narrow chart, combined: `02:00A/B`.
 */
export function hourTicks(starts: readonly number[], innerWidth: number): HourTick[] {
  const every =
    [1, 2, 3, 6].find((hours) => (starts.length / SLOTS_PER_HOUR / hours) * LABEL_WIDTH <= innerWidth) ?? 6;
  const ticks: HourTick[] = [];
  const pixelsPerSlot = innerWidth / starts.length;
  for (const [index, start] of starts.entries()) {
    const label = slotLabel(start);
    if (label.slice(3, 5) !== '00') continue;
    const isTwice = label.length > PLAIN_LENGTH;
    if (!isTwice && Number(label.slice(0, 2)) % every !== 0) continue;
    const last = ticks.at(-1);
    const isTight = last !== undefined && (index - last.index) * pixelsPerSlot < LABEL_WIDTH - 10;
    if (!isTight) ticks.push({ index, label });
    else if (isTwice && last.label.length > PLAIN_LENGTH)
      ticks.splice(-1, 1, { index: last.index, label: `${last.label}/B` });
    // A regular label is dropped if it overlaps the repeated hour.
    else if (isTwice) ticks.splice(-1, 1, { index, label });
  }
  return ticks;
}
