import { isProblem } from '@saldo/sdk';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { problemText } from '../i18n/problem-text.ts';
import type { Tone } from './badge.tsx';
import { Button, buttonClass } from './button.tsx';
import { cx } from './cx.ts';
import { Icon } from './icons.tsx';
import { useTitle } from './use-title.ts';

/** Placeholder bars with the size of the content, so that the layout does not shift when it loads. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  const { t } = useI18n();
  return (
    <div role="status" className="grid animate-pulse gap-3 p-4">
      <span className="sr-only">{t.common.loading}</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className={cx('h-4 rounded bg-line', line % 3 === 2 ? 'w-2/3' : 'w-full')} />
      ))}
    </div>
  );
}

/** A placeholder with the size of a chart. */
export function SkeletonBlock({ className }: { className: string }) {
  const { t } = useI18n();
  return (
    <div role="status" className={`animate-pulse rounded bg-line/60 ${className}`}>
      <span className="sr-only">{t.common.loading}</span>
    </div>
  );
}

export function EmptyState({ title, text, action }: { title: string; text?: string; action?: ReactNode }) {
  return (
    <div className="grid justify-items-center gap-1.5 px-4 py-10 text-center">
      <p className="font-medium">{title}</p>
      {text && <p className="max-w-md text-sm text-muted">{text}</p>}
      {action && <div className="mt-2">{action}</div>}
    </div>
  );
}

/** The error, the server's advice, and a retry button. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { t } = useI18n();
  const requestId = isProblem(error) ? error.requestId : null;
  return (
    <div role="alert" className="grid justify-items-center gap-1.5 px-4 py-10 text-center">
      <p className="flex items-center gap-2 font-medium text-bad">
        <Icon name="warning" className="size-5" />
        {t.common.errorTitle}
      </p>
      <p className="max-w-xl text-sm text-muted">{problemText(t, error)}</p>
      {requestId && (
        <p className="text-xs text-muted">
          {t.common.errorRequestId} <code className="font-mono">{requestId}</code>
        </p>
      )}
      {onRetry && (
        <div className="mt-2">
          <Button onClick={onRetry}>{t.common.retry}</Button>
        </div>
      )}
    </div>
  );
}

/** Shown instead of a page that does not exist or that this user may not see. */
export function NotFound() {
  const { t } = useI18n();
  useTitle(t.common.notFoundTitle);
  return (
    <div className="grid justify-items-center gap-1.5 px-4 py-16 text-center">
      <h1 className="text-lg font-semibold">{t.common.notFoundTitle}</h1>
      <p className="mb-2 max-w-md text-sm text-muted">{t.common.notFoundText}</p>
      <Link to="/" className={buttonClass()}>
        {t.common.toHome}
      </Link>
    </div>
  );
}

const NOTICE_TONES: Partial<Record<Tone, string>> = {
  warn: 'border-warn/40 bg-warn-soft text-warn',
  bad: 'border-bad/40 bg-bad-soft text-bad',
  ok: 'border-ok/40 bg-ok-soft text-ok',
  accent: 'border-accent/40 bg-accent-soft text-accent-strong',
};

/** An important message of the page. Screen readers announce it. */
export function Notice({ tone = 'accent', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <div
      role="status"
      className={cx(
        'flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border px-3 py-2 text-sm',
        NOTICE_TONES[tone] ?? 'border-line bg-sunken text-text',
      )}
    >
      {children}
    </div>
  );
}

/** The part of a query that is shown. */
export type ShownQuery<T> = {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly refetch: () => Promise<unknown>;
};

/** Whether the list is shown, or its error. What is below a list of unknown length is shown together with it. */
export const isSettled = ({ data, error }: ShownQuery<unknown>): boolean =>
  data !== undefined || error !== null;

/** The three states of a query. Data stays visible when a refresh fails. */
export function Loaded<T>({
  query,
  loading = <Skeleton />,
  children,
}: {
  query: ShownQuery<T>;
  loading?: ReactNode;
  children: (data: T) => ReactNode;
}) {
  const { data } = query;
  if (data !== undefined) return children(data);
  if (isProblem(query.error) && query.error.status === 404) return <NotFound />;
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return loading;
}
