import type { Scope, UserPermissions } from '@saldo/api';
import { SCOPES } from '@saldo/api';
import { OPERATOR_VIEW, type Viewer } from './viewer.ts';

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
  /** Null for an account and for a request without credentials: neither sees data of a BRP. */
  readonly viewer: Viewer | null;
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
export const ANONYMOUS: Principal = {
  actor: 'nobody',
  owner: null,
  viewer: null,
  scopes: new Set(),
  mayManage: false,
  session: null,
};

export function viewerOf(owner: Owner): Viewer | null {
  if (owner.type === 'operator') return OPERATOR_VIEW;
  return owner.type === 'brp' ? { kind: 'brp', brpNo: owner.brpNo } : null;
}

/** A text that is different for every owner; cursors are bound to it. */
export function ownerKey(owner: Owner | null): string {
  if (owner === null) return 'none';
  if (owner.type === 'operator') return owner.type;
  return owner.type === 'brp' ? String(owner.brpNo) : `account ${owner.accountNo}`;
}

/** What a user may do in the BRP API. */
export function scopesOf(role: Owner['type'], permissions: UserPermissions): readonly Scope[] {
  if (role !== 'brp') return [];
  return permissions === 'manage' ? SCOPES : SCOPES.filter((scope) => scope.endsWith(':read'));
}
