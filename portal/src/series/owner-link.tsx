import type { Series } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ownerNameQuery } from '../references/operator-queries.ts';

/** A link to the plant or customer of a series. */
export function OwnerLink({ owner }: Pick<Series, 'owner'>) {
  const { data: name = owner.id } = useQuery(ownerNameQuery(owner));
  const className = 'hover:underline';
  return owner.type === 'asset' ? (
    <Link to="/operator/assets/$assetId" params={{ assetId: owner.id }} className={className}>
      {name}
    </Link>
  ) : (
    <Link to="/operator/customers/$customerId" params={{ customerId: owner.id }} className={className}>
      {name}
    </Link>
  );
}
