import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { loadPart } from '../session/connection.ts';
import { useOnChange } from '../session/live-refresh.ts';
import { areNotificationsOn } from '../session/notifications.ts';
import { serverNow } from '../session/server-clock.ts';
import { useSession } from '../session/session.ts';
import { NOTIFIED } from './notified.ts';

const SECOND_MS = 1000;
/** Times of events have no fractions of a second. */
const thisSecond = () => Math.floor(serverNow() / SECOND_MS) * SECOND_MS;

/** Shows notifications of the browser for what happens while the page is open, if the user has turned them on. */
export function useNotifications(): void {
  const { t, format } = useI18n();
  const { role } = useSession().user;
  const router = useRouter();
  const [since] = useState(thisSecond);
  useOnChange(async (changed) => {
    const concerns = changed === null || changed.some((type) => type === '*' || isNotified(type));
    if (role === 'account' || !concerns || !areNotificationsOn()) return;
    const { notifyOfNewEvents } = await loadPart(() => import('./notify.ts'));
    await notifyOfNewEvents({ t, format, role, since, open: (path) => router.history.push(path) });
  });
}

const isNotified = (type: string): boolean => NOTIFIED.some((known) => known === type);
