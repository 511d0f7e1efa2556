import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../session/session.ts';
import type { ContractSearch, NominationFilters, NominationSearch } from './filters.ts';

type Props = {
  className: string;
  resetScroll?: boolean;
  'aria-current'?: 'true' | undefined;
  'aria-label'?: string;
  children: ReactNode;
};

/** The beginning of the paths of the user's role, for pages that BRPs and the operator have. */
export const useRolePath = (): '' | '/operator' => (useSession().user.role === 'operator' ? '/operator' : '');

export function NominationLink({
  id,
  search = {},
  ...rest
}: Props & { id: string; search?: NominationSearch }) {
  const to = `${useRolePath()}/nominations/$nominationId` as const;
  return <Link to={to} params={{ nominationId: id }} search={search} {...rest} />;
}

export function NominationsLink({ search, ...rest }: Props & { search: NominationFilters }) {
  return <Link to={`${useRolePath()}/nominations`} search={search} {...rest} />;
}

export function ContractLink({ id, search = {}, ...rest }: Props & { id: string; search?: ContractSearch }) {
  const to = `${useRolePath()}/contracts/$contractId` as const;
  return <Link to={to} params={{ contractId: id }} search={search} {...rest} />;
}

export function CustomerLink({ id, ...rest }: Props & { id: string }) {
  const to = `${useRolePath()}/customers/$customerId` as const;
  return <Link to={to} params={{ customerId: id }} {...rest} />;
}
