import type { Tso } from '../enums.ts';
import {
  type CountedCell,
  countedAsOf,
  type DatedSheet,
  type InvalidatedCell,
} from '../transactions/sheet.ts';

/** A sheet with its two positions and their control areas. */
export type PlacedSheet = DatedSheet & {
  senderPosition: number;
  receiverPosition: number;
  senderTso: Tso;
  receiverTso: Tso;
};

/** All sheets of a contract-day in the order of their revisions, and its invalidations. */
export type ContractDay = {
  sheets: readonly PlacedSheet[];
  invalidated: readonly InvalidatedCell[];
};

/**
 * Per slot the transaction that nominations count: the valid one, unless it came after the slot's closing and moves
 * energy between control areas otherwise than the transaction that was valid at the closing. Then that one counts.
 *
 * The choice depends only on the stored contract-day, so that sender and receiver count the same transaction no matter
 * when, or by which process, they are netted. Its effect on every control area is the effect at the closing: the
 * nominated saldo of an area in a closed slot never changes.
 */
export function sendableCells(
  { sheets, invalidated }: ContractDay,
  closings: readonly number[],
): (CountedCell<PlacedSheet> | null)[] {
  const valid = countedAsOf(sheets, invalidated, closings.length);
  const atClosing = countedAsOf(sheets, invalidated, closings.length, closings);
  return valid.map((cell, at) => (areaEffect(cell) === areaEffect(atClosing[at]!) ? cell : atClosing[at]!));
}

/** Equal for transactions that change the saldos of control areas equally. */
function areaEffect(cell: CountedCell<PlacedSheet> | null): string {
  if (cell === null || cell.volumeKwh === 0) return '';
  const { senderTso, receiverTso } = cell.sheet;
  return senderTso === receiverTso ? '' : `${senderTso} ${receiverTso} ${cell.volumeKwh}`;
}

/**
 * The saldo of a position as TSOs accept it: late changes between control areas are replaced by what they changed.
 * `contractDays` are those of the position that have sheets or invalidations from the first closing on.
 */
export function sendableSaldo(
  saldo: readonly number[],
  position: number,
  contractDays: readonly ContractDay[],
  closings: readonly number[],
): number[] {
  const sendable = [...saldo];
  for (const contractDay of contractDays) {
    const { sheets, invalidated } = contractDay;
    const valid = countedAsOf(sheets, invalidated, closings.length);
    for (const [at, cell] of sendableCells(contractDay, closings).entries()) {
      sendable[at]! += shareOf(cell, position) - shareOf(valid[at]!, position);
    }
  }
  return sendable;
}

/** What a transaction adds to the saldo of a position, in kWh. */
export function shareOf(cell: CountedCell<PlacedSheet> | null, position: number): number {
  if (cell === null) return 0;
  const { senderPosition, receiverPosition } = cell.sheet;
  return (Number(senderPosition === position) - Number(receiverPosition === position)) * cell.volumeKwh;
}
