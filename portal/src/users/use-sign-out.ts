import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { portalClient } from '../session/clients.ts';
import { announceSession } from '../session/session.ts';
import { useMayLeave } from '../ui/unsaved.ts';

/** Signs the user out, unless unsaved input keeps the page. `onError` is called also if the component is gone by then. */
export function useSignOut(onError?: (error: unknown) => void) {
  const router = useRouter();
  const queryClient = useQueryClient();
  const mayLeave = useMayLeave();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => portalClient.session.signOut(),
    // Otherwise the session goes on. After a 401, which ends it, the shell asks for the sign-in.
    onSuccess: async ({ provider_url }) => {
      announceSession('ended');
      // The provider ends its own session, and leads back to the sign-in page.
      if (provider_url !== null) return window.location.assign(provider_url);
      await router.navigate({ to: '/sign-in', ignoreBlocker: true });
      queryClient.clear();
    },
    onError: (failure) => onError?.(failure),
  });
  return {
    signOut: async (): Promise<void> => {
      if (await mayLeave()) mutate();
    },
    isPending,
    error,
  };
}
