import { isProblem } from '@saldo/sdk';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { ErrorState, NotFound, Skeleton } from './states.tsx';

/** The page for an unknown URL, outside the shell. */
export function NotFoundPage() {
  return (
    <main id="content">
      <NotFound />
    </main>
  );
}

/** Error boundary of a page: shown in its place, while the rest of the portal keeps working. */
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
