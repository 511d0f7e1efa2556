import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { portalClient } from '../session/clients.ts';
import { usePermission } from '../session/session.ts';
import { useFilters } from '../ui/address.ts';
import { CreateButton } from '../ui/create-button.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { Loaded, Notice } from '../ui/states.tsx';
import { readOwnUserSearch } from './filters.ts';
import { ownUsersQuery } from './queries.ts';
import { NewUserDialog } from './user-dialogs.tsx';
import { UserTable } from './user-table.tsx';
import { USER_TEXTS } from './user-texts.ts';

export function OwnUsersPage() {
  return usePermission('admin') ? <OwnUsers /> : <NotAllowed />;
}

function NotAllowed() {
  const { t } = useI18n();
  return (
    <Page title={USER_TEXTS[t.language].title}>
      <Notice>{USER_TEXTS[t.language].notAllowed}</Notice>
    </Page>
  );
}

/** The users of a BRP or an account holder. */
function OwnUsers() {
  const { t } = useI18n();
  const texts = USER_TEXTS[t.language];
  const { filters, set } = useFilters(readOwnUserSearch, ['sort']);
  const query = useQuery(ownUsersQuery);
  const { users: client } = portalClient;
  return (
    <Page
      title={texts.title}
      text={texts.ownText}
      actions={
        <CreateButton label={texts.create} isPrimary needs="admin">
          {(close) => <NewUserDialog create={client.create} invite={client.invite} onClose={close} />}
        </CreateButton>
      }
    >
      <Panel isFlush>
        <Loaded query={query}>
          {(users) => (
            <UserTable
              users={users}
              actions={client}
              sort={{ value: filters.sort, onChange: (sort) => set({ sort }) }}
            />
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}
