import { formatInstant } from '@saldo/core/delivery-day.ts';
import { encodeId, eventUuid, ID_PREFIX } from '@saldo/core/id.ts';
import type { EventRow } from './store.ts';

export const wireEventId = ({ occurredAt, sequence }: Pick<EventRow, 'occurredAt' | 'sequence'>): string =>
  encodeId(ID_PREFIX.event, eventUuid(occurredAt, sequence));

/** The JSON of an event, the same in a feed and in a delivery. */
export const eventJson = (row: EventRow): string =>
  `{"id":"${wireEventId(row)}","type":"${row.type}","occurred_at":"${formatInstant(row.occurredAt)}",` +
  `"sequence":${row.sequence},"data":${row.data}}`;
