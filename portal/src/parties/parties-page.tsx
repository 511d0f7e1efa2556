import type { Brp } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import type { brpsQuery } from '../references/operator-queries.ts';
import { useFilters } from '../ui/address.ts';
import { Code } from '../ui/copy.tsx';
import { CreateButton } from '../ui/create-button.tsx';
import { memberColumns } from '../ui/csv.ts';
import { ExportButton } from '../ui/export.tsx';
import { FilterBar, SearchFilter } from '../ui/filters.tsx';
import { MoreButton } from '../ui/more.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { containsText } from '../ui/search-parameters.ts';
import { EmptyState, Loaded } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import { readPartyFilters } from './filters.ts';
import { NameDialog } from './name-dialog.tsx';

/** Fields that a BRP and an account holder share. */
type Party = Brp;

const COLUMNS = memberColumns<Party>('id', 'name', 'created_at');

type Props = {
  texts: Readonly<Record<'title' | 'text' | 'create' | 'createTitle' | 'empty' | 'emptyText', string>>;
  fileName: string;
  query: typeof brpsQuery;
  client: {
    each: (filter: object, options: { signal: AbortSignal }) => AsyncIterable<Party>;
    create: (party: { name: string }) => Promise<Party>;
  };
  link: ComponentType<Party & { className: string }>;
  /** Additional columns after the name. */
  more?: readonly Column<Party>[];
  onCreated: (id: string) => void;
};

/** A list of BRPs or accounts, by name. */
export function PartiesPage({
  texts,
  fileName,
  query,
  client,
  link: PartyLink,
  more = [],
  onCreated,
}: Props) {
  const { t } = useI18n();
  const { filters, set, clear, isFiltered } = useFilters(readPartyFilters);
  const parties = useQuery(query);
  const columns: readonly Column<Party>[] = [
    {
      id: 'name',
      header: t.operator.name,
      cell: (party) => <PartyLink {...party} className="font-medium text-accent-strong hover:underline" />,
    },
    ...more,
    {
      id: 'created',
      header: t.common.created,
      from: 'sm',
      cell: ({ created_at }) => <Instant at={created_at} />,
    },
    { id: 'id', header: t.common.id, from: 'md', cell: ({ id }) => <Code text={id} /> },
  ];
  return (
    <Page
      title={texts.title}
      text={texts.text}
      actions={
        <>
          <ExportButton
            fileName={fileName}
            columns={COLUMNS}
            rows={(signal) => client.each({}, { signal })}
          />
          <CreateButton label={texts.create} isPrimary>
            {(close) => (
              <NameDialog
                title={texts.createTitle}
                queryKey={query.queryKey}
                create={(name) => client.create({ name })}
                onCreated={({ id }) => onCreated(id)}
                onClose={close}
              />
            )}
          </CreateButton>
        </>
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <SearchFilter hint={t.operator.name} value={filters.search} onChange={(search) => set({ search })} />
      </FilterBar>
      <Panel isFlush>
        <Loaded query={parties}>
          {(all) => {
            const rows = all.filter(({ name, id }) => containsText(filters.search, name, id));
            return rows.length === 0 ? (
              <EmptyState
                title={all.length === 0 ? texts.empty : t.search.nothing}
                text={all.length === 0 ? texts.emptyText : t.search.nothingText}
              />
            ) : (
              <>
                <DataTable label={texts.title} columns={columns} rows={rows} rowKey={({ id }) => id} />
                <MoreButton count={rows.length} />
              </>
            );
          }}
        </Loaded>
      </Panel>
    </Page>
  );
}
