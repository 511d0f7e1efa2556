import { CUSTOMER_SORTS, type OperatorCustomer } from '@saldo/api';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { CustomerFilterFields, CustomerTable } from './customers.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { type FilterProps, filtersOf } from '../ui/address.ts';
import { CreateButton } from '../ui/create-button.tsx';
import { ExportButton } from '../ui/export.tsx';
import { FilterBar } from '../ui/filters.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { EmptyState } from '../ui/states.tsx';
import { type Column, listSort } from '../ui/table.tsx';
import { OPERATOR_CUSTOMER_COLUMNS } from '../operator/exports.ts';
import { BrpFilter } from '../references/party-fields.tsx';
import type { CustomerFilters } from '../operator/filters.ts';
import { NewCustomerDialog } from './new-customer.tsx';
import { BrpLink } from '../references/party-links.tsx';
import { customersQuery, eachCustomer, groupsQuery } from '../operator/queries.ts';

const route = getRouteApi('/app/operator/customers');

/** The customers of all BRPs. */
export function CustomersPage() {
  const { t } = useI18n();
  const search = route.useSearch();
  const { sort } = search;
  const { filters, set, clear, isFiltered } = filtersOf(search, route.useNavigate(), { sort });
  const query = useInfiniteQuery(customersQuery(filters));
  const brpColumn: Column<OperatorCustomer> = {
    id: 'brp',
    from: 'md',
    header: t.operator.brp,
    cell: ({ brp_id }) => <BrpLink id={brp_id} />,
  };
  return (
    <Page
      title={t.brp.customers.title}
      text={t.operator.customers.text}
      actions={
        <>
          <ExportButton
            fileName="customers"
            columns={OPERATOR_CUSTOMER_COLUMNS}
            rows={(signal) => eachCustomer(filters, signal)}
          />
          <CreateButton label={t.operator.customers.create} isPrimary>
            {(close) => <NewCustomerDialog brpId={filters.brp_id} onClose={close} />}
          </CreateButton>
        </>
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <OperatorCustomerFilters filters={filters} set={set} />
      </FilterBar>
      <Panel isFlush>
        <PagedList
          query={query}
          recordsOf={(page) => page.customers}
          empty={<EmptyState title={t.brp.customers.empty} text={t.brp.customers.emptyText} />}
        >
          {(customers) => (
            <CustomerTable
              customers={customers}
              more={[brpColumn]}
              sort={listSort(CUSTOMER_SORTS, sort, set)}
            />
          )}
        </PagedList>
      </Panel>
    </Page>
  );
}

function OperatorCustomerFilters({ filters, set }: FilterProps<CustomerFilters>) {
  const { brp_id } = filters;
  const { data: groups = [] } = useQuery(groupsQuery(brp_id === undefined ? {} : { brp_id }));
  return (
    <>
      <BrpFilter value={brp_id} onChange={(chosen) => set({ brp_id: chosen, eic: undefined })} />
      <CustomerFilterFields filters={filters} set={set} groups={groups} />
    </>
  );
}
