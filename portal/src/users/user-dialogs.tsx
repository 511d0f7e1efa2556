import { type InvitationLink, LIMITS, USER_PERMISSIONS, type User, type UserPermissions } from '@saldo/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { NameField } from '../references/name-field.tsx';
import { useSession } from '../session/session.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { changeOf, useChange, type Versioned } from '../session/versions.ts';
import { Button } from '../ui/button.tsx';
import { ConflictNotice } from '../ui/conflict.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { Checkbox, Form, FormButtons, FormProblem, SelectField, TextField } from '../ui/form.tsx';
import { Secret, SecretDialog } from '../ui/secret-dialog.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import { useInput } from '../ui/use-input.ts';
import { FACTOR_TEXTS } from './factor-texts.ts';
import { type UserActions, userQuery } from './queries.ts';
import { ResetFactorsDialog } from './reset-factors.tsx';
import { USER_TEXTS } from './user-texts.ts';

type NewUser = { readonly email: string; readonly name: string; readonly permissions: UserPermissions };

const NEW_USER: NewUser = { email: '', name: '', permissions: 'member' };

type Invited = { readonly user: User; readonly invitation: InvitationLink };

type NewUserProps = {
  create: (user: NewUser) => Promise<User>;
  invite: UserActions['invite'];
  /** Additional fields, their names, and whether they are complete. */
  children?: ReactNode;
  fields?: readonly string[];
  isReady?: boolean;
  onClose: () => void;
};

/** Creates a user together with an invitation, which the user needs to sign in. */
export function NewUserDialog(props: NewUserProps) {
  const { create: send, invite, children, fields = [], isReady = true, onClose } = props;
  const { t } = useI18n();
  const texts = USER_TEXTS[t.language];
  const refresh = useRefresh();
  const { input, set } = useInput(NEW_USER);
  const create = useMutation({
    mutationFn: (sendNow: () => Promise<Invited>) => sendNow(),
    onSettled: () => void refresh(['users']),
  });
  const submit = () =>
    create.mutate(async () => {
      const user = await send(input);
      return { user, invitation: await invite(user.id) };
    });
  if (create.data) return <LinkDialog {...create.data} onClose={onClose} />;
  return (
    <Dialog title={texts.createTitle} onClose={onClose}>
      <Form error={create.error} fields={['email', 'name', 'permissions', ...fields]} onSubmit={submit}>
        <NameField value={input.name} onChange={(name) => set({ name })} />
        <TextField
          name="email"
          type="email"
          label={t.session.email}
          autoComplete="off"
          maxLength={LIMITS.emailLength}
          value={input.email}
          onChange={(email) => set({ email })}
        />
        {children}
        <PermissionsField value={input.permissions} onChange={(permissions) => set({ permissions })} />
        <FormButtons
          action={texts.createAndInvite}
          isBusy={create.isPending}
          disabled={!isReady}
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
      hint={t.session.permissionsHint}
      value={value}
      options={USER_PERMISSIONS.map((known) => ({ value: known, label: t.session.permissions[known] }))}
      onChange={onChange}
    />
  );
}

type UserDialogProps = { user: User; actions: UserActions; onClose: () => void };

export function EditUserDialog({ user, actions, onClose }: UserDialogProps) {
  const { t, format } = useI18n();
  const query = useQuery(userQuery(actions, user.id));
  const isMyself = useSession().user.id === user.id;
  const [isResetting, setIsResetting] = useState(false);
  if (isResetting && actions.resetFactors)
    return <ResetFactorsDialog user={user} reset={actions.resetFactors} onClose={onClose} />;
  return (
    <Dialog title={`${USER_TEXTS[t.language].edit}: ${user.email}`} onClose={onClose}>
      <Loaded query={query} loading={<Skeleton lines={6} />}>
        {(version) => <EditUserForm version={version} actions={actions} onClose={onClose} />}
      </Loaded>
      {actions.endSessions && <EndSessions user={user} end={actions.endSessions} onDone={onClose} />}
      {actions.resetFactors && !isMyself && user.status === 'active' && (
        <div className="mt-4 border-t border-line pt-4">
          <Button onClick={() => setIsResetting(true)}>{FACTOR_TEXTS[format.language].reset}</Button>
        </div>
      )}
    </Dialog>
  );
}

type EndSessionsProps = { user: User; end: NonNullable<UserActions['endSessions']>; onDone: () => void };

function EndSessions({ user, end: send, onDone }: EndSessionsProps) {
  const { t } = useI18n();
  const texts = USER_TEXTS[t.language];
  const end = useChange(
    useChangeHandlers({ toast: () => texts.sessionsEnded(user.name), refresh: [['sessions']], onDone }),
  );
  return (
    <div className="mt-4 grid justify-items-start gap-1 border-t border-line pt-4">
      <FormProblem error={end.error} />
      <Button isBusy={end.isPending} onClick={() => end.mutate(() => send(user.id))}>
        {texts.endSessions}
      </Button>
      <p className="text-xs text-muted">{texts.endSessionsHint}</p>
    </div>
  );
}

const userInput = ({ name, permissions, status }: User) => ({
  name,
  permissions,
  isDisabled: status === 'disabled',
});

type EditFormProps = { version: Versioned<User>; actions: UserActions; onClose: () => void };

function EditUserForm({ version, actions, onClose }: EditFormProps) {
  const { t } = useI18n();
  const texts = USER_TEXTS[t.language];
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
        query: userQuery(actions, id),
        from: version,
        partOf: userInput,
        send: (options) => actions.update(id, { ...rest, disabled }, options),
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
export function InviteDialog({ user, actions, onClose }: UserDialogProps) {
  const { t } = useI18n();
  const texts = USER_TEXTS[t.language];
  const refresh = useRefresh();
  const invite = useMutation({
    mutationFn: (sendNow: () => Promise<InvitationLink>) => sendNow(),
    onSettled: () => void refresh(['users']),
  });
  const isInvited = user.status === 'invited';
  if (invite.data) return <LinkDialog user={user} invitation={invite.data} onClose={onClose} />;
  return (
    <ConfirmDialog
      title={(isInvited ? texts.inviteTitle : texts.inviteAgainTitle)(user.name)}
      text={isInvited ? texts.inviteText : texts.inviteAgainText}
      action={texts.makeLink}
      isBusy={invite.isPending}
      error={invite.error}
      onConfirm={() => invite.mutate(() => actions.invite(user.id))}
      onClose={onClose}
    />
  );
}

type LinkProps = { user: User; invitation: InvitationLink; onClose: () => void };

function LinkDialog({ user, invitation, onClose }: LinkProps) {
  const { t } = useI18n();
  const texts = USER_TEXTS[t.language];
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
