import { CUSTOMER_SORTS, CUSTOMER_STATUSES, type Customer } from '@saldo/api';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { type FilterProps, filtersOf } from '../ui/address.ts';
import { ExportButton } from '../ui/export.tsx';
import { FilterBar, SearchFilter, SelectFilter } from '../ui/filters.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { EmptyState } from '../ui/states.tsx';
import { type Column, DataTable, listSort, type Sort } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import { CustomerBadge } from '../references/badges.tsx';
import { CUSTOMER_COLUMNS } from '../brp/exports.ts';
import { GroupFilter, type NamedGroup, TsoFilter } from '../references/filter-fields.tsx';
import type { CustomerFilters } from '../brp/filters.ts';
import { GroupName } from '../references/group-name.tsx';
import { CustomerLink } from '../references/links.tsx';
import { balanceGroupsQuery, customersQuery, eachCustomer } from '../brp/queries.ts';

const route = getRouteApi('/app/brp/customers');

export function CustomersPage() {
  const { t } = useI18n();
  const search = route.useSearch();
  const { sort } = search;
  const { filters, set, clear, isFiltered } = filtersOf(search, route.useNavigate(), { sort });
  const query = useInfiniteQuery(customersQuery(filters));
  const { data: groups = [] } = useQuery(balanceGroupsQuery);
  return (
    <Page
      title={t.brp.customers.title}
      actions={
        <ExportButton
          fileName="customers"
          columns={CUSTOMER_COLUMNS}
          rows={(signal) => eachCustomer(filters, signal)}
        />
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <CustomerFilterFields filters={filters} set={set} groups={groups} />
      </FilterBar>
      <Panel isFlush>
        <PagedList
          query={query}
          recordsOf={(page) => page.customers}
          empty={<EmptyState title={t.brp.customers.empty} text={t.brp.customers.emptyText} />}
        >
          {(customers) => <CustomerTable customers={customers} sort={listSort(CUSTOMER_SORTS, sort, set)} />}
        </PagedList>
      </Panel>
    </Page>
  );
}

type FiltersProps = FilterProps<CustomerFilters> & { groups: readonly NamedGroup[] };

/** Filters that all lists of customers share. */
export function CustomerFilterFields({ filters, set, groups }: FiltersProps) {
  const { t } = useI18n();
  return (
    <>
      <SearchFilter
        hint={t.brp.customers.searchHint}
        value={filters.search}
        onChange={(search) => set({ search })}
      />
      <SelectFilter
        label={t.common.status}
        value={filters.status}
        options={CUSTOMER_STATUSES.map((value) => ({ value, label: t.brp.customers.statuses[value] }))}
        onChange={(status) => set({ status })}
      />
      <GroupFilter groups={groups} value={filters.eic} onChange={(eic) => set({ eic })} />
      <TsoFilter value={filters.tso} onChange={(tso) => set({ tso })} />
    </>
  );
}

type TableProps<C extends Customer> = {
  customers: readonly C[];
  more?: readonly Column<C>[];
  sort?: Sort;
};

/** A table of customers; a page may add columns. */
export function CustomerTable<C extends Customer>({ customers, more = [], sort }: TableProps<C>) {
  const { t } = useI18n();
  const columns: readonly Column<C>[] = [
    {
      id: 'name',
      sortBy: 'by-list',
      header: t.brp.customers.name,
      cell: ({ id, name }) => (
        <CustomerLink id={id} className="font-medium text-accent-strong hover:underline">
          {name}
        </CustomerLink>
      ),
    },
    ...more,
    { id: 'status', header: t.common.status, cell: ({ status }) => <CustomerBadge status={status} /> },
    {
      id: 'group',
      header: t.common.balanceGroup,
      cell: ({ balance_group }) =>
        balance_group ? (
          <GroupName {...balance_group} />
        ) : (
          <span className="text-muted">{t.brp.customers.noBalanceGroup}</span>
        ),
    },
    {
      id: 'metadata',
      header: t.brp.customers.metadata,
      from: 'lg',
      cell: ({ metadata }) => (
        <span className="text-xs text-muted">
          {Object.entries(metadata)
            .map(([key, value]) => `${key}: ${value}`)
            .join(' · ')}
        </span>
      ),
    },
    {
      id: 'assigned',
      header: t.brp.customers.assigned,
      from: 'md',
      cell: ({ assigned_at }) => <Instant at={assigned_at} />,
    },
    {
      id: 'activated',
      header: t.brp.customers.activated,
      from: 'xl',
      cell: ({ activated_at }) =>
        activated_at ? <Instant at={activated_at} /> : <span className="text-muted">{t.common.notYet}</span>,
    },
  ];
  return (
    <DataTable
      label={t.brp.customers.title}
      columns={columns}
      rows={customers}
      rowKey={({ id }) => id}
      sort={sort}
    />
  );
}
