import { ledgerEndpoints, operatorLedgerEndpoints } from '@saldo/api';
import { invalidatedEntry, sheetEntry, supersededEntry } from '@saldo/core/ledger/entries.ts';
import { packVolumes, supersededSlots, unpackVolumes } from '@saldo/core/transactions/sheet.ts';
import { answerProof, type NewestEntry } from '../ledger/routes.ts';
import type { Primary } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import type { AsOf, AsOfReads } from '../platform/http/as-of.ts';
import { type Call, type Route, route } from '../platform/http/routes.ts';
import { hexOf } from './ledger-entries.ts';
import { transactionKey, transactionNotFound } from './routes.ts';
import { findTransactions, type TransactionRecord } from './store.ts';

/** $1 contract, $2 day, $3 revision of the sheet, $4 slot, $5 the instant. Sheets that may have replaced the transaction. */
const LATER = statement(
  'sheets_that_supersede',
  `select s.revision, s.created_at, s.volumes, s.previous from sheet s
   where s.contract_no = $1 and s.delivery_day = $2 and s.revision > $3 and $3 = any(s.previous)
     and sheet_volume(s.volumes, $4) is not null and s.created_at <= $5
   order by s.revision`,
);
const INVALIDATION = statement(
  'invalidation_of_transaction',
  `select number, slots, invalidated_at from invalidation
   where contract_no = $1 and delivery_day = $2 and revision = $3 and $4 = any(slots) and invalidated_at <= $5
   order by number desc limit 1`,
);

/** A replacement follows every invalidation. Entries of a replacement name no party of the later transaction. */
async function newestEntry(db: Primary, { row, cell }: TransactionRecord, asOf: AsOf): Promise<NewestEntry> {
  const { sheet } = row;
  const until = asOf === null ? 'infinity' : timestamp(asOf);
  const values = [row.contractNo, row.day, sheet.revision, cell.slot, until];
  const later = await db.query<{
    revision: number;
    created_at: number;
    volumes: Uint8Array;
    previous: (number | null)[];
  }>(LATER, values);
  for (const { revision, created_at: committedAt, volumes, previous } of later) {
    const slots = supersededSlots({ volumes: unpackVolumes(volumes), previous }).get(sheet.revision) ?? [];
    if (slots.includes(cell.slot))
      return { entry: supersededEntry(sheet.id, revision, slots, committedAt), committedAt };
  }
  const [invalid] = await db.query<{ number: number; slots: number[]; invalidated_at: number }>(
    INVALIDATION,
    values,
  );
  if (invalid !== undefined) {
    const { number, slots, invalidated_at: committedAt } = invalid;
    return { entry: invalidatedEntry(sheet.id, number, slots, committedAt), committedAt };
  }
  const committedAt = sheet.createdAt;
  const entry = sheetEntry({
    ...{ uuid: sheet.id, contractUuid: row.contractId, day: row.day, revision: sheet.revision, committedAt },
    sender: { eic: row.senderEic, tso: row.senderTso },
    receiver: { eic: row.receiverEic, tso: row.receiverTso },
    ...{ volumesHex: hexOf(packVolumes(sheet.volumes)), versions: sheet.versions, previous: sheet.previous },
  });
  return { entry, committedAt };
}

type ProofCall = Pick<
  Call<typeof ledgerEndpoints.getTransactionProof>,
  'viewer' | 'params' | 'query' | 'request'
>;

export function transactionProofRoutes(db: Primary, reads: AsOfReads): { brp: Route[]; operator: Route[] } {
  const prove = async (call: ProofCall) => {
    const { asOf } = await reads(db, call.query.as_of);
    const key = transactionKey(call.params.transaction_id);
    const [record] = key === null ? [] : await findTransactions(db, call.viewer, [key]);
    if (record === undefined || record.row.sheet.createdAt > (asOf ?? Infinity)) throw transactionNotFound();
    return answerProof(db, call, await newestEntry(db, record, asOf));
  };
  return {
    brp: [route(ledgerEndpoints.getTransactionProof, prove)],
    operator: [route(operatorLedgerEndpoints.operatorGetTransactionProof, prove)],
  };
}
