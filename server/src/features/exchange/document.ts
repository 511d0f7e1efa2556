import type { Answer } from '../../domain/answer.ts';
import type { DeliveryDay } from '../../domain/delivery-day.ts';
import type { MessageFormat, MessageType, Tso } from '../../domain/enums.ts';
import type { Schedule } from '../../domain/schedule.ts';

/** A schedule as a message: the operator's, or one that is read back. */
type ScheduleDocument = { kind: 'schedule'; createdAt: number; schedule: Schedule };

export type ExchangeDocument = ScheduleDocument | Answer;

/** What could be told of a document, however broken the rest of it is. */
export type Recognised = {
  format: MessageFormat | null;
  type: MessageType;
  tso: Tso | null;
  day: DeliveryDay | null;
  /** The message that it is, for a schedule, or that it answers. */
  messageId: string | null;
  version: number | null;
};

export type ReadResult =
  | { kind: 'ok'; format: MessageFormat; document: ExchangeDocument }
  /** The reason says what is wrong and where, in words for a person. */
  | { kind: 'unreadable'; reason: string; recognised: Recognised };
