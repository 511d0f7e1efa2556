import { type exportEndpoints, type QueryOf, transactionEndpoints } from '@saldo/api';
import { MAX_SLOTS } from '@saldo/core/delivery-day.ts';
import { decodeId, ID_PREFIX, splitTransactionUuid } from '@saldo/core/id.ts';
import { getContract } from '../contracts/routes.ts';
import { findAssets } from '../market/store.ts';
import { wireAsset } from '../market/wire.ts';
import type { Viewer } from '../platform/auth/viewer.ts';
import type { Db } from '../platform/db/database.ts';
import type { AsOf, AsOfReads } from '../platform/http/as-of.ts';
import { type PageRequest, paginate } from '../platform/http/paging.ts';
import { problem } from '../platform/http/problem.ts';
import { type Call, type Route, replicaRoute } from '../platform/http/routes.ts';
import { deliveryRange } from '../platform/http/time-filter.ts';
import { withOperatorMembers } from './operator-members.ts';
import {
  findTransactionHistory,
  findTransactions,
  listTransactions,
  type TransactionFilter,
  type TransactionKey,
  type TransactionPosition,
  type TransactionRecord,
} from './store.ts';
import { transactionBytes, transactionEnvelope } from './wire.ts';

export function transactionRoutes(asOfReads: AsOfReads): Route[] {
  const { listTransactions: list, listContractTransactions: listOfContract } = transactionEndpoints;
  return [
    replicaRoute(listOfContract, async (call, reads) => {
      const { db, asOf } = await asOfReads(reads, call.query.as_of);
      const contractId = decodeId(ID_PREFIX.contract, call.params.contract_id);
      const filter = { ...filterOf(call.query), contractId };
      const records = contractId === null ? [] : await listPage(db, call, filter, asOf);
      // A viewer of a transaction may see its contract, so only an empty page has to check that the contract exists.
      if (records.length === 0) await getContractAsOf(db, call.viewer, call.params.contract_id, asOf);
      return answerRecords(db, call.page, records, call.query);
    }),

    replicaRoute(list, (call, db) => answerTransactions(db, call, asOfReads)),

    replicaRoute(transactionEndpoints.getTransaction, async ({ viewer, params, query }, reads) => {
      const { db, asOf } = await asOfReads(reads, query.as_of);
      const key = transactionKey(params.transaction_id);
      const [record] = key === null ? [] : await findTransactions(db, viewer, [key], asOf);
      if (!record) throw transactionNotFound();
      return transactionBytes(record);
    }),

    replicaRoute(transactionEndpoints.getTransactionHistory, async ({ viewer, params, query }, reads) => {
      const { db, asOf } = await asOfReads(reads, query.as_of);
      const key = transactionKey(params.transaction_id);
      const records = key === null ? [] : await findTransactionHistory(db, viewer, key, asOf);
      if (records.length === 0) throw transactionNotFound();
      return transactionEnvelope(records, {
        assets: await assetsOf(db, records, query.include_assets === 'true'),
      });
    }),

    replicaRoute(transactionEndpoints.getTransactionsBulk, async ({ viewer, query }, reads) => {
      const { db, asOf } = await asOfReads(reads, query.as_of);
      const records = await findTransactions(db, viewer, transactionKeys(query.ids), asOf);
      return transactionEnvelope(records, {
        assets: await assetsOf(db, records, query.include_assets === 'true'),
      });
    }),

    replicaRoute(transactionEndpoints.postTransactionsBulk, async ({ viewer, body }, reads) => {
      const { db, asOf } = await asOfReads(reads, body.as_of);
      const records = await findTransactions(db, viewer, transactionKeys(body.ids), asOf);
      return transactionEnvelope(records, {
        assets: await assetsOf(db, records, body.include_assets === true),
      });
    }),
  ];
}

/** A contract that was created after the instant did not exist. */
async function getContractAsOf(db: Db, viewer: Viewer, id: string, asOf: AsOf): Promise<void> {
  const { created_at: createdAt } = await getContract(db, viewer, id);
  if (asOf !== null && createdAt > asOf) throw problem('contract_not_found');
}

type AllCall = ListCall & Pick<Call<typeof transactionEndpoints.listTransactions>, 'query'>;

/** Answers a page of all transactions that the viewer may see. */
export async function answerTransactions(reads: Db, call: AllCall, asOfReads: AsOfReads): Promise<Buffer> {
  const { db, asOf } = await asOfReads(reads, call.query.as_of);
  const filter = transactionFilter(call.query);
  const records = filter === null ? [] : await listPage(db, call, filter, asOf);
  return answerRecords(db, call.page, records, call.query);
}

type FilterQuery = QueryOf<typeof exportEndpoints.exportTransactions>;

/** Null when no transaction can match. */
export function transactionFilter(query: FilterQuery): TransactionFilter | null {
  const { contract_id } = query;
  const contractId = contract_id === undefined ? null : decodeId(ID_PREFIX.contract, contract_id);
  return contract_id !== undefined && contractId === null ? null : { ...filterOf(query), contractId };
}

type ListQuery = QueryOf<typeof transactionEndpoints.listContractTransactions>;
type ListCall = Pick<Call<typeof transactionEndpoints.listContractTransactions>, 'viewer' | 'page'>;

const filterOf = (query: FilterQuery): Omit<TransactionFilter, 'contractId'> => ({
  status: query.status ?? null,
  senderEic: query.sender_eic ?? null,
  receiverEic: query.receiver_eic ?? null,
  delivery: deliveryRange(query),
  slotFrom: query.slot_number_from ?? 1,
  slotTo: query.slot_number_to ?? MAX_SLOTS,
});

async function listPage(db: Db, { viewer, page }: ListCall, filter: TransactionFilter, asOf: AsOf) {
  const records = await listTransactions(db, viewer, filter, positionOf(page), page.limit + 1, asOf);
  return withOperatorMembers(db, viewer, records);
}

async function answerRecords(
  db: Db,
  page: PageRequest,
  found: readonly TransactionRecord[],
  query: ListQuery,
): Promise<Buffer> {
  const { records, pagination } = paginate(page, found, ({ row, cell }) => [
    row.day,
    row.contractId,
    cell.slot,
    cell.version,
  ]);
  const assets = await assetsOf(db, records, query.include_assets === 'true');
  return transactionEnvelope(records, { pagination, assets });
}

function positionOf({ after }: PageRequest): TransactionPosition | null {
  if (after === null) return null;
  const [day, contractId, slot, version] = after;
  return { day: String(day), contractId: String(contractId), slot: Number(slot), version: Number(version) };
}

async function assetsOf(db: Db, records: readonly TransactionRecord[], wanted: boolean) {
  if (!wanted) return null;
  const ids = new Set(records.map(({ row }) => row.assetId).filter((id) => id !== null));
  return (await findAssets(db, [...ids])).map(wireAsset);
}

export function transactionKey(id: string): TransactionKey | null {
  const uuid = decodeId(ID_PREFIX.transaction, id);
  return uuid === null ? null : splitTransactionUuid(uuid);
}

/** Removes duplicates and malformed ids. Malformed ids are omitted from the answer, as unknown ids are. */
const transactionKeys = (ids: readonly string[]): TransactionKey[] =>
  [...new Set(ids)].map(transactionKey).filter((key) => key !== null);

export const transactionNotFound = () => problem('transaction_not_found');
