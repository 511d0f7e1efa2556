import type { UserRole } from '@saldo/api';
import { type ComponentType, lazy, Suspense } from 'react';
import { useSession } from './session/session.ts';
import { RoutePending } from './ui/route-states.tsx';

/** The home page of each role. */
const HOMES: Readonly<Record<UserRole, ComponentType>> = {
  brp: lazy(() => import('./brp/home.tsx').then(({ HomePage }) => ({ default: HomePage }))),
  operator: lazy(() => import('./operator/home.tsx').then(({ HomePage }) => ({ default: HomePage }))),
  account: lazy(() => import('./account/home.tsx').then(({ HomePage }) => ({ default: HomePage }))),
};

export function HomeOfRole() {
  const Home = HOMES[useSession().user.role];
  return (
    <Suspense fallback={<RoutePending />}>
      <Home />
    </Suspense>
  );
}
