import type { AuditEntry, ListOrder } from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { filteredList } from '../platform/db/filtered-list.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';

/** The principal that caused an audit event, and the request that it came with. */
export type Actor = { readonly actor: string; readonly request: { readonly id: string } };

export type AuditEvent = {
  /** Record type and past participle, such as `customer.updated`. */
  readonly action: string;
  readonly subject: string;
  /** The record as the API shows it: `before` is null for a new record, `after` for a deleted one. */
  readonly before: object | null;
  readonly after: object | null;
};

const INSERT = statement(
  'insert_audit',
  `insert into audit (at, actor, action, subject, request_id, before, after)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);

/** Writes the audit event in the transaction of the change, so that neither commits without the other. */
export async function recordAudit(tx: Tx, by: Actor, event: AuditEvent, now: number): Promise<void> {
  await tx.query(INSERT, [
    timestamp(now),
    by.actor,
    event.action,
    event.subject,
    by.request.id,
    event.before && JSON.stringify(event.before),
    event.after && JSON.stringify(event.after),
  ]);
}

type AuditRow = {
  no: number;
  at: number;
  actor: string;
  action: string;
  subject: string;
  request_id: string | null;
  before: unknown;
  after: unknown;
};

/** $1 number of the last entry on the previous page, $2 row limit. */
const auditList = (name: string, beyond: '<' | '>', direction: 'asc' | 'desc') =>
  filteredList({
    make: statement,
    name,
    ownParameters: 2,
    filters: {
      subject: { type: 'text', condition: (subject) => `subject = ${subject}` },
      actor: { type: 'text', condition: (actor) => `actor = ${actor}` },
      action: { type: 'text', condition: (action) => `action = ${action}` },
    },
    leads: ['subject', 'actor', 'action'],
    text: (where) => `select no, at, actor, action, subject, request_id, before, after
     from audit where no ${beyond} $1 and ${where} order by no ${direction} limit $2`,
  });
const LISTS = {
  oldest_first: { from: '0', list: auditList('list_audit', '>', 'asc') },
  newest_first: { from: '9223372036854775807', list: auditList('list_audit_backwards', '<', 'desc') },
} as const satisfies Record<ListOrder, unknown>;

export type AuditFilter = { subject: string | null; actor: string | null; action: string | null };

export async function listAudit(
  db: Db,
  filter: AuditFilter,
  page: { order: ListOrder; after: number | null; count: number },
): Promise<AuditRow[]> {
  const { from, list } = LISTS[page.order];
  return db.query<AuditRow>(...list([page.after ?? from, page.count], filter));
}

export const wireAudit = (row: AuditRow): AuditEntry => ({
  id: String(row.no),
  at: formatInstant(row.at),
  actor: row.actor,
  action: row.action,
  subject: row.subject,
  request_id: row.request_id,
  before: row.before ?? null,
  after: row.after ?? null,
});
