import type { Tso } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { statusRequestFileName, writeStatusRequest } from '@saldo/core/exchange/documents/status-request.ts';
import { tsoCodes } from '@saldo/core/market-rules.ts';
import type { Tx } from '../../platform/db/database.ts';
import { insertStatusRequest } from '../store.ts';
import type { Exchange } from './exchange.ts';

/** Stores a request for the TSO's last answer about a day. The job that sends schedules delivers it. */
export async function storeStatusRequest(
  tx: Tx,
  { tso, day }: { tso: Tso; day: DeliveryDay },
  { operatorEic, formats, rules }: Pick<Exchange, 'operatorEic' | 'formats' | 'rules'>,
  now: number,
): Promise<string> {
  const request = { operatorEic, codes: tsoCodes(rules, tso, day), day, createdAt: now };
  const format = formats[tso];
  const document = Buffer.from(writeStatusRequest(request, format));
  const sending = { format, fileName: statusRequestFileName(request), document };
  return insertStatusRequest(tx, { tso, day }, sending, now);
}
