import { type DeliveryDay, ORDINARY_SLOTS, slotCount } from '@saldo/core/delivery-day.ts';
import { sumKwh } from '@saldo/core/energy.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { HeatLegend } from '../charts/heat-legend.tsx';
import { type Cell, HeatMap, type HeatRow } from '../charts/heat-map.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { GroupFilter, TsoFilter } from '../references/filter-fields.tsx';
import { balanceGroupsQuery } from '../references/queries.ts';
import { useToday } from '../session/server-clock.ts';
import { useFilters } from '../ui/address.ts';
import { buttonClass } from '../ui/button.tsx';
import { daysOfMonth, slotText } from '../ui/delivery-period.ts';
import { ExportButton } from '../ui/export.tsx';
import { FilterBar, MonthPicker } from '../ui/filters.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { EmptyState, Loaded, SkeletonBlock } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { linesOf, NOMINATION_COLUMNS } from './exports.ts';
import { type MonthSearch, readMonthSearch } from './filters.ts';
import { type MonthRow, monthRows } from './month-rows.ts';
import { MONTH_TEXTS } from './month-texts.ts';
import { monthQuery } from './queries.ts';

/** A month by quarter-hour. */
export function MonthPage() {
  const { t, format } = useI18n();
  const today = useToday();
  const { filters, set, clear, isFiltered } = useFilters(readMonthSearch, ['month']);
  const { month = today.slice(0, 7), eic, tso } = filters;
  const options = monthQuery(month, { eic, tso });
  const query = useQuery(options);
  const queryClient = useQueryClient();
  const { data: groups = [] } = useQuery(balanceGroupsQuery);
  return (
    <Page
      title={`${MONTH_TEXTS[t.language].title} · ${format.month(month)}`}
      text={MONTH_TEXTS[t.language].text}
      actions={
        <ExportButton
          fileName={`nominations-${month}`}
          columns={NOMINATION_COLUMNS}
          rows={async function* () {
            yield* linesOf(await queryClient.ensureQueryData(options));
          }}
        />
      }
    >
      <FilterBar
        isFiltered={isFiltered}
        onClear={clear}
        lead={<MonthPicker value={month} onChange={(next) => set({ month: next })} />}
      >
        <GroupFilter groups={groups} value={eic} onChange={(next) => set({ eic: next })} />
        <TsoFilter value={tso} onChange={(next) => set({ tso: next })} />
      </FilterBar>
      <Loaded query={query} loading={<SkeletonBlock className="h-[40rem]" />}>
        {(nominations) =>
          nominations.length === 0 ? (
            <Panel>
              <EmptyState title={MONTH_TEXTS[t.language].empty} text={MONTH_TEXTS[t.language].emptyText} />
            </Panel>
          ) : (
            <MonthView key={month} month={month} eic={eic} tso={tso} nominations={nominations} />
          )
        }
      </Loaded>
    </Page>
  );
}

type ViewProps = Pick<MonthSearch, 'eic' | 'tso'> & {
  month: string;
  nominations: Parameters<typeof monthRows>[1];
};

