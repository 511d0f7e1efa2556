import { AsyncLocalStorage } from 'node:async_hooks';
import type { ExportFormat } from '@saldo/api';
import { listNominations, type NominationFilter, type NominationRow } from '../nominations/store.ts';
import type { Viewer } from '../platform/auth/viewer.ts';
import type { Db } from '../platform/db/database.ts';
import type { AsOf } from '../platform/http/as-of.ts';
import { concurrencyLimiter } from '../platform/http/concurrency-limiter.ts';
import { FIRST_ID } from '../platform/http/paging.ts';
import { FIRST_DAY } from '../platform/http/time-filter.ts';
import { withOperatorMembers } from '../transactions/operator-members.ts';
import {
  listTransactions,
  type TransactionFilter,
  type TransactionPosition,
  type TransactionRecord,
} from '../transactions/store.ts';

/** Records of one query: 20 sheets, or nominations with as many slots. A reader that stops holds one batch. */
const BATCH = { transactions: 1920, nominations: 20 };

/** Queries of all exports at once. Other requests have the rest of the pool, and the event loop between two batches. */
const QUERIES_AT_ONCE = 2;

const inTurn = concurrencyLimiter({ atOnce: QUERIES_AT_ONCE });

/**
 * Batches are larger than a hot statement may be, so they use the pool. No connection is held between two batches. The
 * stream asks for them outside of the asynchronous context of the request, which has its trace.
 */
function pooled(db: Db): Db {
  const inRequest = AsyncLocalStorage.snapshot();
  const queries = {
    query: (...call) => inRequest(() => db.query(...call)),
    arrays: (...call) => inRequest(() => db.arrays(...call)),
  } as Pick<Db, 'query' | 'arrays'>;
  return { ...queries, hot: queries };
}

/**
 * Walks the list of transactions with large pages. There is at least one batch, which may be empty. Only NDJSON has the
 * reasons that the operator sees.
 */
export async function* eachTransactionBatch(
  db: Db,
  viewer: Viewer,
  filter: TransactionFilter | null,
  format: ExportFormat,
  asOf: AsOf,
): AsyncGenerator<readonly TransactionRecord[]> {
  if (filter === null) return yield [];
  const source = pooled(db);
  for (let after: TransactionPosition | null = null; ; ) {
    const records = await inTurn(async () => {
      const found = await listTransactions(source, viewer, filter, after, BATCH.transactions, asOf);
      return format === 'ndjson' ? withOperatorMembers(source, viewer, found) : found;
    });
    yield records;
    const last = records.at(-1);
    if (last === undefined || records.length < BATCH.transactions) return;
    const { row, cell } = last;
    after = { day: row.day, contractId: row.contractId, slot: cell.slot, version: cell.version };
  }
}

/** The same for nominations, with their slots. */
export async function* eachNominationBatch(
  db: Db,
  viewer: Viewer,
  filter: NominationFilter,
  asOf: AsOf,
): AsyncGenerator<NominationRow[]> {
  const source = pooled(db);
  for (let after = { day: FIRST_DAY, id: FIRST_ID }; ; ) {
    const page = { after, count: BATCH.nominations };
    const rows = await inTurn(() => listNominations(source, viewer, filter, page, true, asOf));
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH.nominations) return;
    after = { day: last.delivery_day, id: last.id };
  }
}
