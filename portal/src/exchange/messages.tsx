import { MESSAGE_DIRECTIONS, MESSAGE_STATES, MESSAGE_TYPES, type Message } from '@saldo/api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { TsoFilter } from '../references/filter-fields.tsx';
import { type FilterProps, useFilters } from '../ui/address.ts';
import { memberColumns } from '../ui/csv.ts';
import { ExportButton } from '../ui/export.tsx';
import { DayFilter, FilterBar, SelectFilter } from '../ui/filters.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { EmptyState } from '../ui/states.tsx';
import { type Column, DataTable, listSort, type Sort } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import { MESSAGE_SORTS, type MessageFilters, readMessageFilters } from './filters.ts';
import { MessageDirection, MessageState } from './message-badges.tsx';
import { MESSAGE_TEXTS } from './message-texts.ts';
import { eachMessage, messagesQuery } from './queries.ts';

const COLUMNS = memberColumns<Message>(
  'id',
  'direction',
  'type',
  'format',
  'tso',
  'delivery_date',
  'version',
  'state',
  'error',
  'file_name',
  'answers',
  'created_at',
  'sent_at',
);

/** All sent schedules and received answers. */
export function MessagesPage() {
  const { t } = useI18n();
  const texts = MESSAGE_TEXTS[t.language];
  const { filters, set, clear, isFiltered } = useFilters(readMessageFilters, ['sort']);
  const { sort } = filters;
  const query = useInfiniteQuery(messagesQuery(filters));
  return (
    <Page
      title={t.exchange.nav.messages}
      text={texts.text}
      actions={
        <ExportButton fileName="messages" columns={COLUMNS} rows={(signal) => eachMessage(filters, signal)} />
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <MessageFilterFields filters={filters} set={set} />
      </FilterBar>
      <Panel isFlush>
        <PagedList
          query={query}
          recordsOf={(page) => page.messages}
          empty={<EmptyState title={texts.empty} text={texts.emptyText} />}
        >
          {(messages) => (
            <MessageTable
              messages={messages}
              label={t.exchange.nav.messages}
              sort={listSort(MESSAGE_SORTS, sort, set)}
            />
          )}
        </PagedList>
      </Panel>
    </Page>
  );
}

function MessageFilterFields({ filters, set }: FilterProps<MessageFilters>) {
  const { t } = useI18n();
  const texts = MESSAGE_TEXTS[t.language];
  return (
    <>
      <DayFilter label={t.common.day} value={filters.day} onChange={(day) => set({ day })} />
      <TsoFilter value={filters.tso} onChange={(tso) => set({ tso })} />
      <SelectFilter
        label={t.common.direction}
        value={filters.direction}
        options={MESSAGE_DIRECTIONS.map((value) => ({ value, label: texts.directions[value] }))}
        onChange={(direction) => set({ direction })}
      />
      <SelectFilter
        label={texts.type}
        value={filters.type}
        options={MESSAGE_TYPES.map((value) => ({ value, label: t.exchange.message.types[value] }))}
        onChange={(type) => set({ type })}
      />
      <SelectFilter
        label={texts.state}
        value={filters.state}
        options={MESSAGE_STATES.map((value) => ({ value, label: t.exchange.message.states[value] }))}
        onChange={(state) => set({ state })}
      />
    </>
  );
}

export const isUnsuccessful = ({ state }: Message) => state === 'rejected' || state === 'failed';

type TableProps = { messages: readonly Message[]; label: string; sort?: Sort };

export function MessageTable({ messages, label, sort }: TableProps) {
  const { t, format } = useI18n();
  const texts = MESSAGE_TEXTS[t.language];
  const columns: readonly Column<Message>[] = [
    {
      id: 'type',
      header: texts.type,
      cell: ({ id, type, tso, delivery_date }) => (
        <span className="cell">
          <Link
            to="/operator/messages/$messageId"
            params={{ messageId: id }}
            className="font-medium text-accent-strong hover:underline"
          >
            {t.exchange.message.types[type]}
          </Link>
          <span className="text-xs text-muted sm:hidden">
            {[tso && t.common.tsos[tso], delivery_date && format.dayShort(delivery_date)]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </span>
      ),
    },
    {
      id: 'direction',
      header: t.common.direction,
      cell: ({ direction }) => <MessageDirection direction={direction} />,
    },
    { id: 'tso', header: t.common.controlArea, from: 'sm', cell: ({ tso }) => tso && t.common.tsos[tso] },
    {
      id: 'day',
      header: t.common.day,
      from: 'sm',
      cell: ({ delivery_date }) =>
        delivery_date && <span className="whitespace-nowrap">{format.day(delivery_date)}</span>,
    },
    { id: 'version', header: texts.version, isNumber: true, from: 'sm', cell: ({ version }) => version },
    {
      id: 'format',
      header: texts.format,
      from: 'lg',
      cell: ({ format: form }) => form?.toUpperCase(),
    },
    { id: 'state', header: texts.state, cell: ({ state }) => <MessageState state={state} /> },
    {
      id: 'created_at',
      sortBy: 'by-list',
      header: texts.stored,
      from: 'sm',
      cell: ({ created_at }) => <Instant at={created_at} />,
    },
    {
      id: 'error',
      header: texts.error,
      from: 'lg',
      isLong: true,
      width: 'xl:w-[28%]',
      cell: ({ error }) =>
        error && (
          <span title={error} className="line-clamp-2 xl:not-print:block xl:not-print:truncate">
            {error}
          </span>
        ),
    },
  ];
  return (
    <DataTable
      label={label}
      columns={columns}
      rows={messages}
      rowKey={({ id }) => id}
      rowTone={(message) => (isUnsuccessful(message) ? 'bad' : null)}
      sort={sort}
    />
  );
}
