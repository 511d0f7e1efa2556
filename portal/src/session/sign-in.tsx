import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { Button } from '../ui/button.tsx';
import { Form, PasswordField, TextField } from '../ui/form.tsx';
import { Notice } from '../ui/states.tsx';
import { NO_RETRY, portalClient } from './clients.ts';
import { Frame } from './frame.tsx';
import { startSession } from './session.ts';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { t } = useI18n();
  const { next, ended } = route.useSearch();
  const router = useRouter();
  const queryClient = useQueryClient();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: () => portalClient.session.signIn({ email, password }, NO_RETRY),
    onSuccess: async (state) => {
      await startSession(queryClient, state);
      router.history.replace(next ?? '/');
    },
  });
  return (
    <Frame title={t.session.signInTitle}>
      {ended && !signIn.isError && <Notice tone="warn">{t.session.expired}</Notice>}
      <Form error={signIn.error} fields={['email', 'password']} onSubmit={() => signIn.mutate()}>
        <TextField
          name="email"
          label={t.session.email}
          type="email"
          autoComplete="username"
          autoFocus
          value={email}
          onChange={setEmail}
        />
        <PasswordField
          name="password"
          label={t.session.password}
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
        />
        <Button type="submit" variant="primary" isBusy={signIn.isPending}>
          {t.session.signIn}
        </Button>
      </Form>
      <details className="text-sm">
        <summary className="cursor-pointer text-accent-strong hover:underline">{t.session.forgot}</summary>
        <p className="mt-2 text-muted">{t.session.forgotText}</p>
      </details>
    </Frame>
  );
}
