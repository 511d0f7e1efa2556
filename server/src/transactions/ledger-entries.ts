import {
  invalidatedEntry,
  type LedgerEntry,
  type LedgerParty,
  sheetEntry,
  supersededEntry,
} from '@saldo/core/ledger/entries.ts';
import { packVolumes, supersededSlots } from '@saldo/core/transactions/sheet.ts';
import { appendEntries } from '../ledger/append.ts';
import type { Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import type { DayHistory } from './batch-sheets.ts';

const PARTIES = statement('ledger_parties', 'select no, eic, tso from position where no = any($1::int[])');

/** The balance groups and control areas of positions. */
export async function readLedgerParties(
  tx: Tx,
  positions: Iterable<number>,
): Promise<(positionNo: number) => LedgerParty> {
  const rows = await tx.query<LedgerParty & { no: number }>(PARTIES, [[...new Set(positions)]]);
  const parties = new Map(rows.map(({ no, eic, tso }) => [no, { eic, tso }]));
  return (positionNo) => parties.get(positionNo)!;
}

type WrittenDay = DayHistory & { readonly contract: { readonly id: string } };

/** Entries of the sheets that were added to the histories, and of the transactions that they replace. */
export async function appendSheetEntries(tx: Tx, days: readonly WrittenDay[], now: number): Promise<void> {
  const positions = new Set<number>();
  for (const { history, stored } of days)
    for (let at = stored; at < history.length; at++)
      positions.add(history[at]!.sender.positionNo).add(history[at]!.receiver.positionNo);
  if (positions.size === 0) return;
  const partyOf = await readLedgerParties(tx, positions);
  for (const day of days) appendEntries(tx, entriesOfDay(day, partyOf, now), now);
}

function entriesOfDay(
  { contract, day, history, stored }: WrittenDay,
  partyOf: (positionNo: number) => LedgerParty,
  committedAt: number,
): LedgerEntry[] {
  return history.slice(stored).flatMap((sheet) => [
    sheetEntry({
      uuid: sheet.id,
      contractUuid: contract.id,
      day,
      revision: sheet.revision,
      sender: partyOf(sheet.sender.positionNo),
      receiver: partyOf(sheet.receiver.positionNo),
      volumesHex: hexOf(packVolumes(sheet.volumes)),
      versions: sheet.versions,
      previous: sheet.previous,
      committedAt,
    }),
    ...[...supersededSlots(sheet)].map(([revision, slots]) => {
      const { id } = history.find((candidate) => candidate.revision === revision)!;
      return supersededEntry(id, sheet.revision, slots, committedAt);
    }),
  ]);
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
