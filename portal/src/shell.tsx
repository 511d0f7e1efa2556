import { includesPermissions } from '@saldo/core/users/permissions.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useMatches, useRouter, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useNotifications } from './activity/use-notifications.ts';
import { alarmsQuery } from './home/alarms-query.ts';
import { useI18n } from './i18n/i18n.tsx';
import { NAVIGATION } from './navigation.ts';
import { usePrefetch } from './prefetch.ts';
import { SearchButton } from './search/button.tsx';
import { loadPart, retryNow, useIsConnected } from './session/connection.ts';
import { invalidate } from './session/invalidate.ts';
import { useLiveRefresh } from './session/live-refresh.ts';
import { useServerNow } from './session/server-clock.ts';
import { onSessionElsewhere, SessionContext, sessionQuery, useSession } from './session/session.ts';
import { Badge } from './ui/badge.tsx';
import { Button, IconButton } from './ui/button.tsx';
import { cx } from './ui/cx.ts';
import { Dialog } from './ui/dialog.tsx';
import { offerFile, useFileDrop } from './ui/dropped-file.ts';
import { FormProblem } from './ui/form.tsx';
import { Icon } from './ui/icons.tsx';
import { Preferences } from './ui/preferences.tsx';
import { Notice } from './ui/states.tsx';
import { ToastProvider } from './ui/toast.tsx';
import { hasUnsaved } from './ui/unsaved.ts';
import { UnsavedGuard } from './ui/unsaved-guard.tsx';
import { useMedia } from './ui/use-media.ts';
import { useSignOut } from './users/use-sign-out.ts';

const SessionEndedDialog = lazy(async () => {
  const { SessionEndedDialog: Dialog } = await loadPart(() => import('./users/session-ended.tsx'));
  return { default: Dialog };
});

/** The layout of every page that requires a session. A page stays as it is when the session ends. */
export function AppShell() {
  const { data: session } = useQuery(sessionQuery);
  // The route has read it before.
  const [former, setFormer] = useState(session);
  const [isLeaving, setIsLeaving] = useState(false);
  const isOther = session != null && session.user.id !== former?.user.id;
  const isEnded = session?.pending !== null || isOther;
  if (!isEnded && session !== former) setFormer(session);
  useSessionElsewhere();
  useRefreshAfterEnd(isEnded);
  useEffect(() => {
    // All data and state of the page are those of the former user.
    if (isOther && !hasUnsaved(document)) setIsLeaving(true);
  }, [isOther]);
  useEffect(() => {
    if (isLeaving) window.location.reload();
  }, [isLeaving]);
  if (!former || isLeaving) return null;
  return (
    <SessionContext value={former}>
      <ToastProvider>
        <UnsavedGuard>
          <Frame />
          {isEnded && (
            <Suspense>
              <SessionEndedDialog
                former={former}
                session={session ?? null}
                onLoadAgain={() => setIsLeaving(true)}
              />
            </Suspense>
          )}
        </UnsavedGuard>
      </ToastProvider>
    </SessionContext>
  );
}

/** Follows a sign-in or sign-out in another tab. After a sign-out, a page without input shows nothing any more. */
function useSessionElsewhere(): void {
  const queryClient = useQueryClient();
  const router = useRouter();
  const follow = useEffectEvent(async (change: 'started' | 'ended') => {
    if (change === 'started' || hasUnsaved(document))
      return queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
    const search = { next: router.state.location.href, ended: 'true' } as const;
    await router.navigate({ to: '/sign-in', search, replace: true });
    queryClient.clear();
  });
  useEffect(() => onSessionElsewhere((change) => void follow(change)), []);
}

