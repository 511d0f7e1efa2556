import type { Scope, UserPermissions } from '@saldo/api';
import { SCOPES } from '@saldo/api';

/**
 * Whose data a read may see. Every read for a tenant takes one, and its condition is part of the SQL. Null is the
 * operator, who sees everything.
 */
export type Viewer = { readonly brpNo: number | null };

export const OPERATOR_VIEW: Viewer = { brpNo: null };

/** No BRP has this number: who is no BRP and not the operator sees nothing that belongs to one. */
const NO_BRP = 0;

/** For whom somebody acts: a key belongs to one of these, and a user works for one. */
export type Owner =
  | { readonly type: 'brp'; readonly brpNo: number }
  | { readonly type: 'account'; readonly accountNo: number }
  | { readonly type: 'operator' };

/** Who makes a request, and what it may do: the same for a key and for a user's session. */
export type Principal = {
  /** The id of the key or of the user, as the audit trail names it. */
  readonly actor: string;
  /** Null for somebody who has yet to say who they are. */
  readonly owner: Owner | null;
  readonly viewer: Viewer;
  readonly scopes: ReadonlySet<Scope>;
  /** Whether it may change what no scope is about. */
  readonly mayManage: boolean;
  /** Null for a key. */
  readonly session: SessionFacts | null;
};

export type SessionFacts = { readonly id: string; readonly userId: string; readonly expiresAt: number };

type OwnerColumns = { brp_no: number | null; account_no: number | null };

export function ownerOf({ brp_no: brpNo, account_no: accountNo }: OwnerColumns): Owner {
  if (brpNo !== null) return { type: 'brp', brpNo };
  return accountNo === null ? { type: 'operator' } : { type: 'account', accountNo };
}

/** Somebody who has yet to say who they are. */
export const NOBODY: Principal = {
  actor: 'nobody',
  owner: null,
  viewer: { brpNo: NO_BRP },
  scopes: new Set(),
  mayManage: false,
  session: null,
};

export function viewerOf(owner: Owner): Viewer {
  if (owner.type === 'operator') return OPERATOR_VIEW;
  return { brpNo: owner.type === 'brp' ? owner.brpNo : NO_BRP };
}

/** What a user may do in the BRP API. */
export function scopesOf(role: Owner['type'], permissions: UserPermissions): readonly Scope[] {
  if (role !== 'brp') return [];
  return permissions === 'manage' ? SCOPES : SCOPES.filter((scope) => scope.endsWith(':read'));
}
