import type { SessionState } from '@saldo/api';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { startSession } from '../session/session.ts';
import { Notice } from '../ui/states.tsx';
import { Frame } from './frame.tsx';
import { ProviderFailure } from './provider-sign-in.tsx';
import { SignInForm } from './sign-in-form.tsx';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { t } = useI18n();
  const { next, ended } = route.useSearch();
  const router = useRouter();
  const queryClient = useQueryClient();
  const [hasFailed, setHasFailed] = useState(false);
  const onSignedIn = async (state: SessionState) => {
    await startSession(queryClient, state);
    router.history.replace(next ?? '/');
  };
  return (
    <Frame title={t.session.signInTitle}>
      {ended && !hasFailed && <Notice tone="warn">{t.session.expired}</Notice>}
      <ProviderFailure />
      <SignInForm next={next} onSignedIn={onSignedIn} onFailed={() => setHasFailed(true)} />
      <details className="text-sm">
        <summary className="cursor-pointer text-accent-strong hover:underline">{t.session.forgot}</summary>
        <p className="mt-2 text-muted">{t.session.forgotText}</p>
      </details>
    </Frame>
  );
}
