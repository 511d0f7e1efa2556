import type { WebhookEndpoint, WebhookOperations } from '@saldo/api';
import { formatInstant, parseInstant } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { formatMessage, type Message } from '@saldo/core/messages/message.ts';
import { type AuditEvent, recordAudit } from '../audit/store.ts';
import type { EventIds } from '../events/ids.ts';
import { type Tenant, tenantsOf } from '../events/store.ts';
import type { Sealer } from '../platform/auth/sealed-secrets.ts';
import type { MovableClock } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { newId } from '../platform/db/new-id.ts';
import { languageOf } from '../platform/http/accept.ts';
import { pageById, pageInOrder, paginate } from '../platform/http/paging.ts';
import { type FieldError, validationProblem } from '../platform/http/problem.ts';
import { type Call, getOwner, longRoute, type Route, route, writeRoute } from '../platform/http/routes.ts';
import {
  createEndpoint,
  deleteEndpoint,
  refuseDisabled,
  retryDelivery,
  rotateSecret,
  updateEndpoint,
} from './actions.ts';
import { type ReplayPoint, replayEvents } from './fan-out.ts';
import type { Send } from './send.ts';
import { sendSigned } from './signed-send.ts';
import { getEndpoint, getEndpointWithSecrets, listDeliveries, listEndpoints } from './store.ts';
import { normalUrl, urlFaults } from './url.ts';
import { wireDelivery, wireEndpoint } from './wire.ts';

export type WebhookSettings = {
  readonly send: Send;
  /** Whether URLs may be http, and addresses private. */
  readonly allowsPrivate: boolean;
  readonly ids: EventIds;
  readonly sealer: Sealer;
};

type AnyCall = Pick<Call<WebhookOperations['getWebhookEndpoint']>, 'owner' | 'actor' | 'request'>;

const feedsOf = (call: Pick<AnyCall, 'owner'>) => tenantsOf(getOwner(call));
const tenantOf = (call: Pick<AnyCall, 'owner'>) => feedsOf(call)[0];

/** The operations on webhook endpoints, the same for each kind of owner. */
export function webhookRoutes(
  endpoints: WebhookOperations,
  db: Db,
  clock: MovableClock,
  settings: WebhookSettings,
): Route[] {
  return [
    ...endpointRoutes(endpoints, db, clock, settings),
    ...deliveryRoutes(endpoints, db, clock, settings.ids),
    testRoute(endpoints, db, clock, settings),
  ];
}

async function audit(
  tx: Tx,
  call: AnyCall,
  action: 'created' | 'updated' | 'deleted' | 'secret_rotated',
  change: { before: WebhookEndpoint | null; after: WebhookEndpoint | null },
  now: number,
): Promise<void> {
  const subject = (change.after ?? change.before)?.id ?? '';
  const event: AuditEvent = { action: `webhook_endpoint.${action}`, subject, ...change };
  await recordAudit(tx, call, event, now);
}

function endpointRoutes(
  endpoints: WebhookOperations,
  db: Db,
  clock: MovableClock,
  { allowsPrivate, sealer }: WebhookSettings,
): Route[] {
  const checkUrl = (_params: unknown, body: unknown) => urlFaults(body, allowsPrivate);
  return [
    writeRoute(
      endpoints.createWebhookEndpoint,
      async (call, tx) => {
        const now = clock.now();
        const { types = ['*'], description = null } = call.body;
        const url = normalUrl(call.body.url);
        const { row, secret } = await createEndpoint(
          tx,
          sealer,
          feedsOf(call),
          { url, types, description },
          now,
        );
        const after = wireEndpoint(row, now);
        await audit(tx, call, 'created', { before: null, after }, now);
        return { ...after, secret };
      },
      checkUrl,
    ),
    route(endpoints.listWebhookEndpoints, async (call) => {
      const rows = await listEndpoints(db, tenantOf(call), pageById(call.page));
      const { records, pagination } = paginate(call.page, rows, (row) => [row.id]);
      return { webhook_endpoints: records.map((row) => wireEndpoint(row, clock.now())), pagination };
    }),
    route(endpoints.getWebhookEndpoint, async (call) =>
      wireEndpoint(await getEndpoint(db, tenantOf(call), call.params.webhook_endpoint_id), clock.now()),
    ),
    writeRoute(
      endpoints.updateWebhookEndpoint,
      async (call, tx) => {
        const now = clock.now();
        const { webhook_endpoint_id: id } = call.params;
        const { url, ...others } = call.body;
        const update = url === undefined ? others : { ...others, url: normalUrl(url) };
        const change = await updateEndpoint(tx, tenantOf(call), id, update, now);
        const [before, after] = [wireEndpoint(change.before, now), wireEndpoint(change.after, now)];
        await audit(tx, call, 'updated', { before, after }, now);
        return after;
      },
      checkUrl,
    ),
    writeRoute(endpoints.deleteWebhookEndpoint, async (call, tx) => {
      const now = clock.now();
      const row = await deleteEndpoint(tx, tenantOf(call), call.params.webhook_endpoint_id, now);
      await audit(tx, call, 'deleted', { before: wireEndpoint(row, now), after: null }, now);
      return {};
    }),
    writeRoute(endpoints.rotateWebhookSecret, async (call, tx) => {
      const now = clock.now();
      const { webhook_endpoint_id: id } = call.params;
      const { secret, ...change } = await rotateSecret(tx, sealer, tenantOf(call), id, now);
      const [before, after] = [wireEndpoint(change.before, now), wireEndpoint(change.after, now)];
      await audit(tx, call, 'secret_rotated', { before, after }, now);
      return { ...after, secret };
    }),
  ];
}

