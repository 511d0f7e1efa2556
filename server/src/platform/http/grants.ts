import type { BrpScope, OperatorScope, Scope, UserPermissions } from '@saldo/api';
import type { FastifyRequest } from 'fastify';
import { type Owner, type Principal, SCOPES_OF, scopesOf } from '../auth/principal.ts';
import { nameScopes } from './guard.ts';
import { problem } from './problem.ts';

/**
 * A caller can grant only permissions of its own: a key that creates a stronger key, or replaces one, or invites a stronger user, would
 * have the rights of the other one. The operator's keys grant rights in all three APIs, so rights are compared as scopes
 * of the operator API.
 */
const AS_OPERATOR: Readonly<Record<BrpScope, OperatorScope>> = {
  'contracts:read': 'read',
  'transactions:read': 'read',
  'nominations:read': 'read',
  'schedules:write': 'parties:write',
  'customers:read': 'read',
  'customers:write': 'parties:write',
  'balance_groups:read': 'read',
  'balance_groups:write': 'parties:write',
  'events:read': 'read',
  'webhooks:write': 'webhooks:write',
  'requests:read': 'requests:read',
};
const rightsInBrpApi = (scopes: readonly Scope[]) => scopes.map((scope) => AS_OPERATOR[scope as BrpScope]);

/** The rights of an account's key, which has no scopes. */
const RIGHTS_IN_CUSTOMER_API: readonly OperatorScope[] = ['read', 'webhooks:write'];

function rightsOfKey(owner: Owner['type'], scopes: readonly Scope[]): readonly Scope[] {
  if (owner === 'operator') return scopes;
  return owner === 'brp' ? rightsInBrpApi(scopes) : RIGHTS_IN_CUSTOMER_API;
}

function rightsOfUser(role: Owner['type'], permissions: UserPermissions): readonly Scope[] {
  const scopes = scopesOf(role, permissions);
  if (role === 'operator') return scopes;
  if (permissions !== 'admin') return role === 'brp' ? rightsInBrpApi(scopes) : ['read'];
  return [...rightsOfKey(role, scopes), 'users:write', 'keys:write'];
}

type Caller = Pick<FastifyRequest, 'principal'>;

function principalOf({ principal }: Caller): Principal {
  if (principal === null) throw new Error('a guard lets only callers with rights pass');
  return principal;
}

/** Administrators of a BRP or an account have all rights of their party and grant rights in this party only. */
function requireRights(caller: Caller, rights: readonly Scope[]): void {
  const { owner, scopes } = principalOf(caller);
  if (owner?.type !== 'operator') return;
  const missing = [...new Set(rights)].filter((right) => !scopes.has(right));
  if (missing.length === 0) return;
  throw problem('insufficient_scopes', { key: 'problem.cannot_grant', scopes: nameScopes(missing) });
}

/** Throws if the key may do more than the caller. */
export const requireRightsOfKey = (caller: Caller, owner: Owner['type'], scopes: readonly Scope[]): void =>
  requireRights(caller, rightsOfKey(owner, scopes));

/** Throws if a user with these permissions may do more than the caller. */
export const requireRightsOfUser = (
  caller: Caller,
  role: Owner['type'],
  permissions: UserPermissions,
): void => requireRights(caller, rightsOfUser(role, permissions));

/** The scopes that the caller can give to a key of this kind of owner. */
export function grantableScopes(caller: Caller, keyOwner: Owner['type']): readonly Scope[] {
  const { owner, scopes } = principalOf(caller);
  const isOwn = owner?.type === keyOwner;
  return SCOPES_OF[keyOwner].filter((scope) => scopes.has(isOwn ? scope : AS_OPERATOR[scope as BrpScope]));
}
