import {
  CONTRACT_SORTS,
  CONTRACT_STATUSES,
  CONTRACT_TYPES,
  type Contract,
  type Counterparty,
} from '@saldo/api';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { ContractBadge } from '../references/badges.tsx';
import { EIC_LENGTH } from '../references/filters.ts';
import { useGroupLabels } from '../references/group-name.tsx';
import { ContractLink } from '../references/links.tsx';
import { useSession } from '../session/session.ts';
import { type FilterProps, useFilters } from '../ui/address.ts';
import { Code } from '../ui/copy.tsx';
import { type CsvColumn, memberColumns } from '../ui/csv.ts';
import { ExportButton } from '../ui/export.tsx';
import { DayFilter, FilterBar, SearchFilter, SelectFilter, TextFilter } from '../ui/filters.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { EmptyState } from '../ui/states.tsx';
import { type Column, DataTable, listSort, type Sort } from '../ui/table.tsx';
import { type ContractFilters, readContractFilters } from './filters.ts';
import { contractsQuery, eachContract } from './queries.ts';

/** A member that is text. Only the operator's API may have it. */
export function termOf(contract: Contract, name: string): string | null {
  const term = (contract as Readonly<Record<string, unknown>>)[name];
  return typeof term === 'string' ? term : null;
}

const contractColumns = (terms: object): readonly CsvColumn<Contract>[] => [
  ...memberColumns<Contract>('id', 'external_id', 'type', 'status', 'delivery_start', 'delivery_end'),
  { name: 'seller_name', value: ({ seller }) => seller.name },
  { name: 'seller_eic', value: ({ seller }) => seller.eic },
  { name: 'seller_tso', value: ({ seller }) => seller.tso },
  { name: 'buyer_name', value: ({ buyer }) => buyer.name },
  { name: 'buyer_eic', value: ({ buyer }) => buyer.eic },
  { name: 'buyer_tso', value: ({ buyer }) => buyer.tso },
  ...memberColumns<Contract>('ppa_type'),
  ...Object.keys(terms).map((name) => ({ name, value: (contract: Contract) => termOf(contract, name) })),
  { name: 'asset_id', value: ({ asset }) => asset?.id ?? null },
  { name: 'created_at', value: ({ created_at }) => created_at },
];

type Props = {
  /** Actions of the role, after the export. */
  actions?: ReactNode;
  /** Whether the role's list can be read in other orders. */
  isSortable?: boolean;
};

