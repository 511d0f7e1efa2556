import { LIMITS, type OperatorCustomer } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { useSettled } from '../ui/use-settled.ts';
import { MAX_SUGGESTIONS, partiesQuery } from './queries.ts';

type Props = { name: string; label: string; onChange: (customerId: string) => void };

/** Selects the seller or the buyer of a contract from the customers of all BRPs. */
export function ContractPartyField({ name, label, onChange }: Props) {
  const { t } = useI18n();
  const [text, setText] = useState('');
  const { data: parties = [] } = useQuery(partiesQuery(useSettled(text).trim()));
  const nameOf = (customer: OperatorCustomer) =>
    [
      customer.name,
      customer.balance_group && `${customer.balance_group.eic} ${t.common.tsos[customer.balance_group.tso]}`,
      customer.status === 'active' ? null : t.brp.customers.statuses[customer.status],
    ]
      .filter(Boolean)
      .join(' · ');
  return (
    <SearchField
      name={name}
      label={label}
      placeholder={t.brp.customers.searchHint}
      maxLength={LIMITS.searchLength}
      options={parties.slice(0, MAX_SUGGESTIONS).map((party) => ({ value: party.id, label: nameOf(party) }))}
      hasMore={parties.length > MAX_SUGGESTIONS}
      onSearch={setText}
      onChange={onChange}
    />
  );
}
