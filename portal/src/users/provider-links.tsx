import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { portalClient } from '../session/clients.ts';
import { Button } from '../ui/button.tsx';
import { FormProblem } from '../ui/form.tsx';
import { Panel } from '../ui/page.tsx';
import { Instant } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { PROFILE_TEXTS } from './profile-texts.ts';

const LINKS_KEY = ['provider-links'];

/** The identity providers of the user. Nothing for users who have none. */
export function ProviderLinksPanel() {
  const { t } = useI18n();
  const toast = useToast();
  const queryClient = useQueryClient();
  const { data } = useQuery({
    queryKey: LINKS_KEY,
    queryFn: ({ signal }) => portalClient.providers.links({ signal }),
  });
  const unlink = useMutation({
    mutationFn: (issuer: string) => portalClient.providers.unlink({ issuer }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: LINKS_KEY });
      toast(PROFILE_TEXTS[t.language].unlinked);
    },
  });
  if (!data || data.links.length === 0) return null;
  return (
    <Panel title={PROFILE_TEXTS[t.language].providers}>
      <div className="grid gap-3">
        <p className="text-sm text-muted">{PROFILE_TEXTS[t.language].providersText}</p>
        <FormProblem error={unlink.error} />
        <ul className="grid gap-2">
          {data.links.map(({ issuer, label, linked_at, removable }) => (
            <li key={issuer} className="flex flex-wrap items-center justify-between gap-2 text-sm">
              <span className="grid">
                <span className="font-medium">{label}</span>
                <span className="text-xs text-muted">
                  {`${PROFILE_TEXTS[t.language].linkedSince} `}
                  <Instant at={linked_at} />
                </span>
              </span>
              {removable ? (
                <Button
                  aria-label={`${PROFILE_TEXTS[t.language].unlink}: ${label}`}
                  isBusy={unlink.isPending}
                  onClick={() => unlink.mutate(issuer)}
                >
                  {PROFILE_TEXTS[t.language].unlink}
                </Button>
              ) : (
                <span className="text-xs text-muted">{PROFILE_TEXTS[t.language].onlyWay}</span>
              )}
            </li>
          ))}
        </ul>
      </div>
    </Panel>
  );
}
