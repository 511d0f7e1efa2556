import { LIMITS, type Passkey } from '@saldo/api';
import { isProblem } from '@saldo/sdk';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { portalClient } from '../session/clients.ts';
import { arePasskeysSupported, createPasskey } from '../session/passkeys.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { Form, TextField } from '../ui/form.tsx';
import { Panel } from '../ui/page.tsx';
import { Loaded, Notice, Skeleton } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import { useInput } from '../ui/use-input.ts';
import { PASSKEY_TEXTS } from './passkey-texts.ts';

const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: async ({ signal }) => (await portalClient.passkeys.list({ signal })).passkeys,
});

type OpenDialog = { readonly what: 'rename' | 'remove'; readonly passkey: Passkey };

/** The user's own passkeys. */
export function PasskeysPanel() {
  const { format } = useI18n();
  const texts = PASSKEY_TEXTS[format.language];
  const query = useQuery(passkeysQuery);
  const [isAdding, setIsAdding] = useState(false);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const close = () => setDialog(null);
  return (
    <Panel title={texts.title}>
      <div className="grid gap-4">
        <p className="text-sm text-muted">{texts.text}</p>
        <Loaded query={query} loading={<Skeleton lines={2} />}>
          {(passkeys) => <PasskeyList passkeys={passkeys} onOpen={setDialog} />}
        </Loaded>
        {arePasskeysSupported() ? (
          <div>
            <Button icon="plus" disabled={query.data === undefined} onClick={() => setIsAdding(true)}>
              {texts.add}
            </Button>
          </div>
        ) : (
          <Notice tone="warn">{texts.unsupported}</Notice>
        )}
      </div>
      {isAdding && (
        <AddDialog
          firstName={texts.newName((query.data?.length ?? 0) + 1)}
          onClose={() => setIsAdding(false)}
        />
      )}
      {dialog?.what === 'rename' && <RenameDialog passkey={dialog.passkey} onClose={close} />}
      {dialog?.what === 'remove' && <RemoveDialog passkey={dialog.passkey} onClose={close} />}
    </Panel>
  );
}

type ListProps = { passkeys: readonly Passkey[]; onOpen: (dialog: OpenDialog) => void };

