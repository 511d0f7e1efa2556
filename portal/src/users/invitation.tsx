import { LIMITS } from '@saldo/api';
import { isProblem } from '@saldo/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { portalClient } from '../session/clients.ts';
import { startSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Form, PasswordField } from '../ui/form.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { useInput } from '../ui/use-input.ts';
import { Frame } from './frame.tsx';
import { ProviderButtons } from './provider-sign-in.tsx';

/** The fragment of the link: browsers never send it, so it does not appear in any log. */
const tokenOf = (hash: string): string => hash.replace(/^#/, '');

export function InvitationPage() {
  const { t } = useI18n();
  const [token] = useState(() => tokenOf(location.hash));
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => portalClient.invitations.get(token, { signal }),
    enabled: token !== '',
  });
  if (token === '' || isProblem(invitation.error, 'invitation_not_found')) {
    return (
      <Frame title={t.session.invitationMissing}>
        <EmptyState title="" text={t.session.invitationMissingText} />
      </Frame>
    );
  }
  if (invitation.error) {
    return (
      <Frame title={t.common.errorTitle}>
        <ErrorState error={invitation.error} onRetry={() => void invitation.refetch()} />
      </Frame>
    );
  }
  if (!invitation.data) {
    return (
      <Frame title={t.common.loading}>
        <Skeleton lines={4} />
      </Frame>
    );
  }
  const { name, email, expires_at, providers } = invitation.data;
  return (
    <Frame title={t.session.invitationTitle(name)}>
      {providers.length > 0 ? (
        <>
          <p className="text-sm text-muted">{t.session.invitationProviderText(email)}</p>
          <ProviderButtons providers={providers} variant="primary" start={{ invitation: token }} />
        </>
      ) : (
        <>
          <p className="text-sm text-muted">{t.session.invitationText(email)}</p>
          <AcceptForm token={token} email={email} />
        </>
      )}
      <p className="text-xs text-muted">
        {t.session.invitationExpires} <Instant at={expires_at} />
      </p>
    </Frame>
  );
}

const EMPTY = { password: '', repeated: '' };

function AcceptForm({ token, email }: { token: string; email: string }) {
  const { t } = useI18n();
  const router = useRouter();
  const queryClient = useQueryClient();
  const { input, set } = useInput(EMPTY);
  const { password, repeated } = input;
  const [isTried, setIsTried] = useState(false);
  const differ = isTried && password !== repeated ? t.session.passwordsDiffer : undefined;
  const accept = useMutation({
    mutationFn: (accepted: { token: string; password: string }) =>
      portalClient.invitations.accept(accepted.token, { password: accepted.password }),
    onSuccess: async (state) => {
      if (state.pending === null) await startSession(queryClient, state);
      router.history.replace('/');
    },
  });
  const submit = () => {
    setIsTried(true);
    if (password === repeated) accept.mutate({ token, password });
  };
  return (
    <Form error={accept.error} fields={['password']} onSubmit={submit}>
      {/* Password managers look for the user name that belongs to the password. */}
      <input type="hidden" name="username" autoComplete="username" value={email} />
      <PasswordField
        name="password"
        label={t.session.newPassword}
        hint={t.session.passwordRule(LIMITS.password.minimum)}
        autoComplete="new-password"
        value={password}
        onChange={(next) => set({ password: next })}
      />
      <PasswordField
        name="repeated"
        label={t.session.repeatPassword}
        autoComplete="new-password"
        error={differ}
        value={repeated}
        onChange={(next) => set({ repeated: next })}
      />
      <Button type="submit" variant="primary" isBusy={accept.isPending}>
        {t.session.accept}
      </Button>
    </Form>
  );
}
