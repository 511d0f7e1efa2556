import type { NominationMismatch } from '@saldo/api';
import { addDays, type DeliveryDay, ORDINARY_SLOTS, slotCount } from '@saldo/core/delivery-day.ts';
import { useQueries } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ClockChangeNotice } from '../calendar/clock-change.tsx';
import { deadlineOf } from '../calendar/deadlines.ts';
import { deliveryDayQuery } from '../calendar/queries.ts';
import { type Cell, HeatMap, type HeatRow } from '../charts/heat-map.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { findDay } from '../nominations/nominated-slots.ts';
import { nominationsInStateQuery } from '../nominations/queries.ts';
import { TsoFilter } from '../references/filter-fields.tsx';
import { useServerMinute, useToday } from '../session/server-clock.ts';
import { useChoices } from '../ui/address.ts';
import { slotText } from '../ui/delivery-period.ts';
import { DayPicker, FilterBar } from '../ui/filters.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { EmptyState, Loaded, Skeleton, SkeletonBlock } from '../ui/states.tsx';
import { readMismatchSearch } from './filters.ts';
import { MismatchDay } from './mismatch-day.tsx';
import { MISMATCH_TEXTS } from './mismatch-texts.ts';
import { deviationBySlot } from './mismatched-slots.ts';
import { mismatchesQuery } from './queries.ts';

/** Number of days in the overview: a week back, and those ahead that volumes of profiles reach by default. */
const DAYS = 14;
const DAYS_AHEAD = 7;
/** Maximum number of nominations that are read to find later days. */
const MAX_READ = 500;

/** The days of the overview: around today, or up to the selected day if that is outside. */
function overviewDays(
  day: DeliveryDay | undefined,
  today: DeliveryDay,
  nominated: DeliveryDay,
): DeliveryDay[] {
  const first = addDays(today, DAYS_AHEAD - DAYS + 1);
  const last = addDays(today, DAYS_AHEAD);
  if (day !== undefined && (day < first || day > nominated))
    return Array.from({ length: DAYS }, (_, index) => addDays(day, index - DAYS + 1));
  const days = [];
  for (let of = first; of <= last || of <= nominated; of = addDays(of, 1)) days.push(of);
  return days;
}

/** The last day with a nomination that is not matched, at least the last one of the overview. */
function useLastNominated(today: DeliveryDay): DeliveryDay {
  const states = ['pending', 'partial_match'] as const;
  const found = useQueries({
    queries: states.map((state) => nominationsInStateQuery(today, state, MAX_READ)),
  });
  const days = found.flatMap(({ data }) => data?.records.map(findDay) ?? []).filter((day) => day !== null);
  return [addDays(today, DAYS_AHEAD), ...days].reduce((last, day) => (day > last ? day : last));
}

type Found = readonly (readonly NominationMismatch[] | undefined)[];

/**
 * The day whose mismatches have the earliest deadline; without an open one, today. Null while it is not known. It stays the
 * same while the page is open, so that the day does not change under the reader.
 */
function useMostUrgent(days: readonly DeliveryDay[], found: Found, today: DeliveryDay): DeliveryDay | null {
  const now = useServerMinute();
  const mismatched = days.filter((_, at) => (found[at]?.length ?? 0) > 0);
  const calendars = useQueries({ queries: mismatched.map((day) => deliveryDayQuery(day)) });
  const due = mismatched.flatMap((day, at) => {
    const calendar = calendars[at]?.data;
    const slots = found[days.indexOf(day)]?.flatMap((mismatch) => mismatch.slots) ?? [];
    const deadline = calendar && deadlineOf(calendar, { slots: slots.map((slot) => slot.slot_number) }, now);
    return deadline ? [{ day, at: deadline.at }] : [];
  });
  const [opened, setOpened] = useState<DeliveryDay | null>(null);
  const isKnown = !found.includes(undefined) && calendars.every(({ isPending }) => !isPending);
  if (opened === null && isKnown) setOpened(due.toSorted((one, other) => one.at - other.at)[0]?.day ?? today);
  return opened;
}

/** The initially selected slot of a day: its first mismatch. */
const firstSlot = (mismatches: readonly NominationMismatch[] = []): number => {
  const slots = mismatches.flatMap((mismatch) => mismatch.slots.map(({ slot_number }) => slot_number));
  return slots.length === 0 ? 1 : Math.min(...slots);
};

/** Differences between nominations and TSO confirmations: over several days, and on one of them. */
export function MismatchesPage() {
  const { format } = useI18n();
  const texts = MISMATCH_TEXTS[format.language];
  const today = useToday();
  const { search, set } = useChoices(readMismatchSearch);
  const { tso } = search;
  const nominated = useLastNominated(today);
  const days = useMemo(() => overviewDays(search.day, today, nominated), [search.day, today, nominated]);
  const queries = useQueries({ queries: days.map((of) => mismatchesQuery(of, tso)) });
  const found = queries.map(({ data }) => data);
  const mostUrgent = useMostUrgent(days, found, today);
  const day = search.day ?? mostUrgent ?? today;
  const isChosen = search.day !== undefined || mostUrgent !== null;
  const shown = queries[days.indexOf(day)];
  const show = (next: DeliveryDay, slot?: number) => set({ day: next, slot, nomination: undefined });
  return (
    <Page title={texts.title} text={texts.text}>
      <FilterBar
        isFiltered={tso !== undefined}
        onClear={() => set({ tso: undefined })}
        lead={<DayPicker value={day} today={today} onChange={(next) => show(next)} />}
      >
        <TsoFilter value={tso} onChange={(next) => set({ tso: next })} />
      </FilterBar>
      <DaysPanel
        days={days}
        day={day}
        slot={search.slot ?? firstSlot(shown?.data)}
        found={found}
        onShow={show}
      />
      <ClockChangeNotice day={day} />
      {!isChosen && <Skeleton lines={8} />}
      {isChosen && shown && (
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
  found: Found;
  onShow: (day: DeliveryDay, slot: number) => void;
};

/** Days by quarter-hour: the total deviation. */
function DaysPanel({ days, day, slot, found, onShow }: DaysProps) {
  const { t, format } = useI18n();
  const texts = MISMATCH_TEXTS[format.language];
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
