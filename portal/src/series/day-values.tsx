import type { Series } from '@saldo/api';
import { formatFixed } from '@saldo/core/decimal.ts';
import { type DeliveryDay, slotLabel } from '@saldo/core/delivery-day.ts';
import { SERIES_KINDS, type SeriesKind } from '@saldo/core/enums.ts';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ClockChangeNotice } from '../calendar/clock-change.tsx';
import { SlotChart } from '../charts/slot-chart.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { SlotButton } from '../references/slot-button.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import type { CsvColumn } from '../ui/csv.ts';
import { cx } from '../ui/cx.ts';
import { ExportButton } from '../ui/export.tsx';
import { Panel } from '../ui/page.tsx';
import { EmptyState, ErrorState, SkeletonBlock } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { type ComparedSlot, comparedSlots, dayTotals, differenceWh, gapsOf, whOf } from './compared-day.ts';
import { valuesQuery } from './queries.ts';
import { useSeriesTexts } from './series-texts.ts';

const TONES = { forecast: 'before', meter: 'out' } as const;

const kwhColumn = (
  name: string,
  whOfSlot: (slot: ComparedSlot) => number | null,
): CsvColumn<ComparedSlot> => ({
  name,
  value: (slot) => {
    const wh = whOfSlot(slot);
    return wh === null ? null : formatFixed(wh, 3);
  },
  isDecimal: true,
});

const COLUMNS: readonly CsvColumn<ComparedSlot>[] = [
  { name: 'slot_number', value: ({ slot }) => slot },
  { name: 'local_time', value: ({ start }) => slotLabel(start) },
  kwhColumn('forecast_kwh', ({ forecast }) => forecast?.energy_wh ?? null),
  kwhColumn('meter_kwh', ({ meter }) => meter?.energy_wh ?? null),
  kwhColumn('difference_kwh', differenceWh),
];

type Props = {
  /** The series of one plant or customer, at most one per kind. */
  series: readonly Series[];
  day: DeliveryDay;
  chosen: number | undefined;
  onSelect: (slot: number) => void;
};

/** Forecast, meter and their difference on one day, by quarter-hour. */
export function DayValues({ series, day, chosen, onSelect }: Props) {
  const { format } = useI18n();
  const texts = useSeriesTexts();
  const results = useQueries({ queries: series.map(({ id }) => valuesQuery(id, day)) });
  const slots = useMemo(() => {
    const valuesOf = (kind: SeriesKind) => results[series.findIndex((one) => one.kind === kind)]?.data ?? [];
    return comparedSlots(day, { forecast: valuesOf('forecast'), meter: valuesOf('meter') });
  }, [day, series, results]);
  const failed = results.find(({ error, data }) => error !== null && data === undefined);
  if (failed) return <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />;
  const title = texts.day.title(format.dayLong(day));
  if (results.some(({ data }) => data === undefined))
    return (
      <Panel title={title}>
        <SkeletonBlock className="h-[300px] sm:h-[370px]" />
      </Panel>
    );
  const kinds = SERIES_KINDS.filter((kind) => series.some((one) => one.kind === kind));
  const isEmpty = slots.every(({ forecast, meter }) => forecast === null && meter === null);
  const selected = slots[(chosen ?? 1) - 1] ?? slots[0];
  return (
    <>
      <ClockChangeNotice day={day} />
      <Panel
        title={title}
        actions={
          !isEmpty && (
            <ExportButton
              fileName={`values-${day}`}
              columns={COLUMNS}
              rows={async function* rows() {
                yield* slots;
              }}
            />
          )
        }
      >
        {isEmpty || selected === undefined ? (
          <EmptyState title={texts.day.empty} text={texts.day.emptyText} />
        ) : (
          <div className="grid gap-3">
            <p className="flex flex-wrap gap-2">
              {kinds.map((kind) => (
                <Completeness key={kind} slots={slots} kind={kind} />
              ))}
            </p>
            <ValuesChart day={day} slots={slots} kinds={kinds} selected={selected.slot} onSelect={onSelect} />
          </div>
        )}
      </Panel>
      {!isEmpty && selected && (
        <Panel isFlush>
          <ValuesTable slots={slots} kinds={kinds} selected={selected.slot} onSelect={onSelect} />
        </Panel>
      )}
    </>
  );
}

