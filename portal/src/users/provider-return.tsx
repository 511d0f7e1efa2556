import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { NO_RETRY, portalClient } from '../session/clients.ts';
import { startSession } from '../session/session.ts';
import { Skeleton } from '../ui/states.tsx';
import { Frame } from './frame.tsx';
import { FAILURE_KEY } from './provider-sign-in.tsx';

const route = getRouteApi('/sign-in/return/$providerId');

/**
 * The page that an identity provider sends the browser back to. It hands in the parameters of its address by a request of
 * its own, because the browser sends no cookie of the portal with a request that another site has caused.
 */
export function ProviderReturnPage() {
  const { t } = useI18n();
  const { providerId } = route.useParams();
  const router = useRouter();
  const queryClient = useQueryClient();
  const complete = useMutation({
    mutationFn: ({ id, query }: { id: string; query: string }) =>
      portalClient.providers.complete(id, { query }, NO_RETRY),
    onSuccess: async ({ session, return_to }) => {
      await startSession(queryClient, session);
      router.history.replace(return_to);
    },
    onError: async (error) => {
      queryClient.setQueryData(FAILURE_KEY, error);
      await router.navigate({ to: '/sign-in', replace: true });
    },
  });
  const isSent = useRef(false);
  const send = useEffectEvent(() => {
    // The parameters work once. React runs effects twice in development.
    if (isSent.current) return;
    isSent.current = true;
    complete.mutate({ id: providerId, query: window.location.search });
  });
  useEffect(() => send(), []);
  return (
    <Frame title={t.session.signingIn}>
      <Skeleton lines={2} />
    </Frame>
  );
}
