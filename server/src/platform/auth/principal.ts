import {
  isReadScope,
  OPERATOR_SCOPES,
  SCOPES,
  type Scope,
  type SessionPending,
  type UserPermissions,
} from '@saldo/api';
import { NO_VIEW, OPERATOR_VIEW, type Viewer } from './viewer.ts';

/** The party that a key belongs to or that a user works for. */
export type Owner =
  | { readonly type: 'brp'; readonly brpNo: number }
  | { readonly type: 'account'; readonly accountNo: number }
  | { readonly type: 'operator' };

/** The authenticated caller of a request and its permissions, whether by API key or by session. */
export type Principal = {
  /** The id of the key or of the user, as the audit trail names it. */
  readonly actor: string;
  /** Null for a request without credentials. */
  readonly owner: Owner | null;
  readonly viewer: Viewer;
  readonly scopes: ReadonlySet<Scope>;
  /** For operations that no scope covers. A key has those of an administrator. */
  readonly permissions: UserPermissions;
  /** Null for a key. */
  readonly session: SessionFacts | null;
};

export type SessionFacts = {
  readonly id: string;
  readonly userId: string;
  readonly expiresAt: number;
  /** What the session lacks before it may be used. Null: nothing. */
  readonly pending: SessionPending | null;
};

type OwnerColumns = { brp_no: number | null; account_no: number | null };

export function ownerOf({ brp_no: brpNo, account_no: accountNo }: OwnerColumns): Owner {
  if (brpNo !== null) return { type: 'brp', brpNo };
  return accountNo === null ? { type: 'operator' } : { type: 'account', accountNo };
}

/** The inverse of `ownerOf`, for the row of a key or a user. */
export const ownerColumns = (owner: Owner): OwnerColumns => ({
  brp_no: owner.type === 'brp' ? owner.brpNo : null,
  account_no: owner.type === 'account' ? owner.accountNo : null,
});

/** The parameters of a statement about one owner. There is one operator, which has no number. */
export function ownerValues(owner: Owner): number[] {
  if (owner.type === 'operator') return [];
  return [owner.type === 'brp' ? owner.brpNo : owner.accountNo];
}

/** The principal of a request without credentials, such as a sign-in. */
export const ANONYMOUS: Principal = {
  actor: 'anonymous',
  owner: null,
  viewer: NO_VIEW,
  scopes: new Set(),
  permissions: 'viewer',
  session: null,
};

export function viewerOf(owner: Owner): Viewer {
  if (owner.type === 'operator') return OPERATOR_VIEW;
  return owner.type === 'brp' ? { kind: 'brp', brpNo: owner.brpNo } : NO_VIEW;
}

/** A unique text per key and per session. */
export function callerOf(principal: Principal | null): string {
  if (principal === null || principal.owner === null) return 'anonymous';
  return principal.session === null ? `key:${principal.actor}` : `session:${principal.session.id}`;
}

/** A unique text per owner. Cursors are bound to it, so that one owner cannot use another owner's cursor. */
export function ownerKey(owner: Owner | null): string {
  if (owner === null) return 'none';
  if (owner.type === 'operator') return owner.type;
  return owner.type === 'brp' ? String(owner.brpNo) : `account ${owner.accountNo}`;
}

/** The scopes of the API of each kind of owner. The customer API has none: an account's key may do everything there. */
export const SCOPES_OF: Readonly<Record<Owner['type'], readonly Scope[]>> = {
  operator: OPERATOR_SCOPES,
  brp: SCOPES,
  account: [],
};

const FOR_ADMINISTRATORS: ReadonlySet<Scope> = new Set(['users:write', 'keys:write', 'webhooks:write']);

const INCLUDED: Readonly<Record<UserPermissions, (scope: Scope) => boolean>> = {
  admin: () => true,
  member: (scope) => !FOR_ADMINISTRATORS.has(scope),
  viewer: isReadScope,
};

/** The scopes that a user has in the API of its role. */
export const scopesOf = (role: Owner['type'], permissions: UserPermissions): readonly Scope[] =>
  SCOPES_OF[role].filter(INCLUDED[permissions]);