/** Whether a series has a value for every quarter-hour. */
function Completeness({ slots, kind }: { slots: readonly ComparedSlot[]; kind: SeriesKind }) {
  const texts = useSeriesTexts();
  const name = texts.kinds[kind];
  const isMissing = slots.every((slot) => slot[kind] === null);
  const gaps = gapsOf(slots, kind).length;
  const [tone, text]: [Tone, string] = isMissing
    ? ['neutral', texts.day.noneOf(name)]
    : gaps > 0
      ? ['warn', texts.day.gaps(name, gaps)]
      : ['ok', texts.day.complete(name)];
  return <Badge tone={tone}>{text}</Badge>;
}

type ShownProps = {
  slots: readonly ComparedSlot[];
  kinds: readonly SeriesKind[];
  selected: number;
  onSelect: (slot: number) => void;
};

const WH_PER_KWH = 1000;

function ValuesChart({ day, slots, kinds, selected, onSelect }: ShownProps & { day: DeliveryDay }) {
  const { t, format } = useI18n();
  const texts = useSeriesTexts();
  const starts = useMemo(() => slots.map(({ start }) => start), [slots]);
  const describe = (number: number): string => {
    const slot = slots[number - 1];
    if (!slot) return '';
    const difference = differenceWh(slot);
    const valueOf = (kind: SeriesKind) =>
      `${texts.kinds[kind]} ${slot[kind] ? `${format.kwh(slot[kind].energy_wh)} kWh` : texts.day.noValue}`;
    return [
      t.common.slotOf(slot.slot, format.slot(slot.start)),
      ...kinds.map(valueOf),
      ...(difference === null ? [] : [`${texts.day.difference} ${format.kwhSigned(difference)} kWh`]),
    ].join(' · ');
  };
  return (
    <SlotChart
      label={texts.day.chartLabel(format.dayLong(day))}
      starts={starts}
      series={kinds.map((kind) => ({
        id: kind,
        label: texts.kinds[kind],
        tone: TONES[kind],
        isDashed: kind === 'forecast',
        valuesKwh: whOf(slots, kind).map((wh) => (wh === null ? null : wh / WH_PER_KWH)),
      }))}
      marked={new Set(kinds.flatMap((kind) => gapsOf(slots, kind)))}
      markLabel={texts.day.gap}
      selected={selected}
      onSelect={onSelect}
      describe={describe}
    />
  );
}

function ValuesTable({ slots, kinds, selected, onSelect }: ShownProps) {
  const { t, format } = useI18n();
  const texts = useSeriesTexts();
  const totals = dayTotals(slots);
  const orNone = (wh: number | null, write: (wh: number) => string) =>
    wh === null ? t.common.none : write(wh);
  const columnOf = (kind: SeriesKind): Column<ComparedSlot> => ({
    id: kind,
    header: `${texts.kinds[kind]} kWh`,
    isNumber: true,
    cell: (slot) => <ValueCell value={slot[kind]} />,
    footer: orNone(totals[kind], format.kwh),
  });
  const columns: readonly Column<ComparedSlot>[] = [
    {
      id: 'slot',
      header: `${t.common.local} (${t.common.berlin})`,
      footer: <span title={texts.day.sumHint}>{t.common.sum}</span>,
      cell: ({ slot, start }) => <SlotButton slot={slot} start={start} onSelect={onSelect} />,
    },
    { id: 'utc', header: t.common.utc, from: 'sm', cell: ({ start }) => format.utcTime(start) },
    ...kinds.map(columnOf),
    ...(kinds.length < SERIES_KINDS.length
      ? []
      : [
          {
            id: 'difference',
            header: `${texts.day.difference} kWh`,
            isNumber: true,
            footer: orNone(totals.difference, format.kwhSigned),
            cell: (slot: ComparedSlot) => orNone(differenceWh(slot), format.kwhSigned),
          },
        ]),
  ];
  return (
    <DataTable
      label={texts.title}
      columns={columns}
      rows={slots}
      rowKey={({ slot }) => String(slot)}
      rowTone={({ slot }) => (slot === selected ? 'selected' : null)}
      isTall
    />
  );
}

/** A value, with its version if it was corrected. */
function ValueCell({ value }: { value: ComparedSlot[SeriesKind] }) {
  const { format } = useI18n();
  const texts = useSeriesTexts();
  return (
    <span className={cx(value === null && 'text-muted italic')}>
      {value !== null && value.version > 1 && (
        <span className="mr-1.5 text-xs text-muted">{texts.day.version(value.version)}</span>
      )}
      {value === null ? texts.day.noValue : format.kwh(value.energy_wh)}
    </span>
  );
}