/** Requests have failed while there was no session. */
function useRefreshAfterEnd(isEnded: boolean): void {
  const queryClient = useQueryClient();
  const wasEnded = useRef(false);
  useEffect(() => {
    if (wasEnded.current && !isEnded) {
      void invalidate(queryClient, { predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
      retryNow();
    }
    wasEnded.current = isEnded;
  }, [isEnded, queryClient]);
}

const FRAME =
  'grid min-h-dvh grid-rows-[auto_1fr] lg:grid-cols-[14rem_minmax(0,1fr)] lg:grid-rows-1 print:block';

function Frame() {
  const { t } = useI18n();
  const isConnected = useIsConnected();
  const isBare = useMatches({ select: (matches) => matches.some(({ staticData }) => staticData.isBare) });
  useFocusOnNewPage();
  useLiveRefresh();
  usePrefetch();
  useNotifications();
  useScheduleDrop();
  return (
    <div className={isBare ? 'min-h-dvh' : FRAME}>
      <a
        href="#content"
        className="sr-only z-50 rounded bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        {t.common.skipToContent}
      </a>
      {!isBare && <Header />}
      <div className="min-w-0">
        {isBare ? <PageSearch isHidden /> : <TopBar />}
        <main
          id="content"
          tabIndex={-1}
          className={cx(
            'mx-auto grid grid-cols-[minmax(0,1fr)] gap-4 p-4 outline-none lg:p-6 dense:lg:p-4',
            !isBare && 'max-w-[110rem]',
          )}
        >
          {!isConnected && (
            <Notice tone="bad">
              {t.common.offline}
              <Button onClick={retryNow}>{t.common.retry}</Button>
            </Notice>
          )}
          <Outlet />
        </main>
      </div>
    </div>
  );
}

/** A BRP checks a schedule by dropping it on any page. */
function useScheduleDrop(): void {
  const router = useRouter();
  const { role } = useSession().user;
  const check = useCallback(
    async (file: File) => {
      await router.navigate({ to: '/check' });
      // Unsaved input may have kept the user where it is.
      if (router.state.location.pathname === '/check') offerFile(file);
    },
    [router],
  );
  useFileDrop(role === 'brp', check);
}

/** Moves the focus to the new page after navigation, for screen readers and keyboards. */
function useFocusOnNewPage(): void {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  // At first the page before, such as the sign-in form. Undefined if this is the first one.
  const shownPath = useRef(path);
  useEffect(() => {
    if (path === undefined || path === shownPath.current) return;
    if (shownPath.current !== undefined) document.getElementById('content')?.focus({ preventScroll: true });
    shownPath.current = path;
  }, [path]);
}

function Brand() {
  const { t } = useI18n();
  return (
    <Link to="/" className="target flex items-center gap-2 rounded font-semibold tracking-tight">
      <img src="/favicon.svg" alt="" className="size-6" />
      {t.common.appName}
    </Link>
  );
}

function Navigation() {
  const { t } = useI18n();
  const { user } = useSession();
  return (
    <nav aria-label={t.common.mainNavigation} className="grid gap-1.5">
      {NAVIGATION[user.role].map(({ name, items }) => (
        <div key={name}>
          {name && (
            <p
              className={cx(
                'flex items-center gap-2 px-2.5 pb-0.5 text-xs font-medium text-muted',
                // As high as with the number of alarms, which arrives later.
                name === 'today' && 'min-h-6',
              )}
            >
              {t.common.navigationGroups[name]}
              {name === 'today' && <OpenAlarms />}
            </p>
          )}
          <ul aria-label={name ? t.common.navigationGroups[name] : undefined} className="grid gap-0.5">
            {items
              .filter(({ needs = 'viewer' }) => includesPermissions(user.permissions, needs))
              .map(({ to, label, icon }) => (
                <li key={to}>
                  <Link
                    to={to}
                    activeOptions={{ exact: to === '/', includeSearch: false }}
                    className="flex items-center gap-2.5 rounded-md px-2.5 py-[3px] text-sm text-muted touch:min-h-10 hover:bg-sunken hover:text-text aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent-strong"
                  >
                    <Icon name={icon} />
                    {label(t)}
                  </Link>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** The number of open alarms of the platform. */
function OpenAlarms() {
  const { t } = useI18n();
  const { data } = useQuery(alarmsQuery);
  if (!data?.length) return null;
  return <Badge tone="bad">{t.common.openAlarms(data.length)}</Badge>;
}

/** The breakpoint `lg` of the styles. */
const WIDE = '(min-width: 64rem)';

/** The signed-in user, their permissions, and the sign-out button. */
function UserBox() {
  const { t } = useI18n();
  const { user } = useSession();
  const { signOut, isPending, error } = useSignOut();
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1 border-t border-line pt-2 text-sm">
      <Link
        to="/profile"
        className="flex min-w-0 items-center gap-2.5 rounded-md px-2.5 py-1 hover:bg-sunken"
      >
        <Icon name="user" />
        <span className="min-w-0">
          <span className="sr-only">{`${t.common.signedInAs} `}</span>
          <span className="block truncate font-medium">{user.name}</span>
          <span className="block truncate text-xs text-muted">
            {(user.brp ?? user.account)?.name ?? t.session.roles[user.role]}
          </span>
        </span>
      </Link>
      {user.permissions === 'viewer' && (
        <p className="px-2.5 text-xs text-muted" title={t.common.readOnlyHint}>
          {t.common.readOnly}
        </p>
      )}
      {/* Not a toast: on a narrow screen a modal dialog would cover it. */}
      <FormProblem error={error} />
      <div className="flex items-center justify-between">
        <Button variant="quiet" icon="signOut" isBusy={isPending} onClick={() => void signOut()}>
          {t.session.signOut}
        </Button>
      </div>
    </div>
  );
}

function DocsLink() {
  const { t } = useI18n();
  return (
    <a
      href="/docs"
      className="flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm text-muted touch:min-h-10 hover:bg-sunken hover:text-text"
    >
      <Icon name="external" />
      {t.common.docs}
    </a>
  );
}

/** Only the one that the screen shows is rendered: the links of a hidden sidebar would delay the first paint of a phone. */
function Header() {
  const isWide = useMedia(WIDE);
  const path = useRouterState({ select: (state) => state.location.pathname });
  // The menu closes after one of its links was followed.
  return isWide ? <Sidebar /> : <NarrowBar key={path} />;
}

function Sidebar() {
  return (
    <header className="sticky top-0 flex h-dvh flex-col gap-3 overflow-y-auto border-r border-line bg-surface p-3 print:hidden">
      <div className="px-2.5">
        <Brand />
      </div>
      <div className="flex-1">
        <Navigation />
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
        <DocsLink />
        <Preferences />
        <UserBox />
      </div>
    </header>
  );
}

/** On a narrow screen the sidebar is a dialog. */
function NarrowBar() {
  const { t } = useI18n();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <header className="flex items-center justify-between border-b border-line bg-surface px-4 py-2 print:hidden">
        <Brand />
        <IconButton icon="menu" label={t.common.menu} onClick={() => setIsOpen(true)} />
      </header>
      {isOpen && (
        <Dialog title={t.common.menu} onClose={() => setIsOpen(false)}>
          <div className="grid gap-4">
            <Navigation />
            <DocsLink />
            <Preferences />
            <UserBox />
          </div>
        </Dialog>
      )}
    </>
  );
}

function PageSearch({ isHidden = false }: { isHidden?: boolean }) {
  const { role } = useSession().user;
  return <SearchButton navigation={NAVIGATION[role].flatMap(({ items }) => items)} isHidden={isHidden} />;
}

/** The search, and the platform's clock in local time and UTC. */
function TopBar() {
  const { t, format } = useI18n();
  const now = useServerNow();
  return (
    <div className="flex items-center justify-end gap-4 border-b border-line bg-surface px-4 py-1.5 text-xs text-muted lg:px-6 print:hidden">
      <PageSearch />
      <section aria-label={t.common.serverTime} title={t.common.serverTime} className="flex gap-4">
        <span>
          <span className="text-text">{format.timeWithSeconds(now)}</span> {t.common.berlin}
        </span>
        <span>
          {format.utcTime(now)} {t.common.utc}
        </span>
      </section>
    </div>
  );
}
