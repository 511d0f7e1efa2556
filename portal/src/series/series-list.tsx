import type { Series } from '@saldo/api';
import { SERIES_KINDS } from '@saldo/core/enums.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { useFilters } from '../ui/address.ts';
import { buttonClass } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { type CsvColumn, memberColumns } from '../ui/csv.ts';
import { ExportButton } from '../ui/export.tsx';
import { FilterBar, SelectFilter, TextFilter } from '../ui/filters.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { EmptyState } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import { LOCATION_LENGTH, readSeriesFilters } from './filters.ts';
import { OwnerLink } from './owner-link.tsx';
import { eachSeries, seriesListQuery } from './queries.ts';
import { SeriesLink } from './series-link.tsx';
import { useSeriesTexts } from './series-texts.ts';

const COLUMNS: readonly CsvColumn<Series>[] = [
  ...memberColumns<Series>('id', 'kind', 'name', 'market_location'),
  { name: 'owner_type', value: ({ owner }) => owner.type },
  { name: 'owner_id', value: ({ owner }) => owner.id },
  ...memberColumns<Series>('created_at'),
];

/** All series, oldest first. */
export function SeriesListPage() {
  const texts = useSeriesTexts();
  const { filters, set, clear, isFiltered } = useFilters(readSeriesFilters);
  const query = useInfiniteQuery(seriesListQuery(filters));
  return (
    <Page
      title={texts.title}
      text={texts.text}
      actions={
        <>
          <ExportButton fileName="series" columns={COLUMNS} rows={(signal) => eachSeries(filters, signal)} />
          <Link to="/operator/series/interchanges" className={buttonClass()}>
            {texts.interchange.title}
          </Link>
          <Link to="/operator/series/import" className={buttonClass('primary')}>
            {texts.import.open}
          </Link>
        </>
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <SelectFilter
          label={texts.kind}
          value={filters.kind}
          options={SERIES_KINDS.map((value) => ({ value, label: texts.kinds[value] }))}
          onChange={(kind) => set({ kind })}
        />
        <TextFilter
          label={texts.location}
          placeholder={texts.searchLocation}
          maxLength={LOCATION_LENGTH}
          value={filters.market_location}
          onChange={(location) => set({ market_location: location?.trim() })}
        />
      </FilterBar>
      <Panel isFlush>
        <PagedList
          query={query}
          recordsOf={(page) => page.series}
          empty={<EmptyState title={texts.empty} text={texts.emptyText} />}
        >
          {(series) => <SeriesTable series={series} />}
        </PagedList>
      </Panel>
    </Page>
  );
}

function SeriesTable({ series }: { series: readonly Series[] }) {
  const { t } = useI18n();
  const texts = useSeriesTexts();
  const columns: readonly Column<Series>[] = [
    { id: 'name', header: t.operator.name, cell: ({ id, name }) => <SeriesLink id={id} name={name} /> },
    { id: 'kind', header: texts.kind, cell: ({ kind }) => texts.kinds[kind] },
    { id: 'owner', header: texts.owner, from: 'sm', cell: ({ owner }) => <OwnerLink owner={owner} /> },
    {
      id: 'location',
      header: texts.location,
      from: 'md',
      cell: ({ market_location }) => market_location && <Code text={market_location} />,
    },
    {
      id: 'created',
      header: t.common.created,
      from: 'lg',
      cell: ({ created_at }) => <Instant at={created_at} />,
    },
  ];
  return <DataTable label={texts.title} columns={columns} rows={series} rowKey={({ id }) => id} />;
}
