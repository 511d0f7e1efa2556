import { useContext, useEffect } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { SessionContext } from '../session/session.ts';
import { rememberPage } from './recent-pages.ts';

/** Sets the window title while a page is shown, and remembers the page for the search. */
export function useTitle(title: string): void {
  const { t } = useI18n();
  const userId = useContext(SessionContext)?.user.id;
  useEffect(() => {
    document.title = `${title} · ${t.common.appName}`;
    if (userId !== undefined) rememberPage(userId, { path: window.location.pathname, title });
  }, [title, t, userId]);
}
