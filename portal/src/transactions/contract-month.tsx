import type { Contract, Transaction } from '@saldo/api';
import { ORDINARY_SLOTS, slotCount } from '@saldo/core/delivery-day.ts';
import { sumKwh } from '@saldo/core/energy.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { HeatLegend } from '../charts/heat-legend.tsx';
import { type Cell, HeatMap, type HeatRow } from '../charts/heat-map.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { MONTH_TEXTS } from '../nominations/month-texts.ts';
import type { ContractSearch } from '../references/filters.ts';
import { ContractLink } from '../references/links.tsx';
import { Badge } from '../ui/badge.tsx';
import { daysOfMonth, slotText } from '../ui/delivery-period.ts';
import { MonthPicker } from '../ui/filters.tsx';
import { Panel } from '../ui/page.tsx';
import { EmptyState, Loaded, SkeletonBlock } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { type ContractMonthRow, contractMonthRows } from './contract-month-rows.ts';
import { contractMonthQuery } from './queries.ts';

type Props = { contract: Contract; month: string; set: (change: ContractSearch) => void };

/** The volumes of a contract in a month, as a heat map and by day. */
export function ContractMonth({ contract, month, set }: Props) {
  const { t } = useI18n();
  const query = useQuery(contractMonthQuery(contract.id, month));
  return (
    <>
      <MonthPicker value={month} onChange={(next) => set({ month: next })} />
      <Loaded query={query} loading={<SkeletonBlock className="h-[40rem]" />}>
        {(transactions) =>
          transactions.length === 0 ? (
            <Panel>
              <EmptyState title={t.brp.contracts.month.empty} text={t.brp.transactions.emptyText} />
            </Panel>
          ) : (
            <MonthView key={month} contract={contract} month={month} transactions={transactions} set={set} />
          )
        }
      </Loaded>
    </>
  );
}

type ViewProps = Props & { transactions: readonly Transaction[] };

function MonthView({ contract, month, transactions, set }: ViewProps) {
  const { t, format } = useI18n();
  const texts = t.brp.contracts.month;
  const rows = useMemo(() => contractMonthRows(daysOfMonth(month), transactions), [month, transactions]);
  const heat = useMemo(
    () =>
      rows.map(
        ({ day, volumesKwh, invalid }): HeatRow => ({
          id: day,
          label: format.dayShort(day),
          isUnusual: slotCount(day) !== ORDINARY_SLOTS,
          values: volumesKwh,
          marked: invalid,
        }),
      ),
    [rows, format],
  );
  const firstFilled = rows.findIndex(({ version }) => version !== null);
  const [selected, setSelected] = useState<Cell>({ row: Math.max(0, firstFilled), slot: 1 });
  const dayAt = ({ row }: Cell) => rows[row]?.day ?? `${month}-01`;
  const describe = (cell: Cell): string => {
    const row = rows[cell.row];
    const kwh = row?.volumesKwh[cell.slot - 1] ?? null;
    return [
      format.day(dayAt(cell)),
      t.common.slotOf(cell.slot, slotText(dayAt(cell), cell.slot)),
      kwh === null ? texts.none : `${format.mwh(kwh)} MWh (${format.mw(kwh)} MW)`,
      ...(row?.invalid.has(cell.slot) ? [t.brp.transactions.statuses.invalid] : []),
    ].join(' · ');
  };
  const label = texts.heatMap(format.month(month));
  return (
    <>
      <Panel
        title={label}
        actions={
          <HeatLegend
            entries={[
              { label: t.brp.transactions.volume, className: 'fill-out' },
              { label: texts.none, className: 'fill-sunken stroke-line-strong' },
              { label: t.brp.transactions.statuses.invalid, className: 'fill-none stroke-bad' },
            ]}
          />
        }
      >
        <HeatMap
          label={label}
          help={MONTH_TEXTS[t.language].help}
          rows={heat}
          selected={selected}
          onSelect={setSelected}
          onOpen={(cell) => set({ view: undefined, month: undefined, day: dayAt(cell), slot: cell.slot })}
          describe={describe}
        />
      </Panel>
      <Panel title={MONTH_TEXTS[t.language].dayTotals} isFlush>
        <DayTable contract={contract} rows={rows.filter(({ version }) => version !== null)} />
      </Panel>
    </>
  );
}

type TableProps = { contract: Contract; rows: readonly ContractMonthRow[] };

function DayTable({ contract, rows }: TableProps) {
  const { t, format } = useI18n();
  const texts = t.brp.transactions;
  const columns: readonly Column<ContractMonthRow>[] = [
    {
      id: 'day',
      header: t.common.day,
      cell: ({ day }) => (
        <ContractLink
          id={contract.id}
          search={{ day }}
          className="font-medium whitespace-nowrap text-accent-strong hover:underline"
        >
          {format.day(day)}
        </ContractLink>
      ),
      footer: t.common.sum,
    },
    {
      id: 'volume',
      header: `${texts.volume} MWh`,
      isNumber: true,
      cell: (row) => format.mwh(row.sumKwh),
      footer: format.mwh(sumKwh(rows.map((row) => row.sumKwh))),
    },
    { id: 'version', header: texts.version, isNumber: true, from: 'sm', cell: ({ version }) => version },
    { id: 'state', header: t.common.status, cell: (row) => <DayState row={row} /> },
  ];
  return (
    <DataTable
      label={MONTH_TEXTS[t.language].dayTotals}
      columns={columns}
      rows={rows}
      rowKey={({ day }) => day}
    />
  );
}

/** What is unusual on the day: missing, invalid and corrected quarter-hours. */
function DayState({ row: { volumesKwh, invalid, corrected } }: { row: ContractMonthRow }) {
  const { t } = useI18n();
  const texts = t.brp.transactions;
  const missing = volumesKwh.filter((kwh) => kwh === null).length - invalid.size;
  return (
    <span className="flex flex-wrap gap-1">
      {missing === 0 && invalid.size === 0 && <Badge tone="ok">{t.brp.contracts.month.complete}</Badge>}
      {missing > 0 && <Badge tone="warn">{t.brp.contracts.month.missing(missing)}</Badge>}
      {invalid.size > 0 && <Badge tone="bad">{texts.invalidCount(invalid.size)}</Badge>}
      {corrected > 0 && <Badge>{texts.correctedCount(corrected)}</Badge>}
    </span>
  );
}
