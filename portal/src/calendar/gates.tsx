import type { DeliveryDayCalendar } from '@saldo/api';
import { type DeliveryDay, slotTimes } from '@saldo/core/delivery-day.ts';
import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { useServerNow } from '../session/server-clock.ts';
import { cx } from '../ui/cx.ts';
import { Countdown, Instant } from '../ui/time.tsx';
import { closingOf, slotClosings } from './deadlines.ts';
import { deliveryDayQuery } from './queries.ts';

const MINUTE_MS = 60_000;
/** A gate that closes within this time is shown as urgent. */
const URGENT_MS = 60 * MINUTE_MS;

/** The next deadlines, by the platform's clock. */
export function Gates({ today, tomorrow }: { today: DeliveryDay; tomorrow: DeliveryDay }) {
  const { t, format } = useI18n();
  const now = useServerNow();
  const { data: calendarToday, isPending: isTodayPending } = useQuery(deliveryDayQuery(today));
  const { data: calendarTomorrow, isPending: isTomorrowPending } = useQuery(deliveryDayQuery(tomorrow));
  const dayAhead = closingOf(calendarTomorrow, 'day_ahead');
  const wait = closingOf(calendarTomorrow, 'wait');
  const dayAfter = closingOf(calendarToday, 'day_after');
  const isWaiting = dayAhead !== null && wait !== null && now >= dayAhead && now < wait;
  return (
    <section
      aria-label={t.brp.home.gates}
      className="grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-2 xl:grid-cols-3"
    >
      {isTomorrowPending && <PendingTile />}
      {dayAhead !== null && !isWaiting && (
        <GateTile label={t.brp.home.dayAheadGate(format.dayShort(tomorrow))} closesAt={dayAhead} now={now} />
      )}
      {isWaiting && (
        <GateTile label={t.brp.home.waitGate(format.dayShort(tomorrow))} closesAt={wait} now={now} />
      )}
      {isTodayPending && (
        <>
          <PendingTile />
          <PendingTile />
        </>
      )}
      <NextSlotTile calendar={calendarToday} now={now} />
      {dayAfter !== null && (
        <GateTile label={t.brp.home.dayAfterGate(format.dayShort(today))} closesAt={dayAfter} now={now} />
      )}
    </section>
  );
}

/** The next quarter-hour that can still be changed. */
function NextSlotTile({ calendar, now }: { calendar: DeliveryDayCalendar | undefined; now: number }) {
  const { t } = useI18n();
  const next = calendar && slotClosings(calendar).find(({ closesAt }) => closesAt > now);
  if (!next) return null;
  return (
    <GateTile
      label={t.brp.home.intradayGate(slotTimes(next.start))}
      closesAt={next.closesAt}
      now={now}
      isRoutine
    />
  );
}

/** High enough for a label of two lines, so that the page below does not move. */
const TILE =
  'flex min-h-21 flex-wrap items-center justify-between gap-x-4 rounded-lg border bg-surface px-4 py-2.5';

const PendingTile = () => (
  <div className={cx(TILE, 'border-line')}>
    <span className="w-full animate-pulse text-sm">
      <span className="block">
        <span className="inline-block h-3 w-2/3 rounded bg-line" />
      </span>
      <span className="inline-block h-3 w-1/2 rounded bg-line" />
    </span>
  </div>
);

type TileProps = { label: string; closesAt: number; now: number; isRoutine?: boolean };

function GateTile({ label, closesAt, now, isRoutine = false }: TileProps) {
  const { t } = useI18n();
  const leftMs = closesAt - now;
  const isUrgent = !isRoutine && leftMs > 0 && leftMs < URGENT_MS;
  return (
    <div className={cx(TILE, isUrgent ? 'border-warn' : 'border-line')}>
      <span className="min-w-0 text-sm">
        <span className="block text-muted">{label}</span>
        <Instant at={new Date(closesAt).toISOString()} withUtc />
      </span>
      <span
        className={cx(
          leftMs > 0 ? 'text-xl font-semibold tracking-tight' : 'text-muted',
          isUrgent && 'text-warn',
        )}
      >
        <Countdown until={closesAt} done={t.brp.home.gateClosed} />
      </span>
    </div>
  );
}
