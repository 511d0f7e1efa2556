import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ShownQuery } from '../ui/states.tsx';
import { accountsQuery, brpsQuery, groupsQuery } from './operator-queries.ts';

const namesOf = (parties: readonly { id: string; name: string }[] = []): ReadonlyMap<string, string> =>
  new Map(parties.map(({ id, name }) => [id, name]));

/** Names of BRPs and accounts by id; empty while they load. */
export function usePartyNames(): ReadonlyMap<string, string> {
  const { data: brps } = useQuery(brpsQuery);
  const { data: accounts } = useQuery(accountsQuery);
  return useMemo(() => new Map([...namesOf(brps), ...namesOf(accounts)]), [brps, accounts]);
}

/** Without data until the names of the parties have loaded, too: a name that replaces an id would move the rows. */
export function useWithPartyNames<T>({ data, error, refetch }: ShownQuery<T>): ShownQuery<T> {
  const isPending = [useQuery(brpsQuery), useQuery(accountsQuery)].some((query) => query.isPending);
  return { data: isPending ? undefined : data, error, refetch };
}

/** The owner of a balance group, by EIC. */
export function useGroupOwners(): (eic: string) => string | undefined {
  const { data: brps } = useQuery(brpsQuery);
  const { data: groups } = useQuery(groupsQuery());
  return useMemo(() => {
    const names = namesOf(brps);
    const owners = new Map(groups?.map(({ eic, brp_id }) => [eic, names.get(brp_id)]));
    return (eic: string) => owners.get(eic);
  }, [brps, groups]);
}
