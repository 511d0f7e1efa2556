import { LIMITS, USER_ROLES, type User, type UserStatus } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { BrpFilter } from '../references/party-fields.tsx';
import { AccountLink, BrpLink } from '../references/party-links.tsx';
import { given } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';
import { useMayManage } from '../session/session.ts';
import { useFilters } from '../ui/address.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { CreateButton } from '../ui/create-button.tsx';
import { type CsvColumn, memberColumns } from '../ui/csv.ts';
import { ExportButton } from '../ui/export.tsx';
import { FilterBar, SelectFilter, TextFilter } from '../ui/filters.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { EmptyState, Loaded } from '../ui/states.tsx';
import { type Column, DataTable, type Sort } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import { readUserSearch } from './filters.ts';
import { usersQuery } from './queries.ts';
import { EditUserDialog, InviteDialog, NewUserDialog, type UserOwner } from './user-dialogs.tsx';

const COLUMNS: readonly CsvColumn<User>[] = [
  ...memberColumns<User>('id', 'email', 'name', 'role', 'permissions'),
  { name: 'brp_id', value: ({ brp }) => brp?.id ?? null },
  { name: 'account_id', value: ({ account }) => account?.id ?? null },
  ...memberColumns<User>('status', 'created_at', 'last_signed_in_at'),
];

