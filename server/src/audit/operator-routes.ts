import { operatorPlatformEndpoints } from '@saldo/api';
import { paginate } from '../platform/http/paging.ts';
import { type Route, replicaRoute } from '../platform/http/routes.ts';
import { startOf } from '../platform/http/time-filter.ts';
import { findActorNames, listAudit, wireAudit } from './store.ts';

export function operatorAuditRoutes(): Route[] {
  return [
    replicaRoute(operatorPlatformEndpoints.listAudit, async ({ viewer, query, page }, db) => {
      const filter = {
        subject: query.subject ?? null,
        actor: query.actor ?? null,
        action: query.action ?? null,
        // Both are rounded up to milliseconds, which all entries have but those of migrations.
        since: startOf(query.since),
        until: startOf(query.until),
      };
      const after = page.after && { no: Number(page.after[0]), at: Number(page.after[1]) };
      const order = query.order ?? 'oldest_first';
      const rows = await listAudit(db, filter, { order, after, count: page.limit + 1 });
      const { records, pagination } = paginate(page, rows, (row) => [row.no, row.at]);
      const names = await findActorNames(db, viewer, records);
      return { entries: records.map((row) => wireAudit(row, names)), pagination };
    }),
  ];
}
