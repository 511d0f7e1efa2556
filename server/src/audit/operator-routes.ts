import { operatorPlatformEndpoints } from '@saldo/api';
import type { Db } from '../platform/db/database.ts';
import { paginate } from '../platform/http/paging.ts';
import { type Route, route } from '../platform/http/routes.ts';
import { listAudit, wireAudit } from './store.ts';

export function operatorAuditRoutes(db: Db): Route[] {
  return [
    route(operatorPlatformEndpoints.listAudit, async ({ query, page }) => {
      const filter = {
        subject: query.subject ?? null,
        actor: query.actor ?? null,
        action: query.action ?? null,
      };
      const after = page.after === null ? null : Number(page.after[0]);
      const order = query.order ?? 'oldest_first';
      const rows = await listAudit(db, filter, { order, after, count: page.limit + 1 });
      const { records, pagination } = paginate(page, rows, (row) => [row.no]);
      return { entries: records.map(wireAudit), pagination };
    }),
  ];
}
