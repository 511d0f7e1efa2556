import { formatInstant } from '@saldo/core/delivery-day.ts';
import { decodeId, encodeId, eventSequence, eventUuid, ID_PREFIX } from '@saldo/core/id.ts';
import type { EventRow } from './store.ts';

export const wireEventId = ({ occurredAt, sequence }: Pick<EventRow, 'occurredAt' | 'sequence'>): string =>
  encodeId(ID_PREFIX.event, eventUuid(occurredAt, sequence));

/** Null for a text that is not the id of an event. */
export function sequenceOfEventId(id: string): number | null {
  const uuid = decodeId(ID_PREFIX.event, id);
  return uuid === null ? null : eventSequence(uuid);
}

/** The JSON of an event, the same in a feed and in a delivery. */
export const eventJson = (row: EventRow): string =>
  `{"id":"${wireEventId(row)}","type":"${row.type}","occurred_at":"${formatInstant(row.occurredAt)}",` +
  `"sequence":${row.sequence},"data":${row.data}}`;
