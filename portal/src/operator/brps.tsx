import type { Brp } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useMayManage } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { ExportButton } from '../ui/export.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { EmptyState, Loaded } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import { PARTY_COLUMNS } from './exports.ts';
import { NameDialog } from './name-dialog.tsx';
import { brpsQuery, groupsQuery } from './queries.ts';

export function BrpsPage() {
  const { t } = useI18n();
  const texts = t.operator.brps;
  const mayManage = useMayManage();
  const navigate = useNavigate();
  const query = useQuery(brpsQuery);
  const [isAsked, setIsAsked] = useState(false);
  return (
    <Page
      title={texts.title}
      text={texts.text}
      actions={
        <>
          <ExportButton
            fileName="brps"
            columns={PARTY_COLUMNS}
            rows={(signal) => operatorClient.brps.each({}, { signal })}
          />
          {mayManage && (
            <Button variant="primary" icon="plus" onClick={() => setIsAsked(true)}>
              {texts.create}
            </Button>
          )}
        </>
      }
    >
      <Panel isFlush>
        <Loaded query={query}>
          {(brps) =>
            brps.length === 0 ? (
              <EmptyState title={texts.empty} text={texts.emptyText} />
            ) : (
              <BrpTable brps={brps} />
            )
          }
        </Loaded>
      </Panel>
      {isAsked && (
        <NameDialog
          title={texts.createTitle}
          label={t.operator.name}
          queryKey={brpsQuery.queryKey}
          create={(name) => operatorClient.brps.create({ name })}
          onMade={({ id }) => void navigate({ to: '/operator/brps/$brpId', params: { brpId: id } })}
          onClose={() => setIsAsked(false)}
        />
      )}
    </Page>
  );
}

function BrpTable({ brps }: { brps: readonly Brp[] }) {
  const { t, format } = useI18n();
  const { data: groups } = useQuery(groupsQuery());
  const columns: readonly Column<Brp>[] = [
    {
      id: 'name',
      header: t.operator.name,
      cell: ({ id, name }) => (
        <Link
          to="/operator/brps/$brpId"
          params={{ brpId: id }}
          className="font-medium text-accent-strong hover:underline"
        >
          {name}
        </Link>
      ),
    },
    {
      id: 'groups',
      header: t.operator.groups.title,
      isNumber: true,
      cell: ({ id }) => groups && format.number(groups.filter(({ brp_id }) => brp_id === id).length),
    },
    {
      id: 'created',
      header: t.common.created,
      from: 'sm',
      cell: ({ created_at }) => <Instant at={created_at} />,
    },
    { id: 'id', header: t.common.id, from: 'md', cell: ({ id }) => <Code text={id} /> },
  ];
  return <DataTable label={t.operator.brps.title} columns={columns} rows={brps} rowKey={({ id }) => id} />;
}
