import { LIMITS, type LoggedRequest, REQUEST_METHODS, STATUS_CLASSES } from '@saldo/api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { useRolePath } from '../references/links.tsx';
import { type FilterProps, useFilters } from '../ui/address.ts';
import { DayFilter, FilterBar, SelectFilter, TextFilter } from '../ui/filters.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { EmptyState } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { AnswerTime } from './answer-time.tsx';
import { type RequestFilters, readRequestFilters } from './filters.ts';
import { requestsQuery } from './queries.ts';
import { useRequestTexts } from './request-texts.ts';
import { StatusBadge } from './status-badge.tsx';

/** The requests of the user's party, newest first. */
export function RequestsPage() {
  const { t } = useI18n();
  const texts = useRequestTexts();
  const { filters, set, clear, isFiltered } = useFilters(readRequestFilters);
  const query = useInfiniteQuery(requestsQuery(filters));
  return (
    <Page title={t.common.requests} text={texts.text}>
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <RequestFilterFields filters={filters} set={set} />
      </FilterBar>
      <Panel isFlush>
        <PagedList
          query={query}
          recordsOf={(page) => page.requests}
          empty={<EmptyState title={texts.empty} text={texts.emptyText} />}
        >
          {(requests) => <RequestTable requests={requests} />}
        </PagedList>
      </Panel>
    </Page>
  );
}

function RequestFilterFields({ filters, set }: FilterProps<RequestFilters>) {
  const texts = useRequestTexts();
  const text = (name: 'id' | 'caller' | 'route', placeholder: string) => (
    <TextFilter
      label={texts[name]}
      placeholder={placeholder}
      value={filters[name]}
      maxLength={LIMITS.searchLength}
      onChange={(value) => set({ [name]: value })}
    />
  );
  return (
    <>
      {text('id', 'req_…')}
      {text('caller', 'key_… / user_…')}
      <SelectFilter
        label={texts.statusClass}
        value={filters.status_class}
        options={STATUS_CLASSES.map((value) => ({ value, label: texts.statusClasses[value] }))}
        onChange={(status_class) => set({ status_class })}
      />
      <SelectFilter
        label={texts.method}
        value={filters.method}
        options={REQUEST_METHODS.map((value) => ({ value, label: value }))}
        onChange={(method) => set({ method })}
      />
      {text('route', '/v1/contracts')}
      <div className="w-44">
        <DayFilter label={texts.from} value={filters.from} onChange={(from) => set({ from })} />
      </div>
      <div className="w-44">
        <DayFilter label={texts.to} value={filters.to} onChange={(to) => set({ to })} />
      </div>
    </>
  );
}

function RequestTable({ requests }: { requests: readonly LoggedRequest[] }) {
  const { t, format } = useI18n();
  const texts = useRequestTexts();
  const base = useRolePath();
  // Fixed decimals, so that the digits of a column line up.
  const milliseconds = new Intl.NumberFormat(format.locale, { minimumFractionDigits: 2 });
  const columns: readonly Column<LoggedRequest>[] = [
    { id: 'at', header: texts.at, cell: ({ at }) => <AnswerTime at={at} /> },
    {
      id: 'request',
      header: texts.request,
      cell: ({ request_id, method, path }) => (
        <Link
          to={`${base}/requests/$requestId`}
          params={{ requestId: request_id }}
          title={path}
          className="block max-w-xl min-w-28 font-mono text-[0.92em] text-accent-strong hover:underline max-xl:break-all sm:min-w-48 xl:truncate min-[1700px]:max-w-4xl print:max-w-none"
        >
          {`${method} ${path}`}
        </Link>
      ),
    },
    {
      id: 'status',
      header: texts.status,
      cell: ({ status, problem }) => (
        <span className="cell">
          <StatusBadge status={status} />
          {problem !== null && <span className="text-xs text-muted">{problem}</span>}
        </span>
      ),
    },
    {
      id: 'duration',
      header: texts.duration,
      isNumber: true,
      from: 'md',
      cell: ({ duration_ms }) => `${milliseconds.format(duration_ms)} ms`,
    },
    {
      id: 'caller',
      header: texts.caller,
      from: 'sm',
      cell: ({ caller, caller_name }) => (
        <Link to={`${base}/requests`} search={{ caller }} className="hover:underline" title={caller}>
          {caller_name ?? caller}
        </Link>
      ),
    },
  ];
  return (
    <DataTable
      label={t.common.requests}
      columns={columns}
      rows={requests}
      // A client may choose the same id for several requests.
      rowKey={({ request_id, at, duration_ms }) => `${request_id} ${at} ${duration_ms}`}
    />
  );
}
