import type { SessionPending, SessionState } from '@saldo/api';
import { useMutation } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { portalClient } from '../session/clients.ts';
import { Button } from '../ui/button.tsx';
import { FormProblem } from '../ui/form.tsx';
import { PasskeyButton } from './passkey-button.tsx';
import { AddPasskeyForm } from './passkeys.tsx';

type PendingSignInProps = {
  pending: SessionPending;
  email: string;
  onSignedIn: (state: SessionState) => Promise<void>;
  onCancel: () => void;
};

/** What follows the password: the second factor of the user, or setting up the first one. */
export function PendingSignIn({ pending, email, onSignedIn, onCancel }: PendingSignInProps) {
  const { t } = useI18n();
  const texts = t.session.passkeys;
  const complete = useMutation({ mutationFn: () => portalClient.session.get(), onSuccess: onSignedIn });
  return (
    <div className="grid gap-4">
      <p className="text-sm text-muted">{pending === 'set_up' ? texts.setUpText : texts.stepText(email)}</p>
      <FormProblem error={complete.error} />
      {pending === 'set_up' ? (
        <AddPasskeyForm firstName={texts.newName(1)} onAdded={() => complete.mutate()} />
      ) : (
        <PasskeyButton use="second_step" onSignedIn={onSignedIn} />
      )}
      <Button variant="quiet" onClick={onCancel}>
        {texts.otherUser}
      </Button>
    </div>
  );
}
