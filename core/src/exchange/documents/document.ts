import type { DeliveryDay } from '../../delivery-day.ts';
import type { MessageFormat, MessageType, Tso } from '../../enums.ts';
import type { Message } from '../../messages/message.ts';
import type { Answer, UnusableSeries } from '../answer.ts';
import type { Schedule } from '../schedule.ts';

/** A schedule as a message. */
type ScheduleDocument = {
  kind: 'schedule';
  createdAt: number;
  schedule: Schedule;
  /** Series of another party's schedule that could not be used; always empty in a schedule that must be usable. */
  unusable: readonly UnusableSeries[];
};

/** Whether every series of a schedule must be usable, or only those that turn out to be with the operator. */
export type ScheduleReading = 'whole' | 'with_unusable_series';

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
  | {
      kind: 'ok';
      format: MessageFormat;
      document: ExchangeDocument;
      /** Names of elements that the platform does not know and has not used. */
      unknownElements: readonly string[];
    }
  /** The fault is a sentence without its full stop, with the place of the fault. */
  | { kind: 'unreadable'; fault: Message; recognised: Recognised };
