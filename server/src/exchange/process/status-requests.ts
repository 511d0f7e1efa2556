import type { Tso } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { type Acknowledgement, applyToRequest, type Reception } from '@saldo/core/exchange/answer.ts';
import { statusRequestFileName } from '@saldo/core/exchange/documents/file-names.ts';
import {
  statusRequestId,
  statusRequestOf,
  writeStatusRequest,
} from '@saldo/core/exchange/documents/status-request.ts';
import { type MarketRules, tsoCodes } from '@saldo/core/market-rules.ts';
import { storeMessage } from '@saldo/core/messages/stored.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import { timestamp } from '../../platform/db/wire-types.ts';
import { insertOutgoing, lockDay, recordSentAt } from '../store.ts';
import type { Exchange } from './exchange.ts';
import type { Scheduler } from './schedules.ts';

/** Stores a request for the TSO's last answer about a day. The job that sends schedules delivers it. */
export async function storeStatusRequest(
  tx: Tx,
  { tso, day }: { tso: Tso; day: DeliveryDay },
  { operatorEic, formats, rules }: Pick<Exchange, 'operatorEic' | 'formats' | 'rules'>,
  now: number,
): Promise<string> {
  const request = { operatorEic, codes: tsoCodes(rules, tso, day), day, createdAt: now };
  const format = formats[tso];
  const message = {
    type: 'status_request',
    ...{ format, tso, delivery_day: day, version: null },
    file_name: statusRequestFileName(request),
    identification: statusRequestId(request),
  } as const;
  return insertOutgoing(tx, message, Buffer.from(writeStatusRequest(request, format)), now);
}

/** A status request that was acknowledged or rejected. */
type AnsweredRequest = { id: string; tso: Tso; day: DeliveryDay };

/** $3 the identification, or what those of all requests about the day begin with: then the newest one is meant. */
const FIND = statement(
  'find_status_request',
  `select id from message
   where delivery_day = $1 and tso = $2 and direction = 'out' and type = 'status_request'
     and starts_with(identification, $3)
   order by id desc limit 1`,
);

/** Finds the status request that an acknowledgement names. Null if it names none, or another message. */
export async function findStatusRequest(
  tx: Tx,
  { answers }: Acknowledgement,
  rules: MarketRules,
): Promise<AnsweredRequest | null> {
  const about = answers && statusRequestOf(answers.messageId, rules);
  if (about === null || answers === null) return null;
  const [found] = await tx.query<{ id: string }>(FIND, [about.day, about.tso, answers.messageId]);
  return found === undefined ? null : { ...about, id: found.id };
}

/** An answer proves the delivery, even if our process ended before recording that. */
const RECORD_ANSWER = statement(
  'record_request_answer',
  'update message set state = $2, error = $3, acknowledged_at = $4 where id = $1',
);

/** Records whether the TSO accepts the request. Its last answer about the schedule is a message of its own. */
export async function answerStatusRequest(
  tx: Tx,
  answer: Acknowledgement,
  reception: Reception,
  { id, tso, day }: AnsweredRequest,
  { rules }: Scheduler,
  clock: Clock,
): Promise<ReturnType<typeof applyToRequest>> {
  const decision = applyToRequest(answer, reception, tsoCodes(rules, tso, day).party);
  if (decision.kind === 'ignored') return decision;
  // The same lock as for its delivery, which may be under way.
  await lockDay(tx, day);
  const now = clock.now();
  const error = decision.kind === 'rejected' ? storeMessage(decision.message) : null;
  await tx.query(RECORD_ANSWER, [id, decision.kind, error, timestamp(now)]);
  await recordSentAt(tx, id, now);
  return decision;
}
