import { assert } from '../assert.ts';
import { type DeliveryDay, slotCount } from '../delivery-day.ts';
import { DIRECTIONS, type Direction } from '../enums.ts';
import { gateClosure, gatesOf } from '../gates.ts';
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

/** A slot in which the valid transactions differ from what is nominated, signed: delivering is positive. */
export type LateSlot = { slot: number; nominatedKwh: number; transactionsKwh: number };

export type NextNominations = {
  /** Differences that cannot be nominated any more and are settled financially. */
  late: LateSlot[];
} & (
  | { kind: 'unchanged' }
  /** Every gate of the day is past. */
  | { kind: 'too_late' }
  | { kind: 'versions'; versions: NominationVersion[] }
);

export type NominationInput = {
  day: DeliveryDay;
  /** The valid transactions: signed, per slot, in kWh. */
  saldo: readonly number[];
  /** The part of the saldo that TSOs accept: without late changes between control areas. */
  sendable: readonly number[];
  /** The newest version of each direction that has one. */
  previous: readonly CurrentNomination[];
  now: number;
  rules: MarketRules;
};

/**
 * Compares the sendable saldo of a position with its current nominations. A direction is nominated once it is above zero
 * in any slot. After that it is only corrected, possibly to zeros, and never removed. Both directions are decided
 * together, so that their difference always equals a sendable saldo that the position had.
 */
export function nextNominations(input: NominationInput): NextNominations {
  const { day, saldo, sendable, previous, now, rules } = input;
  assert(saldo.length === slotCount(day), 'a saldo has every slot of its day');
  assert(sendable.length === saldo.length, 'a saldo has every slot of its day');
  const versions: NominationVersion[] = [];
  for (const direction of DIRECTIONS) {
    const current = findCurrent(previous, direction);
    const amounts = amountsOf(sendable, direction);
    const changedSlots = changedSlotsOf(current?.amounts ?? null, amounts);
    if (changedSlots.length === 0) continue;
    const closure = gateClosure(day, rules, now, changedSlots);
    if (closure === 'too_late')
      return { kind: 'too_late', late: lateSlots(saldo, nominatedSaldo(previous, saldo)) };
    versions.push({
      direction,
      version: current === null ? 1 : current.version + 1,
      previousId: current?.id ?? null,
      amounts,
      gateClosure: closure,
    });
  }
  const late = lateSlots(saldo, sendable);
  if (versions.length > 0) return { kind: 'versions', versions, late };
  const isOver = late.length > 0 && now >= gatesOf(day, rules).dayAfter;
  return { kind: isOver ? 'too_late' : 'unchanged', late };
}

function lateSlots(saldo: readonly number[], nominated: readonly number[]): LateSlot[] {
  const late: LateSlot[] = [];
  for (let at = 0; at < saldo.length; at++) {
    const [nominatedKwh, transactionsKwh] = [nominated[at]!, saldo[at]!];
    if (nominatedKwh !== transactionsKwh) late.push({ slot: at + 1, nominatedKwh, transactionsKwh });
  }
  return late;
}

/** What is nominated, as one signed value per slot. */
function nominatedSaldo(previous: readonly CurrentNomination[], { length }: readonly number[]): number[] {
  const saldo = Array.from<number>({ length }).fill(0);
  for (const { direction, amounts } of previous) {
    for (const [at, kwh] of amounts.entries()) saldo[at]! += direction === 'out' ? kwh : -kwh;
  }
  return saldo;
}

function findCurrent(previous: readonly CurrentNomination[], direction: Direction): CurrentNomination | null {
  const found = previous.filter((nomination) => nomination.direction === direction);
  assert(found.length <= 1, 'a direction has one current nomination');
  return found[0] ?? null;
}

/** The amount of one direction that follows from a saldo. */
export const amountOf = (saldoKwh: number, direction: Direction): number =>
  Math.max(direction === 'out' ? saldoKwh : -saldoKwh, 0);

const amountsOf = (saldo: readonly number[], direction: Direction): number[] =>
  saldo.map((kwh) => amountOf(kwh, direction));

/** Without a nomination all amounts count as zero: the first version changes the slots above zero. */
function changedSlotsOf(before: readonly number[] | null, after: readonly number[]): number[] {
  assert(before === null || before.length === after.length, 'all versions have every slot of the day');
  const slots: number[] = [];
  for (let at = 0; at < after.length; at++) {
    if (after[at] !== (before === null ? 0 : before[at])) slots.push(at + 1);
  }
  return slots;
}
