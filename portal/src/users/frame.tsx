import type { ReactNode } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { Preferences } from '../ui/preferences.tsx';
import { useTitle } from '../ui/use-title.ts';

/** The layout of sign-in and invitation: a single card. */
export function Frame({ title, children }: { title: string; children: ReactNode }) {
  const { t } = useI18n();
  useTitle(title);
  return (
    <div className="grid min-h-dvh grid-rows-[1fr_auto] justify-items-center gap-6 p-4">
      <main id="content" className="grid w-full max-w-sm content-center gap-5">
        <div className="flex items-center gap-2.5">
          <img src="/favicon.svg" alt="" className="size-8" />
          <span className="text-lg font-semibold tracking-tight">{t.common.appName}</span>
        </div>
        <div className="grid gap-4 rounded-xl border border-line bg-surface p-6">
          <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
          {children}
        </div>
      </main>
      <footer className="pb-2">
        <Preferences />
      </footer>
    </div>
  );
}
