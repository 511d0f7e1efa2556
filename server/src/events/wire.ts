import { formatInstant } from '@saldo/core/delivery-day.ts';
import type { EventIds } from './ids.ts';
import type { EventRow, Tenant } from './store.ts';

/** The JSON of an event, the same in a feed and in a delivery to the same reader. */
export const eventJson = (ids: EventIds, reader: Tenant, row: EventRow): string =>
  `{"id":"${ids.idOf(reader, row)}","type":"${row.type}","occurred_at":"${formatInstant(row.occurredAt)}",` +
  `"sequence":${row.number},"data":${row.data}}`;
