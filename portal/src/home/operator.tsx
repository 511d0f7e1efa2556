import type { Alarm } from '@saldo/api';
import { addDays, type DeliveryDay } from '@saldo/core/delivery-day.ts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { AuditList } from '../audit/audit-list.tsx';
import { auditQuery } from '../audit/queries.ts';
import { ClockChangeNotice } from '../calendar/clock-change.tsx';
import { BoardRibbon } from '../exchange/board-ribbon.tsx';
import { HealthPanel } from '../health/health.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { nominationsInStateQuery } from '../nominations/queries.ts';
import { useToday } from '../session/server-clock.ts';
import { Headline } from '../ui/headline.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { isSettled, Loaded, Notice } from '../ui/states.tsx';
import { AcknowledgeDialog, AlarmRow } from './alarms.tsx';
import { alarmsQuery } from './alarms-query.ts';
import { AttentionPanel, itemsOf, useCommonAttention, useDue } from './attention.tsx';
import { itemOfCount, itemsOfAlarms } from './attention-items.ts';
import { contractsWithoutVolumesQuery } from './operator-queries.ts';
import { MAX_COUNTED } from './queries.ts';

const AUDIT_SHOWN = 8;

/** Overview of the platform: problems that need attention, deadlines, health, and the latest audit events. */
export function HomePage() {
  const { t, format } = useI18n();
  const today = useToday();
  const tomorrow = addDays(today, 1);
  return (
    <Page title={t.operator.home.title} text={format.dayLong(today)}>
      <Unsent today={today} />
      <Attention today={today} tomorrow={tomorrow}>
        <ClockChangeNotice day={today} />
        <BoardRibbon today={today} />
        <div className="grid items-start gap-4 2xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <LastEntries />
          <HealthPanel />
        </div>
      </Attention>
    </Page>
  );
}

/** The headline: how many nominations are still to be sent. */
function Unsent({ today }: { today: DeliveryDay }) {
  const { t, format } = useI18n();
  const texts = t.operator.home;
  const { data } = useQuery(nominationsInStateQuery(today, 'pending', MAX_COUNTED));
  const count = data?.records.filter(({ sent_at }) => !sent_at).length ?? 0;
  return (
    <Headline
      label={texts.unsent}
      value={data ? `${data.hasMore ? '≥ ' : ''}${format.number(count)}` : t.common.none}
      unit={texts.unsentUnit(count)}
      note={
        <Link to="/operator/exchange" className="text-accent-strong hover:underline">
          {t.exchange.title}
        </Link>
      }
    />
  );
}

type AttentionProps = { today: DeliveryDay; tomorrow: DeliveryDay; children: ReactNode };

/** What needs attention. The children are below this list of unknown length, and are shown together with it. */
function Attention({ today, tomorrow, children }: AttentionProps) {
  const { t } = useI18n();
  // Not in the alarm's row, which a refresh may remove together with the typed note.
  const [acknowledged, setAcknowledged] = useState<Alarm | null>(null);
  const { nominations, customers } = useCommonAttention(today, MAX_COUNTED);
  const silent = useQuery(contractsWithoutVolumesQuery(tomorrow));
  const alarms = useQuery(alarmsQuery);
  const items = itemsOf([nominations, customers, silent, alarms], () => [
    ...itemsOfAlarms(alarms.data ?? []),
    ...(nominations.data ?? []),
    ...itemOfCount('volumes', silent.data?.length ?? 0, { day: tomorrow }),
    ...(customers.data ?? []),
  ]);
  const query = useDue(items);
  return (
    <>
      <AttentionPanel
        query={query}
        title={t.brp.home.attention}
        ownRow={(item) => <AlarmRow item={item} onAcknowledge={setAcknowledged} />}
      />
      {acknowledged && <AcknowledgeDialog alarm={acknowledged} onClose={() => setAcknowledged(null)} />}
      {silent.data === null && <Notice tone="warn">{t.operator.home.tooManyContracts}</Notice>}
      {isSettled(query) && children}
    </>
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
          {t.operator.nav.audit}
        </Link>
      }
    >
      <Loaded query={query}>
        {({ pages }) => <AuditList entries={pages.flatMap(({ entries }) => entries)} />}
      </Loaded>
    </Panel>
  );
}
