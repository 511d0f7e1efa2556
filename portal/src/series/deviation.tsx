import { LIMITS, type Series, type SeriesDeviation } from '@saldo/api';
import { getUnits } from '@saldo/core/decimal.ts';
import { addDays, type DeliveryDay } from '@saldo/core/delivery-day.ts';
import { SERIES_KINDS } from '@saldo/core/enums.ts';
import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import type { SeriesSearch } from '../references/filters.ts';
import { memberColumns } from '../ui/csv.ts';
import { ExportButton } from '../ui/export.tsx';
import { DayFilter } from '../ui/filters.tsx';
import { Panel } from '../ui/page.tsx';
import { EmptyState, Loaded, Notice } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { deviationQuery } from './queries.ts';
import { useSeriesTexts } from './series-texts.ts';

type Day = SeriesDeviation['days'][number];

const COLUMNS = memberColumns<Day>(
  'delivery_date',
  'forecast_kwh',
  'meter_kwh',
  'error_kwh',
  'absolute_error_kwh',
  'slots_present',
);

/** The API has kWh with at most three decimals. */
const whFromKwh = (kwh: number): number => getUnits(kwh, 3);

/** The first page shows a week, which ends yesterday: today is not metered yet. */
const periodOf = ({ from, to }: SeriesSearch, today: DeliveryDay) => {
  const last = to ?? (from === undefined ? addDays(today, -1) : addDays(from, 6));
  return { from: from ?? addDays(last, -6), to: last };
};

type Props = {
  series: readonly Series[];
  search: SeriesSearch;
  today: DeliveryDay;
  set: (change: SeriesSearch) => void;
};

/** How far the meter is from the forecast, day by day. */
export function Deviation({ series, search, today, set }: Props) {
  const texts = useSeriesTexts();
  const { from, to } = periodOf(search, today);
  const isBackwards = to < from;
  const isTooLong = addDays(from, LIMITS.deviationDays - 1) < to;
  const [first] = series;
  return (
    <>
      <div className="flex flex-wrap items-end gap-3">
        <DayFilter label={texts.period.from} value={from} onChange={(day) => set({ from: day, to })} />
        <DayFilter label={texts.period.to} value={to} onChange={(day) => set({ from, to: day })} />
      </div>
      {isBackwards && <Notice tone="warn">{texts.period.backwards}</Notice>}
      {isTooLong && <Notice tone="warn">{texts.period.tooLong(LIMITS.deviationDays)}</Notice>}
      {series.length < SERIES_KINDS.length || first === undefined ? (
        <Panel title={texts.period.title}>
          <EmptyState title={texts.period.needsBoth} />
        </Panel>
      ) : (
        !isBackwards &&
        !isTooLong && (
          <DeviationDays id={first.id} from={from} to={to} onDay={(day) => set({ day, view: undefined })} />
        )
      )}
    </>
  );
}

type DaysProps = { id: string; from: DeliveryDay; to: DeliveryDay; onDay: (day: DeliveryDay) => void };

function DeviationDays({ id, from, to, onDay }: DaysProps) {
  const texts = useSeriesTexts();
  const query = useQuery(deviationQuery(id, from, to));
  return (
    <Loaded query={query}>
      {(days) => (
        <Panel
          title={texts.period.title}
          text={texts.period.text}
          isFlush
          actions={
            <ExportButton
              fileName={`deviation-${from}-${to}`}
              columns={COLUMNS}
              rows={async function* rows() {
                yield* days;
              }}
            />
          }
        >
          <DeviationTable days={days} onDay={onDay} />
        </Panel>
      )}
    </Loaded>
  );
}

function DeviationTable({ days, onDay }: { days: readonly Day[]; onDay: DaysProps['onDay'] }) {
  const { t, format } = useI18n();
  const texts = useSeriesTexts();
  const whOf = (name: 'forecast_kwh' | 'meter_kwh' | 'error_kwh' | 'absolute_error_kwh') => (day: Day) =>
    whFromKwh(day[name]);
  const sumOf = (wh: (day: Day) => number) => days.reduce((sum, day) => sum + wh(day), 0);
  const energy = (
    column: string,
    header: string,
    wh: (day: Day) => number,
    write: (wh: number) => string,
    rest: Partial<Column<Day>> = {},
  ): Column<Day> => ({
    id: column,
    header: `${header} kWh`,
    isNumber: true,
    // A day without a slot that has both values is not a day of zero energy.
    cell: (day) => (day.slots_present === 0 ? t.common.none : write(wh(day))),
    footer: write(sumOf(wh)),
    ...rest,
  });
  const columns: readonly Column<Day>[] = [
    {
      id: 'day',
      header: t.common.day,
      footer: t.common.sum,
      cell: ({ delivery_date }) => (
        <button
          type="button"
          className="rounded whitespace-nowrap text-accent-strong hover:underline"
          onClick={() => onDay(delivery_date)}
        >
          {format.day(delivery_date)}
        </button>
      ),
    },
    energy('forecast', texts.kinds.forecast, whOf('forecast_kwh'), format.kwh, { from: 'sm' }),
    energy('meter', texts.kinds.meter, whOf('meter_kwh'), format.kwh, { from: 'sm' }),
    energy('error', texts.period.deviation, whOf('error_kwh'), format.kwhSigned),
    energy('absolute', texts.period.absolute, whOf('absolute_error_kwh'), format.kwh, { from: 'md' }),
    {
      id: 'present',
      header: <span title={texts.period.presentHint}>{texts.period.present}</span>,
      isNumber: true,
      cell: ({ slots_present: share }) => format.percent(share),
    },
  ];
  return (
    <DataTable
      label={texts.period.title}
      columns={columns}
      rows={days}
      rowKey={({ delivery_date }) => delivery_date}
    />
  );
}
