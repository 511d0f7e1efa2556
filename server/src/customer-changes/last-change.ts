import { type LastChange, portalLastChangeEndpoints } from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { findActorNames, findLastChange } from '../audit/store.ts';
import { findCustomer } from '../customers/store.ts';
import { findBalanceGroup } from '../parties/store.ts';
import type { Viewer } from '../platform/auth/viewer.ts';
import type { Db } from '../platform/db/database.ts';
import { problem } from '../platform/http/problem.ts';
import { type Route, route } from '../platform/http/routes.ts';

export const lastChangeRoutes = (db: Db): Route[] => [
  route(portalLastChangeEndpoints.getLastChange, async ({ viewer, params }): Promise<LastChange> => {
    const isVisible = viewer.kind === 'operator' || (await isSeenBy(db, viewer, params.record_id));
    const last = isVisible ? await findLastChange(db, params.record_id) : null;
    if (last === null) throw problem('not_found', { key: 'problem.record_not_found' });
    const names = await findActorNames(db, viewer, [last]);
    return { at: formatInstant(last.at), actor_name: names.get(last.actor) ?? null };
  }),
];

/** A BRP changes customers and balance groups. The operator reads the audit trail of all records, deleted ones too. */
async function isSeenBy(db: Db, viewer: Viewer, subject: string): Promise<boolean> {
  const customerId = decodeId(ID_PREFIX.customer, subject);
  const record =
    customerId === null
      ? await findBalanceGroup(db, viewer, subject)
      : await findCustomer(db, viewer, customerId);
  return record !== null;
}
