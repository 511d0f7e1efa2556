import {
  type InvitationLink,
  LIMITS,
  USER_PERMISSIONS,
  USER_ROLES,
  type User,
  type UserPermissions,
  type UserRole,
} from '@saldo/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { NameField } from '../references/name-field.tsx';
import { AccountField, BrpField } from '../references/party-fields.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useSession } from '../session/session.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { changeOf, useChange, type Versioned } from '../session/versions.ts';
import { Button } from '../ui/button.tsx';
import { ConflictNotice } from '../ui/conflict.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { Checkbox, Form, FormButtons, SelectField, TextField } from '../ui/form.tsx';
import { Secret, SecretDialog } from '../ui/secret-dialog.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import { useInput } from '../ui/use-input.ts';
import { userQuery } from './queries.ts';
import { ResetFactorsDialog } from './reset-factors.tsx';

/** The party of a user, if it is fixed by the page. */
export type UserOwner = { readonly role: 'brp' | 'account'; readonly id: string };

type NewUser = {
  readonly email: string;
  readonly name: string;
  readonly role: UserRole;
  /** The id of the BRP or the account. */
  readonly party: string;
  readonly permissions: UserPermissions;
};

const NEW_USER = { email: '', name: '', permissions: 'manage' } as const;

/** Creates a user together with an invitation, which the user needs to sign in. */
export function NewUserDialog({ owner, onClose }: { owner?: UserOwner; onClose: () => void }) {
  const { t } = useI18n();
  const texts = t.operator.users;
  const refresh = useRefresh();
  const { input, set } = useInput<NewUser>({
    ...NEW_USER,
    role: owner?.role ?? 'brp',
    party: owner?.id ?? '',
  });
  const { email, name, role, party, permissions } = input;
  const create = useMutation({
    mutationFn: async ({ party: id, ...rest }: NewUser) => {
      const parties = { brp: { brp_id: id }, account: { account_id: id }, operator: {} };
      const user = await operatorClient.users.create({ ...rest, ...parties[rest.role] });
      return { user, invitation: await operatorClient.users.invite(user.id) };
    },
    onSettled: () => void refresh(['users']),
  });
  if (create.data) {
    return <LinkDialog user={create.data.user} invitation={create.data.invitation} onClose={onClose} />;
  }
  return (
    <Dialog title={texts.createTitle} onClose={onClose}>
      <Form
        error={create.error}
        fields={['email', 'name', 'role', 'permissions', 'brp_id', 'account_id']}
        onSubmit={() => create.mutate(input)}
      >
        <NameField value={name} onChange={(next) => set({ name: next })} />
        <TextField
          name="email"
          type="email"
          label={t.session.email}
          autoComplete="off"
          maxLength={LIMITS.emailLength}
          value={email}
          onChange={(next) => set({ email: next })}
        />
        {!owner && (
          <SelectField
            name="role"
            label={t.session.role}
            value={role}
            options={USER_ROLES.map((value) => ({ value, label: t.operator.roles[value] }))}
            onChange={(next) => set({ role: next, party: '' })}
          />
        )}
        {!owner && role === 'brp' && (
          <BrpField
            name="brp_id"
            label={t.session.organisation}
            value={party}
            onChange={(id) => set({ party: id })}
          />
        )}
        {!owner && role === 'account' && (
          <AccountField
            name="account_id"
            label={t.session.organisation}
            value={party}
            onChange={(id) => set({ party: id })}
          />
        )}
        <PermissionsField value={permissions} onChange={(next) => set({ permissions: next })} />
        <FormButtons
          action={texts.createAndInvite}
          isBusy={create.isPending}
          disabled={role !== 'operator' && party === ''}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}

type PermissionsProps = { value: UserPermissions; onChange: (value: UserPermissions) => void };

function PermissionsField({ value, onChange }: PermissionsProps) {
  const { t } = useI18n();
  return (
    <SelectField
      name="permissions"
      label={t.session.permission}
      value={value}
      options={USER_PERMISSIONS.map((known) => ({ value: known, label: t.session.permissions[known] }))}
      onChange={onChange}
    />
  );
}

export function EditUserDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useI18n();
  const query = useQuery(userQuery(user.id));
  const isMyself = useSession().user.id === user.id;
  const [isResetting, setIsResetting] = useState(false);
  if (isResetting) return <ResetFactorsDialog user={user} onClose={onClose} />;
  return (
    <Dialog title={`${t.operator.users.edit}: ${user.email}`} onClose={onClose}>
      <Loaded query={query} loading={<Skeleton lines={6} />}>
        {(version) => <EditUserForm version={version} onClose={onClose} />}
      </Loaded>
      {!isMyself && user.status === 'active' && (
        <div className="mt-4 border-t border-line pt-4">
          <Button onClick={() => setIsResetting(true)}>{t.factors.reset}</Button>
        </div>
      )}
    </Dialog>
  );
}

