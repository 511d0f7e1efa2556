import { operatorPlatformEndpoints } from '@saldo/api';
import type { Db } from '../platform/db/database.ts';
import { paginate } from '../platform/http/paging.ts';
import { type Route, route } from '../platform/http/routes.ts';
import { findActorNames, listAudit, wireAudit } from './store.ts';

export function operatorAuditRoutes(db: Db): Route[] {
  return [
    route(operatorPlatformEndpoints.listAudit, async ({ viewer, query, page }) => {
      const filter = {
        subject: query.subject ?? null,
        actor: query.actor ?? null,
        action: query.action ?? null,
        since: query.since === undefined ? null : Date.parse(query.since),
        until: query.until === undefined ? null : Date.parse(query.until),
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
