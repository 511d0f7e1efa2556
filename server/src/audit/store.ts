import type { AuditAction, AuditEntry, ListOrder } from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import { decodeId, ID_PREFIX, type IdPrefix } from '@saldo/core/id.ts';
import { auditEntry } from '@saldo/core/ledger/entries.ts';
import type { FastifyRequest } from 'fastify';
import { appendEntries } from '../ledger/append.ts';
import type { Viewer } from '../platform/auth/viewer.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { filteredList } from '../platform/db/filtered-list.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import { originOfRequest, type RequestOrigin } from '../platform/http/client-address.ts';

/** The principal that caused an audit event, and the request that it came with. A job has no client. */
export type Actor = {
  readonly actor: string;
  readonly request: FastifyRequest | ({ readonly id: string } & RequestOrigin);
};

/** The origin of what no client has requested. */
export const NO_CLIENT: RequestOrigin = { address: null, userAgent: null };

export type AuditEvent = {
  readonly action: AuditAction;
  readonly subject: string;
  /** The record as the API shows it: `before` is absent for a new record, `after` for a deleted one. */
  readonly before?: object | null;
  readonly after?: object | null;
};

const INSERT = statement(
  'insert_audit',
  `insert into audit (at, actor, action, subject, request_id, before, after, address, user_agent)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   returning no`,
);

/** Writes the audit event in the transaction of the change, so that neither commits without the other. */
export async function recordAudit(tx: Tx, by: Actor, event: AuditEvent, now: number): Promise<void> {
  const { address, userAgent } = 'raw' in by.request ? originOfRequest(by.request) : by.request;
  const { actor, request } = by;
  const { action, subject } = event;
  const [before, after] = [event.before, event.after].map((record) =>
    record ? JSON.stringify(record) : null,
  );
  const [row] = await tx.query<{ no: number }>(INSERT, [
    timestamp(now),
    actor,
    action,
    subject,
    request.id,
    before,
    after,
    address,
    userAgent,
  ]);
  const entry = auditEntry({
    ...{ no: row!.no, actor, action, subject, requestId: request.id, address, userAgent, committedAt: now },
    before: JSON.parse(before ?? 'null'),
    after: JSON.parse(after ?? 'null'),
  });
  appendEntries(tx, [entry], now);
}

type AuditRow = {
  no: number;
  at: number;
  actor: string;
  action: string;
  subject: string;
  request_id: string | null;
  address: string | null;
  user_agent: string | null;
  before: unknown;
  after: unknown;
};

const COLUMNS = 'no, at, actor, action, subject, request_id, address, user_agent, before, after';
const FILTERS = {
  subject: { type: 'text', condition: (subject: string) => `subject = ${subject}` },
  actor: { type: 'text', condition: (actor: string) => `actor = ${actor}` },
  action: { type: 'text', condition: (action: string) => `action = ${action}` },
  since: { type: 'timestamptz', condition: (since: string) => `at >= ${since}` },
  until: { type: 'timestamptz', condition: (until: string) => `at < ${until}` },
} as const;

/** $1 number of the last entry on the previous page, $2 row limit. */
const auditList = (name: string, beyond: '<' | '>', direction: 'asc' | 'desc') =>
  filteredList({
    make: statement,
    name,
    ownParameters: 2,
    filters: FILTERS,
    leads: ['subject', 'actor', 'action'],
    text: (where) =>
      `select ${COLUMNS} from audit where no ${beyond} $1 and ${where} order by no ${direction} limit $2`,
  });

/**
 * The entries of a period by time, which an index serves; their numbers may be in another order. $1 number and $3 time of
 * the last entry on the previous page, $2 row limit, $4 and $5 the period. The stored time of that entry replaces $3, which
 * has milliseconds only: entries of migrations have microseconds.
 */
const auditOfPeriod = (name: string, beyond: '<' | '>', direction: 'asc' | 'desc') =>
  filteredList({
    make: statement,
    name,
    ownParameters: 5,
    filters: { actor: FILTERS.actor, action: FILTERS.action },
    leads: [],
    text: (where) =>
      `select ${COLUMNS} from audit
       where (at, no) ${beyond} (coalesce((select at from audit where no = $1), $3), $1) and at >= $4 and at < $5 and ${where}
       order by at ${direction}, no ${direction} limit $2`,
  });

const LISTS = {
  oldest_first: {
    from: { no: '0', at: '-infinity' },
    list: auditList('list_audit', '>', 'asc'),
    ofPeriod: auditOfPeriod('list_audit_of_period', '>', 'asc'),
  },
  newest_first: {
    from: { no: '9223372036854775807', at: 'infinity' },
    list: auditList('list_audit_backwards', '<', 'desc'),
    ofPeriod: auditOfPeriod('list_audit_of_period_backwards', '<', 'desc'),
  },
} as const satisfies Record<ListOrder, unknown>;

