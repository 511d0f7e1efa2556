import type { Answer } from '../../domain/answer.ts';
import type { Tso } from '../../domain/control-area.ts';
import type { DeliveryDay } from '../../domain/delivery-day.ts';
import type { Schedule } from '../../domain/schedule.ts';

export type Format = 'ess' | 'cim';

/** A schedule as a message: the operator's, or one that is read back. */
export type ScheduleDocument = { kind: 'schedule'; createdAt: number; schedule: Schedule };

export type ExchangeDocument = ScheduleDocument | Answer;
export type DocumentKind = ExchangeDocument['kind'];

export type ReadResult =
  | { kind: 'ok'; format: Format; document: ExchangeDocument }
  | {
      kind: 'unreadable';
      /** What is wrong and where, in words for a person. */
      reason: string;
      /** What could be recognised before that. */
      recognised: {
        format: Format | null;
        type: DocumentKind | 'unknown';
        tso: Tso | null;
        day: DeliveryDay | null;
        messageId: string | null;
        version: number | null;
      };
    };

/** Reads in slices, so that a huge file does not keep the server from answering others. */
export async function readDocument(xml: Buffer): Promise<ReadResult> {
  throw new Error('to be written');
}

export function writeSchedule(schedule: Schedule, format: Format, createdAt: number): string {
  throw new Error('to be written');
}

/** For the simulator: what a TSO would write. `area` is the control area of the answering TSO. */
export function writeAnswer(answer: Answer, format: Format): string {
  throw new Error('to be written');
}

/** '20261025_TPS_11XSALDO-------Z_10XDE-RWENET---W_001.XML' */
export function scheduleFileName(schedule: Schedule): string {
  throw new Error('to be written');
}

/** '…_001_ACK_2026-10-24T12-00-00Z.XML', after the name of the schedule that it answers. */
export function answerFileName(
  schedule: Pick<Schedule, 'day' | 'operatorEic' | 'tso' | 'version'>,
  answer: Pick<Answer, 'kind' | 'createdAt'>,
): string {
  throw new Error('to be written');
}
