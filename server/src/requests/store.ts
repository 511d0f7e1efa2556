import type { StatusClass } from '@saldo/api';
import type { Tenant } from '../events/store.ts';
import { CopyText } from '../platform/db/copy-text.ts';
import type { Database, Db } from '../platform/db/database.ts';
import { type Statement, statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import { type Batch, idHash, type RequestRecord, readBody, statusClassOf, WINDOW_MS } from './batch.ts';

const COPY = `copy request_batch
  (id, tenant, last_at, count, callers, methods, status_classes, routes, id_hashes, body) from stdin`;
const DELETE_BATCHES = statement(
  'delete_request_batches',
  'delete from request_batch where id = any($1::uuid[])',
);

/** Stores batches. `isRepeated`: an earlier write of some of them failed, and may have been committed nevertheless. */
export async function writeBatches(
  db: Database,
  batches: readonly Batch[],
  isRepeated: boolean,
): Promise<void> {
  const rows = new CopyText();
  for (const batch of batches) {
    const { callers, methods, statusClasses, routes } = batch.columns();
    rows.field(batch.id);
    rows.field(batch.tenant);
    rows.field(timestamp(batch.lastAt));
    rows.integer(batch.count);
    for (const texts of [callers, methods]) rows.field(`{${texts.join(',')}}`);
    rows.integers(statusClasses);
    // Quoted, because a route has braces and may be empty.
    rows.field(`{${routes.map((route) => `"${route}"`).join(',')}}`);
    rows.integers(batch.idHashes);
    rows.binary(batch.body());
    rows.endRow();
  }
  await db.transaction(async (tx) => {
    if (isRepeated) await tx.query(DELETE_BATCHES, [batches.map(({ id }) => id)]);
    await tx.copy(COPY, rows.written());
  });
}

/** A request with its place in the list of its owner. */
export type StoredRequest = RequestRecord & { readonly batchId: string; readonly index: number };

export type RequestFilter = {
  readonly caller: string | null;
  readonly method: string | null;
  readonly statusClass: StatusClass | null;
  readonly route: string | null;
  readonly since: number | null;
  readonly until: number | null;
};

/** Of the last request on the previous page. */
export type RequestPlace = Pick<StoredRequest, 'at' | 'batchId' | 'index'>;

type BatchRow = { id: string; last_at: number; body: Buffer };

/** $2 and $3 time and id of the last batch that was read, $4 since, $5 to $8 the filters, $9 row limit. */
const LIST = statement(
  'list_request_batches',
  `select id, last_at, body from request_batch
   where tenant = $1 and (last_at, id) < ($2, $3) and last_at >= $4
     and exists (
       select from unnest(callers, methods, status_classes, routes) as kind (caller, method, status_class, route)
       where ($5::text is null or kind.caller = $5) and ($6::text is null or kind.method = $6)
         and ($7::smallint is null or kind.status_class = $7) and ($8::text is null or kind.route = $8))
   order by last_at desc, id desc limit $9`,
);
const FIND = statement(
  'find_request_batch',
  `select id, last_at, body from request_batch where tenant = $1 and $2 = any(id_hashes)
   order by last_at desc, id desc limit $3`,
);

const BEYOND_IDS = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** Few, because a batch may fill the page; then twice as many each time, because it may also have one match. */
const FIRST_READ = 4;
/** Batches whose hash matches by chance are rarer than one in a million. */
const FOUND_AT_MOST = 4;

/** Newest first. Times are whole milliseconds, so requests of the same one are in the order of their batches. */
const isBefore = (one: RequestPlace, other: RequestPlace): boolean =>
  one.at !== other.at
    ? one.at < other.at
    : one.batchId !== other.batchId
      ? one.batchId < other.batchId
      : one.index < other.index;

/** A page of the requests of an owner, newest first. */
export async function listRequests(
  db: Db,
  tenant: Tenant,
  filter: RequestFilter,
  page: { readonly after: RequestPlace | null; readonly count: number },
): Promise<StoredRequest[]> {
  const { after, count } = page;
  const matches = matcherOf(filter, after);
  const statusClass = filter.statusClass === null ? null : Number(filter.statusClass[0]);
  const filters = [filter.caller, filter.method, statusClass, filter.route];
  const since = filter.since === null ? '-infinity' : timestamp(filter.since);
  // Requests before this time may be in a batch whose newest request is later.
  const end = Math.min(filter.until ?? Infinity, (after?.at ?? Infinity) + 1) + WINDOW_MS;
  let place: [at: string, id: string] = [end === Infinity ? 'infinity' : timestamp(end), BEYOND_IDS];
  const found: StoredRequest[] = [];
  for (let size = FIRST_READ; ; size *= 2) {
    const rows = await db.query<BatchRow>(LIST, [tenant, ...place, since, ...filters, size]);
    for (const row of rows) found.push(...readRow(row).filter(matches));
    found.sort((one, other) => (isBefore(one, other) ? 1 : -1));
    const last = rows.at(-1);
    if (rows.length < size || last === undefined) return found.slice(0, count);
    // Batches of several processes overlap: a batch that was not read has no request after the newest of the last one.
    const edge = { at: last.last_at, batchId: last.id, index: 0 };
    if (found.filter((one) => !isBefore(one, edge)).length >= count) return found.slice(0, count);
    place = [timestamp(last.last_at), last.id];
  }
}

const readRow = ({ id, body }: BatchRow): StoredRequest[] =>
  readBody(body).map((record, index) => ({ ...record, batchId: id, index }));

const matcherOf =
  (filter: RequestFilter, after: RequestPlace | null) =>
  (one: StoredRequest): boolean =>
    (filter.caller === null || one.caller === filter.caller) &&
    (filter.method === null || one.method === filter.method) &&
    (filter.statusClass === null || `${statusClassOf(one.status)}xx` === filter.statusClass) &&
    (filter.route === null || one.route === filter.route) &&
    (filter.since === null || one.at >= filter.since) &&
    (filter.until === null || one.at < filter.until) &&
    (after === null || isBefore(one, after));

/** The newest request of an owner with this id. */
export async function findRequest(db: Db, tenant: Tenant, requestId: string): Promise<RequestRecord | null> {
  for (const row of await db.query<BatchRow>(FIND, [tenant, idHash(requestId), FOUND_AT_MOST])) {
    const found = readRow(row).findLast((one) => one.requestId === requestId);
    if (found !== undefined) return found;
  }
  return null;
}

const DELETED_AT_ONCE = 1_000;

const DELETE_OLD = statement(
  'delete_old_request_batches',
  `delete from request_batch where id = any(array(
     select id from request_batch where last_at < $1 order by last_at, id limit $2))
   returning 1`,
);
/** $1 number of requests to keep. */
const DELETE_EXCESS = statement(
  'delete_excess_request_batches',
  `with excess as (select sum(count) - $1 as requests from request_batch),
   oldest as (
     select id, sum(count) over (order by last_at, id) - count as older
     from (select id, last_at, count from request_batch order by last_at, id limit $2) as first)
   delete from request_batch b using oldest, excess where b.id = oldest.id and oldest.older < excess.requests
   returning 1`,
);

/** Deletes requests from before this time, and the oldest ones beyond this number, in short transactions. */
export async function deleteOldRequests(db: Database, before: number, maxStored: number): Promise<void> {
  const deletions: [Statement, string | number][] = [
    [DELETE_OLD, timestamp(before)],
    [DELETE_EXCESS, maxStored],
  ];
  for (const [deletion, bound] of deletions) {
    let deleted: number;
    do {
      deleted = await db.transaction(
        async (tx) => (await tx.query(deletion, [bound, DELETED_AT_ONCE])).length,
      );
    } while (deleted === DELETED_AT_ONCE);
  }
}
