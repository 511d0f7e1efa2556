import { type DeliveryDay, parseDay } from '@saldo/core/delivery-day.ts';
import { checkEic } from '@saldo/core/eic.ts';
import { TSOS, type Tso } from '@saldo/core/enums.ts';
import { formatMessage } from '@saldo/core/messages/message.ts';
import type { Behaviour, Counterpart } from './tso.ts';

/** An invalid option of the simulator. The message names the invalid part. */
export class BehaviourError extends Error {
  override name = 'BehaviourError';
}

export type BehaviourTexts = {
  /** '11XRHEINSTROM--O:45-48:-50': in these slots (or 'all') the counterpart's schedule differs by so many kW. */
  readonly deviate: readonly string[];
  /** '11XRHEINSTROM--O' or '11XRHEINSTROM--O@DE_TENNET'. */
  readonly missing: readonly string[];
  /** 'DE_TENNET'. */
  readonly reject: readonly string[];
  /** Limits all options to this day. */
  readonly day: string | null;
};

export function readBehaviour({ deviate, missing, reject, day: dayText }: BehaviourTexts): Behaviour {
  const day = dayText === null ? null : parseDay(dayText);
  if (dayText !== null && day === null)
    throw new BehaviourError(`${dayText} is not a date such as 2026-10-25`);
  return {
    deviations: deviate.map((text) => deviationOf(text, day)),
    missing: missing.map((text) => counterpartOf(text, day)),
    rejections: reject.map((text) => ({ tso: tsoOf(text), day })),
  };
}

function deviationOf(text: string, day: DeliveryDay | null): Behaviour['deviations'][number] {
  const [who = '', slots = '', difference = '', ...more] = text.split(':');
  if (more.length > 0 || !/^[+-]?\d{1,9}$/.test(difference)) {
    throw new BehaviourError(
      `${text} is not a deviation: EIC, slots and kW, such as 11XRHEINSTROM--O:45-48:-50 or 11XRHEINSTROM--O@DE_TENNET:all:+100`,
    );
  }
  return { ...counterpartOf(who, day), slots: slotsOf(slots), differenceKw: Number(difference) };
}

function slotsOf(text: string): number[] | null {
  if (text === 'all') return null;
  return text.split(',').flatMap((part) => {
    const [, first, last = first] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(part) ?? [];
    const [from, to] = [Number(first), Number(last)];
    if (first === undefined || from < 1 || to < from || to > 100) {
      throw new BehaviourError(
        `${text} is not a list of slots: give numbers from 1 to 100, such as 45-48,61, or all`,
      );
    }
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
}

function counterpartOf(text: string, day: DeliveryDay | null): Counterpart {
  const [eic = '', tso, ...more] = text.split('@');
  const fault = checkEic(eic);
  if (fault !== null) throw new BehaviourError(`${text}: ${formatMessage(fault, 'en')}`);
  if (more.length > 0) throw new BehaviourError(`${text} names more than one TSO`);
  return { eic, tso: tso === undefined ? null : tsoOf(tso), day };
}

function tsoOf(text: string): Tso {
  const found = TSOS.find((tso) => tso === text);
  if (!found) throw new BehaviourError(`${text} is not one of ${TSOS.join(', ')}`);
  return found;
}
