import type { UserRole } from '@saldo/api';
import type { ComponentType } from 'react';
import { loadPart } from './connection.ts';

type Home = { readonly HomePage: ComponentType };

const LOADERS: Readonly<Record<UserRole, () => Promise<Home>>> = {
  brp: () => import('../brp/home.tsx'),
  operator: () => import('../operator/home.tsx'),
  account: () => import('../account/home.tsx'),
};

/** Loads the home page of a role. */
export const loadHome = (role: UserRole): Promise<Home> => loadPart(LOADERS[role]);
