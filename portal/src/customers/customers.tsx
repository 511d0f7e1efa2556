import { CUSTOMER_SORTS, CUSTOMER_STATUSES, type Customer } from '@saldo/api';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { CustomerBadge } from '../references/badges.tsx';
import { GroupFilter, type NamedGroup, TsoFilter } from '../references/filter-fields.tsx';
import { GroupName } from '../references/group-name.tsx';
import { CustomerLink } from '../references/links.tsx';
import { balanceGroupsQuery } from '../references/queries.ts';
import { type FilterProps, useFilters } from '../ui/address.ts';
import { type CsvColumn, memberColumns } from '../ui/csv.ts';
import { ExportButton } from '../ui/export.tsx';
import { FilterBar, SearchFilter, SelectFilter } from '../ui/filters.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { EmptyState } from '../ui/states.tsx';
import { type Column, DataTable, listSort, type Sort } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import { type CustomerFilters, readCustomerFilters } from './filters.ts';
import { customersQuery, eachCustomer } from './queries.ts';
import { CUSTOMER_TEXTS } from './texts.ts';

const COLUMNS: readonly CsvColumn<Customer>[] = [
  ...memberColumns<Customer>('id', 'name', 'status'),
  { name: 'eic', value: ({ balance_group }) => balance_group?.eic ?? null },
  { name: 'tso', value: ({ balance_group }) => balance_group?.tso ?? null },
  { name: 'metadata', value: ({ metadata }) => JSON.stringify(metadata) },
  ...memberColumns<Customer>('assigned_at', 'activated_at', 'created_at'),
];

type Filters = FilterProps<CustomerFilters>;

type Props = {
  text?: string;
  /** Columns of the role, in the table and in the file. */
  columns?: readonly Column<Customer>[];
  csvColumns?: readonly CsvColumn<Customer>[];
  filterFields: (filters: Filters) => ReactNode;
  /** Actions of the role, after the export. */
  actions?: (filters: CustomerFilters) => ReactNode;
};

/** The customers of a BRP, or for the operator those of all BRPs. */
export function CustomersPage({ text, columns = [], csvColumns = [], filterFields, actions }: Props) {
  const { t } = useI18n();
  const { filters, set, clear, isFiltered } = useFilters(readCustomerFilters, ['sort']);
  const query = useInfiniteQuery(customersQuery(filters));
  return (
    <Page
      title={CUSTOMER_TEXTS[t.language].title}
      text={text}
      actions={
        <>
          <ExportButton
            fileName="customers"
            columns={[...COLUMNS, ...csvColumns]}
            rows={(signal) => eachCustomer(filters, signal)}
          />
          {actions?.(filters)}
        </>
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        {filterFields({ filters, set })}
      </FilterBar>
      <Panel isFlush>
        <PagedList
          query={query}
          recordsOf={(page): readonly Customer[] => page.customers}
          empty={
            <EmptyState
              title={CUSTOMER_TEXTS[t.language].empty}
              text={CUSTOMER_TEXTS[t.language].emptyText}
            />
          }
        >
          {(customers) => (
            <CustomerTable
              customers={customers}
              more={columns}
              sort={listSort(CUSTOMER_SORTS, filters.sort, set)}
            />
          )}
        </PagedList>
      </Panel>
    </Page>
  );
}

export const BrpCustomersPage = () => <CustomersPage filterFields={(props) => <BrpFilters {...props} />} />;

function BrpFilters(props: Filters) {
  const { data: groups = [] } = useQuery(balanceGroupsQuery);
  return <CustomerFilterFields {...props} groups={groups} />;
}

/** Filters that all lists of customers share. */
export function CustomerFilterFields({ filters, set, groups }: Filters & { groups: readonly NamedGroup[] }) {
  const { t } = useI18n();
  return (
    <>
      <SearchFilter
        hint={CUSTOMER_TEXTS[t.language].searchHint}
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

function Metadata({ entries }: { entries: Customer['metadata'] }) {
  const text = Object.entries(entries)
    .map(([key, value]) => `${key}: ${value}`)
    .join(' · ');
  return (
    <span
      title={text}
      className="line-clamp-2 text-xs wrap-anywhere text-muted xl:not-print:block xl:not-print:truncate"
    >
      {text}
    </span>
  );
}

type TableProps = { customers: readonly Customer[]; more?: readonly Column<Customer>[]; sort?: Sort };

/** A table of customers; a page may add columns. */
export function CustomerTable({ customers, more = [], sort }: TableProps) {
  const { t } = useI18n();
  const columns: readonly Column<Customer>[] = [
    {
      id: 'name',
      sortBy: 'by-list',
      header: CUSTOMER_TEXTS[t.language].name,
      isLong: true,
      width: 'xl:w-[20%]',
      cell: ({ id, name, status }) => (
        <>
          <span title={name} className="name xl:not-print:inline">
            <CustomerLink id={id} className="font-medium text-accent-strong hover:underline">
              {name}
            </CustomerLink>
          </span>
          <span className="sm:hidden print:hidden">
            <CustomerBadge status={status} />
          </span>
        </>
      ),
    },
    ...more,
    {
      id: 'status',
      header: t.common.status,
      from: 'sm',
      cell: ({ status }) => <CustomerBadge status={status} />,
    },
    {
      id: 'group',
      header: t.common.balanceGroup,
      isLong: true,
      width: 'xl:w-[19%]',
      cell: ({ balance_group }) =>
        balance_group ? (
          <GroupName {...balance_group} />
        ) : (
          <span className="text-muted">{CUSTOMER_TEXTS[t.language].noBalanceGroup}</span>
        ),
    },
    {
      id: 'metadata',
      header: CUSTOMER_TEXTS[t.language].metadata,
      from: 'lg',
      isLong: true,
      width: 'xl:w-[12%]',
      cell: ({ metadata }) => <Metadata entries={metadata} />,
    },
    {
      id: 'assigned',
      header: CUSTOMER_TEXTS[t.language].assigned,
      from: 'md',
      cell: ({ assigned_at }) => <Instant at={assigned_at} />,
    },
    {
      id: 'activated',
      header: CUSTOMER_TEXTS[t.language].activated,
      from: 'xl',
      cell: ({ activated_at }) =>
        activated_at ? <Instant at={activated_at} /> : <span className="text-muted">{t.common.notYet}</span>,
    },
  ];
  return (
    <DataTable
      label={CUSTOMER_TEXTS[t.language].title}
      columns={columns}
      rows={customers}
      rowKey={({ id }) => id}
      sort={sort}
    />
  );
}
