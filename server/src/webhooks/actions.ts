import { LIMITS } from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { readHorizon, type Tenant } from '../events/store.ts';
import type { Sealer } from '../platform/auth/sealed-secrets.ts';
import type { Tx } from '../platform/db/database.ts';
import { newId } from '../platform/db/new-id.ts';
import { insertRow, updateRow } from '../platform/db/rows.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp, timestampOrNull } from '../platform/db/wire-types.ts';
import { problem } from '../platform/http/problem.ts';
import { formatSecret, newWebhookSecret } from './signature.ts';
import {
  DELIVERY_COLUMNS,
  type DeliveryRow,
  ENDPOINT_COLUMNS,
  type EndpointRow,
  lockEndpoint,
  webhookSecretUse,
} from './store.ts';

/** Both secrets sign for a day, so that receivers can be changed one after the other. */
export const ROTATION_MS = 24 * 3600 * 1000;

const LOCK_OWNER = statement(
  'lock_webhook_owner',
  "select pg_advisory_xact_lock(hashtextextended('webhook endpoints of ' || $1, 0))",
);
const COUNT = statement(
  'count_webhook_endpoints',
  'select count(*) as count from webhook_endpoint where tenant = $1 and deleted_at is null',
);

export type NewEndpoint = { url: string; types: readonly string[]; description: string | null };
export type WithSecret = { row: EndpointRow; secret: string };

export async function createEndpoint(
  tx: Tx,
  sealer: Sealer,
  feeds: readonly [Tenant, ...Tenant[]],
  endpoint: NewEndpoint,
  now: number,
): Promise<WithSecret> {
  const [tenant] = feeds;
  await tx.query(LOCK_OWNER, [tenant]);
  const [counted] = await tx.query<{ count: number }>(COUNT, [tenant]);
  if ((counted?.count ?? 0) >= LIMITS.webhookEndpoints) {
    throw problem('too_many_endpoints', {
      key: 'problem.too_many_endpoints',
      count: LIMITS.webhookEndpoints,
    });
  }
  const { horizon } = await readHorizon(tx);
  const id = newId();
  const secret = newWebhookSecret();
  const sealed = sealer.seal(secret, webhookSecretUse(id));
  const [row] = await insertRow<EndpointRow>(
    tx,
    'webhook_endpoint',
    {
      ...endpoint,
      ...{ id, tenant, feeds, sealed_secret: sealed, after_sequence: horizon, created_at: timestamp(now) },
    },
    `returning ${ENDPOINT_COLUMNS}`,
  );
  if (!row) throw new Error('an insert returns its row');
  return { row, secret: formatSecret(secret) };
}

export type EndpointUpdate = Partial<NewEndpoint> & { status?: 'enabled' | 'disabled' };
export type EndpointChange = { before: EndpointRow; after: EndpointRow };

/** A status that the endpoint has already changes nothing. Enabling forgets the failures. */
export async function updateEndpoint(
  tx: Tx,
  tenant: Tenant,
  publicId: string,
  { status, ...update }: EndpointUpdate,
  now: number,
): Promise<EndpointChange> {
  const before = await lockEndpoint(tx, tenant, publicId);
  const next = { ...before, ...update };
  const isDisabled = before.disabled_at !== null;
  if (status === 'disabled' && !isDisabled)
    Object.assign(next, { disabled_at: now, disabled_reason: 'owner' });
  const isEnabledNow = status === 'enabled' && isDisabled;
  if (isEnabledNow) Object.assign(next, { disabled_at: null, disabled_reason: null, failing_since: null });
  const [after] = await updateRow<EndpointRow>(
    tx,
    'webhook_endpoint',
    { id: before.id },
    {
      url: next.url,
      types: next.types,
      description: next.description,
      disabled_at: timestampOrNull(next.disabled_at),
      disabled_reason: next.disabled_reason,
      failing_since: timestampOrNull(next.failing_since),
      ...(isEnabledNow ? { after_sequence: (await readHorizon(tx)).horizon } : {}),
    },
    `returning ${ENDPOINT_COLUMNS}`,
  );
  if (!after) throw new Error('a locked endpoint exists');
  return { before, after };
}

const DELETE = statement(
  'delete_webhook_endpoint',
  'update webhook_endpoint set deleted_at = $2 where id = $1',
);

/** Hides the endpoint at once. Its deliveries are deleted later, in batches. */
export async function deleteEndpoint(
  tx: Tx,
  tenant: Tenant,
  publicId: string,
  now: number,
): Promise<EndpointRow> {
  const row = await lockEndpoint(tx, tenant, publicId);
  await tx.query(DELETE, [row.id, timestamp(now)]);
  return row;
}

const ROTATE = statement(
  'rotate_webhook_secret',
  `update webhook_endpoint
   set sealed_secret = $2, sealed_previous_secret = sealed_secret, previous_secret_ends_at = $3 where id = $1
   returning ${ENDPOINT_COLUMNS}`,
);

/** A rotation within 24 hours of another one ends the oldest of the three secrets at once. */
export async function rotateSecret(
  tx: Tx,
  sealer: Sealer,
  tenant: Tenant,
  publicId: string,
  now: number,
): Promise<EndpointChange & { secret: string }> {
  const before = await lockEndpoint(tx, tenant, publicId);
  const secret = newWebhookSecret();
  const sealed = sealer.seal(secret, webhookSecretUse(before.id));
  const [after] = await tx.query<EndpointRow>(ROTATE, [before.id, sealed, timestamp(now + ROTATION_MS)]);
  if (!after) throw new Error('a locked endpoint exists');
  return { before, after, secret: formatSecret(secret) };
}

export function refuseDisabled({ disabled_at: disabledAt }: EndpointRow): void {
  if (disabledAt === null) return;
  throw problem('webhook_endpoint_disabled', {
    key: 'problem.webhook_endpoint_disabled',
    at: formatInstant(disabledAt),
  });
}

const RETRY = statement(
  'retry_webhook_delivery',
  `update webhook_delivery set state = 'pending', next_attempt_at = $3 where endpoint_id = $1 and id = $2
   returning ${DELIVERY_COLUMNS}`,
);

/** Plans a try for now. The tries so far count: a delivery that fails after its last planned try has failed again. */
export async function retryDelivery(
  tx: Tx,
  endpoint: EndpointRow,
  publicId: string,
  now: number,
): Promise<DeliveryRow> {
  refuseDisabled(endpoint);
  const id = decodeId(ID_PREFIX.webhookDelivery, publicId);
  const [row] = id === null ? [] : await tx.query<DeliveryRow>(RETRY, [endpoint.id, id, timestamp(now)]);
  if (!row) throw problem('webhook_delivery_not_found');
  return row;
}
