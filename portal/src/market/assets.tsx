import { ASSET_SORTS, type OperatorAsset, TECHNOLOGIES } from '@saldo/api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { TsoFilter } from '../references/filter-fields.tsx';
import { type FilterProps, useFilters } from '../ui/address.ts';
import { Badge } from '../ui/badge.tsx';
import { CreateButton } from '../ui/create-button.tsx';
import { type CsvColumn, memberColumns } from '../ui/csv.ts';
import { ExportButton } from '../ui/export.tsx';
import { FilterBar, SearchFilter, SelectFilter } from '../ui/filters.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { EmptyState } from '../ui/states.tsx';
import { type Column, DataTable, listSort, type Sort } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import { AssetDialog } from './asset-dialog.tsx';
import { type AssetFilters, readAssetFilters } from './operator-filters.ts';
import { assetListQuery, eachAsset } from './operator-queries.ts';
import { MARKET_TEXTS } from './texts.ts';

const COLUMNS: readonly CsvColumn<OperatorAsset>[] = [
  ...memberColumns<OperatorAsset>('id', 'name', 'technology', 'nominal_power', 'tso'),
  { name: 'offer_ppa_type', value: ({ offer }) => offer?.ppa_type ?? null },
  { name: 'offer_average_annual_power', value: ({ offer }) => offer?.average_annual_power ?? null },
  { name: 'offer_delivery_start', value: ({ offer }) => offer?.delivery_start ?? null },
  { name: 'offer_state', value: ({ offer }) => offer?.state ?? null },
  { name: 'offer_country', value: ({ offer }) => offer?.country ?? null },
  {
    name: 'offer_pricing',
    value: ({ offer }) => offer?.pricing.map(({ years, price }) => `${years}=${price}`).join(' ') ?? null,
  },
  { name: 'offer_published_at', value: ({ offer }) => offer?.published_at ?? null },
];

/** The plants, and which of them are on the market. */
export function AssetsPage() {
  const { format } = useI18n();
  const texts = MARKET_TEXTS[format.language].operator;
  const { filters, set, clear, isFiltered } = useFilters(readAssetFilters, ['sort']);
  const { sort } = filters;
  const navigate = useNavigate();
  const query = useInfiniteQuery(assetListQuery(filters));
  return (
    <Page
      title={texts.assetsTitle}
      text={texts.assetsText}
      actions={
        <>
          <ExportButton fileName="assets" columns={COLUMNS} rows={(signal) => eachAsset(filters, signal)} />
          <CreateButton label={texts.createAsset} isPrimary>
            {(close) => (
              <AssetDialog
                onSaved={({ id }) =>
                  void navigate({
                    to: '/operator/assets/$assetId',
                    params: { assetId: id },
                    ignoreBlocker: true,
                  })
                }
                onClose={close}
              />
            )}
          </CreateButton>
        </>
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <AssetFilterFields filters={filters} set={set} />
      </FilterBar>
      <Panel isFlush>
        <PagedList
          query={query}
          recordsOf={(page) => page.assets}
          empty={<EmptyState title={texts.emptyAssets} text={texts.emptyAssetsText} />}
        >
          {(assets) => <AssetTable assets={assets} sort={listSort(ASSET_SORTS, sort, set)} />}
        </PagedList>
      </Panel>
    </Page>
  );
}

function AssetFilterFields({ filters, set }: FilterProps<AssetFilters>) {
  const { t, format } = useI18n();
  const texts = MARKET_TEXTS[format.language].operator;
  return (
    <>
      <SearchFilter hint={texts.name} value={filters.search} onChange={(search) => set({ search })} />
      <SelectFilter
        label={texts.technology}
        value={filters.technology}
        options={TECHNOLOGIES.map((value) => ({ value, label: t.brp.contracts.technologies[value] }))}
        onChange={(technology) => set({ technology })}
      />
      <TsoFilter value={filters.tso} onChange={(tso) => set({ tso })} />
      <SelectFilter
        label={texts.offer}
        value={filters.offered}
        options={[
          { value: 'true', label: texts.offered },
          { value: 'false', label: texts.notOffered },
        ]}
        onChange={(offered) => set({ offered })}
      />
    </>
  );
}

function AssetTable({ assets, sort }: { assets: readonly OperatorAsset[]; sort: Sort }) {
  const { t, format } = useI18n();
  const texts = MARKET_TEXTS[format.language].operator;
  const columns: readonly Column<OperatorAsset>[] = [
    {
      id: 'name',
      sortBy: 'by-list',
      header: texts.name,
      cell: ({ id, name }) => (
        <Link
          to="/operator/assets/$assetId"
          params={{ assetId: id }}
          className="font-medium text-accent-strong hover:underline"
        >
          {name}
        </Link>
      ),
    },
    {
      id: 'technology',
      header: texts.technology,
      from: 'sm',
      cell: ({ technology }) => t.brp.contracts.technologies[technology],
    },
    {
      id: 'nominal_power',
      sortBy: 'by-list',
      header: 'MW',
      isNumber: true,
      cell: ({ nominal_power }) => format.number(nominal_power),
    },
    { id: 'tso', header: t.common.controlArea, from: 'md', cell: ({ tso }) => t.common.tsos[tso] },
    {
      id: 'offer',
      header: texts.offer,
      cell: ({ offer }) => <OfferedBadge offer={offer} />,
    },
    {
      id: 'prices',
      header: MARKET_TEXTS[format.language].priceUnit,
      isNumber: true,
      from: 'sm',
      cell: ({ offer }) => offer && <PriceRange pricing={offer.pricing} />,
    },
    {
      id: 'published',
      header: MARKET_TEXTS[format.language].published,
      from: 'lg',
      cell: ({ offer }) => offer && <Instant at={offer.published_at} />,
    },
  ];
  return (
    <DataTable
      label={texts.assetsTitle}
      columns={columns}
      rows={assets}
      rowKey={({ id }) => id}
      sort={sort}
    />
  );
}

export function OfferedBadge({ offer }: Pick<OperatorAsset, 'offer'>) {
  const { format } = useI18n();
  const texts = MARKET_TEXTS[format.language].operator;
  return <Badge tone={offer ? 'ok' : 'neutral'}>{offer ? texts.offered : texts.notOffered}</Badge>;
}

function PriceRange({ pricing }: { pricing: readonly { price: number }[] }) {
  const { format } = useI18n();
  const prices = pricing.map(({ price }) => price);
  const ends = [Math.min(...prices), Math.max(...prices)].map(format.price);
  return [...new Set(ends)].join(' – ');
}
