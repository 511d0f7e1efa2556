import type { OneTimeCodeSetUp } from '@saldo/api';
import { useMutation } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { NO_RETRY, portalClient } from '../session/clients.ts';
import { Button } from '../ui/button.tsx';
import { Form, FormButtons, FormProblem, PasswordField } from '../ui/form.tsx';
import { Secret } from '../ui/secret-dialog.tsx';
import { useInput } from '../ui/use-input.ts';
import { CodeForm } from './code-form.tsx';
import { FACTOR_TEXTS } from './factor-texts.ts';
import { PROFILE_TEXTS } from './profile-texts.ts';
import { QrCode } from './qr-code.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

type Props = {
  /** What proves that it is the user: nothing in a session that is pending, a code to replace one-time codes. */
  proof: 'none' | 'password' | 'code';
  /** Called once the codes are set up, before the recovery codes have been stored. */
  onConfirmed?: () => void;
  onDone: () => void;
  /** Absent if the user cannot do without. */
  onClose?: () => void;
};

/** Sets up one-time codes: the proof, then the secret with its first code, then the recovery codes. */
export function SetUpCodes({ proof, onConfirmed, onDone, onClose }: Props) {
  const begin = useMutation({
    mutationFn: (proved: { password?: string; code?: string }) =>
      portalClient.factors.beginOneTimeCode(proved, NO_RETRY),
  });
  const confirm = useMutation({
    mutationFn: (input: { token: string; code: string }) =>
      portalClient.factors.confirmOneTimeCode(input, NO_RETRY),
    ...(onConfirmed && { onSuccess: onConfirmed }),
  });
  if (confirm.data) return <RecoveryCodes codes={confirm.data.recovery_codes} onDone={onDone} />;
  if (begin.data) return <Scan setUp={begin.data} confirm={confirm} {...(onClose && { onClose })} />;
  return <Proof proof={proof} begin={begin} {...(onClose && { onClose })} />;
}

type Sending<T> = { readonly error: unknown; readonly isPending: boolean; mutate(input: T): void };

type ProofProps = {
  proof: Props['proof'];
  begin: Sending<{ password?: string; code?: string }>;
  onClose?: () => void;
};

function Proof({ proof, begin, onClose }: ProofProps) {
  const { t, format } = useI18n();
  const texts = FACTOR_TEXTS[format.language];
  const { input, set } = useInput({ password: '' });
  if (proof === 'none')
    return (
      <>
        <FormProblem error={begin.error} />
        <Button variant="primary" isBusy={begin.isPending} onClick={() => begin.mutate({})}>
          {texts.setUp}
        </Button>
      </>
    );
  if (proof === 'code')
    return (
      <div className="grid gap-4">
        <p className="text-sm text-muted">{texts.proofText}</p>
        <CodeForm
          action={texts.next}
          hint={texts.codeHint}
          error={begin.error}
          isBusy={begin.isPending}
          onSubmit={(code) => begin.mutate({ code })}
          {...(onClose && { onClose })}
        />
      </div>
    );
  return (
    <Form
      error={begin.error}
      fields={['password']}
      isUnsaved={false}
      // A user without a password has a recent session instead.
      onSubmit={() => begin.mutate(input.password === '' ? {} : input)}
    >
      <p className="text-sm text-muted">{texts.proofText}</p>
      <PasswordField
        name="password"
        label={PROFILE_TEXTS[t.language].currentPassword}
        autoComplete="current-password"
        value={input.password}
        onChange={(password) => set({ password })}
      />
      <FormButtons action={texts.next} isBusy={begin.isPending} onClose={onClose ?? (() => {})} />
    </Form>
  );
}

type ScanProps = {
  setUp: OneTimeCodeSetUp;
  confirm: Sending<{ token: string; code: string }>;
  onClose?: () => void;
};

function Scan({ setUp: { token, secret, uri }, confirm, onClose }: ScanProps) {
  const { format } = useI18n();
  const texts = FACTOR_TEXTS[format.language];
  return (
    <div className="grid gap-4">
      <p className="text-sm text-muted">{texts.scanText}</p>
      <a href={uri} className="mx-auto">
        <QrCode text={uri} label={texts.qrCode} />
      </a>
      <Secret label={texts.secret} text={secret} what={texts.secretName} />
      <CodeForm
        action={texts.turnOn}
        isNumeric
        error={confirm.error}
        isBusy={confirm.isPending}
        onSubmit={(code) => confirm.mutate({ token, code })}
        {...(onClose && { onClose })}
      />
    </div>
  );
}
