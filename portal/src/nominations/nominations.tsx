import { DIRECTIONS, NOMINATION_STATUSES, type Nomination, type OwnSchedule } from '@saldo/api';
import type { ReactNode } from 'react';
import { ClockChangeNotice } from '../calendar/clock-change.tsx';
import { Sparkline } from '../charts/sparkline.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { DirectionText, NominationBadges } from '../references/badges.tsx';
import { GroupFilter, type NamedGroup, TsoFilter } from '../references/filter-fields.tsx';
import type { NominationFilters } from '../references/filters.ts';
import { GroupName, useGroupLabels } from '../references/group-name.tsx';
import { NominationLink } from '../references/links.tsx';
import type { FilterProps } from '../ui/address.ts';
import { Badge } from '../ui/badge.tsx';
import { Code } from '../ui/copy.tsx';
import { ExportButton } from '../ui/export.tsx';
import { DayPicker, FilterBar, SelectFilter } from '../ui/filters.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { EmptyState, Loaded, type ShownQuery } from '../ui/states.tsx';
import { type Column, DataTable, type Sort } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import { ExportDaysButton } from './export-dialog.tsx';
import { linesOf, NOMINATION_COLUMNS } from './exports.ts';
import { netSaldoKwh, type SlotTotals, slotsOf, totalsOf } from './nominated-slots.ts';
import type { NominationDay } from './nomination-day.tsx';
import { OwnBadge } from './own-side.tsx';
import { eachNomination } from './queries.ts';
import type { Rejections } from './rejections.ts';

type ViewProps = {
  page: NominationDay;
  title: string;
  emptyText: string;
  /** The balance groups to choose from. */
  groups: readonly NamedGroup[];
  query: ShownQuery<readonly Nomination[]>;
  /** The actions of the role around the exports. */
  actions: (exports: ReactNode) => ReactNode;
  /** Below the table. */
  footer?: ReactNode;
  children: (nominations: readonly Nomination[]) => ReactNode;
};

