import { LIMITS, type Nomination, type OwnSchedule, type ScheduleStep } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import type { Dictionary } from '../i18n/dictionary.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { problemText } from '../i18n/problem-text.ts';
import { invalidate } from '../session/invalidate.ts';
import { allOf } from '../session/lists.ts';
import { reader } from '../session/reader.ts';
import { usePermission, useSession } from '../session/session.ts';
import { useToast } from '../ui/toast.tsx';

const KEY = 'own-schedules';
export const OWN_SCHEDULES = { queryKey: [KEY] };
/** Loaded on demand, because the operator’s pages of nominations use this file too. */
const brp = async () => (await import('../session/brp-client.ts')).brpClient;

/** Current nominations of today and later that have changed since the BRP or the TSO last got them. */
export const changedSchedulesQuery = queryOptions({
  queryKey: [KEY, 'changed'],
  queryFn: async ({ signal }) => allOf((await brp()).schedules.each({ changed: 'true' }, { signal })),
});

/** The own side of a day, by the id of the current nomination. */
export const ownSchedulesQuery = (day: DeliveryDay) =>
  queryOptions({
    queryKey: [KEY, day],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, OwnSchedule>> => {
      const found = await allOf((await brp()).schedules.each({ delivery_date: day }, { signal }));
      return new Map(found.map((schedule) => [schedule.nomination_id, schedule]));
    },
  });

/** The bases of two versions never change, so it is cached forever. */
export const causesQuery = (id: string, since: string | null = null) =>
  queryOptions({
    queryKey: ['nomination', id, 'causes', since],
    queryFn: ({ signal }) => reader().nominations.causes(id, since === null ? {} : { since }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The versions in a downloaded CSV: they may be newer than those on the page. */
export const nominationsIn = (csv: string): string[] => [...new Set(csv.match(/^nom_[0-9a-z]+/gm))];

/** The name of a day's schedule. A correction raises the version of its nomination, and with it that of the file. */
export const scheduleName = (t: Dictionary, day: DeliveryDay, nominations: readonly Nomination[]): string =>
  `${t.brp.nominations.scheduleFile}_${day}_v${Math.max(1, ...nominations.map(({ version }) => version))}`;

/** Records a step of the BRP’s own schedules. A user who may only read records nothing. */
export function useRecordStep() {
  const { t } = useI18n();
  const toast = useToast();
  const queryClient = useQueryClient();
  const isMember = usePermission('member');
  const isAllowed = useSession().user.role === 'brp' && isMember;
  return async (step: ScheduleStep, ids: readonly string[], done = true): Promise<void> => {
    if (!isAllowed) return;
    try {
      const { schedules } = await brp();
      const { maximum } = LIMITS.bulkIds;
      for (let at = 0; at < ids.length; at += maximum)
        await schedules.mark({ step, nomination_ids: ids.slice(at, at + maximum), done });
    } catch (error) {
      toast(problemText(t, error), 'bad');
    }
    await invalidate(queryClient, OWN_SCHEDULES);
  };
}
