import type { Contract, Customer, Nomination } from '@saldo/api';
import type { IdPrefix } from '@saldo/core/id.ts';
import { isProblem } from '@saldo/sdk';
import type { LinkOptions } from '@tanstack/react-router';
import type { Dictionary } from '../i18n/dictionary.ts';

/** A record that was found, and its page. */
export type Found = { readonly label: string; readonly detail: string; readonly page: LinkOptions };

export type FoundGroup = {
  readonly name: keyof Dictionary['search']['groups'];
  readonly found: readonly Found[];
  /** The list with the same search, if it has more records. */
  readonly all: LinkOptions | null;
};

/** The lists and single records that a role can search. */
export type Sources = {
  readonly lists: readonly ((search: string, t: Dictionary, signal: AbortSignal) => Promise<FoundGroup>)[];
  readonly byId: Partial<
    Record<IdPrefix, (id: string, t: Dictionary, signal: AbortSignal) => Promise<FoundGroup>>
  >;
};

/** Maximum number of records of a group. */
export const MAX_FOUND = 5;

type Page = { readonly pagination: { readonly has_more: boolean } };

export const groupOf = <P extends Page, T>(
  name: FoundGroup['name'],
  page: P,
  records: readonly T[],
  foundOf: (record: T) => Found,
  all: LinkOptions,
): FoundGroup => ({ name, found: records.map(foundOf), all: page.pagination.has_more ? all : null });

export const oneOf = (name: FoundGroup['name'], found: Found): FoundGroup => ({
  name,
  found: [found],
  all: null,
});

export const describeContract = ({ external_id, seller, buyer }: Contract) => ({
  label: external_id,
  detail: `${seller.name} → ${buyer.name}`,
});

export const describeCustomer = ({ name, balance_group }: Customer) => ({
  label: name,
  detail: balance_group?.eic ?? '',
});

export const describeNomination = ({ eic, tso, direction, version }: Nomination, t: Dictionary) => ({
  label: `${eic} · ${t.common.tsos[tso]}`,
  detail: `${t.common.directions[direction]} · ${t.search.version(version)}`,
});

const ID_FORM = /^([a-z]+)_[0-9a-z]{26}$/;

/** The groups of a typed text, without empty ones. A complete id finds its record only. */
export async function findRecords(
  { lists, byId }: Sources,
  typed: string,
  t: Dictionary,
  signal: AbortSignal,
): Promise<FoundGroup[]> {
  const prefix = ID_FORM.exec(typed)?.[1] as IdPrefix | undefined;
  const read = prefix === undefined ? undefined : byId[prefix];
  if (read === undefined) {
    const groups = await Promise.all(lists.map((list) => list(typed, t, signal)));
    return groups.filter(({ found }) => found.length > 0);
  }
  try {
    return [await read(typed, t, signal)];
  } catch (error) {
    if (isProblem(error) && error.status === 404) return [];
    throw error;
  }
}
