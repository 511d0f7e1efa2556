import type { SessionState } from '@saldo/api';
import { useMutation } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { arePasskeysSupported, type PasskeyUse, signInWithPasskey } from '../session/passkeys.ts';
import { Button } from '../ui/button.tsx';
import { FormProblem } from '../ui/form.tsx';
import { PASSKEY_TEXTS } from './passkey-texts.ts';

type PasskeyButtonProps = {
  use: PasskeyUse;
  onSignedIn: (state: SessionState) => Promise<void>;
};

/** Signs in with a passkey, alone or as the second step. Without an email: the browser lists the passkeys it has. */
export function PasskeyButton({ use, onSignedIn }: PasskeyButtonProps) {
  const { format } = useI18n();
  const signIn = useMutation({ mutationFn: signInWithPasskey, onSuccess: onSignedIn });
  if (!arePasskeysSupported())
    return <p className="text-xs text-muted">{PASSKEY_TEXTS[format.language].unsupported}</p>;
  return (
    <div className="grid gap-3">
      <FormProblem error={signIn.error} />
      <Button
        icon="key"
        variant={use === 'sign_in' ? 'secondary' : 'primary'}
        isBusy={signIn.isPending}
        onClick={() => signIn.mutate(use)}
      >
        {PASSKEY_TEXTS[format.language].use}
      </Button>
    </div>
  );
}
