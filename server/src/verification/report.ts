import { encodeId, ID_PREFIX, type IdPrefix } from '@saldo/core/id.ts';
import { ENTRY_KINDS, type EntryKind } from '@saldo/core/ledger/entries.ts';

/** What is wrong, by the record or seal that it is about. Lines are for operators. */
export type Differences = {
  add(line: string): void;
  readonly count: number;
  /** The first ones: after a wrong name of a balance group all of its entries differ. */
  readonly lines: readonly string[];
};

const MAX_LINES = 1000;

export function collectDifferences(): Differences {
  const lines: string[] = [];
  let count = 0;
  return {
    add(line) {
      count++;
      if (lines.length < MAX_LINES) lines.push(line);
    },
    get count() {
      return count;
    },
    lines,
  };
}

const KIND_HEX = new Map(ENTRY_KINDS.map((kind, code) => [kind, hexOf(code, 2)]));

function hexOf(value: number, digits: number): string {
  return (value >>> 0).toString(16).padStart(digits, '0');
}

/** An entry as `ledger_batch.records` names it, in hex: its kind, the UUID of its record, its number. */
export const recordHex = (kind: EntryKind, uuid: string, number: number): string =>
  KIND_HEX.get(kind)! +
  uuid.slice(0, 8) +
  uuid.slice(9, 13) +
  uuid.slice(14, 18) +
  uuid.slice(19, 23) +
  uuid.slice(24) +
  hexOf(number, 8);

const PREFIX: Record<EntryKind, IdPrefix | null> = {
  transactions: ID_PREFIX.transaction,
  transactions_superseded: ID_PREFIX.transaction,
  transactions_invalidated: ID_PREFIX.transaction,
  nomination: ID_PREFIX.nomination,
  nomination_superseded: ID_PREFIX.nomination,
  nomination_sent: ID_PREFIX.nomination,
  nomination_confirmed: ID_PREFIX.nomination,
  message: ID_PREFIX.message,
  message_sent: ID_PREFIX.message,
  placements: ID_PREFIX.customer,
  audit: null,
};

export type NamedRecord = { readonly kind: EntryKind | null; readonly id: string; readonly number: number };

/** The record of an entry, with the id that the API shows. */
export function recordOf(hex: string): NamedRecord {
  const kind = ENTRY_KINDS[Number.parseInt(hex.slice(0, 2), 16)] ?? null;
  const uuid = hex.slice(2, 34);
  const number = Number.parseInt(hex.slice(34), 16);
  if (kind === null) return { kind, id: uuid, number };
  const prefix = PREFIX[kind];
  if (prefix === null) return { kind, id: String(Number.parseInt(uuid.slice(16), 16)), number };
  return { kind, id: encodeId(prefix, uuid.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')), number };
}

/** `nomination nom_… (number 2)`, of transactions with their contract and day, if their row is known. */
export function nameRecord(hex: string, text: string | null): string {
  const { kind, id, number } = recordOf(hex);
  const { contract_id: contract, delivery_date: day } =
    text === null ? {} : (JSON.parse(text) as { contract_id?: string; delivery_date?: string });
  const details = [contract, day, `number ${number}`].filter((detail) => detail !== undefined);
  return `${kind ?? 'an unknown kind of record'} ${id} (${details.join(', ')})`;
}
