import { type LastChange, portalLastChangeEndpoints } from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { listAudit } from '../audit/store.ts';
import { findCustomer } from '../customers/store.ts';
import { findBalanceGroup } from '../parties/store.ts';
import type { Viewer } from '../platform/auth/viewer.ts';
import type { Db } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { problem } from '../platform/http/problem.ts';
import { type Route, route } from '../platform/http/routes.ts';

export const lastChangeRoutes = (db: Db): Route[] => [
  route(portalLastChangeEndpoints.getLastChange, async ({ viewer, params }): Promise<LastChange> => {
    const filter = { subject: params.record_id, actor: null, action: null, since: null, until: null };
    const last = (await isVisible(db, viewer, params.record_id))
      ? await listAudit(db, filter, { order: 'newest_first', after: null, count: 1 })
      : [];
    if (!last[0]) throw problem('not_found', 'There is no such record, or it was never changed.');
    const { at, actor } = last[0];
    return { at: formatInstant(at), actor_name: await findActorName(db, viewer, actor) };
  }),
];

async function isVisible(db: Db, viewer: Viewer, subject: string): Promise<boolean> {
  const customerId = decodeId(ID_PREFIX.customer, subject);
  const record =
    customerId === null
      ? await findBalanceGroup(db, viewer, subject)
      : await findCustomer(db, viewer, customerId);
  return record !== null;
}

/** $1 id. For a BRP, $2 its number: names of other parties' users and keys are not shown. */
const nameStatements = (table: 'app_user' | 'api_key') => ({
  operator: statement(`name_of_${table}`, `select name from ${table} where id = $1`),
  brp: statement(`name_of_own_${table}`, `select name from ${table} where id = $1 and brp_no = $2`),
});
const NAMES = { [ID_PREFIX.user]: nameStatements('app_user'), [ID_PREFIX.key]: nameStatements('api_key') };

async function findActorName(db: Db, viewer: Viewer, actor: string): Promise<string | null> {
  for (const prefix of [ID_PREFIX.user, ID_PREFIX.key] as const) {
    const id = decodeId(prefix, actor);
    if (id === null) continue;
    const own = viewer.kind === 'brp' ? [viewer.brpNo] : [];
    const [row] = await db.query<{ name: string }>(NAMES[prefix][viewer.kind], [id, ...own]);
    return row?.name ?? null;
  }
  return null;
}
