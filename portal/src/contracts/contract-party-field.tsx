import { LIMITS, type OperatorCustomer } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CUSTOMER_TEXTS } from '../customers/texts.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { useGroupNames } from '../references/group-name.tsx';
import { brpQuery } from '../references/operator-queries.ts';
import { SearchField } from '../ui/search-field.tsx';
import { useSettled } from '../ui/use-settled.ts';
import { partiesQuery } from './operator-queries.ts';

type Props = {
  name: string;
  label: string;
  error: string | undefined;
  onChange: (customerId: string) => void;
};

/** Selects the seller or the buyer of a contract from the customers of all BRPs. */
export function ContractPartyField({ name, label, error, onChange }: Props) {
  const { t } = useI18n();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<OperatorCustomer | null>(null);
  const searched = useSettled(text).trim();
  const { data } = useQuery(partiesQuery(searched));
  const parties = searched === text.trim() ? data : undefined;
  const groupNameOf = useGroupNames();
  const groupOf = ({ balance_group: group }: OperatorCustomer) =>
    group && [groupNameOf(group.eic), group.eic, t.common.tsos[group.tso]].filter(Boolean).join(' · ');
  const nameOf = (customer: OperatorCustomer) =>
    [
      customer.name,
      groupOf(customer),
      customer.status === 'active' ? null : t.brp.customers.statuses[customer.status],
    ]
      .filter(Boolean)
      .join(' · ');
  return (
    <SearchField
      name={name}
      label={label}
      error={error}
      placeholder={CUSTOMER_TEXTS[t.language].searchHint}
      maxLength={LIMITS.searchLength}
      hint={chosen && <ChosenParty brpId={chosen.brp_id} group={groupOf(chosen)} />}
      options={parties?.records.map((party) => ({ value: party.id, label: nameOf(party) })) ?? null}
      hasMore={parties?.hasMore ?? false}
      onSearch={setText}
      onChange={(id) => {
        setChosen(parties?.records.find((party) => party.id === id) ?? null);
        onChange(id);
      }}
    />
  );
}

/** Names may be alike: the BRP and the balance group show which customer was chosen. */
function ChosenParty({ brpId, group }: { brpId: string; group: string | null }) {
  const { data: brp } = useQuery(brpQuery(brpId));
  return [brp?.name, group].filter(Boolean).join(' · ');
}
