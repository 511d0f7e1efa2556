import { AUDIT_ACTIONS, type AuditEntry } from '@saldo/api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { type FilterProps, useFilters } from '../ui/address.ts';
import { type CsvColumn, memberColumns } from '../ui/csv.ts';
import { ExportButton } from '../ui/export.tsx';
import { DayFilter, FilterBar, SelectFilter } from '../ui/filters.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { EmptyState } from '../ui/states.tsx';
import { AuditList } from './audit-list.tsx';
import { actionName, auditText } from './audit-sentence.tsx';
import { AUDIT_TEXTS } from './audit-texts.ts';
import { type AuditFilters, readAuditFilters } from './filters.ts';
import { AUDIT_PAGE_TEXTS } from './page-texts.ts';
import { auditQuery, eachAuditEntry } from './queries.ts';
import { RecordFilter } from './record-filter.tsx';

const COLUMNS: readonly CsvColumn<AuditEntry>[] = [
  ...memberColumns<AuditEntry>(
    'id',
    'at',
    'actor',
    'actor_name',
    'action',
    'subject',
    'request_id',
    'address',
    'user_agent',
  ),
  { name: 'before', value: ({ before }) => (before === null ? null : JSON.stringify(before)) },
  { name: 'after', value: ({ after }) => (after === null ? null : JSON.stringify(after)) },
];

/** The audit trail, newest event first. */
export function AuditPage() {
  const { t, format } = useI18n();
  const texts = AUDIT_PAGE_TEXTS[t.language];
  const { filters, set, clear, isFiltered } = useFilters(readAuditFilters);
  const query = useInfiniteQuery(auditQuery(filters));
  const columns = [
    ...COLUMNS,
    { name: 'sentence', value: (entry: AuditEntry) => auditText(entry, { t, format }) },
  ];
  return (
    <Page
      title={t.operator.nav.audit}
      text={texts.text}
      actions={
        <ExportButton fileName="audit" columns={columns} rows={(signal) => eachAuditEntry(filters, signal)} />
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <AuditFilterFields filters={filters} set={set} />
      </FilterBar>
      <Panel isFlush>
        <PagedList
          query={query}
          recordsOf={(page) => page.entries}
          empty={<EmptyState title={texts.empty} text={texts.emptyText} />}
        >
          {(entries) => <AuditList entries={entries} />}
        </PagedList>
      </Panel>
    </Page>
  );
}

function AuditFilterFields({ filters, set }: FilterProps<AuditFilters>) {
  const { t } = useI18n();
  const texts = AUDIT_TEXTS[t.language];
  const page = AUDIT_PAGE_TEXTS[t.language];
  const { action } = filters;
  // A link may name an action of another version of the server.
  const isOther = action !== undefined && !AUDIT_ACTIONS.some((known) => known === action);
  const actions: readonly string[] = isOther ? [...AUDIT_ACTIONS, action] : AUDIT_ACTIONS;
  return (
    <>
      <RecordFilter
        label={texts.subject}
        searched="subject"
        value={filters.subject}
        onChange={(subject) => set({ subject })}
      />
      <RecordFilter
        label={texts.actor}
        searched="actor"
        value={filters.actor}
        onChange={(actor) => set({ actor })}
      />
      <SelectFilter
        label={texts.action}
        value={filters.action}
        options={actions.map((value) => ({ value, label: actionName(value, t.language) }))}
        onChange={(action) => set({ action })}
        isWide
      />
      <div className="w-44">
        <DayFilter label={page.from} value={filters.from} onChange={(from) => set({ from })} />
      </div>
      <div className="w-44">
        <DayFilter label={page.to} value={filters.to} onChange={(to) => set({ to })} />
      </div>
    </>
  );
}
