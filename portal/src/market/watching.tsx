import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { portalClient } from '../session/clients.ts';
import { usePermission } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { INQUIRY_TEXTS } from './inquiry-texts.ts';
import { watchedQuery } from './queries.ts';

type Watching = { readonly id: string; readonly isWatched: boolean };

/** Adds an offer to the watch list of the user, or removes it. */
export function WatchButton({ id }: { id: string }) {
  const { format } = useI18n();
  const texts = INQUIRY_TEXTS[format.language];
  const mayChange = usePermission('member');
  const queryClient = useQueryClient();
  const { data: watched } = useQuery(watchedQuery);
  const change = useMutation({
    mutationFn: ({ id: assetId, isWatched }: Watching) =>
      isWatched ? portalClient.watchedOffers.remove(assetId) : portalClient.watchedOffers.add(assetId),
    onSettled: () => queryClient.invalidateQueries({ queryKey: watchedQuery.queryKey }),
  });
  if (!mayChange) return null;
  // Shown before the list has loaded, so that the page does not move.
  const isWatched = watched?.has(id) === true;
  return (
    <Button
      icon={isWatched ? 'check' : 'plus'}
      aria-pressed={isWatched}
      disabled={change.isPending || watched === undefined}
      onClick={() => change.mutate({ id, isWatched })}
    >
      {isWatched ? texts.unwatch : texts.watch}
    </Button>
  );
}
