import type { SessionState } from '@saldo/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { NO_RETRY, portalClient } from '../session/clients.ts';
import { arePasskeysSupported } from '../session/passkeys.ts';
import { announceSession, sessionQuery, startSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { FormProblem } from '../ui/form.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import { ToastProvider } from '../ui/toast.tsx';
import { CodeForm } from './code-form.tsx';
import { FACTOR_TEXTS } from './factor-texts.ts';
import { factorsQuery } from './factors-query.ts';
import { Frame } from './frame.tsx';
import { PasskeyButton } from './passkey-button.tsx';
import { PASSKEY_TEXTS } from './passkey-texts.ts';
import { AddPasskeyForm } from './passkeys.tsx';
import { SetUpCodes } from './set-up-codes.tsx';

const route = getRouteApi('/second-factor');

/** The second step of a sign-in: a code, or the set-up of the first factor. */
export function SecondFactorPage() {
  const { format } = useI18n();
  const context = route.useRouteContext();
  // Of the first visit: the set-up completes the session, and the recovery codes have to be shown after that.
  const [pending] = useState(context.session.pending);
  const [isConfirmed, setIsConfirmed] = useState(false);
  useReturnWhenEnded();
  const isSetUp = pending === 'set_up';
  const setUpTitle = isConfirmed
    ? FACTOR_TEXTS[format.language].recoveryTitle
    : FACTOR_TEXTS[format.language].setUpTitle;
  return (
    <ToastProvider>
      <Frame title={isSetUp ? setUpTitle : FACTOR_TEXTS[format.language].signInTitle}>
        {isSetUp && !isConfirmed && (
          <p className="text-sm text-muted">{FACTOR_TEXTS[format.language].setUpRequired}</p>
        )}
        {isSetUp ? <SetUpStep onConfirmed={() => setIsConfirmed(true)} /> : <CodeStep />}
        {!isConfirmed && <CancelButton />}
      </Frame>
    </ToastProvider>
  );
}

/** A session that is not completed ends after ten minutes. */
function useReturnWhenEnded(): void {
  const router = useRouter();
  const { next } = route.useSearch();
  const { data: session } = useQuery(sessionQuery);
  useEffect(() => {
    if (session !== null) return;
    const search = { ended: 'true' as const, ...(next === undefined ? {} : { next }) };
    void router.navigate({ to: '/sign-in', search, replace: true });
  }, [session, next, router]);
}

function CodeStep() {
  const { format } = useI18n();
  const texts = FACTOR_TEXTS[format.language];
  const factors = useQuery(factorsQuery);
  const router = useRouter();
  const queryClient = useQueryClient();
  const { next } = route.useSearch();
  const [isRecovery, setIsRecovery] = useState(false);
  const enter = async (state: SessionState) => {
    await startSession(queryClient, state);
    router.history.replace(next ?? '/');
  };
  const complete = useMutation({
    mutationFn: (code: string) => portalClient.factors.complete({ code }, NO_RETRY),
    onSuccess: enter,
  });
  return (
    <Loaded query={factors} loading={<Skeleton lines={3} />}>
      {({ one_time_code, passkeys }) => (
        <>
          {passkeys > 0 && <PasskeyButton use="second_step" onSignedIn={enter} />}
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

function SetUpStep({ onConfirmed }: { onConfirmed: () => void }) {
  const { format } = useI18n();
  const [isConfirmed, setIsConfirmed] = useState(false);
  const router = useRouter();
  const queryClient = useQueryClient();
  const { next } = route.useSearch();
  const enter = useMutation({
    mutationFn: () => portalClient.session.get(),
    onSuccess: async (state) => {
      await startSession(queryClient, state);
      router.history.replace(next ?? '/');
    },
  });
  return (
    <>
      <SetUpCodes
        proof="none"
        onConfirmed={() => {
          setIsConfirmed(true);
          onConfirmed();
        }}
        onDone={() => enter.mutate()}
      />
      {!isConfirmed && arePasskeysSupported() && (
        <div className="grid gap-3 border-t border-line pt-4">
          <p className="text-sm text-muted">{PASSKEY_TEXTS[format.language].setUpText}</p>
          <AddPasskeyForm
            firstName={PASSKEY_TEXTS[format.language].newName(1)}
            onAdded={() => enter.mutate()}
          />
        </div>
      )}
      <FormProblem error={enter.error} />
    </>
  );
}

function CancelButton() {
  const { format } = useI18n();
  const router = useRouter();
  const queryClient = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => portalClient.session.signOut(),
    onSuccess: async () => {
      announceSession();
      queryClient.setQueryData(sessionQuery.queryKey, null);
      await router.navigate({ to: '/sign-in', replace: true });
    },
  });
  return (
    <>
      <FormProblem error={signOut.error} />
      <Button variant="quiet" isBusy={signOut.isPending} onClick={() => signOut.mutate()}>
        {FACTOR_TEXTS[format.language].cancelSignIn}
      </Button>
    </>
  );
}
