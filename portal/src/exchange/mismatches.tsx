import type { NominationMismatch } from '@saldo/api';
import { addDays, type DeliveryDay, ORDINARY_SLOTS, slotCount } from '@saldo/core/delivery-day.ts';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ClockChangeNotice } from '../calendar/clock-change.tsx';
import { type Cell, HeatMap, type HeatRow } from '../charts/heat-map.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { TsoFilter } from '../references/filter-fields.tsx';
import { useToday } from '../session/server-clock.ts';
import { useChoices } from '../ui/address.ts';
import { slotText } from '../ui/delivery-period.ts';
import { DayPicker, FilterBar } from '../ui/filters.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { EmptyState, Loaded, Skeleton, SkeletonBlock } from '../ui/states.tsx';
import { readMismatchSearch } from './filters.ts';
import { MismatchDay } from './mismatch-day.tsx';
import { deviationBySlot } from './mismatched-slots.ts';
import { mismatchesQuery } from './queries.ts';

/** Number of days in the overview. */
const DAYS = 14;

/** The days of the overview: up to tomorrow, or up to the selected day if that is outside. */
function overviewDays(day: DeliveryDay, today: DeliveryDay): DeliveryDay[] {
  const tomorrow = addDays(today, 1);
  const isNear = day <= tomorrow && day > addDays(tomorrow, -DAYS);
  const last = isNear ? tomorrow : day;
  return Array.from({ length: DAYS }, (_, index) => addDays(last, index - DAYS + 1));
}

/** The initially selected slot of a day: its first mismatch. */
const firstSlot = (mismatches: readonly NominationMismatch[] = []): number => {
  const slots = mismatches.flatMap((mismatch) => mismatch.slots.map(({ slot_number }) => slot_number));
  return slots.length === 0 ? 1 : Math.min(...slots);
};

/** Differences between nominations and TSO confirmations: over several days, and on one of them. */
export function MismatchesPage() {
  const { t } = useI18n();
  const texts = t.exchange.mismatch;
  const today = useToday();
  const { search, set } = useChoices(readMismatchSearch);
  const { day = today, tso } = search;
  const days = useMemo(() => overviewDays(day, today), [day, today]);
  const queries = useQueries({ queries: days.map((of) => mismatchesQuery(of, tso)) });
  const shown = queries[days.indexOf(day)];
  const show = (next: DeliveryDay, slot?: number) => set({ day: next, slot, nomination: undefined });
  return (
    <Page title={texts.title} text={texts.text}>
      <FilterBar isFiltered={tso !== undefined} onClear={() => set({ tso: undefined })}>
        <DayPicker value={day} today={today} onChange={(next) => show(next)} />
        <TsoFilter value={tso} onChange={(next) => set({ tso: next })} />
      </FilterBar>
      <DaysPanel
        days={days}
        day={day}
        slot={search.slot ?? firstSlot(shown?.data)}
        found={queries.map(({ data }) => data)}
        onShow={show}
      />
      <ClockChangeNotice day={day} />
      {shown && (
        <Loaded query={shown} loading={<Skeleton lines={8} />}>
          {(mismatches) =>
            mismatches.length === 0 ? (
              <Panel>
                <EmptyState title={texts.noneOnDay} text={texts.noneOnDayText} />
              </Panel>
            ) : (
              <MismatchDay key={day} day={day} mismatches={mismatches} search={search} set={set} />
            )
          }
        </Loaded>
      )}
    </Page>
  );
}

type DaysProps = {
  days: readonly DeliveryDay[];
  day: DeliveryDay;
  slot: number;
  found: readonly (readonly NominationMismatch[] | undefined)[];
  onShow: (day: DeliveryDay, slot: number) => void;
};

/** Days by quarter-hour: the total deviation. */
function DaysPanel({ days, day, slot, found, onShow }: DaysProps) {
  const { t, format } = useI18n();
  const texts = t.exchange.mismatch;
  const rows = days.map(
    (of, index): HeatRow => ({
      id: of,
      label: format.dayShort(of),
      isUnusual: slotCount(of) !== ORDINARY_SLOTS,
      values: deviationBySlot(of, found[index] ?? []),
    }),
  );
  const selected = { row: Math.max(0, days.indexOf(day)), slot: Math.min(slot, slotCount(day)) };
  const dayAt = ({ row }: Cell) => days[row] ?? day;
  const describe = (cell: Cell): string => {
    const kw = rows[cell.row]?.values[cell.slot - 1];
    return [
      format.day(dayAt(cell)),
      t.common.slotOf(cell.slot, slotText(dayAt(cell), cell.slot)),
      kw ? `${texts.deviation} ${format.slotMwh(kw)} MWh (${format.power(kw)} MW)` : texts.none,
    ].join(' · ');
  };
  const select = (cell: Cell) => onShow(dayAt(cell), cell.slot);
  const label = texts.daysLabel(format.day(days[0] ?? day), format.day(days.at(-1) ?? day));
  return (
    <Panel title={texts.days}>
      {found.every((mismatches) => mismatches === undefined) ? (
        <SkeletonBlock className="h-80" />
      ) : (
        <HeatMap
          label={label}
          help={texts.daysHelp}
          rows={rows}
          tone="bad"
          selected={selected}
          onSelect={select}
          onOpen={select}
          describe={describe}
        />
      )}
    </Panel>
  );
}
