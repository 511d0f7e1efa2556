import { assert } from '../assert.ts';
import { type DeliveryDay, slotCount } from '../delivery-day.ts';
import { DIRECTIONS, type Direction } from '../enums.ts';
import { gateClosure } from '../gates.ts';
import type { MarketRules } from '../market-rules.ts';

export type CurrentNomination = {
  id: string;
  direction: Direction;
  version: number;
  amounts: readonly number[];
};

export type NominationVersion = {
  direction: Direction;
  version: number;
  previousId: string | null;
  amounts: number[];
  gateClosure: number;
};

export type NextNominations =
  | { kind: 'unchanged' }
  | { kind: 'too_late' }
  | { kind: 'versions'; versions: NominationVersion[] };

export type NominationInput = {
  day: DeliveryDay;
  /** Signed, per slot, in kWh. */
  saldo: readonly number[];
  /** The newest version of each direction that has one. */
  previous: readonly CurrentNomination[];
  now: number;
  rules: MarketRules;
};

/**
 * Compares the saldo of a position with its current nominations. A direction is nominated once it is above zero in any
 * slot. After that it is only corrected, possibly to zeros, and never removed. Both directions are decided together, so
 * that their difference always equals a saldo that the position had.
 */
export function nextNominations(input: NominationInput): NextNominations {
  const { day, saldo, previous, now, rules } = input;
  assert(saldo.length === slotCount(day), 'a saldo has every slot of its day');
  const versions: NominationVersion[] = [];
  for (const direction of DIRECTIONS) {
    const current = findCurrent(previous, direction);
    const amounts = amountsOf(saldo, direction);
    const changedSlots = changedSlotsOf(current?.amounts ?? null, amounts);
    if (changedSlots.length === 0) continue;
    const closure = gateClosure(day, rules, now, changedSlots);
    if (closure === 'too_late') return { kind: 'too_late' };
    versions.push({
      direction,
      version: current === null ? 1 : current.version + 1,
      previousId: current?.id ?? null,
      amounts,
      gateClosure: closure,
    });
  }
  return versions.length === 0 ? { kind: 'unchanged' } : { kind: 'versions', versions };
}

function findCurrent(previous: readonly CurrentNomination[], direction: Direction): CurrentNomination | null {
  const found = previous.filter((nomination) => nomination.direction === direction);
  assert(found.length <= 1, 'a direction has one current nomination');
  return found[0] ?? null;
}

function amountsOf(saldo: readonly number[], direction: Direction): number[] {
  return saldo.map((kwh) => Math.max(direction === 'out' ? kwh : -kwh, 0));
}

/** Without a nomination all amounts count as zero: the first version changes the slots above zero. */
function changedSlotsOf(before: readonly number[] | null, after: readonly number[]): number[] {
  assert(before === null || before.length === after.length, 'all versions have every slot of the day');
  const slots: number[] = [];
  for (let at = 0; at < after.length; at++) {
    if (after[at] !== (before === null ? 0 : before[at])) slots.push(at + 1);
  }
  return slots;
}
