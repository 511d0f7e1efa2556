import { isProblem } from '@saldo/sdk';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { buttonClass } from './button.tsx';
import { EmptyState, ErrorState, Skeleton } from './states.tsx';

export function NotFoundPage() {
  const { t } = useI18n();
  return (
    <EmptyState
      title={t.common.notFoundTitle}
      text={t.common.notFoundText}
      action={
        <Link to="/" className={buttonClass()}>
          {t.common.toHome}
        </Link>
      }
    />
  );
}

/** An error that a page did not catch itself: shown in its place, the rest of the portal goes on. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  if (isProblem(error) && error.status === 404) return <NotFoundPage />;
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return <ErrorState error={error} onRetry={retry} />;
}

export function RoutePending() {
  return <Skeleton lines={8} />;
}
