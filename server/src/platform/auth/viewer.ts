import type { Statement } from '../db/statement.ts';

/** Tenant isolation: every read of tenant data takes a viewer, and the SQL itself contains the tenant condition. */
export type Viewer = { readonly kind: 'operator' } | { readonly kind: 'brp'; readonly brpNo: number };

export const OPERATOR_VIEW: Viewer = { kind: 'operator' };

/** An account and a request without credentials see no data of BRPs. Guards reject them there, and no statement fits them. */
export const NO_VIEW: Viewer = {
  get kind(): never {
    throw new Error('a guard lets only the operator and BRPs pass');
  },
};

/**
 * One SQL statement per kind of viewer. A shared statement would need the tenant condition inside an OR, for which
 * Postgres uses no index: the statement would read the rows of all tenants.
 */
export type PerViewer<T> = Readonly<Record<Viewer['kind'], T>>;

export const forEachViewer = <T>(make: (kind: Viewer['kind']) => T): PerViewer<T> => ({
  operator: make('operator'),
  brp: make('brp'),
});

/** `tenant` restricts the statement to a BRP's own rows; `text` appends it to its conditions. */
export const perViewer = <S extends Statement>(
  make: (name: string, text: string) => S,
  name: string,
  tenant: string,
  text: (andTenant: string) => string,
): PerViewer<S> =>
  forEachViewer((kind) => make(viewedBy(kind, name), text(kind === 'brp' ? ` and (${tenant})` : '')));

export const viewedBy = (kind: Viewer['kind'], name: string): string =>
  kind === 'brp' ? name : `${name}_of_any_brp`;

/** The parameters of the tenant condition. They come after the parameters that both statements share. */
export const tenantValues = (viewer: Viewer): readonly number[] =>
  viewer.kind === 'brp' ? [viewer.brpNo] : [];
