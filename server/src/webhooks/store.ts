import type { DeliveryState, ListOrder, WebhookDisabledReason } from '@saldo/api';
import { decodeId, encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Tenant } from '../events/store.ts';
import type { Sealer } from '../platform/auth/sealed-secrets.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { filteredList, inBothOrders } from '../platform/db/filtered-list.ts';
import { statement } from '../platform/db/statement.ts';
import { problem } from '../platform/http/problem.ts';

export type EndpointRow = {
  id: string;
  tenant: Tenant;
  url: string;
  types: string[];
  description: string | null;
  previous_secret_ends_at: number | null;
  created_at: number;
  disabled_at: number | null;
  disabled_reason: WebhookDisabledReason | null;
  failing_since: number | null;
};

export type EndpointSecrets = { sealed_secret: Buffer; sealed_previous_secret: Buffer | null };

/** The same for both secrets, so that a rotation moves one as it is. */
export const webhookSecretUse = (endpointId: string): string =>
  `webhook_endpoint ${encodeId(ID_PREFIX.webhookEndpoint, endpointId)}`;

/** Without the secrets, so that no answer and no log can contain them. */
export const ENDPOINT_COLUMNS = `id, tenant, url, types, description, previous_secret_ends_at, created_at,
  disabled_at, disabled_reason, failing_since`;

const LIST = statement(
  'list_webhook_endpoints',
  `select ${ENDPOINT_COLUMNS} from webhook_endpoint
   where tenant = $1 and deleted_at is null and id > $2 order by id limit $3`,
);
const ONE = 'from webhook_endpoint where id = $1 and tenant = $2 and deleted_at is null';
const FIND = statement('find_webhook_endpoint', `select ${ENDPOINT_COLUMNS} ${ONE}`);
const LOCK = statement('lock_webhook_endpoint', `select ${ENDPOINT_COLUMNS} ${ONE} for no key update`);
const FIND_SECRETS = statement(
  'find_webhook_secrets',
  `select ${ENDPOINT_COLUMNS}, sealed_secret, sealed_previous_secret ${ONE}`,
);

export const listEndpoints = (
  db: Db,
  tenant: Tenant,
  page: { after: string; count: number },
): Promise<EndpointRow[]> => db.query<EndpointRow>(LIST, [tenant, page.after, page.count]);

async function getBy<R extends EndpointRow>(
  db: Db,
  found: typeof FIND,
  tenant: Tenant,
  publicId: string,
): Promise<R> {
  const id = decodeId(ID_PREFIX.webhookEndpoint, publicId);
  const [row] = id === null ? [] : await db.query<R>(found, [id, tenant]);
  if (!row) throw problem('webhook_endpoint_not_found');
  return row;
}

/** Throws the same problem for an unknown endpoint as for another owner's. */
export const getEndpoint = (db: Db, tenant: Tenant, publicId: string): Promise<EndpointRow> =>
  getBy(db, FIND, tenant, publicId);

export const lockEndpoint = (tx: Tx, tenant: Tenant, publicId: string): Promise<EndpointRow> =>
  getBy(tx, LOCK, tenant, publicId);

export const getEndpointWithSecrets = (
  db: Db,
  tenant: Tenant,
  publicId: string,
): Promise<EndpointRow & EndpointSecrets> => getBy(db, FIND_SECRETS, tenant, publicId);

/** The secrets that sign at that time, the newest first. Throws `SecretUnreadable`. */
export function signingSecrets(
  sealer: Sealer,
  row: EndpointSecrets & Pick<EndpointRow, 'id' | 'previous_secret_ends_at'>,
  now: number,
): Buffer[] {
  const { sealed_secret: secret, sealed_previous_secret: previous, previous_secret_ends_at: endsAt } = row;
  const signing = previous !== null && endsAt !== null && now < endsAt ? [secret, previous] : [secret];
  return signing.map((sealed) => sealer.open(sealed, webhookSecretUse(row.id)));
}

export type DeliveryRow = {
  id: string;
  event_sequence: number;
  event_type: string;
  event_occurred_at: number;
  created_at: number;
  state: DeliveryState;
  attempts: number;
  next_attempt_at: number | null;
  last_attempt_at: number | null;
  status_code: number | null;
  duration_ms: number | null;
  response: string | null;
  error: string | null;
};

export const DELIVERY_COLUMNS = `id, event_sequence, event_type, event_occurred_at, created_at, state, attempts,
  next_attempt_at, last_attempt_at, status_code, duration_ms, response, error`;

/** $1 endpoint, $2 id of the last row on the previous page, $3 row limit. */
const deliveryList = (order: ListOrder) =>
  filteredList({
    make: statement,
    name: `list_webhook_deliveries_${order}`,
    ownParameters: 3,
    filters: { state: { type: 'webhook_delivery_state', condition: (state) => `state = ${state}` } },
    leads: ['state'],
    text: (where) => `select ${DELIVERY_COLUMNS} from webhook_delivery
     where endpoint_id = $1 and id ${order === 'oldest_first' ? '>' : '<'} $2 and ${where}
     order by id ${order === 'oldest_first' ? 'asc' : 'desc'} limit $3`,
  });
const DELIVERIES = inBothOrders(deliveryList);

export const listDeliveries = (
  db: Db,
  endpoint: EndpointRow,
  filter: { state: DeliveryState | null },
  page: { order: ListOrder; after: string; count: number },
): Promise<DeliveryRow[]> =>
  db.query<DeliveryRow>(...DELIVERIES[page.order]([endpoint.id, page.after, page.count], filter));
