import type { WebhookDelivery, WebhookEndpoint } from '@saldo/api';
import { formatInstant, formatInstantOrNull } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Language } from '@saldo/core/messages/language.ts';
import { formatStored } from '@saldo/core/messages/stored.ts';
import type { EventIds } from '../events/ids.ts';
import type { DeliveryRow, EndpointRow } from './store.ts';

/** An endpoint without its secrets. The end of a previous secret that has ended is not shown. */
export const wireEndpoint = (row: EndpointRow, now: number): WebhookEndpoint => ({
  id: encodeId(ID_PREFIX.webhookEndpoint, row.id),
  url: row.url,
  types: row.types,
  description: row.description,
  status: row.disabled_at === null ? 'enabled' : 'disabled',
  disabled_reason: row.disabled_reason,
  disabled_at: formatInstantOrNull(row.disabled_at),
  failing_since: formatInstantOrNull(row.failing_since),
  previous_secret_ends_at:
    row.previous_secret_ends_at !== null && now < row.previous_secret_ends_at
      ? formatInstant(row.previous_secret_ends_at)
      : null,
  created_at: formatInstant(row.created_at),
});

export const wireDelivery = (
  ids: EventIds,
  { tenant }: EndpointRow,
  row: DeliveryRow,
  language: Language,
): WebhookDelivery => ({
  id: encodeId(ID_PREFIX.webhookDelivery, row.id),
  event_id: ids.idOf(tenant, { occurredAt: row.event_occurred_at, sequence: row.event_sequence }),
  event_type: row.event_type,
  state: row.state,
  attempts: row.attempts,
  next_attempt_at: formatInstantOrNull(row.next_attempt_at),
  last_attempt_at: formatInstantOrNull(row.last_attempt_at),
  status_code: row.status_code,
  duration_ms: row.duration_ms,
  response: row.response,
  error: formatStored(row.error, language),
  created_at: formatInstant(row.created_at),
});