/** The contracts of a BRP, or for the operator those of all BRPs. */
export function ContractsPage({ actions, isSortable = false }: Props) {
  const { t } = useI18n();
  const { filters, set, clear, isFiltered } = useFilters(readContractFilters, ['sort']);
  const query = useInfiniteQuery(contractsQuery(filters));
  const sort = isSortable ? listSort(CONTRACT_SORTS, filters.sort, set) : undefined;
  return (
    <Page
      title={t.brp.contracts.title}
      actions={
        <>
          <ExportButton
            fileName="contracts"
            columns={contractColumns(t.brp.contracts.terms)}
            rows={(signal) => eachContract(filters, signal)}
          />
          {actions}
        </>
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <ContractFilterFields filters={filters} set={set} />
      </FilterBar>
      <Panel isFlush>
        <PagedList
          query={query}
          recordsOf={(page) => page.contracts}
          empty={<EmptyState title={t.brp.contracts.empty} text={t.brp.contracts.emptyText} />}
        >
          {(contracts) => <ContractTable contracts={contracts} sort={sort} />}
        </PagedList>
      </Panel>
    </Page>
  );
}

function ContractFilterFields({ filters, set }: FilterProps<ContractFilters>) {
  const { t } = useI18n();
  return (
    <>
      <SearchFilter
        hint={t.brp.contracts.searchHint}
        value={filters.search}
        onChange={(search) => set({ search })}
      />
      <SelectFilter
        label={t.common.status}
        value={filters.status}
        options={CONTRACT_STATUSES.map((value) => ({ value, label: t.brp.contracts.statuses[value] }))}
        onChange={(status) => set({ status })}
      />
      <SelectFilter
        label={t.brp.contracts.type}
        value={filters.type}
        options={CONTRACT_TYPES.map((value) => ({ value, label: t.brp.contracts.types[value] }))}
        onChange={(type) => set({ type })}
      />
      <TextFilter
        label={t.brp.contracts.eic}
        value={filters.eic}
        maxLength={EIC_LENGTH}
        onChange={(eic) => set({ eic })}
      />
      <DayFilter
        label={t.brp.contracts.activeOn}
        value={filters.active_on}
        onChange={(active_on) => set({ active_on })}
      />
    </>
  );
}

/** On a wide screen, two parties with their groups are too long for one line: the rest is in the tooltip. */
function Party({ party: { name, eic, tso } }: { party: Counterparty }) {
  const { t } = useI18n();
  const group = useGroupLabels()(eic);
  const place = `${name} · ${group} · ${t.common.tsos[tso]}`;
  return (
    <span className="cell">
      <span className="inline-flex max-w-full items-center gap-x-1 font-medium" title={place}>
        <span className="xl:not-print:truncate">{name}</span>
        <Code text={eic} isShort />
      </span>
      <span className="text-xs text-muted xl:hidden print:inline">
        {group !== eic && <span>{group}</span>} {t.common.tsos[tso]}
      </span>
    </span>
  );
}

/** The delivery period; its end is the last delivery day, not the midnight after it. */
export function DeliveryPeriod({ contract }: { contract: Contract }) {
  const { t, format } = useI18n();
  const { delivery_start, delivery_end } = contract;
  const start = delivery_start === null ? t.brp.contracts.open : format.date(delivery_start);
  const end = delivery_end === null ? t.brp.contracts.open : format.date(Date.parse(delivery_end) - 1);
  return <span className="whitespace-nowrap">{start === end ? start : `${start} – ${end}`}</span>;
}

type TableProps = { contracts: readonly Contract[]; sort: Sort | undefined };

function ContractTable({ contracts, sort }: TableProps) {
  const { t } = useI18n();
  const { user } = useSession();
  const columns: readonly Column<Contract>[] = [
    {
      id: 'external_id',
      sortBy: 'by-list',
      header: t.brp.contracts.reference,
      cell: (contract) => (
        <>
          <ContractLink
            id={contract.id}
            className="font-medium whitespace-nowrap text-accent-strong hover:underline"
          >
            {contract.external_id}
          </ContractLink>
          <span className="ml-2 text-xs text-muted sm:hidden print:hidden">
            {t.brp.contracts.types[contract.type]}
          </span>
          {/* Replaces the columns of the parties, which are hidden on a phone. */}
          <span className="block text-xs text-muted md:hidden">
            {`${contract.seller.name} → ${contract.buyer.name}`}
          </span>
        </>
      ),
    },
    {
      id: 'type',
      header: t.brp.contracts.type,
      from: 'sm',
      cell: ({ type, ppa_type }) => (
        <span className="cell whitespace-nowrap xl:flex-nowrap">
          {t.brp.contracts.types[type]}
          {ppa_type && <span className="text-xs text-muted">{t.brp.contracts.ppaTypes[ppa_type]}</span>}
        </span>
      ),
    },
    { id: 'status', header: t.common.status, cell: ({ status }) => <ContractBadge status={status} /> },
    {
      id: 'seller',
      header: t.brp.contracts.seller,
      from: 'md',
      isLong: true,
      width: 'xl:w-[19%]',
      cell: ({ seller }) => <Party party={seller} />,
    },
    {
      id: 'buyer',
      header: t.brp.contracts.buyer,
      from: 'md',
      isLong: true,
      width: 'xl:w-[19%]',
      cell: ({ buyer }) => <Party party={buyer} />,
    },
    {
      id: 'delivery_start',
      sortBy: 'by-list',
      header: t.brp.contracts.delivery,
      from: 'md',
      cell: (contract) => <DeliveryPeriod contract={contract} />,
    },
    {
      id: 'asset',
      header: t.brp.contracts.asset,
      from: 'xl',
      isLong: true,
      width: 'xl:w-[12%]',
      cell: ({ asset }) => <span title={asset?.name}>{asset?.name}</span>,
    },
  ];
  return (
    <DataTable
      label={`${t.brp.contracts.title} ${user.brp?.name ?? ''}`}
      columns={columns}
      rows={contracts}
      rowKey={({ id }) => id}
      sort={sort}
    />
  );
}
