import type { Customer, Nomination } from '@saldo/api';
import { addDays, type DeliveryDay } from '@saldo/core/delivery-day.ts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { findDay, isMismatch, slotsOf, totalsOf } from '../domain/nomination.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { useToday } from '../session/server-clock.ts';
import { useSession } from '../session/session.ts';
import { cx } from '../ui/cx.ts';
import { Icon } from '../ui/icons.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { EmptyState, Loaded, Skeleton } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { DirectionBadge } from './badges.tsx';
import { ClockChangeNotice } from './clock-change.tsx';
import { Gates } from './gates.tsx';
import { NominationLink } from './links.tsx';
import { NominationTable } from './nominations.tsx';
import { customersQuery, nominationsInStateQuery, nominationsQuery } from './queries.ts';

/** How many days back unsent and mismatched nominations are shown. */
const DAYS_BACK = 7;
const MAX_SHOWN = 8;

/** A dispatcher's overview: problems that need attention, gate times, and the saldo of the balance groups. */
export function HomePage() {
  const { t, format } = useI18n();
  const { user } = useSession();
  const today = useToday();
  const tomorrow = addDays(today, 1);
  return (
    <Page title={t.brp.home.title} text={`${user.brp?.name ?? ''} · ${format.dayLong(today)}`}>
      <ClockChangeNotice day={today} />
      <Gates today={today} tomorrow={tomorrow} />
      <Attention today={today} tomorrow={tomorrow} />
      {[today, tomorrow].map((day) => (
        <DayPanel key={day} day={day} name={day === today ? t.common.today : t.common.tomorrow} />
      ))}
    </Page>
  );
}

function Attention({ today, tomorrow }: { today: DeliveryDay; tomorrow: DeliveryDay }) {
  const { t } = useI18n();
  const first = addDays(today, -DAYS_BACK);
  const mismatched = useQuery(nominationsInStateQuery(first, tomorrow, 'partial_match'));
  const pending = useQuery(nominationsInStateQuery(first, tomorrow, 'pending'));
  const waiting = useInfiniteQuery(customersQuery({ status: 'pending' }));
  const error = mismatched.error ?? pending.error ?? waiting.error;
  const query = {
    data:
      mismatched.data && pending.data && waiting.data
        ? {
            mismatched: mismatched.data,
            unsent: pending.data.filter(({ sent_at }) => !sent_at),
            customers: waiting.data.pages.flatMap(({ customers }) => customers),
          }
        : undefined,
    error,
    refetch: () => Promise.all([mismatched.refetch(), pending.refetch(), waiting.refetch()]),
  };
  return (
    <Panel title={t.brp.home.attention} isFlush>
      <div aria-live="polite">
        <Loaded query={query} loading={<Skeleton lines={4} />}>
          {({ mismatched: wrong, unsent, customers }) =>
            wrong.length + unsent.length + customers.length === 0 ? (
              <EmptyState title={t.brp.home.nothing} text={t.brp.home.nothingText} />
            ) : (
              <div className="grid divide-line max-lg:divide-y lg:grid-cols-3 lg:divide-x">
                <Unsent nominations={unsent} />
                <Mismatched nominations={wrong} />
                <PendingCustomers customers={customers} />
              </div>
            )
          }
        </Loaded>
      </div>
    </Panel>
  );
}

type ConcernProps = {
  title: string;
  count: number;
  /** A larger count is shown as "> maximum". */
  maxCounted?: number;
  tone: 'warn' | 'bad';
  /** Link to the full list. */
  more?: ReactNode;
  children: ReactNode;
};

/** One kind of problem that needs attention, or a quiet confirmation that there is none. */
export function Concern({ title, count, maxCounted = Infinity, tone, more, children }: ConcernProps) {
  const { format } = useI18n();
  const isQuiet = count === 0;
  return (
    <div className="grid content-start gap-2 p-4">
      <h3 className="flex items-center gap-2 text-sm font-medium">
        <span className={cx(isQuiet ? 'text-ok' : tone === 'bad' ? 'text-bad' : 'text-warn')}>
          <Icon name={isQuiet ? 'check' : 'warning'} />
        </span>
        {title}
        <span
          className={cx(
            'ml-auto text-lg font-semibold',
            isQuiet ? 'text-muted' : tone === 'bad' ? 'text-bad' : 'text-warn',
          )}
        >
          {count > maxCounted ? `> ${format.number(maxCounted)}` : format.number(count)}
        </span>
      </h3>
      {children}
      {more}
    </div>
  );
}

