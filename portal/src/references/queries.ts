import type { OwnBalanceGroup, UserRole } from '@saldo/api';
import { queryOptions } from '@tanstack/react-query';
import { allOf } from '../session/lists.ts';
import type { NamedGroup } from './filter-fields.tsx';

/** The operator's name of the member, so that both roles share components. */
export const withTsos = ({ enabled_tsos: tsos, ...group }: OwnBalanceGroup) => ({ ...group, tsos });

type Signal = { signal: AbortSignal };

/** The clients are loaded on demand: pages of the operator, which share this file, do not load that of BRPs. */
const listOwnGroups = async ({ signal }: Signal) => {
  const { brpClient } = await import('../session/brp-client.ts');
  return (await allOf(brpClient.balanceGroups.each({}, { signal }))).map(withTsos);
};

const listGroupsOfAll = async ({ signal }: Signal) => {
  const { operatorClient } = await import('../session/operator-client.ts');
  return allOf(operatorClient.balanceGroups.each({}, { signal }));
};

const GROUPS_STALE_MS = 60_000;

export const balanceGroupsQuery = queryOptions({
  queryKey: ['balance-groups'],
  queryFn: listOwnGroups,
  staleTime: GROUPS_STALE_MS,
});

/** The balance groups that the role has a list of, under the key of its own pages, which share the request. */
export const groupNamesQuery = (role: UserRole) =>
  queryOptions<readonly NamedGroup[]>({
    queryKey: role === 'operator' ? ['balance-groups', {}] : ['balance-groups'],
    queryFn: { operator: listGroupsOfAll, brp: listOwnGroups, account: async () => [] }[role],
    staleTime: GROUPS_STALE_MS,
  });
