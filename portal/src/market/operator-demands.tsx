import { DEMAND_SORTS, type Demand } from '@saldo/api';
import { isProblem } from '@saldo/sdk';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { usePermission } from '../session/session.ts';
import { changeOf, useChange } from '../session/versions.ts';
import { useFilters } from '../ui/address.ts';
import { Button } from '../ui/button.tsx';
import { ConflictNotice, WithdrawnNotice } from '../ui/conflict.tsx';
import { CreateButton } from '../ui/create-button.tsx';
import { memberColumns } from '../ui/csv.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { ExportButton } from '../ui/export.tsx';
import { FilterBar, TextFilter } from '../ui/filters.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { EmptyState } from '../ui/states.tsx';
import { type Column, DataTable, listSort, type Sort } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import { EditDemandDialog, NewDemandDialog, useDemandTexts } from './demand-dialog.tsx';
import { COUNTRY_LENGTH, demandInputs } from './offer-input.ts';
import { readDemandFilters } from './operator-filters.ts';
import { demandListQuery, demandQuery, eachDemand } from './operator-queries.ts';
import { MARKET_TEXTS } from './texts.ts';

const COLUMNS = memberColumns<Demand>(
  'id',
  'contract_period',
  'delivery_volume',
  'delivery_start',
  'state',
  'country',
  'additional_info',
  'published_at',
);

type OpenDialog = { readonly what: 'change' | 'withdraw'; readonly demand: Demand };

