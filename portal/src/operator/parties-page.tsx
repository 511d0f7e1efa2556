import type { Brp } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { Code } from '../ui/copy.tsx';
import { CreateButton } from '../ui/create-button.tsx';
import { ExportButton } from '../ui/export.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { EmptyState, Loaded } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import { PARTY_COLUMNS } from './exports.ts';
import { NameDialog } from './name-dialog.tsx';
import type { brpsQuery } from './queries.ts';

/** Fields that a BRP and an account holder share. */
type Party = Brp;

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
            columns={PARTY_COLUMNS}
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
      <Panel isFlush>
        <Loaded query={parties}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState title={texts.empty} text={texts.emptyText} />
            ) : (
              <DataTable label={texts.title} columns={columns} rows={rows} rowKey={({ id }) => id} />
            )
          }
        </Loaded>
      </Panel>
    </Page>
  );
}
