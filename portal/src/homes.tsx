import { Suspense } from 'react';
import { HOMES } from './session/homes.ts';
import { useSession } from './session/session.ts';
import { RoutePending } from './ui/route-states.tsx';

export function HomeOfRole() {
  const Home = HOMES[useSession().user.role];
  return (
    <Suspense fallback={<RoutePending />}>
      <Home />
    </Suspense>
  );
}
