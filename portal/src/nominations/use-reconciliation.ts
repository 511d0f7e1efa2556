import type { Nomination } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { allOf, WITHOUT_EVENTS_MS } from '../session/lists.ts';
import { useSession } from '../session/session.ts';
import { type ExactAmounts, findDay } from './nominated-slots.ts';
import { reconciliationQuery } from './queries.ts';
import { isRejected } from './rejections.ts';

/** The TSO's answer to a nomination that was sent. Only BRPs have it. */
export function useReconciliation({ id, sent_at }: Nomination) {
  const isShown = useSession().user.role === 'brp' && sent_at !== null;
  const query = useQuery({
    ...reconciliationQuery(id),
    enabled: isShown,
    // No event tells that a rejected schedule was sent again.
    refetchInterval: ({ state: { data } }) => data !== undefined && isRejected(data) && WITHOUT_EVENTS_MS,
  });
  return { isShown, query };
}

/** The confirmed amounts to the kW: of a BRP from the reconciliation, of the operator from the mismatches of the day. */
export function useExactAmounts(nomination: Nomination): ExactAmounts | undefined {
  const { id, tso, status } = nomination;
  const { data: reconciliation } = useReconciliation(nomination).query;
  const isOperator = useSession().user.role === 'operator';
  const { data: mismatch } = useQuery({
    queryKey: ['mismatches', 'nomination', id],
    queryFn: async ({ signal }) => {
      const { operatorClient } = await import('../session/operator-client.ts');
      const query = { delivery_date: findDay(nomination) ?? '', tso };
      const found = await allOf(operatorClient.exchange.eachMismatch(query, { signal }));
      return found.find(({ nomination_id }) => nomination_id === id) ?? { slots: [] };
    },
    enabled: isOperator && status === 'partial_match',
  });
  return reconciliation ?? mismatch;
}
