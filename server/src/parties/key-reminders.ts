import { KEY_REMINDER_DAYS } from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { remind } from '../events/actions.ts';
import { appendEvents, type NewEvent, tenantsOf } from '../events/store.ts';
import { ownerOf } from '../platform/auth/principal.ts';
import type { Database } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';

/** $1 days, $2 done to, $3 now. A day is 24 hours here: the expiry is an instant. */
const EXPIRING = statement(
  'list_expiring_keys',
  `select k.id, k.brp_no, k.account_no, k.expires_at, min(lead.days) as days
   from api_key k, unnest($1::int[]) as lead (days)
   where k.revoked_at is null and k.expires_at > $3
     and k.expires_at - lead.days * interval '24 hours' > $2
     and k.expires_at - lead.days * interval '24 hours' <= $3
   group by k.id
   order by k.id`,
);

type ExpiringKey = {
  id: string;
  brp_no: number | null;
  account_no: number | null;
  expires_at: number;
  days: number;
};

/** Appends `api_key.expiring` for keys that have reached one of the lead times. */
export const remindOfExpiringKeys = (db: Database, now: number): Promise<void> =>
  remind(db, 'api_key.expiring', now, async (tx, doneTo) => {
    const keys = await tx.query<ExpiringKey>(EXPIRING, [
      KEY_REMINDER_DAYS,
      timestamp(doneTo),
      timestamp(now),
    ]);
    const events = keys.map((key): NewEvent => {
      const [tenant] = tenantsOf(ownerOf(key));
      const data = {
        object: 'api_key',
        id: encodeId(ID_PREFIX.key, key.id),
        expires_at: formatInstant(key.expires_at),
        days_left: key.days,
      } as const;
      return { type: 'api_key.expiring', tenants: [tenant], data };
    });
    await appendEvents(tx, events, now);
  });
