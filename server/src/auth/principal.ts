import type { Scope } from '@saldo/api';

/**
 * Whose data a read may see. Every read for a tenant takes one, and its condition is part of the SQL. Null is the
 * operator, who sees everything.
 */
export type Viewer = { readonly brpNo: number | null };

export const OPERATOR_VIEW: Viewer = { brpNo: null };

/** Who makes a request: the owner of a key, and what the key allows. */
export type Principal = {
  readonly keyId: string;
  readonly viewer: Viewer;
  readonly scopes: ReadonlySet<Scope>;
};
