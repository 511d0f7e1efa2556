import { checkEic } from '@saldo/core/eic.ts';
import { isProblem } from '@saldo/sdk';
import { queryOptions } from '@tanstack/react-query';
import { type Counted, firstOf } from '../session/lists.ts';
import { operatorClient as client } from '../session/operator-client.ts';

/** Suggestions of each kind. */
const MAX_FOUND = 8;
const STALE_MS = 60_000;

/** Who makes changes, or what is changed. */
export type SearchedRecords = 'actor' | 'subject';

export type FoundRecord = {
  readonly kind: 'user' | 'key' | 'brp' | 'group' | 'customer' | 'contract' | 'asset';
  readonly id: string;
  readonly name: string;
  readonly detail?: string;
};

type Find = (search: string, signal: AbortSignal) => Promise<Counted<FoundRecord>>;

/** Users and keys have no search of their own. */
const findActors: readonly Find[] = [
  async (text, signal) =>
    mapped(
      await firstOf(client.users.each({}, { signal }), MAX_FOUND, ({ name, email }) =>
        isPart(text, name, email),
      ),
      ({ id, name, email }) => ({ kind: 'user', id, name, detail: email }),
    ),
  async (text, signal) =>
    mapped(
      await firstOf(client.apiKeys.each({}, { signal }), MAX_FOUND, ({ name }) => isPart(text, name)),
      ({ id, name }) => ({ kind: 'key', id, name }),
    ),
];

const findSubjects: readonly Find[] = [
  async (text, signal) =>
    mapped(await firstOf(client.customers.each(searchOf(text), { signal }), MAX_FOUND), ({ id, name }) => ({
      kind: 'customer',
      id,
      name,
    })),
  async (text, signal) =>
    mapped(
      await firstOf(client.contracts.each(searchOf(text), { signal }), MAX_FOUND),
      ({ id, external_id, seller, buyer }) => ({
        kind: 'contract',
        id,
        name: external_id,
        detail: `${seller.name} → ${buyer.name}`,
      }),
    ),
  async (text, signal) =>
    mapped(
      await firstOf(client.balanceGroups.each(searchOf(text), { signal }), MAX_FOUND),
      ({ eic, name }) => ({ kind: 'group', id: eic, name, detail: eic }),
    ),
  async (text, signal) =>
    mapped(await firstOf(client.assets.each(searchOf(text), { signal }), MAX_FOUND), ({ id, name }) => ({
      kind: 'asset',
      id,
      name,
    })),
  async (text, signal) =>
    mapped(await firstOf(client.brps.each(searchOf(text), { signal }), MAX_FOUND), ({ id, name }) => ({
      kind: 'brp',
      id,
      name,
    })),
];

const searchOf = (search: string) => ({ limit: MAX_FOUND + 1, ...(search === '' ? {} : { search }) });

const isPart = (text: string, ...names: readonly string[]): boolean =>
  names.some((name) => name.toLowerCase().includes(text.toLowerCase()));

const mapped = <T>({ records, hasMore }: Counted<T>, foundOf: (record: T) => FoundRecord) => ({
  records: records.map(foundOf),
  hasMore,
});

export const recordsQuery = (searched: SearchedRecords, text: string) =>
  queryOptions({
    queryKey: ['audit-records', searched, text],
    queryFn: async ({ signal }): Promise<Counted<FoundRecord>> => {
      const finds = searched === 'actor' ? findActors : findSubjects;
      const found = await Promise.all(finds.map((find) => find(text, signal)));
      return {
        records: found.flatMap(({ records }) => records),
        hasMore: found.some(({ hasMore }) => hasMore),
      };
    },
    staleTime: STALE_MS,
  });

/** The name of a record of the audit trail; its id if it has none. */
export const nameQuery = (id: string) =>
  queryOptions({
    queryKey: ['audit-records', 'name', id],
    queryFn: async ({ signal }): Promise<string> => {
      try {
        return (await readName(id, signal)) ?? id;
      } catch (error) {
        if (isProblem(error) && error.status === 404) return id;
        throw error;
      }
    },
    staleTime: STALE_MS,
  });

async function readName(id: string, signal: AbortSignal): Promise<string | undefined> {
  switch (/^([a-z]+)_/.exec(id)?.[1]) {
    case 'cust':
      return (await client.customers.get(id, { signal })).name;
    case 'con':
      return (await client.contracts.get(id, { signal })).external_id;
    case 'brp':
      return (await client.brps.get(id, { signal })).name;
    case 'ast':
      return (await client.assets.get(id, { signal })).name;
    case 'ser':
      return (await client.series.get(id, { signal })).name;
    case 'user':
      return (await client.users.get(id, { signal })).name;
    case 'key':
      return (await firstOf(client.apiKeys.each({}, { signal }), 1, (key) => key.id === id)).records[0]?.name;
    case 'acc':
      return (await firstOf(client.accounts.each({}, { signal }), 1, (account) => account.id === id))
        .records[0]?.name;
    default:
      return checkEic(id) === null ? (await client.balanceGroups.get(id, { signal })).name : undefined;
  }
}
