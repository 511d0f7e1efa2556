import { addDays, type DeliveryDay } from '@saldo/core/delivery-day.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { ClockChangeNotice } from '../calendar/clock-change.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { netSaldoKwh } from '../nominations/nominated-slots.ts';
import { NominationRibbon } from '../nominations/nomination-ribbon.tsx';
import { NominationTable } from '../nominations/nominations.tsx';
import { changedSchedulesQuery, ownSchedulesQuery } from '../nominations/own-schedules.ts';
import { nominationsInStateQuery, nominationsQuery } from '../nominations/queries.ts';
import { useRejections } from '../nominations/rejections.ts';
import { useWithGroupNames } from '../references/group-name.tsx';
import { loadPart } from '../session/connection.ts';
import { useToday } from '../session/server-clock.ts';
import { useSession } from '../session/session.ts';
import { Headline } from '../ui/headline.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { EmptyState, isSettled, Loaded, Skeleton } from '../ui/states.tsx';
import { AttentionPanel, itemsOf, useCommonAttention, useDue } from './attention.tsx';
import { itemsOfChanged, itemsOfRejected } from './attention-items.ts';
import { ChangedRow } from './changed-row.tsx';

/** Loaded on demand: it is rare, and has the meanings of all reason codes. */
const RejectedRow = lazy(async () => ({
  default: (await loadPart(() => import('./rejected-row.tsx'))).RejectedRow,
}));

/** A dispatcher's overview: problems that need attention, gate times, and the saldo of the balance groups. */
export function HomePage() {
  const { t, format } = useI18n();
  const { user } = useSession();
  const today = useToday();
  const tomorrow = addDays(today, 1);
  const attention = useAttention(today);
  const days = [
    { day: today, name: t.common.today, query: useNominations(today) },
    { day: tomorrow, name: t.common.tomorrow, query: useNominations(tomorrow) },
  ];
  return (
    <Page title={t.brp.home.title} text={`${user.brp?.name ?? ''} · ${format.dayLong(today)}`}>
      <AttentionPanel
        query={attention}
        title={t.brp.home.attention}
        ownRow={(item) =>
          item.rejection ? (
            <Suspense fallback={<Skeleton lines={3} />}>
              <RejectedRow item={item} rejection={item.rejection} />
            </Suspense>
          ) : (
            item.schedule && <ChangedRow item={item} schedule={item.schedule} />
          )
        }
      />
      {/* Below a list of unknown length: shown together with it, so that they do not move. */}
      {isSettled(attention) && (
        <>
          <NetSaldo day={tomorrow} />
          <ClockChangeNotice day={today} />
          <NominationRibbon today={today} />
          {days.map(({ day, name, query }) => (
            <DayPanel key={day} day={day} name={name} query={query} />
          ))}
        </>
      )}
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

const ALL = Number.POSITIVE_INFINITY;

function useAttention(today: DeliveryDay) {
  const pending = useQuery(nominationsInStateQuery(today, 'pending', ALL)).data?.records;
  const { query: rejections, rejected } = useRejections(pending);
  const { nominations, customers } = useCommonAttention(today, ALL, rejected);
  const changed = useQuery(changedSchedulesQuery);
  const items = itemsOf([changed, rejections, nominations, customers], () => [
    ...itemsOfRejected(pending ?? [], rejected),
    ...itemsOfChanged(changed.data ?? []),
    ...(nominations.data ?? []),
    ...(customers.data ?? []),
  ]);
  return useDue(useWithGroupNames(items));
}

type DayProps = { day: DeliveryDay; name: string; query: ReturnType<typeof useNominations> };

function DayPanel({ day, name, query }: DayProps) {
  const { t, format } = useI18n();
  const { data: own } = useQuery(ownSchedulesQuery(day));
  const { rejected } = useRejections(query.data);
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
            <NominationTable nominations={nominations} own={own} rejected={rejected} isShort />
          )
        }
      </Loaded>
    </Panel>
  );
}
