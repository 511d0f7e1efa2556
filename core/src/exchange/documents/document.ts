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
  /** Codes in the head that a TSO rejects; always empty in a schedule that must be usable. */
  headFaults: readonly Message[];
};

/**
 * The operator's own schedule must be usable as a whole. Of another party's schedule that is checked, faulty series and
 * faulty codes of the head are listed, and its series may have any business type.
 */
export type ScheduleReading = 'whole' | 'to_check';

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
