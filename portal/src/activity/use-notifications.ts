import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { loadPart } from '../session/connection.ts';
import { useOnChange } from '../session/live-refresh.ts';
import { areNotificationsOn, onTurnedOnElsewhere } from '../session/notifications.ts';
import { handleError } from '../session/query-client.ts';
import { useSession } from '../session/session.ts';
import { NOTIFIED } from './notified.ts';

/** Shows notifications of the browser for what happens while the page is open, if the user has turned them on. */
export function useNotifications(): void {
  const { t, format } = useI18n();
  const { user, server_time } = useSession();
  const { role } = user;
  const router = useRouter();
  // The page may be shown some seconds after it has read what had happened before.
  const [since] = useState(() => Date.parse(server_time));
  const queryClient = useQueryClient();
  useEffect(() => {
    if (role === 'account') return;
    const skip = async () => (await loadPart(() => import('./notify.ts'))).skipPastEvents();
    return onTurnedOnElsewhere(() => void skip().catch((error) => handleError(queryClient, error)));
  }, [role, queryClient]);
  useOnChange(async (changed) => {
    const concerns = changed === null || changed.some((type) => type === '*' || isNotified(type));
    if (role === 'account' || !concerns || !areNotificationsOn()) return;
    const { notifyOfNewEvents } = await loadPart(() => import('./notify.ts'));
    await notifyOfNewEvents({ t, format, role, since, open: (path) => router.history.push(path) });
  });
}

const isNotified = (type: string): boolean => NOTIFIED.some((known) => known === type);
