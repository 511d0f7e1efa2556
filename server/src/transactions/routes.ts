import { type exportEndpoints, type QueryOf, transactionEndpoints } from '@saldo/api';
import { MAX_SLOTS } from '@saldo/core/delivery-day.ts';
import { decodeId, ID_PREFIX, splitTransactionUuid } from '@saldo/core/id.ts';
import { getContract } from '../contracts/routes.ts';
import { findAssets } from '../market/store.ts';
import { wireAsset } from '../market/wire.ts';
import type { Db } from '../platform/db/database.ts';
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

export function transactionRoutes(): Route[] {
  const { listTransactions: list, listContractTransactions: listOfContract } = transactionEndpoints;
  return [
    replicaRoute(listOfContract, async (call, db) => {
      const contractId = decodeId(ID_PREFIX.contract, call.params.contract_id);
      const filter = { ...filterOf(call.query), contractId };
      const records = contractId === null ? [] : await listPage(db, call, filter);
      // A viewer of a transaction may see its contract, so only an empty page has to check that the contract exists.
      if (records.length === 0) await getContract(db, call.viewer, call.params.contract_id);
      return answerRecords(db, call.page, records, call.query);
    }),

    replicaRoute(list, (call, db) => answerTransactions(db, call)),

    replicaRoute(transactionEndpoints.getTransaction, async ({ viewer, params }, db) => {
      const key = transactionKey(params.transaction_id);
      const [record] = key === null ? [] : await findTransactions(db, viewer, [key]);
      if (!record) throw transactionNotFound();
      return transactionBytes(record);
    }),

    replicaRoute(transactionEndpoints.getTransactionHistory, async ({ viewer, params, query }, db) => {
      const key = transactionKey(params.transaction_id);
      const records = key === null ? [] : await findTransactionHistory(db, viewer, key);
      if (records.length === 0) throw transactionNotFound();
      return transactionEnvelope(records, {
        assets: await assetsOf(db, records, query.include_assets === 'true'),
      });
    }),

    replicaRoute(transactionEndpoints.getTransactionsBulk, async ({ viewer, query }, db) => {
      const records = await findTransactions(db, viewer, transactionKeys(query.ids));
      return transactionEnvelope(records, {
        assets: await assetsOf(db, records, query.include_assets === 'true'),
      });
    }),

    replicaRoute(transactionEndpoints.postTransactionsBulk, async ({ viewer, body }, db) => {
      const records = await findTransactions(db, viewer, transactionKeys(body.ids));
      return transactionEnvelope(records, {
        assets: await assetsOf(db, records, body.include_assets === true),
      });
    }),
  ];
}

type AllCall = ListCall & Pick<Call<typeof transactionEndpoints.listTransactions>, 'query'>;

/** Answers a page of all transactions that the viewer may see. */
export async function answerTransactions(db: Db, call: AllCall): Promise<Buffer> {
  const filter = transactionFilter(call.query);
  const records = filter === null ? [] : await listPage(db, call, filter);
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

async function listPage(db: Db, { viewer, page }: ListCall, filter: TransactionFilter) {
  const records = await listTransactions(db, viewer, filter, positionOf(page), page.limit + 1);
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
