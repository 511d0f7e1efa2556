/** The smallest of 1, 2, 2.5 and 5 times a power of ten that is at least the value. */
export function niceStep(value: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 2.5, 5, 10].find((nice) => nice * magnitude >= value) ?? 10;
  return factor * magnitude;
}

/** About `about` round ticks from zero to at least the largest value. */
export function ticksUpTo(largest: number, about: number): number[] {
  if (largest <= 0) return [0, 1];
  const step = niceStep(largest / about);
  const count = Math.ceil(largest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/**
 * A step line: constant within each slot. A missing value interrupts the line, because it is
 * not zero.
 */
export function stepPath(
  values: readonly (number | null)[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  const parts: string[] = [];
  let isDrawing = false;
  for (const [index, value] of values.entries()) {
    if (value === null) {
      isDrawing = false;
      continue;
    }
    parts.push(isDrawing ? `V${y(value)}` : `M${x(index)} ${y(value)}`, `H${x(index + 1)}`);
    isDrawing = true;
  }
  return parts.join('');
}

/** The same steps as closed areas down to the base line. */
export function stepArea(
  values: readonly (number | null)[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  const base = y(0);
  const parts: string[] = [];
  for (const [index, value] of values.entries()) {
    if (value === null || value === 0) continue;
    parts.push(`M${x(index)} ${base}V${y(value)}H${x(index + 1)}V${base}Z`);
  }
  return parts.join('');
}
