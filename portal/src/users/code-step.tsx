import type { SessionState } from '@saldo/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { NO_RETRY, portalClient } from '../session/clients.ts';
import { Button } from '../ui/button.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import { CodeForm } from './code-form.tsx';
import { FACTOR_TEXTS } from './factor-texts.ts';
import { factorsQuery } from './factors-query.ts';
import { PasskeyButton } from './passkey-button.tsx';

type Props = { onSignedIn: (state: SessionState) => Promise<void> };

/** The second step of a sign-in: a passkey, a one-time code or a recovery code. */
export function CodeStep({ onSignedIn }: Props) {
  const { format } = useI18n();
  const texts = FACTOR_TEXTS[format.language];
  const factors = useQuery(factorsQuery);
  const [isRecovery, setIsRecovery] = useState(false);
  const complete = useMutation({
    mutationFn: (code: string) => portalClient.factors.complete({ code }, NO_RETRY),
    onSuccess: onSignedIn,
  });
  return (
    <Loaded query={factors} loading={<Skeleton lines={3} />}>
      {({ one_time_code, passkeys }) => (
        <>
          {passkeys > 0 && <PasskeyButton use="second_step" onSignedIn={onSignedIn} />}
          {one_time_code && (
            <>
              <p className="text-sm text-muted">{isRecovery ? texts.recoveryText : texts.codeText}</p>
              <CodeForm
                key={String(isRecovery)}
                action={texts.confirm}
                label={isRecovery ? texts.recoveryCode : texts.code}
                isNumeric={!isRecovery}
                error={complete.error}
                isBusy={complete.isPending}
                onSubmit={(code) => complete.mutate(code)}
              />
              <Button
                onClick={() => {
                  complete.reset();
                  setIsRecovery(!isRecovery);
                }}
              >
                {isRecovery ? texts.useCode : texts.useRecoveryCode}
              </Button>
              {isRecovery && <p className="text-sm text-muted">{texts.lost}</p>}
            </>
          )}
        </>
      )}
    </Loaded>
  );
}
