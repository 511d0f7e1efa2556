import { useEffect } from 'react';
import { useI18n } from '../i18n/i18n.tsx';

/** Sets the window title while a page is shown. */
export function useTitle(title: string): void {
  const { t } = useI18n();
  useEffect(() => {
    document.title = `${title} · ${t.common.appName}`;
  }, [title, t]);
}
