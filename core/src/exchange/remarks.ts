import type { Message } from '../messages/message.ts';
import { type Answer, type Decision, quotedReason, type Reason } from './answer.ts';

/** Number of series or reasons that a remark lists; the rest is counted. */
const LISTED = 20;

/** Reasons whose meaning is part of the result. All others are shown as they are. */
const INTERPRETED: ReadonlySet<string> = new Set([
  ...['A01', 'A02', 'A03'],
  ...['A06', 'A07', 'A08', 'A85', 'A86', 'A87'],
  ...['A20', 'A28', 'A30', 'A63', 'A88'],
  ...['A43', 'A44'],
]);

/** What an operator should know about an answer that was applied, or null. */
export function remarkOn(
  answer: Answer,
  decision: Decision,
  unknownElements: readonly string[] = [],
): Message | null {
  const foreign = 'foreign' in decision ? decision.foreign.map(({ name }) => name) : [];
  const reasons = decision.kind === 'rejected' ? [] : otherReasons(answer);
  const sentences: Message[] = [];
  if (unknownElements.length > 0)
    sentences.push({ key: 'exchange.unknown_elements', elements: listed(unknownElements) });
  if (foreign.length > 0) sentences.push({ key: 'exchange.unknown_series', series: listed(foreign) });
  if (reasons.length > 0) sentences.push({ key: 'exchange.further_reasons', reasons: listed(reasons) });
  return sentences.length === 0 ? null : { key: 'exchange.sentences', sentences };
}

function otherReasons(answer: Answer): (string | Message)[] {
  const all = answer.kind === 'confirmation' ? [...answer.imposed, ...answer.series] : [];
  const others = (reasons: readonly Reason[]) =>
    reasons.filter(({ code }) => !INTERPRETED.has(code)).map(quotedReason);
  return [
    ...others('reasons' in answer ? answer.reasons : []),
    ...all.flatMap(({ identification: series, reasons }) =>
      others(reasons).map((reason): Message => ({ key: 'exchange.reason_of_series', reason, series })),
    ),
    ...all.flatMap(({ identification: series, slotReasons }) =>
      slotReasons.flatMap(({ slot, reasons }) =>
        others(reasons).map((reason): Message => ({ key: 'exchange.reason_of_slot', reason, series, slot })),
      ),
    ),
  ];
}

type Listed = readonly (string | Message)[] | Message;

function listed(items: readonly (string | Message)[]): Listed {
  const count = items.length - LISTED;
  return count > 0 ? { key: 'exchange.and_more', items: items.slice(0, LISTED), count } : items;
}