export type AuditFilter = {
  subject: string | null;
  actor: string | null;
  action: string | null;
  since: number | null;
  until: number | null;
};
type Place = { readonly no: number; readonly at: number };

export async function listAudit(
  db: Db,
  filter: AuditFilter,
  page: { order: ListOrder; after: Place | null; count: number },
): Promise<AuditRow[]> {
  const { from, list, ofPeriod } = LISTS[page.order];
  const no = page.after?.no ?? from.no;
  const since = filter.since === null ? null : timestamp(filter.since);
  const until = filter.until === null ? null : timestamp(filter.until);
  // The entries of one record are few: their index is better than that of the period.
  if (filter.subject !== null || (since === null && until === null))
    return db.query<AuditRow>(...list([no, page.count], { ...filter, since, until }));
  // The first page starts at the edge of the period: an index scan from further away would read all entries up to it.
  const edge = (page.order === 'oldest_first' ? since : until) ?? from.at;
  const at = page.after === null ? edge : timestamp(page.after.at);
  return db.query<AuditRow>(
    ...ofPeriod([no, page.count, at, since ?? '-infinity', until ?? 'infinity'], filter),
  );
}

const FIND_LAST_CHANGE = statement(
  'find_last_change',
  `select at, actor from audit
   where subject = $1 and action ~ '\\.(updated|deleted)$' and before is distinct from after
   order by no desc limit 1`,
);

/** When and by which actor the record was changed or deleted last. Null if it never was. */
export async function findLastChange(
  db: Db,
  subject: string,
): Promise<Pick<AuditRow, 'at' | 'actor'> | null> {
  const [row] = await db.query<Pick<AuditRow, 'at' | 'actor'>>(FIND_LAST_CHANGE, [subject]);
  return row ?? null;
}

const FIND_FROM = statement(
  'find_audit_from',
  `select changed.at as changed_at, a.actor, a.action, a.subject
   from unnest($1::timestamptz[]) as changed (at)
   cross join lateral (
     select * from audit found
     where found.at >= changed.at and found.at <= changed.at + interval '1 hour'
       and (found.at = changed.at or found.action = any($3::text[])) and found.action = any($2::text[])
     order by found.at, found.no offset 0) as a`,
);

/** An event that may be that of a change at `changed_at`. */
export type PossibleEvent = Pick<AuditRow, 'actor' | 'action' | 'subject'> & { readonly changed_at: number };

/**
 * The events of these actions that may be those of changes at these instants. A change and its event have the same time, but an
 * operation of several transactions (`atEnd`) has one event, at its end, which is at most an hour later.
 */
export async function findPossibleEvents(
  db: Db,
  instants: readonly number[],
  actions: readonly AuditAction[],
  atEnd: readonly AuditAction[],
): Promise<PossibleEvent[]> {
  return instants.length === 0 ? [] : db.query(FIND_FROM, [instants.map(timestamp), actions, atEnd]);
}

/**
 * `condition` restricts the users and keys that are named. One look-up by the primary key per actor: for `id = any (…)`
 * the planner may scan another index with the id in it.
 */
const findNames = (name: string, condition = '') =>
  statement(
    name,
    `select typeid('user', actor) as id, (select name from app_user where id = actor ${condition}) as name
     from unnest($1::uuid[]) as actor
     union all
     select typeid('key', actor), (select name from api_key where id = actor ${condition})
     from unnest($2::uuid[]) as actor`,
  );
const FIND_ACTOR_NAMES = findNames('find_actor_names');
const FIND_ACTOR_NAMES_OF_BRP = findNames('find_actor_names_of_brp', 'and brp_no = $3');

type ActorName = { id: string; name: string | null };
type ActorNames = ReadonlyMap<string, string | null>;

/** Today's names of the users and keys that caused these events, by id. A BRP does not see those of other parties. */
export async function findActorNames(
  db: Db,
  viewer: Viewer,
  events: readonly { readonly actor: string }[],
): Promise<ActorNames> {
  const actors = Array.from(new Set(events.map(({ actor }) => actor)));
  const idsOf = (prefix: IdPrefix) =>
    actors.map((actor) => decodeId(prefix, actor)).filter((id) => id !== null);
  const ids = [idsOf(ID_PREFIX.user), idsOf(ID_PREFIX.key)];
  const rows = await (viewer.kind === 'brp'
    ? db.query<ActorName>(FIND_ACTOR_NAMES_OF_BRP, [...ids, viewer.brpNo])
    : db.query<ActorName>(FIND_ACTOR_NAMES, ids));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export const wireAudit = (row: AuditRow, names: ActorNames): AuditEntry => ({
  id: String(row.no),
  at: formatInstant(row.at),
  actor: row.actor,
  actor_name: names.get(row.actor) ?? null,
  action: row.action,
  subject: row.subject,
  request_id: row.request_id,
  address: row.address,
  user_agent: row.user_agent,
  before: row.before ?? null,
  after: row.after ?? null,
});
