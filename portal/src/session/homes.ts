import type { UserRole } from '@saldo/api';
import { lazyRouteComponent } from '@tanstack/react-router';

/** The home page of each role. */
export const HOMES = {
  brp: lazyRouteComponent(() => import('../brp/home.tsx'), 'HomePage'),
  operator: lazyRouteComponent(() => import('../operator/home.tsx'), 'HomePage'),
  account: lazyRouteComponent(() => import('../account/home.tsx'), 'HomePage'),
} as const satisfies Record<UserRole, unknown>;
