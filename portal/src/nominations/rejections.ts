import type { Nomination, Reconciliation } from '@saldo/api';
import { ACKNOWLEDGEMENT_CODES } from '@saldo/core/exchange/documents/codes.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { WITHOUT_EVENTS_MS } from '../session/lists.ts';
import { findDay } from './nominated-slots.ts';
import { readReconciliation } from './queries.ts';

/** The TSO's answer, by the id of each nomination in a rejected schedule: the same for all nominations of the schedule. */
export type Rejections = ReadonlyMap<string, Reconciliation>;

const OUTCOMES: Readonly<Record<string, string>> = ACKNOWLEDGEMENT_CODES;

/** Whether the TSO has rejected the newest schedule with the nomination, and has confirmed no earlier one. */
export const isRejected = ({ confirmed_at, reasons }: Reconciliation): boolean =>
  confirmed_at === null && reasons.some(({ code }) => (OUTCOMES[code] ?? 'accepted') !== 'accepted');

/** By TSO and day, because the TSO rejects the operator's schedule of a day as a whole. */
const bySchedule = (nominations: readonly Nomination[]): Nomination[][] =>
  Array.from(
    Map.groupBy(
      nominations.filter(({ status, sent_at }) => status === 'pending' && sent_at !== null),
      (nomination) => `${nomination.tso} ${findDay(nomination)}`,
    ).values(),
  );

/**
 * Which of these nominations are in a schedule that the TSO has rejected. One nomination of each schedule is asked for.
 * Undefined: the nominations are not known yet.
 */
export function useRejections(nominations: readonly Nomination[] | undefined) {
  const schedules = bySchedule(nominations ?? []);
  const ids = schedules.flatMap(([first]) => first?.id ?? []);
  const query = useQuery({
    queryKey: ['nominations', 'rejections', ids],
    queryFn: async ({ signal }) => {
      const answers = await Promise.all(ids.map((id) => readReconciliation(id, signal)));
      return answers.filter(isRejected);
    },
    enabled: nominations !== undefined,
    // A new version has another id: until its answer is read, the page does not move.
    placeholderData: keepPreviousData,
    // No event tells that the schedule was sent again under a new version.
    refetchInterval: ({ state: { data } }) => (data?.length === 0 ? false : WITHOUT_EVENTS_MS),
  });
  const rejected: Rejections = new Map(
    schedules.flatMap((ofSchedule) => {
      const answer = query.data?.find(({ nomination_id }) => nomination_id === ofSchedule[0]?.id);
      return answer ? ofSchedule.map(({ id }) => [id, answer] as const) : [];
    }),
  );
  return { query, rejected };
}
