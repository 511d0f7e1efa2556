import { useI18n } from '../i18n/i18n.tsx';
import { Button } from './button.tsx';

type Props = {
  count: number;
  hasMore: boolean;
  isLoading: boolean;
  onMore: () => void;
};

/** The end of a paged list: how many records are shown, and a button to load more. */
export function MoreButton({ count, hasMore, isLoading, onMore }: Props) {
  const { t, format } = useI18n();
  const number = format.number(count);
  return (
    <div className="flex items-center justify-between gap-4 border-t border-line px-4 py-2 text-xs text-muted">
      <span role="status">{hasMore ? t.common.shown(number) : t.common.allShown(number)}</span>
      {hasMore && (
        <Button isBusy={isLoading} onClick={onMore}>
          {isLoading ? t.common.loadingMore : t.common.loadMore}
        </Button>
      )}
    </div>
  );
}
