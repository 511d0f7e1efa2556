import { useEffect } from 'react';
import { useI18n } from '../i18n/i18n.tsx';

/** What the window is called while a page is shown. */
export function useTitle(title: string): void {
  const { t } = useI18n();
  useEffect(() => {
    document.title = `${title} · ${t.common.appName}`;
  }, [title, t]);
}
