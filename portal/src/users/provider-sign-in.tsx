import { skipToken, useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { NO_RETRY, portalClient } from '../session/clients.ts';
import { Button, type ButtonVariant } from '../ui/button.tsx';
import { FormProblem } from '../ui/form.tsx';
import { Notice } from '../ui/states.tsx';
import { useSettled } from '../ui/use-settled.ts';

/** Why the sign-in with a provider failed, which the page that it returns to does not show itself. */
export const FAILURE_KEY = ['provider-failure'];

export function ProviderFailure() {
  const { data } = useQuery<Error>({ queryKey: FAILURE_KEY, queryFn: skipToken });
  return <FormProblem error={data} />;
}

type Start = { readonly id: string; readonly return_to?: string; readonly invitation?: string };

type ButtonsProps = {
  providers: readonly { readonly id: string; readonly label: string }[];
  variant?: ButtonVariant;
  /** The page to show afterwards, and the invitation to accept. */
  start?: Omit<Start, 'id'>;
};

/** A button per provider, which leads there. */
export function ProviderButtons({ providers, variant = 'secondary', start = {} }: ButtonsProps) {
  const { t } = useI18n();
  const begin = useMutation({
    mutationFn: ({ id, ...body }: Start) => portalClient.providers.start(id, body, NO_RETRY),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  return (
    <>
      <FormProblem error={begin.error} />
      {providers.map(({ id, label }) => (
        <Button
          key={id}
          variant={variant}
          // The page stays until the provider has answered.
          isBusy={begin.isPending || begin.isSuccess}
          onClick={() => begin.mutate({ id, ...start })}
        >
          {t.session.signInWith(label)}
        </Button>
      ))}
    </>
  );
}

export const providersQuery = (domain: string | null) => ({
  queryKey: ['sign-in-providers', domain],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    portalClient.providers.list(domain === null ? {} : { domain }, { signal }),
});

const domainOf = (email: string): string | null => /@([^@\s]+\.[^@\s.]{2,})\s*$/.exec(email)?.[1] ?? null;

type SignInProps = { email: string; next: string | undefined; notice?: ReactNode };

/** The providers to sign in with, and the one that the domain of the typed email requires. */
export function ProviderSignIn({ email, next, notice }: SignInProps) {
  const { t } = useI18n();
  const all = useQuery(providersQuery(null)).data?.providers ?? [];
  const domain = domainOf(useSettled(email));
  const ofDomain = useQuery({ ...providersQuery(domain), enabled: domain !== null && all.length > 0 });
  const required = ofDomain.data?.providers.filter((provider) => provider.required) ?? [];
  const start = next === undefined ? {} : { return_to: next };
  if (all.length === 0) return null;
  return (
    <section aria-label={t.session.otherWays} className="grid gap-2 border-t border-line pt-4">
      {notice}
      {domain !== null && required.length > 0 ? (
        <>
          <Notice>{t.session.providerRequired(domain)}</Notice>
          <ProviderButtons providers={required} variant="primary" start={start} />
        </>
      ) : (
        <ProviderButtons providers={all} start={start} />
      )}
    </section>
  );
}
