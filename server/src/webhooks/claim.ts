import type { EventType } from '@saldo/api';
import { numberOf } from '../events/numbers.ts';
import { eventWith, type Tenant } from '../events/store.ts';
import type { Database } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import type { EndpointSecrets } from './store.ts';

export const CLAIM_LIMITS = {
  /** Tries in progress in this process. */
  atOnce: 256,
  /** Those of endpoints whose last try failed leave room for the others. */
  failingAtOnce: 128,
  perEndpoint: 4,
  perFailingEndpoint: 1,
  /** Longer than a try takes. After it, the delivery of a process that died is taken by another one. */
  leaseMs: 20_000,
} as const;

/** A delivery that this process may send until the end of its lease, and everything that it needs for that. */
export type Claim = EndpointSecrets & {
  endpoint_id: string;
  id: string;
  attempts: number;
  lease: number;
  url: string;
  previous_secret_ends_at: number | null;
  failing_since: number | null;
  tenant: Tenant;
  event_sequence: number;
  event_number: number;
  event_type: EventType;
  event_occurred_at: number;
  /** JSON; null when the event is no longer kept. */
  event_data: string | null;
};

/**
 * $1 now, $2 row limit, $3 tries at once per endpoint, $4 and $5 the endpoints with tries in progress and how many. One
 * index scan per enabled endpoint, limited to its own room: a queue of one endpoint does not delay others.
 */
const due = (isFailing: boolean, locking: string) => `select d.endpoint_id, d.id
  from webhook_endpoint e
  left join unnest($4::uuid[], $5::int[]) as busy (id, count) on busy.id = e.id
  cross join lateral (
    select d.endpoint_id, d.id
    from webhook_delivery d
    where d.endpoint_id = e.id and d.next_attempt_at <= $1
    order by d.next_attempt_at
    limit greatest($3 - coalesce(busy.count, 0), 0)${locking}
  ) as d
  where e.disabled_at is null and e.deleted_at is null and e.failing_since is ${isFailing ? 'not ' : ''}null
  limit $2`;

/** $6 the end of the lease. */
const claim = (
  isFailing: boolean,
) => `with due as materialized (${due(isFailing, ' for no key update skip locked')})
   update webhook_delivery d set next_attempt_at = $6
   from due
   join webhook_endpoint e on e.id = due.endpoint_id
   join webhook_delivery known on known.endpoint_id = due.endpoint_id and known.id = due.id
   left join lateral ${eventWith('known.event_sequence')} as event on true
   where d.endpoint_id = due.endpoint_id and d.id = due.id
   returning d.endpoint_id, d.id, d.attempts, d.next_attempt_at as lease, e.url, e.sealed_secret,
     e.sealed_previous_secret, e.previous_secret_ends_at, e.failing_since, e.tenant, d.event_sequence,
     coalesce(d.event_number, ${numberOf('e.feeds', 'd.event_sequence')}) as event_number, d.event_type, d.event_occurred_at,
     event.data::text as event_data`;

const statementsOf = (name: string, isFailing: boolean) => ({
  hasDue: statement(`has_due_${name}`, `select exists (${due(isFailing, '')}) as found`),
  claim: statement(`claim_${name}`, claim(isFailing)),
});
const HEALTHY = statementsOf('webhook_deliveries', false);
const FAILING = statementsOf('failing_webhook_deliveries', true);

/** Tries in progress in this process: per endpoint, and of endpoints whose last try failed. */
export type InProgress = { readonly byEndpoint: ReadonlyMap<string, number>; readonly failing: number };

async function claimSome(
  db: Database,
  { hasDue, claim }: typeof HEALTHY,
  limits: { room: number; perEndpoint: number },
  busy: ReadonlyMap<string, number>,
  now: number,
): Promise<Claim[]> {
  if (limits.room <= 0) return [];
  const counts = [[...busy.keys()], [...busy.values()]];
  const values = [timestamp(now), limits.room, limits.perEndpoint, ...counts];
  // A read costs no transaction: nothing is due most of the time.
  const [due] = await db.query<{ found: boolean }>(hasDue, values);
  if (!due?.found) return [];
  return db.transaction((tx) => tx.query<Claim>(claim, [...values, timestamp(now + CLAIM_LIMITS.leaseMs)]));
}

/** Takes due deliveries, those of failing endpoints last. */
export async function claimDue(
  db: Database,
  { byEndpoint, failing }: InProgress,
  now: number,
): Promise<Claim[]> {
  const { atOnce, failingAtOnce, perEndpoint, perFailingEndpoint } = CLAIM_LIMITS;
  const room = atOnce - byEndpoint.values().reduce((sum, count) => sum + count, 0);
  const healthy = await claimSome(db, HEALTHY, { room, perEndpoint }, byEndpoint, now);
  const left = Math.min(room - healthy.length, failingAtOnce - failing);
  const limits = { room: left, perEndpoint: perFailingEndpoint };
  return [...healthy, ...(await claimSome(db, FAILING, limits, byEndpoint, now))];
}
