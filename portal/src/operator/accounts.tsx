import type { Account } from '@saldo/api';
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
import { accountsQuery } from './queries.ts';

/** The account holders of the customer API. */
export function AccountsPage() {
  const { t } = useI18n();
  const texts = t.operator.accounts;
  const mayManage = useMayManage();
  const navigate = useNavigate();
  const query = useQuery(accountsQuery);
  const [isAsked, setIsAsked] = useState(false);
  return (
    <Page
      title={texts.title}
      text={texts.text}
      actions={
        <>
          <ExportButton
            fileName="accounts"
            columns={PARTY_COLUMNS}
            rows={(signal) => operatorClient.accounts.each({}, { signal })}
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
        <Loaded query={query}>{(accounts) => <AccountTable accounts={accounts} />}</Loaded>
      </Panel>
      {isAsked && (
        <NameDialog
          title={texts.createTitle}
          label={t.operator.name}
          queryKey={accountsQuery.queryKey}
          create={(name) => operatorClient.accounts.create({ name })}
          onMade={({ id }) =>
            void navigate({ to: '/operator/accounts/$accountId', params: { accountId: id } })
          }
          onClose={() => setIsAsked(false)}
        />
      )}
    </Page>
  );
}

function AccountTable({ accounts }: { accounts: readonly Account[] }) {
  const { t } = useI18n();
  const texts = t.operator.accounts;
  const columns: readonly Column<Account>[] = [
    {
      id: 'name',
      header: t.operator.name,
      cell: ({ id, name }) => (
        <Link
          to="/operator/accounts/$accountId"
          params={{ accountId: id }}
          className="font-medium text-accent-strong hover:underline"
        >
          {name}
        </Link>
      ),
    },
    {
      id: 'created',
      header: t.common.created,
      from: 'sm',
      cell: ({ created_at }) => <Instant at={created_at} />,
    },
    { id: 'id', header: t.common.id, from: 'md', cell: ({ id }) => <Code text={id} /> },
  ];
  if (accounts.length === 0) return <EmptyState title={texts.empty} text={texts.emptyText} />;
  return <DataTable label={texts.title} columns={columns} rows={accounts} rowKey={({ id }) => id} />;
}
