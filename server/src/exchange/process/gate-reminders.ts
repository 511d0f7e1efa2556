import { GATE_REMINDER_MINUTES } from '@saldo/api';
import { addDays, type DeliveryDay, dayOf, formatInstant, MINUTE_MS } from '@saldo/core/delivery-day.ts';
import { gatesOf } from '@saldo/core/gates.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import { remind } from '../../events/actions.ts';
import { appendEvents, type NewEvent } from '../../events/store.ts';
import { IDENTITY_COLUMNS, type NominationIdentity, nominationData } from '../../nominations/events.ts';
import type { Database } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';

const UNSETTLED = statement(
  'list_unsettled_nominations',
  `select ${IDENTITY_COLUMNS}, n.sent_at is null as is_unsent
   from nomination n left join anomaly a on a.nomination_id = n.id
   where n.delivery_day = $1 and n.status in ('pending', 'partial_match')
     and (n.sent_at is null or n.status = 'partial_match' or a.ours is distinct from a.theirs)
   order by n.id`,
);

type UnsettledRow = NominationIdentity & { is_unsent: boolean };
type ClosingGate = { day: DeliveryDay; gate: number; minutesLeft: number };

/** Appends `nomination.gate_closing` when a day-ahead gate has come closer than one of the lead times. */
export const remindOfGates = (db: Database, now: number, rules: MarketRules): Promise<void> =>
  remind(db, 'nomination.gate_closing', now, async (tx, doneTo) => {
    const events: NewEvent[] = [];
    for (const { day, gate, minutesLeft } of closingGates(doneTo, now, rules)) {
      for (const row of await tx.query<UnsettledRow>(UNSETTLED, [day])) {
        const data = {
          ...nominationData(row),
          gate_closure: formatInstant(gate),
          minutes_left: minutesLeft,
          reason: row.is_unsent ? ('not_sent' as const) : ('differs' as const),
        };
        events.push({ type: 'nomination.gate_closing', tenants: [`brp/${row.brp_no}`, 'operator'], data });
      }
    }
    await appendEvents(tx, events, now);
  });

/** The gates that reached a lead time after `doneTo` and are still open. Of two lead times, the shorter one counts. */
function closingGates(doneTo: number, now: number, rules: MarketRules): ClosingGate[] {
  const today = dayOf(now);
  return [today, addDays(today, 1), addDays(today, 2)].flatMap((day) => {
    const gate = gatesOf(day, rules).dayAhead;
    if (gate <= now) return [];
    const reached = GATE_REMINDER_MINUTES.filter((minutes) => {
      const at = gate - minutes * MINUTE_MS;
      return at > doneTo && at <= now;
    });
    return reached.length === 0 ? [] : [{ day, gate, minutesLeft: Math.min(...reached) }];
  });
}
