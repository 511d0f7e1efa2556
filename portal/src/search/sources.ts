import type { Contract, Customer, Nomination } from '@saldo/api';
import type { IdPrefix } from '@saldo/core/id.ts';
import { isProblem } from '@saldo/sdk';
import type { LinkOptions } from '@tanstack/react-router';
import type { Dictionary } from '../i18n/dictionary.ts';

/** A record that was found, and its page. */
export type Found = {
  readonly label: string;
  readonly detail: string;
  /** The EIC of the record's balance group, whose name is shown before the detail. */
  readonly eic?: string | undefined;
  readonly page: LinkOptions;
};

export type FoundGroup = {
  readonly name: keyof Dictionary['search']['groups'];
  readonly found: readonly Found[];
  /** The list with the same search, if it has more records. */
  readonly all: LinkOptions | null;
};

type Find = (typed: string, t: Dictionary, signal: AbortSignal) => Promise<FoundGroup>;

/** The lists and single records that a role can search. */
export type Sources = {
  readonly lists: readonly Find[];
  readonly byId: Partial<Readonly<Record<IdPrefix, Find>>>;
};

/** Maximum number of records of a group. */
export const MAX_FOUND = 5;

type Page = { readonly pagination: { readonly has_more: boolean } };

export const groupOf = <T>(
  name: FoundGroup['name'],
  { pagination }: Page,
  records: readonly T[],
  foundOf: (record: T) => Found,
  all: LinkOptions,
): FoundGroup => ({ name, found: records.map(foundOf), all: pagination.has_more ? all : null });

export const oneFound = (name: FoundGroup['name'], found: Found): FoundGroup => ({
  name,
  found: [found],
  all: null,
});

type Group = { readonly eic: string; readonly name: string };
type Options = { signal: AbortSignal };
type Search<P> = (query: { search: string; limit: number }, options: Options) => Promise<P & Page>;
type Get<T> = (id: string, options: Options) => Promise<T>;

/** Reads that both roles have, each with its own client. */
type Reads = {
  readonly searchContracts: Search<{ contracts: Contract[] }>;
  readonly searchCustomers: Search<{ customers: Customer[] }>;
  readonly searchGroups: Search<{ balance_groups: Group[] }>;
  readonly getContract: Get<Contract>;
  readonly getCustomer: Get<Customer>;
  readonly getNomination: Get<Nomination>;
};

/** The pages of these records, and the lists with a search. */
type Pages = Readonly<
  Record<'contract' | 'customer' | 'nomination', (id: string) => LinkOptions> &
    Record<'contracts' | 'customers' | 'groups', (search: string) => LinkOptions>
>;

export function commonSources(reads: Reads, pages: Pages): Sources {
  const limit = MAX_FOUND;
  const contract = ({ id, external_id, seller, buyer }: Contract): Found => ({
    label: external_id,
    detail: `${seller.name} → ${buyer.name}`,
    page: pages.contract(id),
  });
  const customer = ({ id, name, balance_group }: Customer): Found => ({
    label: name,
    detail: '',
    eic: balance_group?.eic,
    page: pages.customer(id),
  });
  const group = ({ eic, name }: Group): Found => ({ label: name, detail: eic, page: pages.groups(eic) });
  return {
    lists: [
      async (search, _t, signal) => {
        const page = await reads.searchContracts({ search, limit }, { signal });
        return groupOf('contracts', page, page.contracts, contract, pages.contracts(search));
      },
      async (search, _t, signal) => {
        const page = await reads.searchCustomers({ search, limit }, { signal });
        return groupOf('customers', page, page.customers, customer, pages.customers(search));
      },
      async (search, _t, signal) => {
        const page = await reads.searchGroups({ search, limit }, { signal });
        return groupOf('groups', page, page.balance_groups, group, pages.groups(search));
      },
    ],
    byId: {
      con: async (id, _t, signal) => oneFound('contracts', contract(await reads.getContract(id, { signal }))),
      cust: async (id, _t, signal) =>
        oneFound('customers', customer(await reads.getCustomer(id, { signal }))),
      nom: async (id, t, signal) => {
        const { eic, tso, direction, version } = await reads.getNomination(id, { signal });
        return oneFound('nominations', {
          label: `${t.common.tsos[tso]} · ${t.common.directions[direction]}`,
          detail: t.search.version(version),
          eic,
          page: pages.nomination(id),
        });
      },
    },
  };
}

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
