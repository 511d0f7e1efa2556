import { CONTRACT_SORTS } from '@saldo/api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ContractFilterFields, ContractList } from './contracts.tsx';
import { CONTRACT_COLUMNS } from '../brp/exports.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { useMayManage } from '../session/session.ts';
import { filtersOf } from '../ui/address.ts';
import { buttonClass } from '../ui/button.tsx';
import { ExportButton } from '../ui/export.tsx';
import { FilterBar } from '../ui/filters.tsx';
import { Icon } from '../ui/icons.tsx';
import { Page } from '../ui/page.tsx';
import { listSort } from '../ui/table.tsx';
import { contractsQuery, eachContract } from '../operator/queries.ts';

const route = getRouteApi('/app/operator/contracts');

/** The contracts of all BRPs. */
export function ContractsPage() {
  const { t } = useI18n();
  const mayManage = useMayManage();
  const search = route.useSearch();
  const { sort } = search;
  const { filters, set, clear, isFiltered } = filtersOf(search, route.useNavigate(), { sort });
  const query = useInfiniteQuery(contractsQuery(filters));
  return (
    <Page
      title={t.brp.contracts.title}
      actions={
        <>
          <ExportButton
            fileName="contracts"
            columns={CONTRACT_COLUMNS}
            rows={(signal) => eachContract(filters, signal)}
          />
          {mayManage && (
            <Link to="/operator/contracts/new" className={buttonClass('primary')}>
              <Icon name="plus" />
              {t.operator.contracts.create}
            </Link>
          )}
        </>
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <ContractFilterFields filters={filters} set={set} />
      </FilterBar>
      <ContractList query={query} sort={listSort(CONTRACT_SORTS, sort, set)} />
    </Page>
  );
}
