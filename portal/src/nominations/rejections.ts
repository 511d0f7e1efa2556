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
const bySchedule = (nominations: readonly Nomination[]): ReadonlyMap<string, Nomination[]> =>
  Map.groupBy(
    nominations.filter(({ status, sent_at }) => status === 'pending' && sent_at !== null),
    (nomination) => `${nomination.tso} ${findDay(nomination)}`,
  );

/**
 * Which of these nominations, undefined while they are loaded, are in a schedule that the TSO has rejected. The answer is read
 * for one nomination of each schedule.
 */
export function useRejections(nominations: readonly Nomination[] | undefined) {
  const schedules = bySchedule(nominations ?? []);
  const firstIds = Array.from(schedules, ([schedule, [first]]) => [schedule, first?.id ?? ''] as const);
  const query = useQuery({
    queryKey: ['nominations', 'rejections', firstIds],
    queryFn: async ({ signal }) => {
      const answers = await Promise.all(
        firstIds.map(async ([schedule, id]) => [schedule, await readReconciliation(id, signal)] as const),
      );
      return new Map(answers.filter(([, answer]) => isRejected(answer)));
    },
    enabled: nominations !== undefined,
    // With other nominations the schedules are mostly the same: until their answers are read, the page does not move.
    placeholderData: keepPreviousData,
    // No event tells that the schedule was sent again under a new version.
    refetchInterval: ({ state: { data } }) => (data?.size === 0 ? false : WITHOUT_EVENTS_MS),
  });
  const rejected: Rejections = new Map(
    Array.from(schedules, ([schedule, records]) => {
      const answer = query.data?.get(schedule);
      return answer ? records.map(({ id }) => [id, answer] as const) : [];
    }).flat(),
  );
  return { query, rejected };
}