function MonthView({ month, eic, tso, nominations }: ViewProps) {
  const { t, format } = useI18n();
  const navigate = useNavigate();
  const today = useToday();
  const rows = useMemo(() => monthRows(daysOfMonth(month), nominations), [month, nominations]);
  const heat = useMemo(
    () =>
      rows.map(
        ({ day, saldoKwh, mismatched }): HeatRow => ({
          id: day,
          label: format.dayShort(day),
          isUnusual: slotCount(day) !== ORDINARY_SLOTS,
          values: saldoKwh,
          marked: mismatched,
        }),
      ),
    [rows, format],
  );
  const [selected, setSelected] = useState<Cell>(() => ({ row: firstShown(rows, today), slot: 1 }));
  const dayAt = ({ row }: Cell) => rows[row]?.day ?? `${month}-01`;
  const describe = (cell: Cell): string => {
    const row = rows[cell.row];
    const kwh = row?.saldoKwh[cell.slot - 1];
    const parts = [
      format.day(dayAt(cell)),
      t.common.slotOf(cell.slot, slotText(dayAt(cell), cell.slot)),
      kwh === null || kwh === undefined
        ? MONTH_TEXTS[t.language].legendNone
        : `${MONTH_TEXTS[t.language].net} ${format.mwhSigned(kwh)} MWh (${format.mwSigned(kwh)} MW)`,
      ...(row?.mismatched.has(cell.slot) ? [MONTH_TEXTS[t.language].legendMismatch] : []),
    ];
    return parts.join(' · ');
  };
  return (
    <>
      <Panel
        title={MONTH_TEXTS[t.language].heatMapLabel(format.month(month))}
        actions={
          <span className="flex flex-wrap items-center gap-4">
            <HeatLegend
              entries={[
                { label: MONTH_TEXTS[t.language].legendOut, className: 'fill-out' },
                { label: MONTH_TEXTS[t.language].legendIn, className: 'fill-in' },
                { label: MONTH_TEXTS[t.language].legendNone, className: 'fill-sunken stroke-line-strong' },
                { label: MONTH_TEXTS[t.language].legendMismatch, className: 'fill-none stroke-bad' },
              ]}
            />
            <Link to="/nominations" search={{ day: dayAt(selected), eic, tso }} className={buttonClass()}>
              {`${MONTH_TEXTS[t.language].openDay}: ${format.dayShort(dayAt(selected))}`}
            </Link>
          </span>
        }
      >
        <HeatMap
          label={MONTH_TEXTS[t.language].heatMapLabel(format.month(month))}
          help={MONTH_TEXTS[t.language].help}
          rows={heat}
          selected={selected}
          onSelect={setSelected}
          onOpen={(cell) => void navigate({ to: '/nominations', search: { day: dayAt(cell), eic, tso } })}
          describe={describe}
        />
      </Panel>
      <Panel title={MONTH_TEXTS[t.language].dayTotals} isFlush>
        <DayTable rows={rows} eic={eic} tso={tso} />
      </Panel>
    </>
  );
}

/** Today, or in another month the first day that has values. */
const firstShown = (rows: readonly MonthRow[], today: DeliveryDay): number =>
  [
    rows.findIndex(({ day }) => day === today),
    rows.findIndex(({ saldoKwh }) => saldoKwh.some((kwh) => kwh !== null)),
  ].find((row) => row >= 0) ?? 0;

type DayTableProps = Pick<MonthSearch, 'eic' | 'tso'> & { rows: readonly MonthRow[] };

/** The same values as a table, one row per day. */
function DayTable({ rows, eic, tso }: DayTableProps) {
  const { t, format } = useI18n();
  const part = (row: MonthRow, sign: 1 | -1) =>
    sumKwh(row.saldoKwh.map((kwh) => (kwh !== null && kwh * sign > 0 ? kwh * sign : 0)));
  const filled = rows.filter(({ saldoKwh }) => saldoKwh.some((kwh) => kwh !== null));
  const total = (of: (row: MonthRow) => number) => sumKwh(filled.map(of));
  const columns: readonly Column<MonthRow>[] = [
    {
      id: 'day',
      header: t.common.day,
      cell: ({ day }) => (
        <Link
          to="/nominations"
          search={{ day, eic, tso }}
          className="font-medium whitespace-nowrap text-accent-strong hover:underline"
        >
          {format.day(day)}
        </Link>
      ),
      footer: t.common.sum,
    },
    {
      id: 'slots',
      header: t.brp.nominations.table,
      isNumber: true,
      from: 'sm',
      cell: ({ saldoKwh }) => saldoKwh.length,
    },
    {
      id: 'out',
      header: `${MONTH_TEXTS[t.language].legendOut} MWh`,
      isNumber: true,
      from: 'sm',
      cell: (row) => format.mwh(part(row, 1)),
      footer: format.mwh(total((row) => part(row, 1))),
    },
    {
      id: 'in',
      header: `${MONTH_TEXTS[t.language].legendIn} MWh`,
      isNumber: true,
      from: 'sm',
      cell: (row) => format.mwh(part(row, -1)),
      footer: format.mwh(total((row) => part(row, -1))),
    },
    {
      id: 'net',
      header: `${MONTH_TEXTS[t.language].net} MWh`,
      isNumber: true,
      cell: ({ netKwh }) => format.mwhSigned(netKwh),
      footer: format.mwhSigned(total(({ netKwh }) => netKwh)),
    },
    {
      id: 'mismatches',
      header: MONTH_TEXTS[t.language].mismatchedSlots,
      isNumber: true,
      cell: ({ mismatched }) =>
        mismatched.size > 0 && <span className="font-semibold text-bad">{mismatched.size}</span>,
      footer: format.number(total(({ mismatched }) => mismatched.size)),
    },
  ];
  return (
    <DataTable
      label={MONTH_TEXTS[t.language].dayTotals}
      columns={columns}
      rows={filled}
      rowKey={({ day }) => day}
    />
  );
}
