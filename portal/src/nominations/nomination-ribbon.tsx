import type { Nomination } from '@saldo/api';
import { addDays, type DeliveryDay } from '@saldo/core/delivery-day.ts';
import { useQueries } from '@tanstack/react-query';
import { deliveryDayQuery } from '../calendar/queries.ts';
import { DayRibbon } from '../calendar/ribbon.tsx';
import type { RibbonDay } from '../calendar/ribbon-geometry.ts';
import { mismatchedSlots, netBySlot } from './nominated-slots.ts';
import { nominationsQuery } from './queries.ts';

/** Yesterday, today and tomorrow of the BRP's balance groups. */
export function NominationRibbon({ today }: { today: DeliveryDay }) {
  const days = [addDays(today, -1), today, addDays(today, 1)] as const;
  const calendars = useQueries({ queries: days.map((day) => deliveryDayQuery(day)) });
  const nominations = useQueries({ queries: days.map((day) => nominationsQuery(day, {})) });
  const dayAt = (at: 0 | 1 | 2): RibbonDay => {
    const known: readonly Nomination[] | undefined = nominations[at]?.data;
    return {
      day: days[at],
      gates: calendars[at]?.data?.gates ?? [],
      valuesKwh: known?.length ? netBySlot(days[at], known) : null,
      mismatched: known ? mismatchedSlots(known) : [],
    };
  };
  return <DayRibbon days={[dayAt(0), dayAt(1), dayAt(2)]} what="saldo" />;
}