export const itemClass = 'grid gap-0.5 rounded-md bg-sunken px-3 py-2 text-sm hover:bg-line/60';

type ShortenedProps<T> = { items: readonly T[]; max?: number; children: (item: T) => ReactNode };

/** Maximum number of items shown; the rest is only counted. */
export function Shortened<T>({ items, max = MAX_SHOWN, children }: ShortenedProps<T>) {
  const { t } = useI18n();
  if (items.length === 0) return null;
  return (
    <>
      <ul className="grid gap-1.5">{items.slice(0, max).map(children)}</ul>
      {items.length > max && <p className="text-xs text-muted">{t.brp.home.more(items.length - max)}</p>}
    </>
  );
}

type ItemProps = {
  nomination: Nomination;
  /** The affected quarter-hour. */
  slot?: number;
  note: ReactNode;
};

export function NominationItem({ nomination, slot, note }: ItemProps) {
  const { t, format } = useI18n();
  return (
    <li>
      <NominationLink id={nomination.id} search={slot === undefined ? {} : { slot }} className={itemClass}>
        <span className="flex flex-wrap items-center justify-between gap-x-3">
          <span className="font-medium">{format.dayShort(findDay(nomination) ?? '')}</span>
          <DirectionBadge direction={nomination.direction} />
        </span>
        <span className="flex flex-wrap justify-between gap-x-3">
          <span className="font-mono text-[0.92em]">{nomination.eic}</span>
          <span className="text-muted">{t.common.tsos[nomination.tso]}</span>
        </span>
        <span className="min-w-0 text-xs text-muted">{note}</span>
      </NominationLink>
    </li>
  );
}

function Unsent({ nominations }: { nominations: readonly Nomination[] }) {
  const { t, format } = useI18n();
  return (
    <Concern title={t.brp.home.unsent} count={nominations.length} tone="warn">
      <Shortened items={nominations}>
        {(nomination) => (
          <NominationItem
            key={nomination.id}
            nomination={nomination}
            note={
              <span className="flex flex-wrap justify-between gap-x-3">
                <span>{`${format.mwh(totalsOf(slotsOf(nomination)).amountKwh)} MWh`}</span>
                {nomination.gate_closure && (
                  <span>
                    {`${t.brp.nominations.gateClosure} `}
                    <Instant at={nomination.gate_closure} />
                  </span>
                )}
              </span>
            }
          />
        )}
      </Shortened>
    </Concern>
  );
}

function Mismatched({ nominations }: { nominations: readonly Nomination[] }) {
  const { t, format } = useI18n();
  // The newest day comes first, because it can still be corrected.
  const newestFirst = nominations.toReversed();
  return (
    <Concern title={t.brp.home.mismatched} count={nominations.length} tone="bad">
      <Shortened items={newestFirst}>
        {(nomination) => {
          const wrong = slotsOf(nomination).filter(isMismatch);
          const first = wrong[0];
          return (
            <NominationItem
              key={nomination.id}
              nomination={nomination}
              {...(first ? { slot: first.slot } : {})}
              note={
                <span className="text-bad">
                  {t.brp.home.mismatchedSlots(wrong.length)}
                  {first && `, ${t.brp.home.firstMismatch(format.slot(first.start))}`}
                </span>
              }
            />
          );
        }}
      </Shortened>
    </Concern>
  );
}

function PendingCustomers({ customers }: { customers: readonly Customer[] }) {
  const { t } = useI18n();
  return (
    <Concern title={t.brp.home.pendingCustomers} count={customers.length} tone="warn">
      <Shortened items={customers}>
        {(customer) => (
          <li key={customer.id}>
            <Link to="/customers/$customerId" params={{ customerId: customer.id }} className={itemClass}>
              <span className="font-medium">{customer.name}</span>
              <span className="text-xs text-muted">
                {`${t.brp.home.pendingSince} `}
                <Instant at={customer.assigned_at} />
              </span>
            </Link>
          </li>
        )}
      </Shortened>
    </Concern>
  );
}

function DayPanel({ day, name }: { day: DeliveryDay; name: string }) {
  const { t, format } = useI18n();
  const query = useQuery(nominationsQuery(day, {}));
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
            <NominationTable nominations={nominations} />
          )
        }
      </Loaded>
    </Panel>
  );
}
