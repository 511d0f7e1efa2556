import type { BoardDay } from '@saldo/api';
import { addDays, type DeliveryDay } from '@saldo/core/delivery-day.ts';
import { kwhFromMwh } from '@saldo/core/energy.ts';
import { useQuery } from '@tanstack/react-query';
import { DayRibbon } from '../calendar/ribbon.tsx';
import type { RibbonDay } from '../calendar/ribbon-geometry.ts';
import { boardSlotsQuery } from './board-queries.ts';

const ribbonDay = (day: DeliveryDay, found: BoardDay | undefined): RibbonDay => ({
  day,
  gates: found?.gates ?? [],
  valuesKwh: found?.delivered?.map(kwhFromMwh) ?? null,
  mismatched: [...new Set(found?.areas.flatMap(({ mismatched_slots }) => mismatched_slots))],
});

/** Yesterday, today and tomorrow of all balance groups. */
export function BoardRibbon({ today }: { today: DeliveryDay }) {
  const { data } = useQuery(boardSlotsQuery);
  const find = (day: DeliveryDay) => data?.days.find(({ delivery_date }) => delivery_date === day);
  const dayOf = (day: DeliveryDay) => ribbonDay(day, find(day));
  return (
    <DayRibbon days={[dayOf(addDays(today, -1)), dayOf(today), dayOf(addDays(today, 1))]} what="delivered" />
  );
}
