import type { EventType } from '@saldo/api';
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
  /** Longer than a try may take. After it, the delivery of a process that died is taken by another one. */
  leaseMs: 60_000,
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
  event_sequence: number;
  event_type: EventType;
  event_occurred_at: number;
  /** JSON; null when the event is no longer kept. */
  event_data: string | null;
};

/**
 * $1 now, $2 room for tries, $3 room for tries of failing endpoints, $4 and $5 the endpoints with tries in progress and
 * how many. One index scan per enabled endpoint, limited to its own room: a queue of one endpoint does not delay others.
 */
const DUE = `select d.endpoint_id, d.id
  from (
    select e.id, e.failing_since,
      case when e.failing_since is null then ${CLAIM_LIMITS.perEndpoint} else least($3, ${CLAIM_LIMITS.perFailingEndpoint}) end
        - coalesce(busy.count, 0) as room
    from webhook_endpoint e
    left join unnest($4::uuid[], $5::int[]) as busy (id, count) on busy.id = e.id
    where e.disabled_at is null and e.deleted_at is null
  ) as e
  cross join lateral (
    select d.endpoint_id, d.id
    from webhook_delivery d
    where d.endpoint_id = e.id and d.next_attempt_at <= $1
    order by d.next_attempt_at
    limit greatest(e.room, 0)`;
const ORDER = `order by e.failing_since is not null limit $2`;

const HAS_DUE = statement('has_due_webhook_delivery', `select exists (${DUE}) as d ${ORDER}) as found`);
/** $6 the end of the lease. */
const CLAIM = statement(
  'claim_webhook_deliveries',
  `with due as materialized (${DUE} for no key update skip locked) as d ${ORDER})
   update webhook_delivery d set next_attempt_at = $6
   from due
   join webhook_endpoint e on e.id = due.endpoint_id
   join webhook_delivery known on known.endpoint_id = due.endpoint_id and known.id = due.id
   left join event on event.sequence = known.event_sequence
   where d.endpoint_id = due.endpoint_id and d.id = due.id
   returning d.endpoint_id, d.id, d.attempts, d.next_attempt_at as lease, e.url, e.secret, e.previous_secret,
     e.previous_secret_ends_at, e.failing_since, d.event_sequence, d.event_type, d.event_occurred_at,
     event.data::text as event_data`,
);

/** Takes due deliveries. `inProgress` has the number of tries per endpoint. */
export async function claimDue(
  db: Database,
  inProgress: ReadonlyMap<string, number>,
  failingInProgress: number,
  now: number,
): Promise<Claim[]> {
  const total = inProgress.values().reduce((sum, count) => sum + count, 0);
  const room = CLAIM_LIMITS.atOnce - total;
  if (room <= 0) return [];
  const values = [
    timestamp(now),
    room,
    Math.max(0, CLAIM_LIMITS.failingAtOnce - failingInProgress),
    [...inProgress.keys()],
    [...inProgress.values()],
  ];
  // A read costs no transaction: nothing is due most of the time.
  const [due] = await db.query<{ found: boolean }>(HAS_DUE, values);
  if (!due?.found) return [];
  const lease = timestamp(now + CLAIM_LIMITS.leaseMs);
  return db.transaction((tx) => tx.query<Claim>(CLAIM, [...values, lease]));
}
