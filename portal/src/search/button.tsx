import { lazy, Suspense, useEffect, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { loadPart } from '../session/connection.ts';
import { Icon } from '../ui/icons.tsx';
import type { NavigationItem } from '../ui/navigation-item.ts';

export const loadSearch = () => loadPart(() => import('./dialog.tsx'));
const SearchDialog = lazy(async () => ({ default: (await loadSearch()).SearchDialog }));

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.userAgent);

type Props = {
  navigation: readonly NavigationItem[];
  /** The search has its keys only, on a page for a wall display. */
  isHidden?: boolean;
};

/** Opens the search, also by Ctrl K or ⌘ K. */
export function SearchButton({ navigation, isHidden = false }: Props) {
  const { t } = useI18n();
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || event.altKey || event.shiftKey) return;
      if (!(IS_APPLE ? event.metaKey : event.ctrlKey)) return;
      event.preventDefault();
      // An open dialog keeps its place: its input would be lost with the page.
      if (document.querySelector('dialog[open]') === null) setIsOpen(true);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <>
      {!isHidden && (
        <button
          type="button"
          aria-keyshortcuts={IS_APPLE ? 'Meta+K' : 'Control+K'}
          className="mr-auto flex min-h-7 touch:min-h-9 items-center gap-2 rounded-md border border-line-strong bg-surface px-2.5 text-muted hover:bg-sunken hover:text-text"
          onClick={() => setIsOpen(true)}
        >
          <Icon name="search" className="size-3.5" />
          {t.search.title}
          <kbd aria-hidden="true" className="hidden font-sans sm:inline">
            {IS_APPLE ? '⌘ K' : 'Ctrl K'}
          </kbd>
        </button>
      )}
      {isOpen && (
        <Suspense>
          <SearchDialog navigation={navigation} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
