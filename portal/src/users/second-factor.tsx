import type { SessionState } from '@saldo/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { portalClient } from '../session/clients.ts';
import { arePasskeysSupported } from '../session/passkeys.ts';
import { announceSession, sessionQuery, startSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { FormProblem } from '../ui/form.tsx';
import { ToastProvider } from '../ui/toast.tsx';
import { CodeStep } from './code-step.tsx';
import { FACTOR_TEXTS } from './factor-texts.ts';
import { Frame } from './frame.tsx';
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
  const enter = useEnter();
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
        {isSetUp ? <SetUpStep onConfirmed={() => setIsConfirmed(true)} /> : <CodeStep onSignedIn={enter} />}
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

/** Starts the completed session, with the page that was asked for. */
function useEnter() {
  const router = useRouter();
  const queryClient = useQueryClient();
  const { next } = route.useSearch();
  return async (state: SessionState) => {
    await startSession(queryClient, state);
    router.history.replace(next ?? '/');
  };
}

function SetUpStep({ onConfirmed }: { onConfirmed: () => void }) {
  const { format } = useI18n();
  const [isConfirmed, setIsConfirmed] = useState(false);
  const enter = useMutation({ mutationFn: () => portalClient.session.get(), onSuccess: useEnter() });
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
      announceSession('ended');
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