const userInput = ({ name, permissions, status }: User) => ({
  name,
  permissions,
  isDisabled: status === 'disabled',
});

function EditUserForm({ version, onClose }: { version: Versioned<User>; onClose: () => void }) {
  const { t } = useI18n();
  const texts = t.operator.users;
  const { id } = version.record;
  const isMyself = useSession().user.id === id;
  const stored = userInput(version.record);
  const { input, set, isUnsaved, started, reset } = useInput(stored);
  const update = useChange(
    useChangeHandlers<User>({
      toast: ({ name }) => t.operator.savedToast(name),
      refresh: [['users']],
      onDone: onClose,
    }),
  );
  const submit = () => {
    const { isDisabled: disabled, ...rest } = input;
    update.mutate(
      changeOf({
        query: userQuery(id),
        from: version,
        partOf: userInput,
        send: (options) => operatorClient.users.update(id, { ...rest, disabled }, options),
      }),
    );
  };
  return (
    <Form
      error={update.error}
      fields={['name', 'permissions', 'disabled']}
      isUnsaved={isUnsaved}
      onSubmit={submit}
    >
      <ConflictNotice
        recordId={id}
        started={started}
        current={stored}
        describe={({ name, permissions, isDisabled }) => ({
          [t.operator.name]: name,
          [t.session.permission]: t.session.permissions[permissions],
          [t.common.status]: texts.statuses[isDisabled ? 'disabled' : 'active'],
        })}
        onReset={reset}
      />
      <NameField value={input.name} onChange={(name) => set({ name })} />
      <PermissionsField value={input.permissions} onChange={(permissions) => set({ permissions })} />
      <div className="grid gap-1">
        <Checkbox
          name="disabled"
          label={texts.disabled}
          checked={input.isDisabled}
          onChange={(isDisabled) => set({ isDisabled })}
        />
        <p className="text-xs text-muted">{isMyself ? texts.yourself : texts.disabledHint}</p>
      </div>
      <FormButtons action={t.common.save} isBusy={update.isPending} onClose={onClose} />
    </Form>
  );
}

/** Creates a new link for a user whose link expired or who has forgotten the password. */
export function InviteDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useI18n();
  const texts = t.operator.users;
  const refresh = useRefresh();
  const invite = useMutation({
    mutationFn: (userId: string) => operatorClient.users.invite(userId),
    onSettled: () => void refresh(['users']),
  });
  if (invite.data) return <LinkDialog user={user} invitation={invite.data} onClose={onClose} />;
  return (
    <ConfirmDialog
      title={texts.inviteTitle(user.name)}
      text={user.status === 'invited' ? texts.inviteText : texts.inviteAgainText}
      action={texts.makeLink}
      isBusy={invite.isPending}
      error={invite.error}
      onConfirm={() => invite.mutate(user.id)}
      onClose={onClose}
    />
  );
}

type LinkProps = { user: User; invitation: InvitationLink; onClose: () => void };

function LinkDialog({ user, invitation, onClose }: LinkProps) {
  const { t } = useI18n();
  const texts = t.operator.users;
  return (
    <SecretDialog
      title={texts.linkTitle(user.name)}
      text={texts.linkText}
      done={texts.linkDone}
      onClose={onClose}
    >
      <Secret label={user.email} text={invitation.link} what={texts.link} />
      <p className="text-sm text-muted">
        {`${t.session.invitationExpires} `}
        <Instant at={invitation.expires_at} />
      </p>
    </SecretDialog>
  );
}
