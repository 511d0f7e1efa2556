import type { LatePositionDay } from '@saldo/api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { GroupName } from '../references/group-name.tsx';
import { BrpFilter } from '../references/party-fields.tsx';
import { BrpLink } from '../references/party-links.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useFilters } from '../ui/address.ts';
import { DownloadButton } from '../ui/download-button.tsx';
import { DayFilter, FilterBar } from '../ui/filters.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { EmptyState } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import { readLateFilters } from './filters.ts';
import { lateSums, slotRanges } from './late-slots.ts';
import { LATE_TEXTS } from './late-texts.ts';
import { lateFilter, lateQuery } from './operator-queries.ts';

/** Changes that can no longer be nominated and are settled financially. */
export function LatePage() {
  const { t, language } = useI18n();
  const texts = LATE_TEXTS[language];
  const { filters, set, clear, isFiltered } = useFilters(readLateFilters);
  const query = useInfiniteQuery(lateQuery(filters));
  return (
    <Page
      title={texts.title}
      text={texts.text}
      actions={
        <DownloadButton
          label={t.common.exportCsv}
          hint={texts.exportHint}
          fileName={filters.day === undefined ? 'late' : `late_${filters.day}`}
          read={() => operatorClient.nominations.exportLate(lateFilter(filters))}
        />
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <DayFilter label={t.common.day} value={filters.day} onChange={(day) => set({ day })} />
        <BrpFilter value={filters.brp_id} onChange={(brp_id) => set({ brp_id })} />
      </FilterBar>
      <Panel isFlush>
        <PagedList
          query={query}
          recordsOf={(page) => page.late}
          empty={<EmptyState title={texts.empty} text={isFiltered ? texts.emptyFiltered : texts.emptyText} />}
        >
          {(late) => <LateTable late={late} />}
        </PagedList>
      </Panel>
    </Page>
  );
}

function LateTable({ late }: { late: readonly LatePositionDay[] }) {
  const { t, format, language } = useI18n();
  const texts = LATE_TEXTS[language];
  const columns: readonly Column<LatePositionDay>[] = [
    {
      id: 'day',
      header: t.common.day,
      cell: (position) => (
        <span className="cell whitespace-nowrap xl:flex-nowrap">
          {format.day(position.delivery_date)}
          <span className="text-xs text-muted">
            {texts.since} <Instant at={position.since} />
          </span>
          <span className="sm:hidden">
            <Difference position={position} /> MWh
          </span>
        </span>
      ),
    },
    {
      id: 'group',
      header: t.common.balanceGroup,
      isLong: true,
      width: 'xl:w-[18%]',
      cell: ({ eic, tso, brp_id }) => (
        <span className="cell">
          <GroupName eic={eic} tso={tso} />
          <span className="xl:not-print:hidden">
            <BrpLink id={brp_id} className="target hover:underline" />
          </span>
        </span>
      ),
    },
    {
      id: 'brp',
      header: t.operator.brp,
      from: 'xl',
      isLong: true,
      width: 'xl:w-[14%]',
      cell: ({ brp_id }) => <BrpLink id={brp_id} />,
    },
    {
      id: 'slots',
      header: texts.slots,
      from: 'md',
      isLong: true,
      width: 'xl:w-[14%]',
      cell: (position) => <span title={slotRanges(position)}>{slotRanges(position)}</span>,
    },
    {
      id: 'nominated',
      header: texts.nominated,
      from: 'lg',
      isNumber: true,
      cell: (position) => format.mwhSigned(lateSums(position).nominatedKwh),
    },
    {
      id: 'transactions',
      header: texts.transactions,
      from: 'lg',
      isNumber: true,
      cell: (position) => format.mwhSigned(lateSums(position).transactionsKwh),
    },
    {
      id: 'difference',
      header: texts.difference,
      isNumber: true,
      from: 'sm',
      cell: (position) => <Difference position={position} />,
    },
  ];
  return (
    <DataTable
      label={texts.title}
      columns={columns}
      rows={late}
      rowKey={({ delivery_date, eic, tso }) => `${delivery_date} ${eic} ${tso}`}
    />
  );
}

function Difference({ position }: { position: LatePositionDay }) {
  const { format } = useI18n();
  return <span className="font-semibold text-bad">{format.mwhSigned(lateSums(position).differenceKwh)}</span>;
}
