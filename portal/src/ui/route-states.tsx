import { isProblem } from '@saldo/sdk';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { ErrorState, NotFound, Skeleton } from './states.tsx';

/** An address that leads nowhere, outside of everything. */
export function NotFoundPage() {
  return (
    <main id="content">
      <NotFound />
    </main>
  );
}

/** An error that a page did not catch itself: shown in its place, the rest of the portal goes on. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  if (isProblem(error) && error.status === 404) return <NotFound />;
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return <ErrorState error={error} onRetry={retry} />;
}

export function RoutePending() {
  return <Skeleton lines={8} />;
}