function PasskeyList({ passkeys, onOpen }: ListProps) {
  const { t, format } = useI18n();
  const texts = PASSKEY_TEXTS[format.language];
  if (passkeys.length === 0) return <p className="text-sm">{texts.empty}</p>;
  return (
    <ul aria-label={texts.title} className="divide-y divide-line rounded-md border border-line">
      {passkeys.map((passkey) => (
        <li key={passkey.id} className="flex flex-wrap items-center justify-between gap-2 px-3 py-2 text-sm">
          <div className="min-w-0">
            <p className="font-medium break-words">{passkey.name}</p>
            <p className="text-xs text-muted">
              {texts.created} <Instant at={passkey.created_at} />
              {' · '}
              {texts.lastUsed} {passkey.last_used_at ? <Instant at={passkey.last_used_at} /> : t.common.never}
            </p>
          </div>
          <span className="flex gap-1">
            {(['rename', 'remove'] as const).map((what) => (
              <Button
                key={what}
                variant="quiet"
                aria-label={`${texts[what]}: ${passkey.name}`}
                onClick={() => onOpen({ what, passkey })}
              >
                {texts[what]}
              </Button>
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}

type NameFormProps = {
  firstName: string;
  action: string;
  error: unknown;
  isBusy: boolean;
  onSubmit: (name: string) => void;
  children?: ReactNode;
};

function NameForm({ firstName, action, error, isBusy, onSubmit, children }: NameFormProps) {
  const { format } = useI18n();
  const texts = PASSKEY_TEXTS[format.language];
  const { input, set, isUnsaved } = useInput({ name: firstName });
  return (
    <Form error={error} fields={['name']} isUnsaved={isUnsaved} onSubmit={() => onSubmit(input.name)}>
      <SignInAgain error={error} />
      <TextField
        name="name"
        label={texts.name}
        hint={texts.nameHint}
        autoComplete="off"
        maxLength={LIMITS.nameLength}
        value={input.name}
        onChange={(name) => set({ name })}
      />
      {children}
      <div className="flex justify-end">
        <Button type="submit" variant="primary" isBusy={isBusy}>
          {action}
        </Button>
      </div>
    </Form>
  );
}

/** The way out after a sign-in that was too long ago. */
function SignInAgain({ error }: { error: unknown }) {
  const { format } = useI18n();
  if (!isProblem(error, 'recent_sign_in_required')) return null;
  return (
    <div>
      <Link to="/sign-in" search={{ next: '/profile' }} ignoreBlocker className={buttonClass()}>
        {PASSKEY_TEXTS[format.language].signInAgain}
      </Link>
    </div>
  );
}

/** Creates a passkey with a name. Also for a user who has to set up a second factor before the first page. */
export function AddPasskeyForm({
  firstName,
  onAdded,
}: {
  firstName: string;
  onAdded: (added: Passkey) => void;
}) {
  const { format } = useI18n();
  const texts = PASSKEY_TEXTS[format.language];
  const add = useMutation({ mutationFn: createPasskey, onSuccess: onAdded });
  if (!arePasskeysSupported()) return <Notice tone="warn">{texts.unsupported}</Notice>;
  return (
    <NameForm
      firstName={firstName}
      action={texts.add}
      error={add.error}
      isBusy={add.isPending}
      onSubmit={add.mutate}
    >
      <p className="text-sm text-muted">{texts.addText}</p>
    </NameForm>
  );
}

function AddDialog({ firstName, onClose }: { firstName: string; onClose: () => void }) {
  const { format } = useI18n();
  const texts = PASSKEY_TEXTS[format.language];
  const { onSuccess, onSettled } = useChangeHandlers<Passkey>({
    toast: ({ name }) => texts.added(name),
    refresh: [passkeysQuery.queryKey],
    onDone: onClose,
  });
  return (
    <Dialog title={texts.add} onClose={onClose}>
      <AddPasskeyForm
        firstName={firstName}
        onAdded={(added) => {
          onSuccess(added);
          void onSettled();
        }}
      />
    </Dialog>
  );
}

type PasskeyDialogProps = { passkey: Passkey; onClose: () => void };

function RenameDialog({ passkey, onClose }: PasskeyDialogProps) {
  const { format } = useI18n();
  const texts = PASSKEY_TEXTS[format.language];
  const rename = useMutation({
    mutationFn: ({ id, name }: Pick<Passkey, 'id' | 'name'>) => portalClient.passkeys.rename(id, { name }),
    ...useChangeHandlers<Passkey>({
      toast: ({ name }) => texts.renamed(name),
      refresh: [passkeysQuery.queryKey],
      onDone: onClose,
    }),
  });
  return (
    <Dialog title={texts.renameTitle(passkey.name)} onClose={onClose}>
      <NameForm
        firstName={passkey.name}
        action={texts.rename}
        error={rename.error}
        isBusy={rename.isPending}
        onSubmit={(name) => rename.mutate({ id: passkey.id, name })}
      />
    </Dialog>
  );
}

function RemoveDialog({ passkey, onClose }: PasskeyDialogProps) {
  const { format } = useI18n();
  const texts = PASSKEY_TEXTS[format.language];
  const remove = useMutation({
    mutationFn: (id: string) => portalClient.passkeys.remove(id),
    ...useChangeHandlers({
      toast: () => texts.removed(passkey.name),
      refresh: [passkeysQuery.queryKey],
      onDone: onClose,
    }),
  });
  return (
    <ConfirmDialog
      title={texts.removeTitle(passkey.name)}
      text={texts.removeText}
      action={texts.remove}
      isDangerous
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(passkey.id)}
      onClose={onClose}
    >
      <SignInAgain error={remove.error} />
    </ConfirmDialog>
  );
}
