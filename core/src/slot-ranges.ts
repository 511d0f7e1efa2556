/** Ascending slots as ranges of consecutive ones: 1, 2, 3, 61 are 1 to 3, and 61. */
export function slotRanges(slots: readonly number[]): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (const slot of slots) {
    const last = ranges.at(-1);
    if (last?.to === slot - 1) last.to = slot;
    else ranges.push({ from: slot, to: slot });
  }
  return ranges;
}