/** The users of the portal. */
export function UsersPage() {
  const { t } = useI18n();
  const texts = t.operator.users;
  const { filters: search, set, clear, isFiltered } = useFilters(readUserSearch, ['sort']);
  const { sort, ...filters } = search;
  const query = useQuery(usersQuery(filters));
  return (
    <Page
      title={texts.title}
      text={texts.text}
      actions={
        <>
          <ExportButton
            fileName="users"
            columns={COLUMNS}
            rows={(signal) => operatorClient.users.each(given(filters), { signal })}
          />
          <CreateButton label={texts.create} isPrimary>
            {(close) => <NewUserDialog onClose={close} />}
          </CreateButton>
        </>
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <SelectFilter
          label={t.session.role}
          value={filters.role}
          options={USER_ROLES.map((value) => ({ value, label: t.operator.roles[value] }))}
          onChange={(role) => set({ role })}
        />
        <BrpFilter value={filters.brp_id} onChange={(brp_id) => set({ brp_id })} />
        <TextFilter
          label={t.session.email}
          placeholder={texts.wholeAddress}
          value={filters.email}
          maxLength={LIMITS.emailLength}
          onChange={(email) => set({ email })}
        />
      </FilterBar>
      <Panel isFlush>
        <Loaded query={query}>
          {(users) => (
            <UserTable
              users={users}
              hasParty
              sort={{ value: sort, onChange: (next) => set({ sort: next }) }}
            />
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}

const TONES: Readonly<Record<UserStatus, Tone>> = { invited: 'warn', active: 'ok', disabled: 'neutral' };

type OpenDialog = { readonly what: 'edit' | 'invite'; readonly user: User };

type TableProps = { users: readonly User[]; hasParty?: boolean; sort?: Sort };

function UserTable({ users, hasParty = false, sort }: TableProps) {
  const { t } = useI18n();
  const texts = t.operator.users;
  const mayManage = useMayManage();
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const partyColumn: Column<User> = {
    id: 'party',
    sortBy: ({ brp, account }) => brp?.name ?? account?.name ?? null,
    from: 'md',
    header: t.session.organisation,
    cell: (user) => <UserParty user={user} />,
  };
  const columns: readonly Column<User>[] = [
    {
      id: 'name',
      sortBy: ({ name }) => name,
      header: t.operator.name,
      cell: ({ name, email }) => (
        <span className="grid min-w-36">
          <span className="font-medium">{name}</span>
          <span className="text-xs break-all text-muted">{email}</span>
        </span>
      ),
    },
    ...(hasParty ? [partyColumn] : []),
    {
      id: 'permissions',
      header: t.session.permission,
      from: 'sm',
      cell: ({ permissions }) => t.session.permissions[permissions],
    },
    {
      id: 'status',
      sortBy: ({ status }) => texts.statuses[status],
      header: t.common.status,
      cell: (user) => <UserState user={user} />,
    },
    {
      id: 'signed_in',
      sortBy: ({ last_signed_in_at }) => last_signed_in_at,
      header: texts.lastSignIn,
      from: 'lg',
      cell: ({ last_signed_in_at }) =>
        last_signed_in_at ? (
          <Instant at={last_signed_in_at} />
        ) : (
          <span className="text-muted">{t.common.never}</span>
        ),
    },
    {
      id: 'actions',
      header: <span className="sr-only">{t.common.actions}</span>,
      isNumber: true,
      cell: (user) => mayManage && <UserButtons user={user} onOpen={setDialog} />,
    },
  ];
  const close = () => setDialog(null);
  return (
    <>
      {users.length === 0 ? (
        <EmptyState title={texts.empty} text={texts.emptyText} />
      ) : (
        <DataTable
          label={texts.title}
          columns={columns}
          rows={users}
          rowKey={({ id }) => id}
          sort={sort}
          rowTone={({ status }) => (status === 'disabled' ? 'faded' : null)}
        />
      )}
      {dialog?.what === 'edit' && <EditUserDialog user={dialog.user} onClose={close} />}
      {dialog?.what === 'invite' && <InviteDialog user={dialog.user} onClose={close} />}
    </>
  );
}

function UserState({ user: { status, invitation_expires_at, providers } }: { user: User }) {
  const { t } = useI18n();
  const texts = t.operator.users;
  return (
    <span className="grid justify-items-start gap-0.5">
      <Badge tone={TONES[status]}>{texts.statuses[status]}</Badge>
      {invitation_expires_at && (
        <span className="text-xs text-muted">
          {`${texts.invitedUntil} `}
          <Instant at={invitation_expires_at} />
        </span>
      )}
      {providers.map((issuer) => (
        <span key={issuer} className="text-xs text-muted" title={issuer}>
          {`${texts.signsInWith} ${new URL(issuer).host}`}
        </span>
      ))}
    </span>
  );
}

function UserButtons({ user, onOpen }: { user: User; onOpen: (dialog: OpenDialog) => void }) {
  const { t } = useI18n();
  const texts = t.operator.users;
  return (
    <span className="inline-flex gap-1">
      {user.status !== 'disabled' && (
        <Button
          variant="quiet"
          icon="external"
          aria-label={`${texts.invite}: ${user.name}`}
          onClick={() => onOpen({ what: 'invite', user })}
        >
          <span className="max-sm:sr-only">{texts.invite}</span>
        </Button>
      )}
      <Button
        variant="quiet"
        icon="edit"
        aria-label={`${texts.edit}: ${user.name}`}
        onClick={() => onOpen({ what: 'edit', user })}
      >
        <span className="max-sm:sr-only">{texts.edit}</span>
      </Button>
    </span>
  );
}

function UserParty({ user: { brp, account, role } }: { user: User }) {
  const { t } = useI18n();
  return (
    <span className="grid">
      {brp && <BrpLink {...brp} />}
      {account && <AccountLink {...account} />}
      <span className="text-xs text-muted">{t.operator.roles[role]}</span>
    </span>
  );
}

/** The users of one party, on its own page. */
export function PartyUsers({ owner }: { owner: UserOwner }) {
  const { t } = useI18n();
  const query = useQuery(usersQuery(owner.role === 'brp' ? { brp_id: owner.id } : { account_id: owner.id }));
  return (
    <Panel
      title={t.operator.users.title}
      isFlush
      actions={
        <CreateButton label={t.operator.users.create}>
          {(close) => <NewUserDialog owner={owner} onClose={close} />}
        </CreateButton>
      }
    >
      <Loaded query={query}>{(users) => <UserTable users={users} />}</Loaded>
    </Panel>
  );
}
