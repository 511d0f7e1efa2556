import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { groupsQuery } from '../references/operator-queries.ts';
import { BrpFilter } from '../references/party-fields.tsx';
import { BrpLink } from '../references/party-links.tsx';
import type { FilterProps } from '../ui/address.ts';
import { CreateButton } from '../ui/create-button.tsx';
import { CustomerFilterFields, CustomersPage } from './customers.tsx';
import type { CustomerFilters } from './filters.ts';
import { NewCustomerDialog } from './new-customer.tsx';
import { OPERATOR_CUSTOMER_TEXTS } from './operator-texts.ts';
import { brpOf } from './queries.ts';

export function OperatorCustomersPage() {
  const { t } = useI18n();
  return (
    <CustomersPage
      text={OPERATOR_CUSTOMER_TEXTS[t.language].text}
      columns={[
        {
          id: 'brp',
          from: 'md',
          header: t.operator.brp,
          isLong: true,
          width: 'xl:w-[15%]',
          cell: (customer) => <BrpLink id={brpOf(customer)} />,
        },
      ]}
      csvColumns={[{ name: 'brp_id', value: brpOf }]}
      filterFields={(props) => <OperatorFilters {...props} />}
      actions={({ brp_id }) => (
        <CreateButton label={OPERATOR_CUSTOMER_TEXTS[t.language].create} isPrimary>
          {(close) => <NewCustomerDialog brpId={brp_id} onClose={close} />}
        </CreateButton>
      )}
    />
  );
}

function OperatorFilters({ filters, set }: FilterProps<CustomerFilters>) {
  const { brp_id } = filters;
  const { data: groups = [] } = useQuery(groupsQuery(brp_id === undefined ? {} : { brp_id }));
  return (
    <>
      <BrpFilter value={brp_id} onChange={(chosen) => set({ brp_id: chosen, eic: undefined })} />
      <CustomerFilterFields filters={filters} set={set} groups={groups} />
    </>
  );
}
