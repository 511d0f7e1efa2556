import { type Answer, type Decision, reasonText } from './answer.ts';

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
): string | null {
  const foreign = 'foreign' in decision ? decision.foreign.map(({ name }) => name) : [];
  const reasons = decision.kind === 'rejected' ? [] : otherReasons(answer);
  const remarks = [
    ...(unknownElements.length === 0
      ? []
      : [`It has elements that are not known and were not used: ${listed(unknownElements)}.`]),
    ...(foreign.length === 0 ? [] : [`It has series that our schedule does not have: ${listed(foreign)}.`]),
    ...(reasons.length === 0 ? [] : [`Further reasons of the TSO: ${listed(reasons)}.`]),
  ];
  return remarks.length === 0 ? null : remarks.join(' ');
}

function otherReasons(answer: Answer): string[] {
  const series = answer.kind === 'confirmation' ? [...answer.imposed, ...answer.series] : [];
  const all = [
    ...('reasons' in answer ? answer.reasons.map((reason) => ({ reason, place: null })) : []),
    ...series.flatMap(({ identification, reasons }) =>
      reasons.map((reason) => ({ reason, place: `series ${identification}` })),
    ),
    ...series.flatMap(({ identification, slotReasons }) =>
      slotReasons.flatMap(({ slot, reasons }) =>
        reasons.map((reason) => ({ reason, place: `series ${identification}, slot ${slot}` })),
      ),
    ),
  ];
  return all
    .filter(({ reason }) => !INTERPRETED.has(reason.code))
    .map(({ reason, place }) => (place === null ? reasonText(reason) : `${reasonText(reason)} (${place})`));
}

function listed(items: readonly string[]): string {
  const rest = items.length - LISTED;
  return items.slice(0, LISTED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
