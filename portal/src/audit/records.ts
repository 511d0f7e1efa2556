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

const searchOf = (search: string) => ({ limit: MAX_FOUND + 1, ...(search === '' ? {} : { search }) });

const isPart = (text: string, ...names: readonly string[]): boolean =>
  names.some((name) => name.toLowerCase().includes(text.toLowerCase()));

const mapped = <T>({ records, hasMore }: Counted<T>, foundOf: (record: T) => FoundRecord) => ({
  records: records.map(foundOf),
  hasMore,
});

const named =
  (kind: FoundRecord['kind']) =>
  ({ id, name }: { readonly id: string; readonly name: string }): FoundRecord => ({ kind, id, name });

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
      named('key'),
    ),
];

/** Searches a list of the API, which finds parts of names. */
const searchIn =
  <T>(
    each: (search: ReturnType<typeof searchOf>, options: { signal: AbortSignal }) => AsyncIterable<T>,
    foundOf: (record: T) => FoundRecord,
  ): Find =>
  async (text, signal) =>
    mapped(await firstOf(each(searchOf(text), { signal }), MAX_FOUND), foundOf);

const findSubjects: readonly Find[] = [
  searchIn(client.customers.each, named('customer')),
  searchIn(client.contracts.each, ({ id, external_id, seller, buyer }) => ({
    kind: 'contract',
    id,
    name: external_id,
    detail: `${seller.name} → ${buyer.name}`,
  })),
  searchIn(client.balanceGroups.each, ({ eic, name }) => ({ kind: 'group', id: eic, name, detail: eic })),
  searchIn(client.assets.each, named('asset')),
  searchIn(client.brps.each, named('brp')),
];

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
