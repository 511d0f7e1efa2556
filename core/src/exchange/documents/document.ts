import type { DeliveryDay } from '../../delivery-day.ts';
import type { MessageFormat, MessageType, Tso } from '../../enums.ts';
import type { Answer } from '../answer.ts';
import type { Schedule } from '../schedule.ts';

/** A schedule as a message. */
type ScheduleDocument = { kind: 'schedule'; createdAt: number; schedule: Schedule };

export type ExchangeDocument = ScheduleDocument | Answer;

/** The parts of a document that could be read, also if the rest is faulty. */
export type Recognised = {
  format: MessageFormat | null;
  type: MessageType;
  tso: Tso | null;
  day: DeliveryDay | null;
  /** Identification of the schedule, or of the answered message. */
  messageId: string | null;
  version: number | null;
};

export type ReadResult =
  | { kind: 'ok'; format: MessageFormat; document: ExchangeDocument }
  /** The reason is a sentence with the fault and its place. */
  | { kind: 'unreadable'; reason: string; recognised: Recognised };
