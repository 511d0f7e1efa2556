/**
 * Rounds amounts so that the sum of all of them since the first one is the exact sum rounded half up. Amounts are given in
 * whole parts of a unit; they are safe integers, and so is any of them plus one unit.
 */
export class CumulativeRounding {
  private readonly partsPerUnit: number;
  /** The exact sum less the rounded sum: from minus half a unit on and below half a unit. */
  private remainder = 0;

  constructor(partsPerUnit: number) {
    this.partsPerUnit = partsPerUnit;
  }

  /** The whole units of the next amount. */
  next(parts: number): number {
    this.remainder += parts;
    const units = Math.floor((this.remainder + this.partsPerUnit / 2) / this.partsPerUnit);
    this.remainder -= units * this.partsPerUnit;
    return units;
  }
}
