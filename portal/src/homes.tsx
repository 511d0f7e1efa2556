import type { UserRole } from '@saldo/api';
import { type ComponentType, lazy, Suspense } from 'react';
import { loadPart } from './session/connection.ts';
import { useSession } from './session/session.ts';
import { RoutePending } from './ui/route-states.tsx';

type Home = { readonly HomePage: ComponentType };

const LOADERS: Readonly<Record<UserRole, () => Promise<Home>>> = {
  brp: () => import('./home/brp.tsx'),
  operator: () => import('./home/operator.tsx'),
  account: () => import('./home/account.tsx'),
};

/** Loads the home page of a role. */
export const loadHome = (role: UserRole): Promise<Home> => loadPart(LOADERS[role]);

const homeOf = (role: UserRole) => lazy(async () => ({ default: (await loadHome(role)).HomePage }));

/** The home page of each role. */
const HOMES: Readonly<Record<UserRole, ComponentType>> = {
  brp: homeOf('brp'),
  operator: homeOf('operator'),
  account: homeOf('account'),
};

export function HomeOfRole() {
  const Home = HOMES[useSession().user.role];
  return (
    <Suspense fallback={<RoutePending />}>
      <Home />
    </Suspense>
  );
}