/** The nominations of a day. */
export function NominationsView(props: ViewProps) {
  const { page, title, emptyText, groups, query, actions, footer, children } = props;
  const { day, today, filters, set, clear, isFiltered } = page;
  const { t, format } = useI18n();
  return (
    <Page
      title={title}
      text={format.dayLong(day)}
      actions={actions(
        <>
          <ExportButton
            fileName={`nominations-${day}`}
            columns={NOMINATION_COLUMNS}
            rows={(signal) => linesOf(eachNomination(day, filters, signal))}
          />
          <ExportDaysButton key={day} day={day} filters={exportFiltersOf(filters)} />
        </>,
      )}
    >
      <FilterBar
        isFiltered={isFiltered}
        onClear={clear}
        lead={<DayPicker value={day} today={today} onChange={(next) => set({ day: next })} />}
      >
        <NominationFilterFields filters={filters} set={set} groups={groups} />
      </FilterBar>
      <ClockChangeNotice day={day} />
      <Panel isFlush>
        <Loaded query={query}>
          {(nominations) => (
            <>
              {nominations.length === 0 ? (
                <EmptyState
                  title={t.brp.nominations.empty}
                  text={isFiltered ? t.brp.nominations.emptyFiltered : emptyText}
                />
              ) : (
                children(nominations)
              )}
              {footer}
            </>
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}

/** The filters of the page are those of its nominations. */
const exportFiltersOf = ({ day: _day, versions: _versions, sort: _sort, ...rest }: NominationFilters) => ({
  nominations: rest,
  transactions: {},
});

type FiltersProps = FilterProps<NominationFilters> & { groups: readonly NamedGroup[] };

function NominationFilterFields({ filters, set, groups }: FiltersProps) {
  const { t } = useI18n();
  return (
    <>
      <GroupFilter groups={groups} value={filters.eic} onChange={(eic) => set({ eic })} />
      <TsoFilter value={filters.tso} onChange={(tso) => set({ tso })} />
      <SelectFilter
        label={t.common.direction}
        value={filters.direction}
        options={DIRECTIONS.map((value) => ({ value, label: t.common.directions[value] }))}
        onChange={(direction) => set({ direction })}
      />
      <SelectFilter
        label={t.common.status}
        value={filters.status}
        options={NOMINATION_STATUSES.map((value) => ({ value, label: t.brp.nominations.statuses[value] }))}
        onChange={(status) => set({ status })}
      />
      <SelectFilter
        label={t.brp.nominations.versionsShown}
        value={filters.versions}
        anyLabel={t.brp.nominations.currentOnly}
        options={[{ value: 'all', label: t.brp.nominations.allVersions }]}
        onChange={(versions) => set({ versions })}
      />
    </>
  );
}

type Row = {
  readonly nomination: Nomination;
  readonly amountsKwh: readonly number[];
  readonly totals: SlotTotals;
};

const rowOf = (nomination: Nomination): Row => {
  const slots = slotsOf(nomination);
  return { nomination, amountsKwh: slots.map(({ amountKwh }) => amountKwh), totals: totalsOf(slots) };
};

type TableProps = {
  nominations: readonly Nomination[];
  /** The owner of the balance group, in lists with several owners. A total saldo over all owners has no meaning. */
  ownerOf?: (eic: string) => string | undefined;
  /** Only the columns of `SHORT`, which align in several tables. */
  isShort?: boolean;
  /** Some nominations of a day, whose total saldo has no meaning. */
  isPart?: boolean;
  sort?: Sort;
  /** The BRP's own side by nomination. */
  own?: ReadonlyMap<string, OwnSchedule> | undefined;
  rejected?: Rejections | undefined;
};

/**
 * Columns of an overview. On each screen the widths of those shown add up to 100 % and leave room for the longest content;
 * otherwise they would depend on it.
 */
const SHORT: Record<string, Pick<Column<Row>, 'width' | 'from'>> = {
  group: { width: 'w-[68%] sm:w-[30%] md:w-[24%] xl:w-[20%]' },
  tso: { width: 'xl:w-[9%]', from: 'xl' },
  direction: { width: 'sm:w-[18%] md:w-[14%] xl:w-[9%]', from: 'sm' },
  energy: { width: 'w-[32%] sm:w-[22%] md:w-[17%] xl:w-[10%]' },
  status: { width: 'sm:w-[30%] md:w-[24%] xl:w-[20%]', from: 'sm' },
  shape: { width: 'md:w-[21%] xl:w-[12%]', from: 'md' },
  peak: { width: 'xl:w-[9%]', from: 'xl' },
  matched: { width: 'xl:w-[11%]', from: 'xl' },
};

const shortened = (columns: readonly Column<Row>[]): Column<Row>[] =>
  columns.flatMap((column) => {
    const short = SHORT[column.id];
    return short ? [{ ...column, ...short }] : [];
  });

type GroupCellProps = { nomination: Nomination; owner: string | undefined; children?: ReactNode };

/** Below the name are the columns that a narrow screen does not show. */
function GroupCell({ nomination, owner, children }: GroupCellProps) {
  const { t } = useI18n();
  return (
    <span className="cell">
      <GroupName eic={nomination.eic}>
        {(label) => (
          <NominationLink
            id={nomination.id}
            className="font-medium text-accent-strong hover:underline xl:whitespace-nowrap"
          >
            {label}
          </NominationLink>
        )}
      </GroupName>
      <span className="text-xs text-muted xl:hidden print:hidden">
        {[t.common.tsos[nomination.tso], owner].filter(Boolean).join(' · ')}
      </span>
      <span className="text-xs text-muted sm:hidden">{t.common.directions[nomination.direction]}</span>
      {children}
    </span>
  );
}

type StatusProps = { row: Row } & Pick<TableProps, 'own' | 'rejected'>;

function StatusCell({ row: { nomination, totals }, own, rejected }: StatusProps) {
  const { format } = useI18n();
  return (
    <span className="inline-flex flex-wrap items-center gap-1 xl:flex-nowrap">
      <NominationBadges nomination={nomination} isRejected={rejected?.has(nomination.id) ?? false} />
      {totals.mismatches > 0 && <Badge tone="bad">{`≠ ${format.number(totals.mismatches)}`}</Badge>}
      <OwnBadge schedule={own?.get(nomination.id)} />
    </span>
  );
}

const ownerColumn = (ownerOf: NonNullable<TableProps['ownerOf']>, header: string): Column<Row> => ({
  id: 'owner',
  header,
  from: 'xl',
  isLong: true,
  width: 'xl:w-[18%]',
  cell: ({ nomination }) => <span title={ownerOf(nomination.eic)}>{ownerOf(nomination.eic)}</span>,
});

/** A table of nominations with totals. */
export function NominationTable(props: TableProps) {
  const { nominations, ownerOf, isShort = false, isPart = false, sort, own, rejected } = props;
  const labelOf = useGroupLabels();
  const { t, format } = useI18n();
  const texts = t.brp.nominations;
  const hasTotal = !ownerOf && !isPart;
  const rows = nominations.map(rowOf);
  const columns: readonly Column<Row>[] = [
    {
      id: 'group',
      header: t.common.balanceGroup,
      cell: (row) => (
        <GroupCell nomination={row.nomination} owner={ownerOf?.(row.nomination.eic)}>
          {isShort && (
            <span className="mt-1 sm:hidden">
              <StatusCell row={row} own={own} rejected={rejected} />
            </span>
          )}
        </GroupCell>
      ),
      sortBy: ({ nomination }) => labelOf(nomination.eic),
      ...(hasTotal ? { footer: isShort ? texts.netSaldo : texts.total(nominations.length) } : {}),
    },
    ...(ownerOf ? [ownerColumn(ownerOf, t.operator.brp)] : []),
    {
      id: 'tso',
      header: t.common.controlArea,
      from: 'xl',
      cell: ({ nomination }) => t.common.tsos[nomination.tso],
    },
    {
      id: 'direction',
      header: t.common.direction,
      from: 'sm',
      cell: ({ nomination }) => <DirectionText direction={nomination.direction} />,
      sortBy: ({ nomination }) => t.common.directions[nomination.direction],
    },
    {
      id: 'energy',
      header: 'MWh',
      isNumber: true,
      cell: ({ totals }) => format.mwh(totals.amountKwh),
      sortBy: ({ totals }) => totals.amountKwh,
      ...(hasTotal ? { footer: format.mwhSigned(netSaldoKwh(nominations)) } : {}),
    },
    {
      id: 'status',
      header: t.common.status,
      cell: (row) => <StatusCell row={row} own={own} rejected={rejected} />,
      sortBy: ({ nomination }) => t.brp.nominations.statuses[nomination.status],
    },
    {
      id: 'shape',
      header: <span className="sr-only">{t.brp.nominations.shape}</span>,
      from: 'md',
      cell: ({ nomination, amountsKwh }) => <Sparkline valuesKwh={amountsKwh} tone={nomination.direction} />,
    },
    {
      id: 'peak',
      header: `${t.brp.nominations.peak} MW`,
      isNumber: true,
      from: 'sm',
      cell: ({ amountsKwh }) => format.mw(Math.max(0, ...amountsKwh)),
      sortBy: ({ amountsKwh }) => Math.max(0, ...amountsKwh),
    },
    {
      id: 'matched',
      header: `${t.brp.nominations.matched} MWh`,
      isNumber: true,
      from: 'lg',
      cell: ({ totals }) =>
        totals.matchedKw === null ? <Missing text={t.common.notYet} /> : format.slotMwh(totals.matchedKw),
    },
    {
      id: 'version',
      header: t.brp.nominations.version,
      isNumber: true,
      from: 'sm',
      cell: ({ nomination }) => nomination.version,
      sortBy: ({ nomination }) => nomination.version,
    },
    {
      id: 'gate',
      header: t.brp.nominations.gateClosure,
      // The same for most rows, and on the page of each.
      from: 'widest',
      cell: ({ nomination }) => nomination.gate_closure && <Instant at={nomination.gate_closure} />,
    },
    {
      id: 'id',
      header: t.common.id,
      // Names of owners need the space.
      from: ownerOf ? 'widest' : 'wide',
      cell: ({ nomination }) => <Code text={nomination.id} isShort />,
    },
  ];
  return (
    <DataTable
      label={t.brp.nominations.title}
      columns={isShort ? shortened(columns) : columns}
      rows={rows}
      rowKey={({ nomination }) => nomination.id}
      rowTone={({ nomination }) => (nomination.status === 'superseded' ? 'faded' : null)}
      sort={sort}
    />
  );
}

const Missing = ({ text }: { text: string }) => <span className="text-muted">{text}</span>;
