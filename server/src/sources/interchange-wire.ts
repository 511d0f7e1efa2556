import type { Interchange, InterchangeResult } from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Language } from '@saldo/core/messages/language.ts';
import { formatMessage } from '@saldo/core/messages/message.ts';
import type { InterchangeRow } from './interchange-store.ts';

/** The answer to the delivery of an interchange. */
export const wireResult = (row: InterchangeRow, language: Language): InterchangeResult => ({
  id: encodeId(ID_PREFIX.interchange, row.id),
  messages: row.result?.messages ?? 0,
  rejected: (row.result?.rejected ?? []).map(({ message, segment, reason }) => ({
    message,
    segment,
    reason: formatMessage(reason, language),
  })),
  rejected_messages: row.result?.rejectedMessages ?? 0,
  unknown: row.unknown ?? [],
  unknown_locations: row.unknown_count,
});

export function wireInterchange(row: InterchangeRow, language: Language): Interchange {
  const { result } = row;
  const fault = result?.fault ?? null;
  return {
    ...wireResult(row, language),
    sender: row.sender,
    reference: row.reference,
    received_at: formatInstant(row.received_at),
    state: result === null ? 'stored' : fault === null ? 'applied' : 'rejected',
    reason: fault && formatMessage(fault, language),
    remarks: (result?.remarks ?? []).map(({ message, segment, text }) => ({
      message,
      segment,
      text: formatMessage(text, language),
    })),
  };
}
