import type { Contract, Nomination, OperatorCustomer } from '@saldo/api';
import { addDays, type DeliveryDay } from '@saldo/core/delivery-day.ts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ClockChangeNotice } from '../brp/clock-change.tsx';
import { Gates } from '../brp/gates.tsx';
import { Concern, itemClass, NominationItem, Shortened } from '../brp/home.tsx';
import { ContractLink } from '../brp/links.tsx';
import { findDay } from '../domain/nomination.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { useToday } from '../session/server-clock.ts';
import { Page, Panel } from '../ui/page.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { AlarmsPanel } from './alarms.tsx';
import { AuditList } from './audit.tsx';
import { HealthPanel } from './health.tsx';
import { useGroupOwners, usePartyNames } from './lookups.ts';
import {
  auditQuery,
  contractsWithoutVolumesQuery,
  MAX_COUNTED,
  nominationsInStateQuery,
  pendingCustomersQuery,
} from './queries.ts';

/** How many days back mismatches are shown. */
const DAYS_BACK = 7;
const AUDIT_SHOWN = 8;
const MAX_SHOWN = 5;

/** Overview of the platform: alarms, deadlines, problems that need attention, health, and the latest audit events. */
export function HomePage() {
  const { t, format } = useI18n();
  const today = useToday();
  const tomorrow = addDays(today, 1);
  return (
    <Page title={t.operator.home.title} text={format.dayLong(today)}>
      <AlarmsPanel />
      <ClockChangeNotice day={today} />
      <Gates today={today} tomorrow={tomorrow} />
      <Attention today={today} tomorrow={tomorrow} />
      <div className="grid items-start gap-4 2xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <LastEntries />
        <HealthPanel />
      </div>
    </Page>
  );
}

function Attention({ today, tomorrow }: { today: DeliveryDay; tomorrow: DeliveryDay }) {
  const { t } = useI18n();
  const unsent = useQuery(nominationsInStateQuery(today, tomorrow, 'unsent'));
  const mismatched = useQuery(nominationsInStateQuery(addDays(today, -DAYS_BACK), tomorrow, 'partial_match'));
  const pending = useQuery(pendingCustomersQuery);
  const silent = useQuery(contractsWithoutVolumesQuery(tomorrow));
  return (
    <Panel title={t.brp.home.attention} isFlush>
      <div aria-live="polite" className="grid gap-px bg-line *:bg-surface md:grid-cols-2 xl:grid-cols-4">
        <Loaded query={unsent} loading={<Skeleton lines={4} />}>
          {(nominations) => (
            <NominationConcern
              title={t.brp.home.unsent}
              tone="warn"
              nominations={nominations}
              more={
                <Link to="/operator/exchange" className={MORE}>
                  {t.exchange.title}
                </Link>
              }
            />
          )}
        </Loaded>
        <Loaded query={mismatched} loading={<Skeleton lines={4} />}>
          {(nominations) => (
            // The newest day comes first, because it can still be corrected.
            <NominationConcern
              title={t.brp.home.mismatched}
              tone="bad"
              nominations={nominations.toReversed()}
              more={
                <Link to="/operator/mismatches" search={dayOfNewest(nominations)} className={MORE}>
                  {t.exchange.mismatch.title}
                </Link>
              }
            />
          )}
        </Loaded>
        <Loaded query={silent} loading={<Skeleton lines={4} />}>
          {(contracts) => <ContractsWithoutVolumes contracts={contracts} day={tomorrow} />}
        </Loaded>
        <Loaded query={pending} loading={<Skeleton lines={4} />}>
          {(customers) => <PendingCustomers customers={customers} />}
        </Loaded>
      </div>
    </Panel>
  );
}

const MORE = 'justify-self-start text-sm text-accent-strong hover:underline';

const dayOfNewest = (nominations: readonly Nomination[]) => {
  const newest = nominations.at(-1);
  const day = newest && findDay(newest);
  return day ? { day } : {};
};

type NominationConcernProps = {
  title: string;
  tone: 'warn' | 'bad';
  nominations: readonly Nomination[];
  more: ReactNode;
};

function NominationConcern({ title, tone, nominations, more }: NominationConcernProps) {
  const ownerOf = useGroupOwners();
  return (
    <Concern title={title} count={nominations.length} maxCounted={MAX_COUNTED} tone={tone} more={more}>
      <Shortened max={MAX_SHOWN} items={nominations}>
        {(nomination) => (
          <NominationItem
            key={nomination.id}
            nomination={nomination}
            note={<span className="block truncate">{ownerOf(nomination.eic)}</span>}
          />
        )}
      </Shortened>
    </Concern>
  );
}

/** Contracts without volumes for their next day. */
function ContractsWithoutVolumes({
  contracts,
  day,
}: {
  contracts: readonly Contract[] | null;
  day: DeliveryDay;
}) {
  const { t, format } = useI18n();
  const texts = t.operator.home;
  if (contracts === null) return <p className="p-4 text-sm text-muted">{texts.tooManyContracts}</p>;
  return (
    <Concern title={texts.withoutVolumes(format.dayShort(day))} count={contracts.length} tone="warn">
      <Shortened max={MAX_SHOWN} items={contracts}>
        {(contract) => (
          <li key={contract.id}>
            <ContractLink id={contract.id} search={{ day }} className={itemClass}>
              <span className="font-medium">{contract.external_id}</span>
              <span className="truncate text-xs text-muted">
                {`${contract.seller.name} → ${contract.buyer.name}`}
              </span>
            </ContractLink>
          </li>
        )}
      </Shortened>
      <p className="text-xs text-muted">{texts.withoutVolumesHint}</p>
    </Concern>
  );
}

function PendingCustomers({ customers }: { customers: readonly OperatorCustomer[] }) {
  const { t } = useI18n();
  const names = usePartyNames();
  return (
    <Concern
      title={t.operator.home.pendingCustomers}
      count={customers.length}
      maxCounted={MAX_COUNTED}
      tone="warn"
    >
      <Shortened max={MAX_SHOWN} items={customers}>
        {(customer) => (
          <li key={customer.id}>
            <Link
              to="/operator/customers/$customerId"
              params={{ customerId: customer.id }}
              className={itemClass}
            >
              <span className="font-medium">{customer.name}</span>
              <span className="truncate text-xs text-muted">{names.get(customer.brp_id)}</span>
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

function LastEntries(): ReactNode {
  const { t } = useI18n();
  const query = useInfiniteQuery(auditQuery({}, AUDIT_SHOWN));
  return (
    <Panel
      title={t.operator.home.lastEntries}
      isFlush
      actions={
        <Link to="/operator/audit" className="text-sm text-accent-strong hover:underline">
          {t.operator.audit.title}
        </Link>
      }
    >
      <Loaded query={query}>
        {({ pages }) => <AuditList entries={pages.flatMap(({ entries }) => entries)} />}
      </Loaded>
    </Panel>
  );
}
