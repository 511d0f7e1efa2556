import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { storeMessage } from '@saldo/core/messages/stored.ts';
import { appendEvents, type Tenant } from '../events/store.ts';
import type { Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp, timestampOrNull } from '../platform/db/wire-types.ts';
import type { Claim } from './claim.ts';
import type { SendResult } from './send.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays after each failed try. A delivery that fails once more has failed. */
export const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
] as const;
/** Each delay is longer by up to this part, so that the tries of many deliveries do not coincide. */
const JITTER = 0.1;
/** An endpoint that fails for so long without a success is disabled. */
const FAILING_MS = 5 * 24 * HOUR_MS;
const GONE = 410;

/** The outcome of a try. Null: it was interrupted, and is made again at once. */
export type Outcome = { readonly claim: Claim; readonly result: SendResult | null; readonly endedAt: number };

/** When a failed delivery is tried again. Null: never. */
export function nextTry(attempts: number, failedAt: number, random: () => number): number | null {
  const delay = RETRY_DELAYS_MS[attempts - 1];
  return delay === undefined ? null : failedAt + Math.round(delay * (1 + JITTER * random()));
}

/** The lease is the condition: a delivery that another process or a request has taken since is left to it. */
const RECORD = statement(
  'record_webhook_results',
  `update webhook_delivery d
   set state = r.state, attempts = d.attempts + 1, next_attempt_at = r.next_attempt_at,
       last_attempt_at = r.last_attempt_at, status_code = r.status_code, duration_ms = r.duration_ms,
       response = r.response, error = r.error
   from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::webhook_delivery_state[], $5::timestamptz[],
               $6::timestamptz[], $7::int[], $8::int[], $9::text[], $10::text[])
     as r (endpoint_id, id, lease, state, next_attempt_at, last_attempt_at, status_code, duration_ms, response, error)
   where d.endpoint_id = r.endpoint_id and d.id = r.id and d.next_attempt_at = r.lease`,
);
const RELEASE = statement(
  'release_webhook_deliveries',
  `update webhook_delivery d set next_attempt_at = $4
   from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as r (endpoint_id, id, lease)
   where d.endpoint_id = r.endpoint_id and d.id = r.id and d.next_attempt_at = r.lease`,
);

const leasesOf = (outcomes: readonly { claim: Claim }[]) => [
  outcomes.map(({ claim }) => claim.endpoint_id),
  outcomes.map(({ claim }) => claim.id),
  outcomes.map(({ claim }) => timestamp(claim.lease)),
];

type Tried = Outcome & { readonly result: SendResult };
const isTried = (outcome: Outcome): outcome is Tried => outcome.result !== null;

function plan({ claim, result, endedAt }: Tried, random: () => number) {
  if (result.error === null) return { state: 'succeeded', nextAt: null };
  const nextAt = result.statusCode === GONE ? null : nextTry(claim.attempts + 1, endedAt, random);
  return { state: nextAt === null ? 'failed' : 'pending', nextAt };
}

export type DisabledEndpoint = { id: string; reason: 'gone' | 'failing' };

/** Records outcomes in one transaction, plans the next tries, and disables endpoints. */
export async function recordOutcomes(
  tx: Tx,
  outcomes: readonly Outcome[],
  now: number,
  random: () => number,
): Promise<DisabledEndpoint[]> {
  const interrupted = outcomes.filter((outcome) => !isTried(outcome));
  if (interrupted.length > 0) await tx.query(RELEASE, [...leasesOf(interrupted), timestamp(now)]);
  const tried = outcomes.filter(isTried);
  if (tried.length === 0) return [];
  const plans = tried.map((outcome) => plan(outcome, random));
  await tx.query(RECORD, [
    ...leasesOf(tried),
    plans.map(({ state }) => state),
    plans.map(({ nextAt }) => timestampOrNull(nextAt)),
    tried.map(({ endedAt }) => timestamp(endedAt)),
    tried.map(({ result }) => result.statusCode),
    tried.map(({ result }) => result.durationMs),
    tried.map(({ result }) => result.response),
    tried.map(({ result }) => result.error && storeMessage(result.error)),
  ]);
  return recordHealth(tx, tried, now);
}

const CLEAR_FAILING = statement(
  'clear_failing_webhook',
  'update webhook_endpoint set failing_since = null where id = $1 and failing_since is not null',
);
const SET_FAILING = statement(
  'set_failing_webhook',
  'update webhook_endpoint set failing_since = $2 where id = $1 and failing_since is null',
);
const DISABLE = statement(
  'disable_webhook_endpoint',
  `update webhook_endpoint set disabled_at = $2, disabled_reason = $3
   where id = $1 and disabled_at is null and deleted_at is null and ($4::timestamptz is null or failing_since <= $4)
   returning tenant`,
);

/** In the order of their ids, so that two processes cannot wait for each other. */
async function recordHealth(tx: Tx, tried: readonly Tried[], now: number): Promise<DisabledEndpoint[]> {
  const disabled: DisabledEndpoint[] = [];
  const byEndpoint = Map.groupBy(tried, ({ claim }) => claim.endpoint_id);
  for (const [id, outcomes] of [...byEndpoint].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const reason = await recordEndpointHealth(tx, id, outcomes, now);
    if (reason !== null) disabled.push({ id: encodeId(ID_PREFIX.webhookEndpoint, id), reason });
  }
  return disabled;
}

async function recordEndpointHealth(
  tx: Tx,
  id: string,
  outcomes: readonly Tried[],
  now: number,
): Promise<DisabledEndpoint['reason'] | null> {
  const wasFailing = outcomes.some(({ claim }) => claim.failing_since !== null);
  if (outcomes.some(({ result }) => result.statusCode === GONE)) return disable(tx, id, 'gone', now);
  if (outcomes.some(({ result }) => result.error === null)) {
    if (wasFailing) await tx.query(CLEAR_FAILING, [id]);
    return null;
  }
  if (wasFailing) return disable(tx, id, 'failing', now);
  await tx.query(SET_FAILING, [id, timestamp(now)]);
  return null;
}

async function disable(
  tx: Tx,
  id: string,
  reason: DisabledEndpoint['reason'],
  now: number,
): Promise<DisabledEndpoint['reason'] | null> {
  const since = reason === 'failing' ? timestamp(now - FAILING_MS) : null;
  const [row] = await tx.query<{ tenant: Tenant }>(DISABLE, [id, timestamp(now), reason, since]);
  if (!row) return null;
  const publicId = encodeId(ID_PREFIX.webhookEndpoint, id);
  const data = { object: 'webhook_endpoint', id: publicId, reason } as const;
  await appendEvents(tx, [{ type: 'webhook.disabled', tenants: [row.tenant], data }], now);
  return reason;
}
