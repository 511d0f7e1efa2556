import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { Button } from './button.tsx';

type Props = {
  count: number;
  hasMore?: boolean;
  /** How many there are, where it is known. */
  shownOf?: string | undefined;
  onMore?: () => void | Promise<void>;
};

/** The end of a list: how many records are shown, and a button to load more of a paged one. */
export function MoreButton({ count, hasMore = false, shownOf, onMore }: Props) {
  const { t, format } = useI18n();
  const [isLoading, setIsLoading] = useState(false);
  const load = async () => {
    setIsLoading(true);
    await onMore?.();
    setIsLoading(false);
  };
  const number = format.number(count);
  return (
    <div className="flex items-center justify-between gap-4 border-t border-line px-4 py-2 text-xs text-muted">
      <span role="status">{hasMore ? (shownOf ?? t.common.shown(number)) : t.common.allShown(number)}</span>
      {hasMore && (
        <Button isBusy={isLoading} onClick={() => void load()}>
          {isLoading ? t.common.loadingMore : t.common.loadMore}
        </Button>
      )}
    </div>
  );
}
