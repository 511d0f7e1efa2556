import type { User, UserStatus } from '@saldo/api';
import { type ReactNode, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { usePermission } from '../session/session.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { MoreButton } from '../ui/more.tsx';
import { EmptyState } from '../ui/states.tsx';
import { type Column, DataTable, type Sort } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import type { UserActions } from './queries.ts';
import { EditUserDialog, InviteDialog } from './user-dialogs.tsx';
import { USER_TEXTS } from './user-texts.ts';

const TONES: Readonly<Record<UserStatus, Tone>> = { invited: 'warn', active: 'ok', disabled: 'neutral' };

type OpenDialog = { readonly what: 'edit' | 'invite'; readonly user: User };

type TableProps = {
  users: readonly User[];
  actions: UserActions;
  /** The party of a user, in lists with users of several parties. */
  partyOf?: (user: User) => ReactNode;
  sort?: Sort;
};

/** A table of users with their actions. */
export function UserTable({ users, actions, partyOf, sort }: TableProps) {
  const { t } = useI18n();
  const texts = USER_TEXTS[t.language];
  const isAdministrator = usePermission('admin');
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const partyColumn = (cell: (user: User) => ReactNode): Column<User> => ({
    id: 'party',
    sortBy: ({ brp, account }) => brp?.name ?? account?.name ?? null,
    from: 'md',
    header: t.session.organisation,
    cell,
  });
  const columns: readonly Column<User>[] = [
    {
      id: 'name',
      sortBy: ({ name }) => name,
      header: t.operator.name,
      cell: ({ name, email }) => (
        <span className="cell min-w-36">
          <span className="font-medium">{name}</span>
          <span className="text-xs break-all text-muted">{email}</span>
        </span>
      ),
    },
    ...(partyOf ? [partyColumn(partyOf)] : []),
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
      cell: (user) => isAdministrator && <UserButtons user={user} onOpen={setDialog} />,
    },
  ];
  const close = () => setDialog(null);
  return (
    <>
      {users.length === 0 ? (
        <EmptyState title={texts.empty} text={texts.emptyText} />
      ) : (
        <>
          <DataTable
            label={texts.title}
            columns={columns}
            rows={users}
            rowKey={({ id }) => id}
            sort={sort}
            rowTone={({ status }) => (status === 'disabled' ? 'faded' : null)}
          />
          <MoreButton count={users.length} />
        </>
      )}
      {dialog?.what === 'edit' && <EditUserDialog user={dialog.user} actions={actions} onClose={close} />}
      {dialog?.what === 'invite' && <InviteDialog user={dialog.user} actions={actions} onClose={close} />}
    </>
  );
}

function UserState({ user: { status, invitation_expires_at, providers } }: { user: User }) {
  const { t } = useI18n();
  const texts = USER_TEXTS[t.language];
  return (
    <span className="cell">
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
  const texts = USER_TEXTS[t.language];
  const invite = user.status === 'invited' ? texts.invite : texts.inviteAgain;
  return (
    <span className="inline-flex gap-1">
      {user.status !== 'disabled' && (
        <Button
          variant="quiet"
          icon="mail"
          aria-label={`${invite}: ${user.name}`}
          onClick={() => onOpen({ what: 'invite', user })}
        >
          <span className="max-sm:sr-only">{invite}</span>
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