/** The demands of buyers. */
export function OperatorDemandsPage() {
  const { format } = useI18n();
  const texts = MARKET_TEXTS[format.language].operator;
  const { filters, set, clear, isFiltered } = useFilters(readDemandFilters, ['sort']);
  const { sort } = filters;
  const query = useInfiniteQuery(demandListQuery(filters));
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const close = () => setDialog(null);
  return (
    <Page
      title={texts.demandsTitle}
      text={texts.demandsText}
      actions={
        <>
          <ExportButton fileName="demands" columns={COLUMNS} rows={(signal) => eachDemand(filters, signal)} />
          <CreateButton label={texts.createDemand} isPrimary>
            {(closeNew) => <NewDemandDialog onClose={closeNew} />}
          </CreateButton>
        </>
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <TextFilter
          label={MARKET_TEXTS[format.language].country}
          placeholder={MARKET_TEXTS[format.language].countryHint}
          value={filters.country}
          maxLength={COUNTRY_LENGTH}
          onChange={(country) => set({ country })}
        />
      </FilterBar>
      <Panel isFlush>
        <PagedList
          query={query}
          recordsOf={(page) => page.demands}
          empty={<EmptyState title={texts.emptyDemands} text={texts.emptyDemandsText} />}
        >
          {(demands) => (
            <DemandTable demands={demands} sort={listSort(DEMAND_SORTS, sort, set)} onOpen={setDialog} />
          )}
        </PagedList>
      </Panel>
      {dialog?.what === 'change' && <EditDemandDialog demand={dialog.demand} onClose={close} />}
      {dialog?.what === 'withdraw' && <WithdrawDialog demand={dialog.demand} onClose={close} />}
    </Page>
  );
}

type TableProps = { demands: readonly Demand[]; sort: Sort; onOpen: (dialog: OpenDialog) => void };

function DemandTable({ demands, sort, onOpen }: TableProps) {
  const { t, format } = useI18n();
  const texts = MARKET_TEXTS[format.language].operator;
  const mayChange = usePermission('member');
  const nameOf = ({ delivery_volume, country }: Demand) =>
    texts.demandOf(format.number(delivery_volume), format.country(country));
  const columns: readonly Column<Demand>[] = [
    {
      id: 'volume',
      header: MARKET_TEXTS[format.language].perYear,
      isNumber: true,
      cell: ({ delivery_volume }) => format.number(delivery_volume),
    },
    {
      id: 'period',
      header: MARKET_TEXTS[format.language].period,
      from: 'sm',
      cell: ({ contract_period }) => MARKET_TEXTS[format.language].years(contract_period),
    },
    {
      id: 'place',
      header: MARKET_TEXTS[format.language].country,
      cell: ({ state, country, contract_period }) => (
        <span className="grid">
          {[state, format.country(country)].filter(Boolean).join(', ')}
          <span className="text-xs text-muted sm:hidden print:hidden">
            {MARKET_TEXTS[format.language].years(contract_period)}
          </span>
        </span>
      ),
    },
    {
      id: 'start',
      header: MARKET_TEXTS[format.language].deliveryStart,
      from: 'sm',
      cell: ({ delivery_start }) => (delivery_start ? format.date(delivery_start) : t.common.none),
    },
    {
      id: 'info',
      header: MARKET_TEXTS[format.language].info,
      from: 'lg',
      cell: ({ additional_info }) => <span className="line-clamp-2 max-w-xl">{additional_info}</span>,
    },
    {
      id: 'published_at',
      sortBy: 'by-list',
      header: MARKET_TEXTS[format.language].published,
      from: 'md',
      cell: ({ published_at }) => <Instant at={published_at} />,
    },
    {
      id: 'actions',
      header: <span className="sr-only">{t.common.actions}</span>,
      isNumber: true,
      cell: (demand) =>
        mayChange && (
          <span className="inline-grid gap-1 sm:inline-flex">
            <Button
              variant="quiet"
              aria-label={`${texts.editDemand}: ${nameOf(demand)}`}
              onClick={() => onOpen({ what: 'change', demand })}
            >
              {texts.editDemand}
            </Button>
            <Button
              variant="quiet"
              aria-label={`${texts.deleteDemand}: ${nameOf(demand)}`}
              onClick={() => onOpen({ what: 'withdraw', demand })}
            >
              {texts.deleteDemand}
            </Button>
          </span>
        ),
    },
  ];
  return (
    <DataTable
      label={texts.demandsTitle}
      columns={columns}
      rows={demands}
      rowKey={({ id }) => id}
      sort={sort}
    />
  );
}

function WithdrawDialog({ demand: { id }, onClose }: { demand: Demand; onClose: () => void }) {
  const { format } = useI18n();
  const texts = MARKET_TEXTS[format.language].operator;
  const describe = useDemandTexts();
  const { data: stored, error, isFetching } = useQuery(demandQuery(id));
  const [opened, setOpened] = useState<typeof stored>();
  // Data from the cache may be outdated.
  if (opened === undefined && !isFetching && stored !== undefined) setOpened(stored);
  const withdraw = useChange(
    useChangeHandlers<null>({
      toast: () => texts.demandDeleted,
      refresh: [['demands']],
      onDone: onClose,
    }),
  );
  const confirm = () => {
    if (opened === undefined) return;
    withdraw.mutate(
      changeOf({
        query: demandQuery(id),
        from: opened,
        partOf: demandInputs,
        send: (options) => operatorClient.demands.delete(id, options),
      }),
    );
  };
  const isGone = isProblem(error, 'demand_not_found');
  const isChanged = isProblem(withdraw.error, 'precondition_failed');
  return (
    <ConfirmDialog
      title={texts.deleteDemandTitle}
      text={texts.deleteDemandText}
      action={texts.deleteDemand}
      isDangerous
      isReady={opened !== undefined}
      isOver={isGone || isChanged}
      isBusy={withdraw.isPending}
      error={isGone || isChanged ? null : (withdraw.error ?? error)}
      onConfirm={confirm}
      onClose={onClose}
    >
      {isGone && <WithdrawnNotice recordId={id} />}
      {isChanged && opened && stored && (
        <ConflictNotice
          recordId={id}
          started={demandInputs(opened.record)}
          current={demandInputs(stored.record)}
          describe={describe}
        />
      )}
    </ConfirmDialog>
  );
}
