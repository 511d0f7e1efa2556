import type { SessionState } from '@saldo/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { NO_RETRY, portalClient } from '../session/clients.ts';
import { startSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Form, PasswordField, TextField } from '../ui/form.tsx';
import { Notice } from '../ui/states.tsx';
import { useInput } from '../ui/use-input.ts';
import { Frame } from './frame.tsx';
import { PasskeyButton } from './passkey-button.tsx';
import { ProviderFailure, ProviderSignIn } from './provider-sign-in.tsx';

const route = getRouteApi('/sign-in');

const EMPTY = { email: '', password: '' };

export function SignInPage() {
  const { t } = useI18n();
  const { next, ended } = route.useSearch();
  const router = useRouter();
  const queryClient = useQueryClient();
  const { input, set } = useInput(EMPTY);
  const onSignedIn = async (state: SessionState) => {
    await startSession(queryClient, state);
    router.history.replace(next ?? '/');
  };
  const signIn = useMutation({
    mutationFn: (credentials: typeof EMPTY) => portalClient.session.signIn(credentials, NO_RETRY),
    onSuccess: onSignedIn,
  });
  return (
    <Frame title={t.session.signInTitle}>
      {ended && !signIn.isError && <Notice tone="warn">{t.session.expired}</Notice>}
      <ProviderFailure />
      <Form error={signIn.error} fields={['email', 'password']} onSubmit={() => signIn.mutate(input)}>
        <TextField
          name="email"
          label={t.session.email}
          type="email"
          autoComplete="username"
          autoFocus
          value={input.email}
          onChange={(email) => set({ email })}
        />
        <PasswordField
          name="password"
          label={t.session.password}
          autoComplete="current-password"
          value={input.password}
          onChange={(password) => set({ password })}
        />
        <Button type="submit" variant="primary" isBusy={signIn.isPending}>
          {t.session.signIn}
        </Button>
      </Form>
      <PasskeyButton use="sign_in" onSignedIn={onSignedIn} />
      <ProviderSignIn email={input.email} next={next} />
      <details className="text-sm">
        <summary className="cursor-pointer text-accent-strong hover:underline">{t.session.forgot}</summary>
        <p className="mt-2 text-muted">{t.session.forgotText}</p>
      </details>
    </Frame>
  );
}
