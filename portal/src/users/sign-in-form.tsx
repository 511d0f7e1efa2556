import type { SessionState, UserRole } from '@saldo/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { NO_RETRY, portalClient } from '../session/clients.ts';
import { loadPart } from '../session/connection.ts';
import { Button } from '../ui/button.tsx';
import { Form, PasswordField, TextField } from '../ui/form.tsx';
import { useInput } from '../ui/use-input.ts';
import { PasskeyButton } from './passkey-button.tsx';
import { ProviderSignIn, providersQuery } from './provider-sign-in.tsx';

const DemoSignIn = lazy(async () => {
  const { DemoSignIn: Buttons } = await loadPart(() => import('./demo-sign-in.tsx'));
  return { default: Buttons };
});

type Credentials = { readonly email: string; readonly password: string };

type Props = {
  onSignedIn: (state: SessionState) => Promise<void>;
  /** Called when a try with a password has failed. */
  onFailed?: () => void;
  /** The page that a provider leads back to. */
  next: string | undefined;
  /** The user who signs in again. Without it, the user types an email. */
  former?: { readonly email: string; readonly role: UserRole };
  /** Shown above the buttons of providers. */
  providerNotice?: ReactNode;
};

/** All ways to sign in: a password, a passkey, an identity provider, a button of a demo. */
export function SignInForm({ onSignedIn, onFailed, next, former, providerNotice }: Props) {
  const { t } = useI18n();
  const { input, set } = useInput({ email: former?.email ?? '', password: '' });
  const offered = useQuery(providersQuery(null)).data?.demo_roles ?? [];
  const demoRoles = former ? offered.filter((role) => role === former.role) : offered;
  const signIn = useMutation({
    mutationFn: (credentials: Credentials) => portalClient.session.signIn(credentials, NO_RETRY),
    onSuccess: onSignedIn,
    ...(onFailed && { onError: onFailed }),
  });
  return (
    <>
      {demoRoles.length > 0 && (
        <Suspense>
          <DemoSignIn roles={demoRoles} onSignedIn={onSignedIn} />
        </Suspense>
      )}
      <Form
        error={signIn.error}
        fields={['email', 'password']}
        // A password is not input of the page.
        isUnsaved={false}
        onSubmit={() => signIn.mutate(input)}
      >
        <TextField
          name="email"
          label={t.session.email}
          type="email"
          autoComplete="username"
          autoFocus={former === undefined}
          disabled={former !== undefined}
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
      <ProviderSignIn email={input.email} next={next} notice={providerNotice} />
    </>
  );
}
