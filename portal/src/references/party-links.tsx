import { Link } from '@tanstack/react-router';
import { usePartyNames } from './lookups.ts';

type Props = {
  id: string;
  /** Looked up by id if the caller does not have it. */
  name?: string;
  className?: string;
};

export function BrpLink({ id, name, className = 'hover:underline' }: Props) {
  const names = usePartyNames();
  const label = name ?? names.get(id) ?? id;
  return (
    <Link to="/operator/brps/$brpId" params={{ brpId: id }} title={label} className={className}>
      {label}
    </Link>
  );
}

export function AccountLink({ id, name, className = 'hover:underline' }: Props) {
  const names = usePartyNames();
  const label = name ?? names.get(id) ?? id;
  return (
    <Link to="/operator/accounts/$accountId" params={{ accountId: id }} title={label} className={className}>
      {label}
    </Link>
  );
}