function deliveryRoutes(endpoints: WebhookOperations, db: Db, clock: MovableClock, ids: EventIds): Route[] {
  return [
    route(endpoints.listWebhookDeliveries, async (call) => {
      const { page, query } = call;
      const endpoint = await getEndpoint(db, tenantOf(call), call.params.webhook_endpoint_id);
      const filter = { state: query.state ?? null };
      const rows = await listDeliveries(db, endpoint, filter, pageInOrder(page, query.order));
      const { records, pagination } = paginate(page, rows, (row) => [row.id]);
      const language = languageOf(call);
      return { deliveries: records.map((row) => wireDelivery(ids, endpoint, row, language)), pagination };
    }),
    writeRoute(endpoints.retryWebhookDelivery, async (call, tx) => {
      const endpoint = await getEndpoint(tx, tenantOf(call), call.params.webhook_endpoint_id);
      const { webhook_delivery_id: id } = call.params;
      const row = await retryDelivery(tx, endpoint, id, clock.now());
      return wireDelivery(ids, endpoint, row, languageOf(call));
    }),
    writeRoute(endpoints.replayWebhookEvents, async (call, tx) => {
      const endpoint = await getEndpoint(tx, tenantOf(call), call.params.webhook_endpoint_id);
      const { after, before, types = null } = call.body;
      const faults: FieldError[] = [];
      const pointOf = (field: string, text: string | null | undefined) =>
        replayPoint(ids, endpoint.tenant, field, text, faults);
      const range = { after: pointOf('after', after), before: pointOf('before', before), types };
      if (faults.length > 0) throw validationProblem(faults);
      refuseDisabled(endpoint);
      const { count, continueAfter } = await replayEvents(tx, endpoint.id, range, clock.now());
      return { deliveries: count, next_after: continueAfter && ids.idOf(endpoint.tenant, continueAfter) };
    }),
  ];
}

/** The id of an event of this reader, or a date-time. */
function replayPoint(
  ids: EventIds,
  reader: Tenant,
  field: string,
  text: string | null | undefined,
  faults: FieldError[],
): ReplayPoint | null {
  if (text === null || text === undefined) return null;
  const place = ids.placeOf(reader, text);
  if (place !== null) return { sequence: place.sequence };
  const time = parseInstant(text);
  if (time !== null) return { time };
  faults.push({ field, code: 'invalid_format', message: { key: 'field.event_or_time' } });
  return null;
}

/** Sends an event that is not in the log, without a transaction: the answer may take a while. */
function testRoute(
  endpoints: WebhookOperations,
  db: Db,
  clock: MovableClock,
  { send, sealer }: WebhookSettings,
): Route {
  return longRoute(endpoints.testWebhookEndpoint, (call) => {
    let fault: Message | null = null;
    return {
      async work() {
        const { webhook_endpoint_id: id } = call.params;
        const endpoint = await getEndpointWithSecrets(db, tenantOf(call), id);
        const eventId = encodeId(ID_PREFIX.event, newId());
        const body = JSON.stringify({
          id: eventId,
          type: 'webhook.test',
          occurred_at: formatInstant(clock.now()),
          sequence: 0,
          data: { object: 'webhook_endpoint', id },
        });
        const event = { id: eventId, body };
        const sent = await sendSigned({ send, sealer, clock }, endpoint, event);
        const { statusCode, durationMs, response, error } = sent;
        fault = error;
        return {
          event_id: eventId,
          succeeded: error === null,
          status_code: statusCode,
          duration_ms: durationMs,
          response,
          error: error && formatMessage(error, languageOf(call)),
        };
      },
      async record(tx, answer) {
        const event: AuditEvent = {
          action: 'webhook_endpoint.tested',
          subject: call.params.webhook_endpoint_id,
          after: { ...answer, error: fault && formatMessage(fault, 'en') },
        };
        await recordAudit(tx, call, event, clock.now());
      },
    };
  });
}
