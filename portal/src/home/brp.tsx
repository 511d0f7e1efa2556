import { addDays, type DeliveryDay } from '@saldo/core/delivery-day.ts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { itemOfCount, itemsOfNominations } from './attention-items.ts';
import { netSaldoKwh } from '../nominations/nominated-slots.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { useToday } from '../session/server-clock.ts';
import { useSession } from '../session/session.ts';
import { Headline } from '../ui/headline.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { EmptyState, Loaded, Skeleton } from '../ui/states.tsx';
import { AttentionPanel } from './attention.tsx';
import { ClockChangeNotice } from '../calendar/clock-change.tsx';
import { Gates } from '../calendar/gates.tsx';
import { useWithGroupNames } from '../references/group-name.tsx';
import { NominationTable } from '../nominations/nominations.tsx';
import { customersQuery, nominationsInStateQuery, nominationsQuery } from '../brp/queries.ts';

/** How many days back nominations with an open end are shown. */
const DAYS_BACK = 7;

/** A dispatcher's overview: problems that need attention, gate times, and the saldo of the balance groups. */
export function HomePage() {
  const { t, format } = useI18n();
  const { user } = useSession();
  const today = useToday();
  const tomorrow = addDays(today, 1);
  const attention = useAttention(today);
  const isAttentionKnown = attention.data !== undefined || attention.error !== null;
  const days = [
    { day: today, name: t.common.today, query: useNominations(today) },
    { day: tomorrow, name: t.common.tomorrow, query: useNominations(tomorrow) },
  ];
  return (
    <Page title={t.brp.home.title} text={`${user.brp?.name ?? ''} · ${format.dayLong(today)}`}>
      <NetSaldo day={tomorrow} />
      <ClockChangeNotice day={today} />
      <Gates today={today} tomorrow={tomorrow} />
      <AttentionPanel query={attention} title={t.brp.home.attention} />
      {/* Below a list of unknown length: shown together with it, so that they do not move. */}
      {isAttentionKnown &&
        days.map(({ day, name, query }) => <DayPanel key={day} day={day} name={name} query={query} />)}
    </Page>
  );
}

/** The headline: the net saldo of a day. */
function NetSaldo({ day }: { day: DeliveryDay }) {
  const { t, format } = useI18n();
  const { data } = useQuery(nominationsQuery(day, {}));
  const hasAny = data !== undefined && data.length > 0;
  return (
    <Headline
      label={t.brp.home.netSaldo(format.day(day))}
      value={hasAny ? format.mwhSigned(netSaldoKwh(data)) : t.common.none}
      unit="MWh"
      note={hasAny ? t.brp.home.sentOf(data.filter(({ sent_at }) => sent_at).length, data.length) : null}
    />
  );
}

const useNominations = (day: DeliveryDay) => useWithGroupNames(useQuery(nominationsQuery(day, {})));

function useAttention(today: DeliveryDay) {
  const first = addDays(today, -DAYS_BACK);
  const mismatched = useQuery(nominationsInStateQuery(first, 'partial_match'));
  const pending = useQuery(nominationsInStateQuery(first, 'pending'));
  const waiting = useInfiniteQuery(customersQuery({ status: 'pending' }));
  return useWithGroupNames({
    data:
      mismatched.data && pending.data && waiting.data
        ? [
            ...itemsOfNominations(mismatched.data, pending.data, today),
            ...itemOfCount('customers', waiting.data.pages.flatMap(({ customers }) => customers).length),
          ]
        : undefined,
    error: mismatched.error ?? pending.error ?? waiting.error,
    refetch: () => Promise.all([mismatched.refetch(), pending.refetch(), waiting.refetch()]),
  });
}

type DayProps = { day: DeliveryDay; name: string; query: ReturnType<typeof useNominations> };

function DayPanel({ day, name, query }: DayProps) {
  const { t, format } = useI18n();
  return (
    <Panel
      title={`${name} · ${format.day(day)}`}
      isFlush
      actions={
        <Link to="/nominations" search={{ day }} className="text-sm text-accent-strong hover:underline">
          {t.brp.nominations.title}
        </Link>
      }
    >
      <Loaded query={query} loading={<Skeleton lines={4} />}>
        {(nominations) =>
          nominations.length === 0 ? (
            <EmptyState title={t.brp.nominations.empty} text={t.brp.nominations.emptyText} />
          ) : (
            <NominationTable nominations={nominations} isShort />
          )
        }
      </Loaded>
    </Panel>
  );
}
