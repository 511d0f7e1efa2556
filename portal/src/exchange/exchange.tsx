import type { UnsentNomination } from '@saldo/api';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { DirectionText } from '../references/badges.tsx';
import { TsoFilter } from '../references/filter-fields.tsx';
import { GroupName } from '../references/group-name.tsx';
import { NominationLink } from '../references/links.tsx';
import { useGroupOwners } from '../references/lookups.ts';
import { serverNow, useToday } from '../session/server-clock.ts';
import { usePermission } from '../session/session.ts';
import { useFilters } from '../ui/address.ts';
import { Badge } from '../ui/badge.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { DayFilter, FilterBar } from '../ui/filters.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { EmptyState, Loaded, SkeletonBlock } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { Countdown, Instant } from '../ui/time.tsx';
import { BoardTable } from './board.tsx';
import { boardQuery } from './board-queries.ts';
import { BOARD_TEXTS } from './board-texts.ts';
import { readUnsentFilters } from './filters.ts';
import { unsentQuery } from './queries.ts';
import { ReceivePanel } from './receive-panel.tsx';
import { SendDialog } from './send-dialog.tsx';
import { SimulatorPanel } from './simulator-panel.tsx';
import { EXCHANGE_TEXTS } from './texts.ts';

/** The state with each TSO, nominations not yet sent, and manual actions. */
export function ExchangePage() {
  const { t } = useI18n();
  const texts = EXCHANGE_TEXTS[t.language];
  const today = useToday();
  const mayChange = usePermission('member');
  const { filters, set, clear, isFiltered } = useFilters(readUnsentFilters);
  const query = useInfiniteQuery(unsentQuery(filters));
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Page
      title={t.exchange.title}
      text={texts.text}
      actions={
        <>
          <Link to="/operator/messages" className={buttonClass()}>
            {texts.toMessages}
          </Link>
          {mayChange && (
            <Button variant="primary" icon="send" onClick={() => setIsOpen(true)}>
              {texts.send}
            </Button>
          )}
        </>
      }
    >
      <BoardPanel />
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <DayFilter label={t.common.day} value={filters.day} onChange={(day) => set({ day })} />
        <TsoFilter value={filters.tso} onChange={(tso) => set({ tso })} />
      </FilterBar>
      <Panel title={texts.unsent} isFlush>
        <PagedList
          query={query}
          recordsOf={(page) => page.unsent}
          empty={
            <EmptyState
              title={texts.unsentEmpty}
              text={isFiltered ? texts.unsentEmptyFiltered : texts.unsentEmptyText}
            />
          }
        >
          {(unsent) => <UnsentTable unsent={unsent} />}
        </PagedList>
      </Panel>
      {/* Below lists of unknown length: shown after them, so that they do not move. */}
      {mayChange && !query.isPending && (
        <>
          <ReceivePanel />
          <SimulatorPanel />
        </>
      )}
      {isOpen && <SendDialog filters={filters} today={today} onClose={() => setIsOpen(false)} />}
    </Page>
  );
}

function BoardPanel() {
  const { format } = useI18n();
  const texts = BOARD_TEXTS[format.language];
  const query = useQuery(boardQuery);
  return (
    <Panel
      title={texts.title}
      isFlush
      actions={
        <Link to="/operator/board" className={buttonClass()}>
          {texts.toWall}
        </Link>
      }
    >
      <Loaded query={query} loading={<SkeletonBlock className="h-96" />}>
        {(board) => <BoardTable board={board} />}
      </Loaded>
    </Panel>
  );
}

function UnsentTable({ unsent }: { unsent: readonly UnsentNomination[] }) {
  const { t, format } = useI18n();
  const texts = EXCHANGE_TEXTS[t.language];
  const ownerOf = useGroupOwners();
  const columns: readonly Column<UnsentNomination>[] = [
    {
      id: 'day',
      header: t.common.day,
      cell: ({ nomination_id, delivery_date, version }) => (
        <span className="cell">
          <NominationLink
            id={nomination_id}
            className="font-medium whitespace-nowrap text-accent-strong hover:underline"
          >
            {format.day(delivery_date)}
          </NominationLink>
          <span className="text-xs text-muted">{t.brp.nominations.versionNumber(version)}</span>
        </span>
      ),
    },
    { id: 'gate', header: texts.gate, cell: (nomination) => <Gate nomination={nomination} /> },
    {
      id: 'group',
      header: t.common.balanceGroup,
      cell: ({ eic, tso }) => (
        <span className="cell">
          <GroupName eic={eic} />
          <span className="sm:hidden">{t.common.tsos[tso]}</span>
          <span className="text-xs text-muted">{ownerOf(eic)}</span>
        </span>
      ),
    },
    { id: 'tso', header: t.common.controlArea, from: 'sm', cell: ({ tso }) => t.common.tsos[tso] },
    {
      id: 'direction',
      header: t.common.direction,
      from: 'sm',
      cell: ({ direction }) => <DirectionText direction={direction} />,
    },
    {
      id: 'sends',
      header: texts.sendsAt,
      from: 'md',
      cell: ({ sends_at }) => <SendsAt at={sends_at} />,
    },
    {
      id: 'fault',
      header: texts.fault,
      cell: ({ error }) => error && <span className="line-clamp-3 max-w-md min-w-40 text-bad">{error}</span>,
    },
  ];
  return (
    <DataTable
      label={texts.unsent}
      columns={columns}
      rows={unsent}
      rowKey={({ nomination_id }) => nomination_id}
      rowTone={({ error, gate_is_closed }) => (error !== null || gate_is_closed ? 'bad' : null)}
    />
  );
}

function Gate({ nomination: { gate_closure, gate_is_closed } }: { nomination: UnsentNomination }) {
  const { t } = useI18n();
  return (
    <span className="cell">
      {gate_is_closed ? (
        <Badge tone="bad">{EXCHANGE_TEXTS[t.language].gateClosed}</Badge>
      ) : (
        <span className="font-medium">
          <Countdown until={Date.parse(gate_closure)} done={EXCHANGE_TEXTS[t.language].gateClosed} />
        </span>
      )}
      <span className="text-xs text-muted">
        <Instant at={gate_closure} />
      </span>
    </span>
  );
}

function SendsAt({ at }: { at: string | null }) {
  const { t } = useI18n();
  if (at === null) return <span className="text-bad">{EXCHANGE_TEXTS[t.language].sendsNever}</span>;
  return Date.parse(at) <= serverNow() ? EXCHANGE_TEXTS[t.language].sendsNow : <Instant at={at} />;
}
