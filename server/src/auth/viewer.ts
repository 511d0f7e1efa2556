import type { Statement } from '../db/database.ts';

/** Whose data a read may see. Every read of a tenant's data takes a viewer, and the condition is part of the SQL. */
export type Viewer = { readonly kind: 'operator' } | { readonly kind: 'brp'; readonly brpNo: number };

export const OPERATOR_VIEW: Viewer = { kind: 'operator' };

/**
 * Each kind of viewer has its own statement. One statement for both would hide the tenant's condition in an OR, which
 * no index serves: it would read the rows of all tenants.
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

/** The name of a viewer's statement. */
export const viewedBy = (kind: Viewer['kind'], name: string): string =>
  kind === 'brp' ? name : `${name}_of_any_brp`;

/** The parameters of the tenant's condition; they follow those that both statements share. */
export const tenantValues = (viewer: Viewer): readonly number[] =>
  viewer.kind === 'brp' ? [viewer.brpNo] : [];
