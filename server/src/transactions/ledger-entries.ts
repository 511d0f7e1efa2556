import {
  invalidatedEntry,
  type LedgerEntry,
  type LedgerParty,
  sheetEntry,
  supersededEntry,
} from '@saldo/core/ledger/entries.ts';
import { supersededSlots } from '@saldo/core/transactions/sheet.ts';
import { appendEntries } from '../ledger/append.ts';
import type { Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import type { DayHistory, NewSheet } from './batch-sheets.ts';

const PARTIES = statement('ledger_parties', 'select no, eic, tso from position where no = any($1::int[])');

type Parties = Map<number, LedgerParty>;
/** A transaction of the database has few positions and many batches. */
const partiesOf = new WeakMap<Tx, Parties>();

/** The balance groups and control areas of positions. */
export async function readLedgerParties(
  tx: Tx,
  positions: Iterable<number>,
): Promise<(positionNo: number) => LedgerParty> {
  let parties = partiesOf.get(tx);
  if (parties === undefined) partiesOf.set(tx, (parties = new Map()));
  const missing = [...new Set(positions)].filter((positionNo) => !parties.has(positionNo));
  if (missing.length > 0)
    for (const { no, eic, tso } of await tx.query<LedgerParty & { no: number }>(PARTIES, [missing]))
      parties.set(no, { eic, tso });
  return (positionNo) => parties.get(positionNo)!;
}

type WrittenDay = DayHistory & { readonly contract: { readonly id: string } };

/** Entries of new sheets, and of the transactions that they replace. */
export async function appendSheetEntries(
  tx: Tx,
  added: readonly NewSheet<WrittenDay>[],
  now: number,
): Promise<void> {
  if (added.length === 0) return;
  const positions = added.flatMap(({ sheet }) => [sheet.sender.positionNo, sheet.receiver.positionNo]);
  const partyOf = await readLedgerParties(tx, positions);
  for (const sheet of added) appendEntries(tx, entriesOf(sheet, partyOf, now), now);
}

function entriesOf(
  { state: { contract, day, history }, sheet, packed }: NewSheet<WrittenDay>,
  partyOf: (positionNo: number) => LedgerParty,
  committedAt: number,
): LedgerEntry[] {
  const written = sheetEntry({
    uuid: sheet.id,
    contractUuid: contract.id,
    day,
    revision: sheet.revision,
    sender: partyOf(sheet.sender.positionNo),
    receiver: partyOf(sheet.receiver.positionNo),
    volumesHex: hexOf(packed),
    versions: sheet.versions,
    previous: sheet.previous,
    committedAt,
  });
  if (sheet.previous === null) return [written];
  const superseded = [...supersededSlots(sheet)].map(([revision, slots]) => {
    const { id } = history.find((candidate) => candidate.revision === revision)!;
    return supersededEntry(id, sheet.revision, slots, committedAt);
  });
  return [written, ...superseded];
}

export const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');

export type InvalidatedSlots = {
  readonly sheetId: string;
  readonly number: number;
  readonly slots: readonly number[];
};

export const appendInvalidationEntries = (
  tx: Tx,
  invalidated: readonly InvalidatedSlots[],
  now: number,
): void =>
  appendEntries(
    tx,
    invalidated.map(({ sheetId, number, slots }) => invalidatedEntry(sheetId, number, slots, now)),
    now,
  );
