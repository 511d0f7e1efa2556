import { addDays, type DeliveryDay } from '@saldo/core/delivery-day.ts';
import { useQueryClient } from '@tanstack/react-query';
import { type LinkOptions, useRouter } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { problemText } from '../i18n/problem-text.ts';
import { nominationsIn, scheduleName, useRecordStep } from '../nominations/own-schedules.ts';
import { nominationsQuery } from '../nominations/queries.ts';
import { setStory } from '../story/state.ts';
import { offerCreation } from '../ui/create-button.tsx';
import { useDownload } from '../ui/download-button.tsx';
import { useChangeLanguage } from '../ui/preferences.tsx';
import { applyTheme } from '../ui/theme.ts';
import { useToast } from '../ui/toast.tsx';
import { useSignOut } from '../users/use-sign-out.ts';
import { parametersOf, type Target } from './entries.ts';
import type { Given } from './query.ts';

/** Downloads the BRP's own schedules of a day, as the page of its nominations does. */
function useDaySchedule(): (day: DeliveryDay) => Promise<void> {
  const { t } = useI18n();
  const queryClient = useQueryClient();
  const download = useDownload();
  const record = useRecordStep();
  return (day) =>
    download({
      read: async () => {
        // The operator's search does not load the client of BRPs.
        const { brpClient } = await import('../session/brp-client.ts');
        const [nominations, text] = await Promise.all([
          queryClient.fetchQuery(nominationsQuery(day, {})),
          brpClient.nominations.daySchedule({ delivery_date: day }),
        ]);
        return { name: scheduleName(t, day, nominations), text };
      },
      onSaved: (csv) => record('loaded', nominationsIn(csv)),
    });
}

/** Opens the page of an entry, or runs its action. */
export function useOpen(today: DeliveryDay): (target: Target, given: Given) => Promise<void> {
  const { t } = useI18n();
  const router = useRouter();
  const toast = useToast();
  const changeLanguage = useChangeLanguage();
  const saveSchedule = useDaySchedule();
  const { signOut } = useSignOut((error) => toast(problemText(t, error), 'bad'));
  const open = async (target: Target, given: Given): Promise<void> => {
    if ('language' in target) return changeLanguage(target.language);
    if ('theme' in target) return applyTheme(target.theme);
    if ('create' in target) {
      await router.navigate({ to: target.create } as LinkOptions);
      // Unsaved input may have kept the user where it is.
      if (router.state.location.pathname === target.create) offerCreation(target.create);
      return;
    }
    if ('page' in target) {
      const search = { ...target.search, ...parametersOf(target.page, given) };
      return router.navigate({ to: target.page, search } as LinkOptions);
    }
    if (target.command === 'sign-out') return signOut();
    if (target.command === 'docs') return window.location.assign('/docs');
    if (target.command === 'story') return setStory('asked');
    return saveSchedule(given.day ?? addDays(today, 1));
  };
  return open;
}
