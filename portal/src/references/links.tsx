import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../session/session.ts';
import type { ContractSearch, NominationFilters, NominationSearch } from '../brp/filters.ts';

type Props = {
  className: string;
  resetScroll?: boolean;
  'aria-current'?: 'true' | undefined;
  'aria-label'?: string;
  children: ReactNode;
};

const useIsOperator = () => useSession().user.role === 'operator';

/** Link to a nomination's page in the user's role. */
export function NominationLink({
  id,
  search = {},
  ...rest
}: Props & { id: string; search?: NominationSearch }) {
  const params = { nominationId: id };
  return useIsOperator() ? (
    <Link to="/operator/nominations/$nominationId" params={params} search={search} {...rest} />
  ) : (
    <Link to="/nominations/$nominationId" params={params} search={search} {...rest} />
  );
}

export function NominationsLink({ search, ...rest }: Props & { search: NominationFilters }) {
  return useIsOperator() ? (
    <Link to="/operator/nominations" search={search} {...rest} />
  ) : (
    <Link to="/nominations" search={search} {...rest} />
  );
}

export function ContractLink({ id, search = {}, ...rest }: Props & { id: string; search?: ContractSearch }) {
  const params = { contractId: id };
  return useIsOperator() ? (
    <Link to="/operator/contracts/$contractId" params={params} search={search} {...rest} />
  ) : (
    <Link to="/contracts/$contractId" params={params} search={search} {...rest} />
  );
}

export function CustomerLink({ id, ...rest }: Props & { id: string }) {
  const params = { customerId: id };
  return useIsOperator() ? (
    <Link to="/operator/customers/$customerId" params={params} {...rest} />
  ) : (
    <Link to="/customers/$customerId" params={params} {...rest} />
  );
}
