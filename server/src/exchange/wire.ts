import type { Message } from '@saldo/api';
import { formatInstant, formatInstantOrNull } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Language } from '@saldo/core/messages/language.ts';
import { formatStored } from '@saldo/core/messages/stored.ts';
import type { MessageRow } from './store.ts';

export const wireMessage = (row: MessageRow, language: Language): Message => ({
  id: encodeId(ID_PREFIX.message, row.id),
  direction: row.direction,
  type: row.type,
  format: row.format,
  tso: row.tso,
  delivery_date: row.delivery_day,
  version: row.version,
  state: row.state,
  error: formatStored(row.error, language),
  file_name: row.file_name,
  answers: row.answers === null ? null : encodeId(ID_PREFIX.message, row.answers),
  created_at: formatInstant(row.created_at),
  sent_at: formatInstantOrNull(row.sent_at),
});
