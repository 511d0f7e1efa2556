import { LIMITS, USER_ROLES, type User, type UserRole } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { AccountField, BrpField, BrpFilter } from '../references/party-fields.tsx';
import { AccountLink, BrpLink } from '../references/party-links.tsx';
import { given } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';
import { useFilters } from '../ui/address.ts';
import { CreateButton } from '../ui/create-button.tsx';
import { type CsvColumn, memberColumns } from '../ui/csv.ts';
import { ExportButton } from '../ui/export.tsx';
import { FilterBar, SelectFilter, TextFilter } from '../ui/filters.tsx';
import { SelectField } from '../ui/form.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import { readUserSearch } from './filters.ts';
import { usersQuery } from './operator-queries.ts';
import { NewUserDialog } from './user-dialogs.tsx';
import { UserTable } from './user-table.tsx';
import { USER_TEXTS } from './user-texts.ts';

const COLUMNS: readonly CsvColumn<User>[] = [
  ...memberColumns<User>('id', 'email', 'name', 'role', 'permissions'),
  { name: 'brp_id', value: ({ brp }) => brp?.id ?? null },
  { name: 'account_id', value: ({ account }) => account?.id ?? null },
  ...memberColumns<User>('status', 'created_at', 'last_signed_in_at'),
];

/** The users of the portal. */
export function UsersPage() {
  const { t } = useI18n();
  const texts = USER_TEXTS[t.language];
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
          <CreateButton label={texts.create} isPrimary needs="admin">
            {(close) => <NewUserOfParty onClose={close} />}
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
              actions={operatorClient.users}
              partyOf={(user) => <UserParty user={user} />}
              sort={{ value: sort, onChange: (next) => set({ sort: next }) }}
            />
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}

function UserParty({ user: { brp, account, role } }: { user: User }) {
  const { t } = useI18n();
  return (
    <span className="cell">
      {brp && <BrpLink {...brp} />}
      {account && <AccountLink {...account} />}
      <span className="text-xs text-muted">{t.operator.roles[role]}</span>
    </span>
  );
}

/** The party of a user, if it is fixed by the page. */
type UserOwner = { readonly role: 'brp' | 'account'; readonly id: string };

/** Creates a user of a party that is selected first. */
function NewUserOfParty({ owner, onClose }: { owner?: UserOwner; onClose: () => void }) {
  const { t } = useI18n();
  const [role, setRole] = useState<UserRole>(owner?.role ?? 'brp');
  const [party, setParty] = useState(owner?.id ?? '');
  const parties = { brp: { brp_id: party }, account: { account_id: party }, operator: {} };
  const change = (next: UserRole) => {
    setRole(next);
    setParty('');
  };
  return (
    <NewUserDialog
      create={(user) => operatorClient.users.create({ ...user, role, ...parties[role] })}
      invite={operatorClient.users.invite}
      fields={['role', 'brp_id', 'account_id']}
      isReady={role === 'operator' || party !== ''}
      onClose={onClose}
    >
      {!owner && (
        <SelectField
          name="role"
          label={t.session.role}
          value={role}
          options={USER_ROLES.map((value) => ({ value, label: t.operator.roles[value] }))}
          onChange={change}
        />
      )}
      {!owner && role === 'brp' && (
        <BrpField name="brp_id" label={t.session.organisation} value={party} onChange={setParty} />
      )}
      {!owner && role === 'account' && (
        <AccountField name="account_id" label={t.session.organisation} value={party} onChange={setParty} />
      )}
    </NewUserDialog>
  );
}

/** The users of one party, on its own page. */
export function PartyUsers({ owner }: { owner: UserOwner }) {
  const { t } = useI18n();
  const query = useQuery(usersQuery(owner.role === 'brp' ? { brp_id: owner.id } : { account_id: owner.id }));
  return (
    <Panel
      title={USER_TEXTS[t.language].title}
      isFlush
      actions={
        <CreateButton label={USER_TEXTS[t.language].create} needs="admin">
          {(close) => <NewUserOfParty owner={owner} onClose={close} />}
        </CreateButton>
      }
    >
      <Loaded query={query} loading={<Skeleton lines={2} />}>
        {(users) => <UserTable users={users} actions={operatorClient.users} />}
      </Loaded>
    </Panel>
  );
}
