import type { Contract, Customer } from '@saldo/api';
import { checkEic } from '@saldo/core/eic.ts';
import type { IdPrefix } from '@saldo/core/id.ts';
import { isProblem } from '@saldo/sdk';
import { type LinkOptions, linkOptions } from '@tanstack/react-router';
import type { Dictionary } from '../i18n/dictionary.ts';
import { reader, searcher } from '../session/reader.ts';
import type { SearchTexts } from './texts.ts';

/** A record that was found, and its page. */
export type Found = {
  readonly label: string;
  readonly detail: string;
  /** The EIC of the record's balance group, whose name is shown before the detail. */
  readonly eic?: string | undefined;
  readonly page: LinkOptions;
};

export type FoundGroup = {
  readonly name: Exclude<keyof SearchTexts['groups'], 'recent' | 'views' | 'frequent' | 'pages' | 'actions'>;
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

/** The records that BRPs and the operator can search. `base` is the beginning of the role's paths. */
export function commonSources(base: '' | '/operator'): Sources {
  const limit = MAX_FOUND;
  const contract = ({ id, external_id, seller, buyer }: Contract): Found => ({
    label: external_id,
    detail: `${seller.name} → ${buyer.name}`,
    page: linkOptions({ to: `${base}/contracts/$contractId`, params: { contractId: id } }),
  });
  const customer = ({ id, name, balance_group }: Customer): Found => ({
    label: name,
    detail: '',
    eic: balance_group?.eic,
    page: linkOptions({ to: `${base}/customers/$customerId`, params: { customerId: id } }),
  });
  const groups = (search: string) => linkOptions({ to: `${base}/balance-groups`, search: { search } });
  return {
    lists: [
      async (search, _t, signal) => {
        const page = await searcher().contracts.list({ search, limit }, { signal });
        const all = linkOptions({ to: `${base}/contracts`, search: { search } });
        return groupOf('contracts', page, page.contracts, contract, all);
      },
      async (search, _t, signal) => {
        const list = async (filters: { search: string } | { eic: string }) => {
          const page = await searcher().customers.list({ ...filters, limit }, { signal });
          const all = linkOptions({ to: `${base}/customers`, search: filters });
          return groupOf('customers', page, page.customers, customer, all);
        };
        // The search of the list has no EIC, which belongs to the balance group. A metadata value may be one.
        const eic = search.toUpperCase();
        const ofGroup = checkEic(eic) === null ? await list({ eic }) : null;
        return ofGroup?.found.length ? ofGroup : list({ search });
      },
      async (search, _t, signal) => {
        const page = await reader().balanceGroups.list({ search, limit }, { signal });
        const found = page.balance_groups.map(({ eic, name }) => ({
          label: name,
          detail: eic,
          page: groups(eic),
        }));
        return groupOf('groups', page, found, (one) => one, groups(search));
      },
    ],
    byId: {
      con: async (id, _t, signal) =>
        oneFound('contracts', contract(await reader().contracts.get(id, { signal }))),
      cust: async (id, _t, signal) =>
        oneFound('customers', customer(await reader().customers.get(id, { signal }))),
      nom: async (id, t, signal) => {
        const { eic, tso, direction, version } = await reader().nominations.get(id, {}, { signal });
        return oneFound('nominations', {
          label: `${t.common.tsos[tso]} · ${t.common.directions[direction]}`,
          detail: t.brp.nominations.versionNumber(version),
          eic,
          page: linkOptions({ to: `${base}/nominations/$nominationId`, params: { nominationId: id } }),
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
