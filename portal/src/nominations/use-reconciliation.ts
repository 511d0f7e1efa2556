import type { Nomination } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../session/session.ts';
import { reconciliationQuery } from './queries.ts';

/** The TSO's answer to a nomination that was sent. Only BRPs have it. */
export function useReconciliation({ id, sent_at }: Nomination) {
  const isShown = useSession().user.role === 'brp' && sent_at !== null;
  return { isShown, query: useQuery({ ...reconciliationQuery(id), enabled: isShown }) };
}
